//! What came from an earlier session, and what is offered to a later one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::handoff::{Handoff, Verification};

/// A handoff this session started with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InboundHandoff {
    pub handoff: Handoff,
    /// How well the first answer took it up; `None` before there was one.
    pub verification: Option<Verification>,
    /// Items that no answer has taken up yet.
    pub unacknowledged: Vec<String>,
    /// Turns for which they are still put before the model.
    pub reminders_left: u32,
    /// Constraints by the field that they are about, as the cues of the engine tell.
    #[serde(default)]
    pub by_field: BTreeMap<String, Vec<String>>,
}

/// A next step that the user can accept, edit or pass over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExitOffer {
    pub exit_id: String,
    /// The engine that would go on.
    pub target: String,
    pub label: String,
    /// The turn it was first offered.
    pub since_turn: u32,
    /// What would be handed over.
    pub handoff: Handoff,
    /// What keeps it from being valid, if anything.
    pub problems: Vec<String>,
}
