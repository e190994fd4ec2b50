//! How it is to talk: rapport, trust and friction.

use serde::{Deserialize, Serialize};

/// Three levels from 0 to 1, and what last moved them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SocioEmotional {
    /// How well the two get on.
    pub rapport: f64,
    /// How openly the user speaks.
    pub trust: f64,
    /// How much the user resists.
    pub friction: f64,
    /// What moved them in the last turn.
    pub movements: Vec<Movement>,
}

impl Default for SocioEmotional {
    fn default() -> Self {
        Self { rapport: 0.5, trust: 0.5, friction: 0.0, movements: Vec::new() }
    }
}

/// One movement of one level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Movement {
    /// `rapport`, `trust` or `friction`.
    pub level: String,
    pub by: f64,
    pub reason: String,
}
