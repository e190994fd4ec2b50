//! What goes on in the background.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The tasks that have been set off, by id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tasks {
    items: IndexMap<String, TaskRecord>,
}

impl Tasks {
    /// One of them.
    pub fn get(&self, id: &str) -> Option<&TaskRecord> {
        self.items.get(id)
    }

    /// All of them, in the order they were set off.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &TaskRecord)> {
        self.items.iter().map(|(id, record)| (id.as_str(), record))
    }

    /// Sets one off, or puts a report of it in place of the last.
    pub fn put(&mut self, id: &str, record: TaskRecord) {
        self.items.insert(id.to_owned(), record);
    }
}

/// One task of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// How far it has come.
    pub status: TaskStatus,
    /// The turn that set it off.
    pub since_turn: u32,
    /// How often it was tried.
    pub attempts: u32,
    /// What it brought.
    pub result: Option<Value>,
    /// What there is to say about it: progress, the reason of a failure, the gap left.
    pub note: Option<String>,
}

/// How far a task has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Set off, not started.
    Pending,
    /// Being worked on.
    Running,
    /// Waiting for another task or for the next try.
    Waiting,
    /// Done.
    Completed,
    /// Given up.
    Failed,
    /// Stuck until the user does something.
    NeedsUser,
}

impl TaskStatus {
    /// Whether work on it may still bring something.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Running | Self::Waiting | Self::NeedsUser)
    }

    /// The word in files and on screens.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::NeedsUser => "needs_user",
        }
    }
}
