//! What the review says to people, in one place.

use crate::engine::config::{Kind, Measure};
use crate::engine::outline::ShapeOutline;

use super::Standing;

pub(crate) const TITLE: &str = "What was understood";
pub(crate) const ELSEWHERE: &str = "Further";
pub(crate) const AGREE: &str = "Yes, all of this is right";
pub(crate) const NOTHING_YET: &str = "nothing yet";
pub(crate) const NOTHING_NOTED: &str = "nothing is noted yet that could be confirmed";
pub(crate) const EDITING: &str = "Enter keeps it · Ctrl-J new line · Esc leaves it";
pub(crate) const CHOOSING: &str = "arrows choose · Enter keeps it · Esc leaves it";
/// Stands in the conversation below a question that wants a yes to everything.
pub(crate) const LEADS_HERE: &str = "/review shows all of it, to check and confirm";
pub(crate) const UNCHANGED: &str = "it is as it was; nothing was changed";

impl Standing {
    /// What is said of a field that stands so.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Known => "settled",
            Self::ByHand => "set by you",
            Self::Maybe => "to be confirmed",
            Self::Doubtful => "in doubt: something it depends on has changed",
            Self::NotKnown => "you do not know",
            Self::Declined => "you would rather not say",
            Self::Deferred => "set aside",
            Self::Open => "open",
        }
    }
}

/// What is wanted of what is typed.
pub(crate) fn wanted(shape: &ShapeOutline) -> String {
    match (shape.kind, shape.measure, &shape.unit) {
        (Kind::Number, _, Some(unit)) => format!("a number of {unit}, or from–to"),
        (Kind::Number, ..) => "a number, or from–to".to_owned(),
        (_, Some(Measure::Date), _) => "a day, a month or a time: 31 March 2027, end of June, in six weeks".to_owned(),
        (_, Some(Measure::Money), _) => "an amount with its currency: 15,000 €".to_owned(),
        (_, Some(Measure::Duration), _) => "a length of time: two hours a day".to_owned(),
        (_, Some(Measure::Percent), _) => "a share: 12 %".to_owned(),
        (Kind::Array, ..) => match shape.items.as_deref().filter(|items| !items.parts.is_empty()) {
            Some(items) => format!("one on each line: {}", part_names(items, "; ")),
            None => "one on each line".to_owned(),
        },
        (Kind::Object, ..) => format!("one on each line: {}", part_names(shape, ", ")),
        _ => String::new(),
    }
}

/// The parts of a record as they are typed.
pub(crate) fn part_names(shape: &ShapeOutline, between: &str) -> String {
    let names = shape.parts.iter().map(|(key, part)| format!("{}: …", part.called(key)));
    names.collect::<Vec<_>>().join(between)
}

/// How many fields of a section are settled, and how many only need a yes.
pub(crate) fn known_of(known: usize, maybe: usize, all: usize) -> String {
    match maybe {
        0 => format!("{known} of {all} known"),
        _ => format!("{known} of {all} known, {maybe} to confirm"),
    }
}

/// Where a value stands in the words that it came from.
pub(crate) fn verbatim(turn: u32) -> String {
    format!("your words, turn {turn}")
}

pub(crate) fn quoted(quote: &str, turn: u32) -> String {
    format!("“{quote}” turn {turn}")
}

pub(crate) fn no_day(text: &str) -> String {
    format!("there is no day “{text}” in the calendar")
}

/// Why a yes does not count yet.
pub(crate) fn unseen(count: usize) -> String {
    match count {
        1 => "one answer has not been on the screen yet: here it is".to_owned(),
        _ => format!("{count} answers have not been on the screen yet: here is the first of them"),
    }
}

pub(crate) fn no_number(text: &str) -> String {
    format!("“{text}” is no number")
}

pub(crate) fn no_option(text: &str, options: &[String]) -> String {
    format!("“{text}” is none of these: {}", options.join(", "))
}

pub(crate) fn no_part(line: &str, shape: &ShapeOutline) -> String {
    format!("“{line}” does not say what it is; write {}", part_names(shape, "; "))
}
