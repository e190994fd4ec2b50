//! What the conversation still has to bring out.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::engine::config::Definition;
pub use crate::engine::config::StatusWord as Status;

/// The obligations in the order of the engine file, by id. Copies share them until one is changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Obligations {
    items: Arc<IndexMap<String, ObligationState>>,
}

impl Obligations {
    /// All obligations of an engine, none met.
    pub fn pending(definition: &Definition) -> Self {
        let items = definition.obligations.iter().map(|o| (o.id.to_string(), ObligationState::default())).collect();
        Self { items: Arc::new(items) }
    }

    pub fn get(&self, id: &str) -> Option<&ObligationState> {
        self.items.get(id)
    }

    /// One of them, to be changed.
    pub fn get_mut(&mut self, id: &str) -> Option<&mut ObligationState> {
        Arc::make_mut(&mut self.items).get_mut(id)
    }

    /// The status of one; pending where it is not known.
    pub fn status(&self, id: &str) -> Status {
        self.get(id).map_or(Status::Pending, |state| state.status)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &ObligationState)> {
        self.items.iter().map(|(id, state)| (id.as_str(), state))
    }
}

/// How far one obligation has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObligationState {
    pub status: Status,
    /// How sure what is known of it is.
    pub confidence: f64,
    pub deferred: Option<String>,
    /// The turn after which it was deferred.
    #[serde(default)]
    pub deferred_at: Option<u32>,
    /// How often it was asked since it was last answered.
    pub times_asked: u32,
    pub last_asked: Option<u32>,
    /// The turn in which the user put it off; it comes back once, at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parked_at: Option<u32>,
    /// The turn in which the user said that they had answered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_at: Option<u32>,
    /// Which doubts about its answer were cleared up, by their place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts_asked: Vec<usize>,
    /// How often its answer was followed up.
    #[serde(default)]
    pub probes: u32,
    /// Whether what was left open was offered again at the end.
    #[serde(default)]
    pub reviewed: bool,
}

impl ObligationState {
    /// Puts it off until everything that is open is looked at again, at the end.
    pub(crate) fn park(&mut self, turn: u32) {
        self.status = Status::Deferred;
        self.parked_at = Some(turn);
        (self.deferred, self.deferred_at) = (Some("you put it off".to_owned()), Some(turn));
    }
}

/// A question that was put to the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    pub obligation: String,
    /// Fields whose doubtful value the question offered for a yes or no.
    pub to_confirm: Vec<String>,
    /// Whether it asked for more of what was known.
    #[serde(default)]
    pub follows_up: bool,
    /// Whether it was one of several that were shown together, for one yes.
    #[serde(default)]
    pub together: bool,
    /// Whether it is sure that this was asked: its writer said so, or put it in the engine's own words.
    #[serde(default)]
    pub sure: bool,
}
