//! What goes on in the background: the one record of a task, from the step that sets it off to the sidebar that shows it.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::decode::words;
use crate::engine::config::BackgroundTask;

/// The tasks that have been set off, by id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tasks {
    items: IndexMap<String, TaskRecord>,
}

impl Tasks {
    pub fn get(&self, id: &str) -> Option<&TaskRecord> {
        self.items.get(id)
    }

    /// All of them, in the order they were set off.
    pub fn iter(&self) -> impl Iterator<Item = &TaskRecord> {
        self.items.values()
    }

    /// Sets one off, or puts a report of it in place of the last.
    pub fn put(&mut self, record: TaskRecord) {
        self.items.insert(record.id.clone(), record);
    }

    /// Forgets one whose turn was taken back.
    pub fn remove(&mut self, id: &str) {
        self.items.shift_remove(id);
    }
}

/// One task of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// Its id in the engine file.
    pub id: String,
    pub name: String,
    pub status: TaskStatus,
    pub since_turn: u32,
    pub reason: String,
    pub attempts: u32,
    pub result: Option<Value>,
    /// What there is to say about it: progress, the source of a result, the reason of a failure, the gap left.
    pub note: Option<String>,
}

/// Why a task that asks a model is not done where there is none.
pub const NO_MODEL: &str = "no model is connected";

impl TaskRecord {
    /// A task that is set off.
    pub fn ordered(task: &BackgroundTask, turn: u32, reason: String) -> Self {
        Self { id: task.id.to_string(), name: task.name.clone(), since_turn: turn, reason, ..Self::default() }
    }

    /// Whether it could not be done only because no model is connected: that is how the user works, and no failure.
    pub fn needs_a_model(&self) -> bool {
        self.status == TaskStatus::Failed && self.note.as_deref().is_some_and(|note| note.contains(NO_MODEL))
    }
}

words! {
    /// How far a task has come.
    TaskStatus called "a status of a task" {
        /// Set off, not started.
        Pending = "pending",
        /// Being worked on.
        Running = "running",
        /// Waiting for another task or for the next try.
        Waiting = "waiting",
        /// Done.
        Completed = "completed",
        /// Given up.
        Failed = "failed",
        /// Stuck until the user does something.
        NeedsUser = "needs_user",
        /// Was running when its process ended; it is tried again once the session is taken up.
        Interrupted = "interrupted",
    }
}

impl TaskStatus {
    /// Whether work on it may still bring something.
    pub(crate) fn is_open(self) -> bool {
        !matches!(self, Self::Completed | Self::Failed)
    }

    /// Whether it will go on without the user.
    pub(crate) fn is_under_way(self) -> bool {
        self.is_open() && self != Self::NeedsUser
    }
}
