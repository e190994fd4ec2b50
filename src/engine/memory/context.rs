//! What the model has been shown, and what had to be left out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::tokens;

/// State of the context window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextState {
    /// Tokens of the last assembled context, by the estimate.
    pub tokens: u32,
    /// The endpoint's own count divided by the estimate, averaged; 1 until an endpoint has counted.
    pub calibration: f64,
    /// What stands for the turns that are no longer shown.
    pub summary: Option<Summary>,
    /// The last compressions.
    pub compression_events: Vec<CompressionEvent>,
    /// The last context by section.
    pub sections: Vec<SectionUse>,
    /// The notes that were sent with the user's messages, by turn. They are sent again as they were, so that a request
    /// begins as the one before it did; those of turns that were compressed are gone.
    #[serde(default)]
    pub notes: BTreeMap<u32, Note>,
    /// What those notes have told.
    #[serde(default)]
    pub told: Told,
}

/// A note that was sent with a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub text: Arc<str>,
    /// Its tokens, estimated once.
    pub tokens: u32,
}

impl Note {
    pub fn new(text: String) -> Self {
        let tokens = tokens::estimate(&text);
        Self { text: text.into(), tokens }
    }
}

/// What notes that still stand have told, so that nothing is told twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The last turn whose values they tell.
    pub up_to_turn: u32,
    /// The phase whose instructions they have.
    pub phase: String,
    /// The technique that the last of them told of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub technique: Option<String>,
    /// Digests of what the background brought.
    pub background: BTreeSet<u32>,
}

impl Default for ContextState {
    fn default() -> Self {
        Self {
            tokens: 0,
            calibration: 1.0,
            summary: None,
            compression_events: Vec::new(),
            sections: Vec::new(),
            notes: BTreeMap::new(),
            told: Told::default(),
        }
    }
}

/// The stand-in for old turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub text: String,
    /// What was known when it was made.
    #[serde(default)]
    pub known: String,
    /// The last turn it stands for.
    pub up_to_turn: u32,
    pub tokens: u32,
}

/// One compression of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompressionEvent {
    pub turn: u32,
    /// By which strategy; the fallback is named where the configured one failed.
    pub strategy: String,
    pub tokens_before: u32,
    pub tokens_after: u32,
}

/// How much of its budget a section used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionUse {
    pub section: String,
    /// Estimated tokens.
    pub tokens: u32,
    /// What it was allowed.
    pub budget: u32,
    /// Whether something had to be cut.
    pub cut: bool,
}
