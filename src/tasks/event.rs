//! What watchers are told of tasks, as it happens and not only at the next turn.

use serde::{Deserialize, Serialize};

use crate::engine::memory::TaskRecord;

/// News of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEvent {
    /// How a task stands now. While it runs, the note says how far it has come.
    Changed(TaskRecord),
    /// The turn that set a task off was taken back, and the task with it.
    Withdrawn {
        /// Its id in the engine file.
        task: String,
    },
    /// What happened to a task could not be kept.
    NotKept {
        /// Its id in the engine file.
        task: String,
        reason: String,
    },
}
