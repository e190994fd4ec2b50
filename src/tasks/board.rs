//! The board: how the tasks of a session stand right now, and who is told when that changes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use tokio::sync::{broadcast, watch};

use super::event::TaskEvent;
use crate::store::TaskRow;

/// Events that a slow watcher may fall behind before it misses some; the board itself misses nothing.
const BACKLOG: usize = 512;

/// The tasks of a session by their id in the engine file.
#[derive(Debug)]
pub(super) struct Board {
    rows: Mutex<IndexMap<String, TaskRow>>,
    changes: watch::Sender<u64>,
    events: broadcast::Sender<TaskEvent>,
}

impl Board {
    pub fn new() -> Self {
        Self { rows: Mutex::default(), changes: watch::channel(0).0, events: broadcast::channel(BACKLOG).0 }
    }

    /// The rows. Nothing that holds them can panic, and a board is better read than given up.
    fn rows(&self) -> MutexGuard<'_, IndexMap<String, TaskRow>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get(&self, task: &str) -> Option<TaskRow> {
        self.rows().get(task).cloned()
    }

    pub fn all(&self) -> Vec<TaskRow> {
        self.rows().values().cloned().collect()
    }

    /// Shows a task as it stands, and wakes the tasks that wait for a change.
    pub fn put(&self, row: TaskRow) {
        self.show(row);
        self.changed();
    }

    /// Shows a task as it stands; [`changed`](Self::changed) follows once the event has been sent.
    pub fn show(&self, row: TaskRow) {
        self.rows().insert(row.record.id.clone(), row);
    }

    /// Wakes the tasks that wait for a change.
    pub fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    pub fn remove(&self, task: &str) {
        self.rows().shift_remove(task);
        self.changed();
    }

    /// Changes, to wait for.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub fn events(&self) -> broadcast::Receiver<TaskEvent> {
        self.events.subscribe()
    }

    /// Sends an event to all watchers. Sending fails only where there is none.
    pub fn tell(&self, event: TaskEvent) {
        let _ = self.events.send(event);
    }
}
