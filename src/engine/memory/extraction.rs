//! What was learned, with proof of where it was said.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How many earlier values a field remembers; the extractions log has them all.
pub const MAX_SUPERSEDED: usize = 8;

/// How many turns a field remembers to have come from; what is said again in every turn must not make it grow.
pub const MAX_TURNS: usize = 32;

/// The fields that anything is known of, by path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Extraction {
    fields: BTreeMap<String, Arc<ExtractedField<Value>>>,
}

impl Extraction {
    /// The field at `path`, if anything is known of it.
    pub fn get(&self, path: &str) -> Option<&ExtractedField<Value>> {
        self.fields.get(path).map(AsRef::as_ref)
    }

    /// The accepted value at `path`.
    pub fn value(&self, path: &str) -> Option<&Value> {
        self.get(path).filter(|field| field.state == FieldState::Known).and_then(|field| field.value.as_ref())
    }

    pub fn is_known(&self, path: &str) -> bool {
        self.value(path).is_some()
    }

    /// How sure the field is: its confidence when known, that of its candidate otherwise.
    pub fn confidence(&self, path: &str) -> f64 {
        self.get(path).map_or(0.0, ExtractedField::best_confidence)
    }

    /// The field at `path` to be changed, made if there is none.
    pub fn entry(&mut self, path: &str) -> &mut ExtractedField<Value> {
        Arc::make_mut(self.fields.entry(path.to_owned()).or_default())
    }

    pub fn remove(&mut self, path: &str) -> Option<Arc<ExtractedField<Value>>> {
        self.fields.remove(path)
    }

    /// All fields that anything is known of, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ExtractedField<Value>)> {
        self.fields.iter().map(|(path, field)| (path.as_str(), field.as_ref()))
    }
}

/// One field with everything that led to its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtractedField<T> {
    /// Whether the value counts.
    pub state: FieldState,
    /// The accepted value; kept while stale.
    pub value: Option<T>,
    pub confidence: f64,
    /// Turns that contributed: the first, and the last ones.
    pub extracted_from_turns: Vec<u32>,
    pub last_updated_at_turn: u32,
    pub evidence: Option<Evidence>,
    /// What was told besides when more was asked for: a reason, an occasion, a figure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Evidence>,
    /// The yes to the value, where it was offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_by: Option<Evidence>,
    /// Who brought the value.
    pub source: FieldSource,
    /// What it replaced, newest last.
    pub superseded: Vec<Superseded<T>>,
    /// A value that is not sure enough to count.
    pub candidate: Option<Candidate<T>>,
}

impl<T> Default for ExtractedField<T> {
    fn default() -> Self {
        Self {
            state: FieldState::Candidate,
            value: None,
            confidence: 0.0,
            extracted_from_turns: Vec::new(),
            last_updated_at_turn: 0,
            evidence: None,
            further: Vec::new(),
            confirmed_by: None,
            source: FieldSource::Model,
            superseded: Vec::new(),
            candidate: None,
        }
    }
}

impl<T> ExtractedField<T> {
    /// The confidence of the value if it counts, else that of the candidate.
    pub fn best_confidence(&self) -> f64 {
        match self.state {
            FieldState::Known => self.confidence,
            FieldState::Unknown | FieldState::Declined => 0.0,
            FieldState::Candidate | FieldState::Stale => {
                let doubted = if self.value.is_some() { self.confidence.min(0.5) } else { 0.0 };
                self.candidate.as_ref().map_or(0.0, |candidate| candidate.confidence).max(doubted)
            }
        }
    }

    /// A value that only needs confirming: the candidate, or the one that has come into doubt.
    pub(crate) fn doubted(&self) -> Option<&T> {
        let stale = self.value.as_ref().filter(|_| self.state == FieldState::Stale);
        self.candidate.as_ref().map(|candidate| &candidate.value).or(stale)
    }

    /// Whether the value came later than what now speaks for another. What the user set by hand yields to nothing said
    /// before; what was only gathered from their words may still gather from older ones.
    pub(crate) fn is_newer_than(&self, evidence: Option<&Evidence>, gathers: bool) -> bool {
        let Some(evidence) = evidence else { return self.source == FieldSource::User };
        match self.source {
            FieldSource::User => evidence.turn <= self.last_updated_at_turn,
            _ => !gathers && evidence.turn < self.last_updated_at_turn,
        }
    }

    /// Whether the value was taken back after the words that now speak for one. Words that were there before do not
    /// bring back what they once brought.
    pub(crate) fn was_cleared_after(&self, evidence: Option<&Evidence>) -> bool {
        let cleared = self.superseded.last().filter(|_| self.value.is_none()).map(|old| old.at_turn);
        cleared.is_some_and(|turn| evidence.is_some_and(|evidence| evidence.turn <= turn))
    }

    /// Records that `turn` contributed to the value.
    pub fn touch(&mut self, turn: u32) {
        self.last_updated_at_turn = turn;
        let turns = &mut self.extracted_from_turns;
        if turns.last() != Some(&turn) {
            turns.push(turn);
        }
        if turns.len() > MAX_TURNS {
            turns.remove(1);
        }
    }
}

/// Whether a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldState {
    /// Accepted.
    Known,
    /// Not sure enough, or without proof.
    Candidate,
    /// Was accepted, until something it depends on changed.
    Stale,
    /// The user does not know.
    Unknown,
    /// The user would rather not say.
    Declined,
}

/// Who brought a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldSource {
    /// The analysis of what the user wrote.
    Model,
    /// The user, by an edit of their own.
    User,
    /// A conclusion that needs no quote.
    Inferred,
    /// An earlier session, which handed it over.
    Handoff,
}

/// Where the user said so: bytes of their message of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub turn: u32,
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    pub quote: String,
}

/// The most of a quote that is kept, in bytes: it is a pointer to what was said, not a copy of it.
const MAX_QUOTE: usize = 400;

impl Evidence {
    /// A part of the message of a turn; of a very long one, its beginning.
    pub fn at(turn: u32, message: &str, range: std::ops::Range<usize>) -> Self {
        let mut end = range.end.min(message.len());
        if end.saturating_sub(range.start) > MAX_QUOTE {
            end = message.floor_char_boundary(range.start + MAX_QUOTE);
        }
        Self { turn, start: range.start, end, quote: message[range.start..end].to_owned() }
    }
}

/// A value that was replaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Superseded<T> {
    pub value: T,
    /// The turn it came from.
    pub from_turn: u32,
    /// The turn that replaced it.
    pub at_turn: u32,
    pub reason: String,
}

/// A value that is not sure enough to count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate<T> {
    pub value: T,
    pub confidence: f64,
    /// The turn it came from.
    pub turn: u32,
    /// Why it does not count.
    pub reason: String,
    /// Where it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}
