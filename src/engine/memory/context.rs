//! What the model has been shown, and what had to be left out.

use serde::{Deserialize, Serialize};

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
}

impl Default for ContextState {
    fn default() -> Self {
        Self { tokens: 0, calibration: 1.0, summary: None, compression_events: Vec::new(), sections: Vec::new() }
    }
}

/// The stand-in for old turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub text: String,
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
