//! Words about the conversation itself that have a key: not now, and back to the question before.

use super::effect::Effect;
use super::model::Model;
use super::turn;

/// What can be said with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aside {
    NotNow,
    Before,
}

impl Aside {
    /// The words, in the language of the conversation: they are said as if they had been typed.
    fn words(self, language: Option<&str>) -> &'static str {
        match (self, language) {
            (Self::NotNow, Some("de")) => "Überspringen wir das bitte.",
            (Self::NotNow, _) => "Let's skip this one for now.",
            (Self::Before, Some("de")) => "Zurück zur vorigen Frage, bitte.",
            (Self::Before, _) => "Go back to the previous question, please.",
        }
    }
}

/// Says it. What is being written stays.
pub(crate) fn say(model: &mut Model, aside: Aside) -> Vec<Effect> {
    let language = model.session.as_ref().and_then(|session| session.memory.language.current.clone());
    let draft = model.composer.unsaid();
    let busy = model.turn.is_some();
    model.composer.editing = None;
    let mut effects = turn::submit(model, aside.words(language.as_deref()).to_owned());
    if !busy {
        model.composer.reset(&draft);
        effects.extend(super::draft::keep(model).filter(|_| !draft.is_empty()));
    }
    effects
}
