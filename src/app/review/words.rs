//! What the review says to people, in one place.

use crate::engine::config::{Kind, Measure};
use crate::engine::outline::ShapeOutline;
use crate::engine::reading::Mistyped;

use super::Standing;
use crate::words::ReviewWords;

impl Standing {
    /// What is said of a field that stands so.
    pub(crate) fn word(self, says: &ReviewWords) -> &str {
        match self {
            Self::Known => says.known(),
            Self::ByHand => says.by_hand(),
            Self::Maybe => says.maybe(),
            Self::Doubtful => says.doubtful(),
            Self::NotKnown => says.not_known(),
            Self::Declined => says.declined(),
            Self::Deferred => says.deferred(),
            Self::Open => says.open(),
        }
    }
}

/// What is wanted of what is typed.
pub(crate) fn wanted(shape: &ShapeOutline, says: &ReviewWords) -> String {
    match (shape.kind, shape.measure, &shape.unit) {
        (Kind::Number, _, Some(unit)) => says.number_of(unit),
        (Kind::Number, ..) => says.number().to_owned(),
        (_, Some(Measure::Date), _) => says.date().to_owned(),
        (_, Some(Measure::Money), _) => says.money().to_owned(),
        (_, Some(Measure::Duration), _) => says.duration().to_owned(),
        (_, Some(Measure::Percent), _) => says.percent().to_owned(),
        (Kind::Array, ..) => match shape.items.as_deref().filter(|items| !items.parts.is_empty()) {
            Some(items) => says.each_line_of(part_names(items, "; ")),
            None => says.each_line().to_owned(),
        },
        (Kind::Object, ..) => says.each_line_of(part_names(shape, ", ")),
        _ => String::new(),
    }
}

/// The parts of a record as they are typed.
pub(crate) fn part_names(shape: &ShapeOutline, between: &str) -> String {
    let names = shape.parts.iter().map(|(key, part)| format!("{}: …", part.called(key)));
    names.collect::<Vec<_>>().join(between)
}

/// How many fields of a section are settled, and how many only need a yes.
pub(crate) fn known_of(known: usize, maybe: usize, all: usize, says: &ReviewWords) -> String {
    match maybe {
        0 => says.known_of(known, all),
        _ => says.known_and_maybe(known, all, maybe),
    }
}

/// Why what was typed is no value of its field, and how it is kept all the same where that can be.
pub(crate) fn refusal(why: &Mistyped, typed: &str, can_be_kept: bool, says: &ReviewWords) -> String {
    let problem = match why {
        Mistyped::Day => says.not_a_day(typed),
        Mistyped::Money => says.not_money(typed),
        Mistyped::Duration => says.not_a_length(typed),
        Mistyped::Share => says.not_a_share(typed),
        Mistyped::Number => says.no_number(typed),
        Mistyped::Below(least) => says.too_small(typed, least),
        Mistyped::Above(most) => says.too_large(typed, most),
        Mistyped::Other(why) => return says.otherwise_wrong(typed, why),
    };
    if can_be_kept { says.in_quotes(problem) } else { problem }
}
