//! The answers that can be chosen, as lines: numbered, unless a number may be the answer itself.

use super::told::Told;
use crate::app::answer_card::{Pick, label, lead, picks, shown};
use crate::app::model::Model;
use crate::engine::answer_card::{AnswerCard, CardKind};

/// What was told of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Card {
    told: Option<AnswerCard>,
}

impl Card {
    /// Tells the answers to a question once, when it can be answered.
    pub fn tell(&mut self, model: &Model, can_be_answered: bool, told: &mut Told) {
        let card = shown(model).filter(|_| can_be_answered || self.told.as_ref() == shown(model)).cloned();
        if card == self.told {
            return;
        }
        if let Some(card) = &card {
            tell(card, model, told);
        }
        self.told = card;
    }
}

fn tell(card: &AnswerCard, model: &Model, told: &mut Told) {
    let words = model.words;
    let says = &words.card;
    let choices: Vec<String> = offered(card).map(|pick| label(card, pick, says)).collect();
    if !is_numbered(card) {
        let told_first = lead(card, words).into_iter();
        told.say(says.answers(), &told_first.chain(choices).collect::<Vec<_>>().join("; "));
        return;
    }
    told.line(format!("{}:", says.answers()));
    told.lines(choices.iter().enumerate().map(|(at, choice)| format!("{}. {choice}", at + 1)));
    told.line(says.by_number());
}

/// What can be chosen by its number: to say something else one says it.
fn offered(card: &AnswerCard) -> impl Iterator<Item = Pick> + use<> {
    picks(card).into_iter().filter(|pick| *pick != Pick::Other)
}

/// Whether a number chooses: not where it may be the answer, or the beginning of one.
fn is_numbered(card: &AnswerCard) -> bool {
    let begins_with_figure = |choice: &String| choice.trim_start().starts_with(|c: char| c.is_numeric());
    card.kind != CardKind::Number && !card.choices.iter().any(begins_with_figure)
}

/// What a line says that is nothing but the number of an answer.
pub(super) fn chosen(model: &Model, line: &str) -> Option<String> {
    let card = shown(model).filter(|card| is_numbered(card))?;
    let number = line.trim().trim_end_matches(['.', ')']).parse::<usize>().ok()?;
    match offered(card).nth(number.checked_sub(1)?)? {
        Pick::Say(at) => card.choices.get(at).cloned(),
        Pick::Skip => Some(card.skip.clone()),
        Pick::Other => None,
    }
}
