//! Which techniques were used, and to what effect.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Techniques in use and in the past.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TechniqueState {
    /// Those chosen (or, with the model as scheduler, offered) for the last answer.
    pub active: Vec<String>,
    pub last_used: BTreeMap<String, u32>,
    /// What each has brought so far.
    pub effects: BTreeMap<String, TechniqueEffect>,
}

impl TechniqueState {
    /// Turns left before a technique with this cooldown may be used at `turn`.
    pub fn cooldown_left(&self, id: &str, cooldown_turns: u32, turn: u32) -> u32 {
        self.last_used.get(id).map_or(0, |used| (used + cooldown_turns + 1).saturating_sub(turn))
    }
}

/// What a technique has brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TechniqueEffect {
    pub uses: u32,
    /// Average of what the answers after it brought, from 0 to 1.
    pub average: f64,
}
