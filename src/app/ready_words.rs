//! Words about the conversation itself that have a key: not now, and back to the question before.

use super::effect::Effect;
use super::model::Model;
use super::turn;
use crate::words::Turns;

/// What can be said with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ready {
    NotNow,
    Before,
}

impl Ready {
    /// The words, in the language of the conversation: they are said as if they had been typed.
    fn words(self, says: &Turns) -> &str {
        match self {
            Self::NotNow => says.skip(),
            Self::Before => says.go_back(),
        }
    }
}

/// Says it. What is being written stays.
pub(crate) fn say(model: &mut Model, ready: Ready) -> Vec<Effect> {
    let words = ready.words(&model.words.turns).to_owned();
    say_words(model, words)
}

/// Says words that nobody typed. What is being written stays.
pub(crate) fn say_words(model: &mut Model, words: String) -> Vec<Effect> {
    let draft = model.composer.unsaid();
    let busy = model.turn.is_some();
    model.composer.editing = None;
    let mut effects = turn::submit(model, words);
    if !busy {
        model.composer.reset(&draft);
        effects.extend(super::draft::keep(model).filter(|_| !draft.is_empty()));
    }
    effects
}
