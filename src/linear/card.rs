//! The answers that can be chosen, as lines: numbered, unless a number may be the answer itself.

use super::told::Told;
use crate::app::answer_card::{Pick, label, lead, picks, shown};
use crate::app::model::Model;
use crate::engine::answer_card::{AnswerCard, CardKind};

/// What was told of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Card {
    told: Option<AnswerCard>,
    /// Whether it was said what a number does: once is enough.
    explained: bool,
}

/// Answers that take more columns than this stand on lines of their own.
const ON_ONE_LINE: usize = 100;

impl Card {
    /// Tells the answers to a question once, when it can be answered.
    pub fn tell(&mut self, model: &Model, can_be_answered: bool, told: &mut Told) {
        let card = shown(model).filter(|_| can_be_answered || self.told.as_ref() == shown(model)).cloned();
        if card == self.told {
            return;
        }
        if let Some(card) = &card {
            tell(card, model, told);
            if is_numbered(card) && !std::mem::replace(&mut self.explained, true) {
                told.line(model.words.card.by_number());
            }
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
    let numbered: Vec<String> =
        choices.iter().enumerate().map(|(at, choice)| format!("{}. {choice}", at + 1)).collect();
    let line = lead(card, words).into_iter().chain(numbered.iter().cloned()).collect::<Vec<_>>().join("; ");
    if line.chars().count() <= ON_ONE_LINE {
        told.say(says.answers(), &line);
    } else {
        told.line(format!("{}:", says.answers()));
        told.lines(numbered);
    }
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

/// Whether a line is nothing but the offer to say something else.
pub(super) fn is_other(model: &Model, line: &str) -> bool {
    let says = &model.words.card;
    shown(model).is_some_and(|card| picks(card).contains(&Pick::Other))
        && line.trim().trim_end_matches('.').to_lowercase() == says.other().to_lowercase()
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
