//! The board: how the tasks of a session stand right now, and who is told when that changes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use tokio::sync::{broadcast, watch};

use super::event::{News, TaskEvent};
use crate::engine::memory::{TaskRecord, TaskStatus};
use crate::store::{self, BackgroundTask, SessionId};

/// Events that a slow watcher may fall behind before it misses some; the board itself misses nothing.
const BACKLOG: usize = 512;

/// The tasks of a session by name.
#[derive(Debug)]
pub(super) struct Board {
    session: SessionId,
    rows: Mutex<IndexMap<String, BackgroundTask>>,
    changes: watch::Sender<u64>,
    events: broadcast::Sender<TaskEvent>,
}

impl Board {
    pub fn new(session: SessionId) -> Self {
        Self { session, rows: Mutex::default(), changes: watch::channel(0).0, events: broadcast::channel(BACKLOG).0 }
    }

    /// The rows. Nothing that holds them can panic, and a board is better read than given up.
    fn rows(&self) -> MutexGuard<'_, IndexMap<String, BackgroundTask>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get(&self, name: &str) -> Option<BackgroundTask> {
        self.rows().get(name).cloned()
    }

    pub fn all(&self) -> Vec<BackgroundTask> {
        self.rows().values().cloned().collect()
    }

    /// Shows a task as it stands, and tells those who wait for a change.
    pub fn put(&self, row: BackgroundTask) {
        self.show(row);
        self.changed();
    }

    /// Shows a task as it stands; [`changed`](Self::changed) follows once everybody has been told.
    pub fn show(&self, row: BackgroundTask) {
        self.rows().insert(row.name.clone(), row);
    }

    /// Wakes those who wait for a change.
    pub fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    pub fn remove(&self, name: &str) -> Option<BackgroundTask> {
        let row = self.rows().shift_remove(name);
        self.changed();
        row
    }

    /// Changes, to wait for.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub fn events(&self) -> broadcast::Receiver<TaskEvent> {
        self.events.subscribe()
    }

    pub fn tell(&self, row: &BackgroundTask, name: &str, news: News) {
        let event = TaskEvent {
            session: self.session,
            task: row.name.clone(),
            name: name.to_owned(),
            news,
            record: record(row),
        };
        // It fails only where nobody watches.
        let _ = self.events.send(event);
    }
}

/// A task as the working memory has it.
pub(super) fn record(row: &BackgroundTask) -> TaskRecord {
    TaskRecord {
        status: match row.status {
            store::TaskStatus::Pending | store::TaskStatus::Interrupted => TaskStatus::Pending,
            store::TaskStatus::Running => TaskStatus::Running,
            store::TaskStatus::Waiting => TaskStatus::Waiting,
            store::TaskStatus::NeedsUser => TaskStatus::NeedsUser,
            store::TaskStatus::Completed => TaskStatus::Completed,
            store::TaskStatus::Failed | store::TaskStatus::Cancelled => TaskStatus::Failed,
        },
        since_turn: row.turn,
        attempts: row.attempts,
        result: row.result.clone(),
        note: row.error.clone(),
    }
}
