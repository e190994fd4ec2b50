//! Where the conversation stands, and how it got there.

use serde::{Deserialize, Serialize};

/// How many earlier phases are remembered: an engine may go round in circles for as long as people talk.
pub const MAX_VISITS: usize = 64;

/// The current phase and those before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseState {
    pub current: String,
    pub entered_at_turn: u32,
    pub turns_in_phase: u32,
    /// The last phases before it, oldest first.
    pub history: Vec<PhaseVisit>,
}

impl PhaseState {
    /// The state at the start of a session.
    pub(crate) fn starting(phase: &str) -> Self {
        Self { current: phase.to_owned(), entered_at_turn: 0, turns_in_phase: 0, history: Vec::new() }
    }

    /// Leaves the current phase at `turn` for `target`.
    pub fn move_to(&mut self, target: &str, turn: u32, completeness: f64, forced: bool) {
        self.history.push(PhaseVisit {
            phase_id: std::mem::replace(&mut self.current, target.to_owned()),
            entered_at_turn: self.entered_at_turn,
            exited_at_turn: turn,
            turns_in_phase: self.turns_in_phase,
            completeness,
            forced,
        });
        if self.history.len() > MAX_VISITS {
            self.history.remove(0);
        }
        self.entered_at_turn = turn;
        self.turns_in_phase = 0;
    }
}

/// A phase that was left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseVisit {
    pub phase_id: String,
    pub entered_at_turn: u32,
    pub exited_at_turn: u32,
    pub turns_in_phase: u32,
    pub completeness: f64,
    /// Whether a person moved on, rather than a trigger.
    pub forced: bool,
}
