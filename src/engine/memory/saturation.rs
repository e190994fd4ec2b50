//! How little is still new.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// What the last turns added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SaturationState {
    /// From 0 (every turn brings something) to 1 (nothing new comes).
    pub level: f64,
    /// The last turns, oldest first.
    pub window: VecDeque<TurnNovelty>,
}

/// What one turn added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnNovelty {
    pub turn: u32,
    /// Fields that got their first value.
    pub new_fields: u32,
    /// Fields whose value changed.
    pub superseded: u32,
    /// Content words never used before in the session.
    pub novel_words: u32,
    /// Content words in all.
    pub words: u32,
}
