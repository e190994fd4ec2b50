//! From what a model makes of a message to values that can be relied on: repaired, typed, proven, merged, logged.

mod answer;
mod coerce;
mod combine;
mod evidence;
mod merge;
mod numbers;
mod repair;
mod request;
mod schema;
mod slice;
mod with_rules;

pub use answer::Reading;
pub(crate) use answer::{AnalysisAnswer, Signals, read_entries, read_report};
pub(crate) use coerce::coerce;
pub(crate) use merge::Merger;
pub use merge::dependents;
pub(crate) use repair::{repair, salvage};
pub use request::{Room, instructions, material};
pub(crate) use schema::record_schema;
pub(crate) use slice::Slices;
pub use slice::{MAX_SLICE, Slice};
pub(crate) use with_rules::{Beside, with_rules};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::memory::Evidence;
use super::sensitive;

/// What happened to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It got its first value.
    New,
    /// Its value was confirmed or gathered more.
    Update,
    /// Its value was replaced.
    Supersede,
    /// A value came that does not count yet.
    Candidate,
    /// Its value is in doubt, since something it depends on changed.
    Stale,
    /// The user does not know.
    Unknown,
    /// The user would rather not say.
    Declined,
    /// The user took it back.
    Cleared,
}

impl ChangeKind {
    /// The word in logs and reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Update => "update",
            Self::Supersede => "supersede",
            Self::Candidate => "candidate",
            Self::Stale => "stale",
            Self::Unknown => "unknown",
            Self::Declined => "declined",
            Self::Cleared => "cleared",
        }
    }

    /// Whether the accepted value of the field is another than before.
    pub(crate) fn is_accepted(self) -> bool {
        matches!(self, Self::New | Self::Update | Self::Supersede)
    }
}

/// One change of one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub path: String,
    pub kind: ChangeKind,
    /// Its value now, or the candidate.
    pub value: Value,
    pub confidence: f64,
    pub evidence: Option<Evidence>,
    /// The value before, where it was replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Value>,
    pub reason: String,
}

/// An entry of the append-only extractions log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    pub turn: u32,
    pub field_path: String,
    pub extracted_value: Value,
    pub confidence: f64,
    pub extraction_type: ChangeKind,
    pub reasoning: String,
    pub evidence: Option<Evidence>,
}

impl LogEntry {
    pub fn of(change: &Change, turn: u32) -> Self {
        Self {
            turn,
            field_path: change.path.clone(),
            extracted_value: change.value.clone(),
            confidence: change.confidence,
            extraction_type: change.kind,
            reasoning: change.reason.clone(),
            evidence: change.evidence.clone(),
        }
    }

    /// The entry with sensitive data taken out; where it was said is kept.
    #[must_use]
    pub(crate) fn redacted(self) -> Self {
        let evidence = self.evidence.map(|said| Evidence { quote: sensitive::redact(&said.quote), ..said });
        Self {
            extracted_value: sensitive::redact_value(self.extracted_value),
            reasoning: sensitive::redact(&self.reasoning),
            evidence,
            ..self
        }
    }
}
