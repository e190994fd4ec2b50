//! What numbers count: money, shares, lengths of time, by the names a language has for them.

use super::tables::Table;
use super::text::Token;

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    Money,
    Percent,
    Minutes,
    Hours,
    Days,
    Weeks,
    Months,
    Years,
}

impl Unit {
    /// The unit of that name in an engine's settings, which are written in English whatever is spoken.
    pub fn of_setting(name: &str) -> Option<Self> {
        match name {
            "minutes" => Some(Self::Minutes),
            "hours" => Some(Self::Hours),
            "days" => Some(Self::Days),
            "weeks" => Some(Self::Weeks),
            "months" => Some(Self::Months),
            "years" => Some(Self::Years),
            _ => None,
        }
    }

    /// How many hours it has by the calendar, where it is a length of time.
    pub fn hours(self) -> Option<f64> {
        match self {
            Self::Minutes => Some(1.0 / 60.0),
            Self::Hours => Some(1.0),
            Self::Days => Some(24.0),
            Self::Weeks => Some(168.0),
            Self::Months => Some(730.5),
            Self::Years => Some(8766.0),
            Self::Money | Self::Percent => None,
        }
    }

    /// The unit next below, in which a part of this one is counted.
    pub fn smaller(self) -> Self {
        match self {
            Self::Minutes | Self::Hours => Self::Minutes,
            Self::Days => Self::Hours,
            Self::Weeks => Self::Days,
            Self::Months => Self::Weeks,
            Self::Years => Self::Months,
            other => other,
        }
    }
}

/// The names of units.
#[derive(Clone, Debug, Default)]
pub(super) struct Units {
    /// By the first word of the name: the words after it, the longest name first.
    by_first: Table<String, Vec<(Vec<String>, Unit)>>,
}

impl Units {
    pub fn new(names: impl IntoIterator<Item = (Vec<String>, Unit)>) -> Self {
        let mut by_first: Table<String, Vec<(Vec<String>, Unit)>> = Table::default();
        for (mut words, unit) in names {
            if !words.is_empty() {
                let first = words.remove(0);
                by_first.entry(first).or_default().push((words, unit));
            }
        }
        for names in by_first.values_mut() {
            names.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
        Self { by_first }
    }

    /// The unit at a token, and the token after it.
    pub fn at(&self, tokens: &[Token], at: usize) -> Option<(Unit, usize)> {
        let first = tokens.get(at)?;
        let follows = |rest: &[String]| {
            let said = tokens.get(at + 1..at + 1 + rest.len());
            said.is_some_and(|said| said.iter().zip(rest).all(|(token, word)| token.word == *word))
        };
        let names = self.by_first.get(&first.word)?;
        names.iter().find(|(rest, _)| follows(rest)).map(|(rest, unit)| (*unit, at + 1 + rest.len()))
    }

    /// The unit that some words name.
    pub fn named(&self, name: &str) -> Option<Unit> {
        let mut words = name.split_whitespace();
        let names = self.by_first.get(words.next()?)?;
        let rest: Vec<&str> = words.collect();
        names.iter().find(|(own, _)| *own == rest).map(|(_, unit)| *unit)
    }
}
