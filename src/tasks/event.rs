//! What whoever watches is told of tasks, at once and not only at the next turn.

use crate::engine::memory::TaskRecord;
use crate::store::SessionId;

/// News of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskEvent {
    /// The session it works for.
    pub session: SessionId,
    /// Its id in the engine file.
    pub task: String,
    /// What people read.
    pub name: String,
    /// What happened.
    pub news: News,
    /// The task as it stands now.
    pub record: TaskRecord,
}

/// What happened to a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// It was set off.
    Ordered,
    /// An attempt has begun.
    Started,
    /// It says how far it has come.
    Progress(String),
    /// It waits for another task or for the next attempt; the record says for what.
    Waiting,
    /// It has a result.
    Completed,
    /// It was given up; the record says what happens instead.
    Failed,
    /// It needs the user; the record says what for.
    NeedsUser,
    /// It was called off.
    Cancelled,
    /// What happened to it could not be kept.
    NotKept(String),
}
