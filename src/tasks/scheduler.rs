//! The scheduler of one session: sets tasks off, picks up what an earlier process left, and lets the user step in.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tokio::sync::broadcast;
use tokio::task::AbortHandle;

use super::attempt::{self, Shared};
use super::board::{Board, record};
use super::event::{News, TaskEvent};
use super::failure::{Failure, FailureKind};
use super::handler::process;
use super::means::Means;
use super::trust::{Provenance, TrustRequest, request};
use crate::engine::Engine;
use crate::engine::config::FailureStrategy;
use crate::engine::memory::{TaskStatus, Tasks, WorkingMemory};
use crate::engine::ports::{TaskOrder, TaskUpdate};
use crate::llm::Models;
use crate::store::{
    BackgroundTask, Decision, ProjectId, SessionId, StoreError, StoreHandle, TaskId, TaskStatus as Kept, Trust,
};

/// The background tasks of one session. They go on as long as it lives; dropping it ends them, and what they were doing
/// is picked up by the next process that opens the session.
#[derive(Debug)]
pub struct Scheduler {
    shared: Arc<Shared>,
    jobs: Mutex<HashMap<String, AbortHandle>>,
    /// Whether there is nothing left over from another process.
    taken_up: AtomicBool,
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        for (_, job) in self.jobs.get_mut().unwrap_or_else(PoisonError::into_inner).drain() {
            job.abort();
        }
    }
}

impl Scheduler {
    /// A scheduler with nothing to do yet.
    pub fn new(session: SessionId, project: ProjectId, engine: Arc<Engine>, from: Provenance, means: Means) -> Self {
        let shared = Shared {
            session,
            project,
            engine,
            provenance: from,
            means,
            board: Board::new(session),
            models: Mutex::default(),
        };
        Self { shared: Arc::new(shared), jobs: Mutex::default(), taken_up: AtomicBool::new(true) }
    }

    /// Has these models do the research from now on; without any, tasks that need one say so.
    pub fn set_models(&self, models: Option<Arc<Models>>) {
        *self.shared.models.lock().unwrap_or_else(PoisonError::into_inner) = models;
    }

    /// The folder of the engine, if it has one.
    pub fn engine_folder(&self) -> Option<&Path> {
        self.shared.provenance.folder.as_deref()
    }

    /// An order as the store keeps it, to be stored with the turn that gave it.
    pub fn row(&self, order: &TaskOrder) -> BackgroundTask {
        let now = (self.shared.means.clock)();
        BackgroundTask {
            id: TaskId::new(now),
            session_id: self.shared.session,
            turn: order.turn,
            name: order.task.clone(),
            status: Kept::Pending,
            attempts: 0,
            input: json!(order),
            result: None,
            error: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Starts tasks that were stored.
    pub fn start(&self, rows: Vec<BackgroundTask>, memory: &Arc<WorkingMemory>) {
        for row in &rows {
            self.shared.board.put(row.clone());
            self.shared.board.tell(row, self.shared.name_of(&row.name), News::Ordered);
        }
        for row in rows {
            self.drive(row, memory, None);
        }
    }

    /// Shows the tasks of a session as they were kept, and does nothing about them yet: whoever only looks at a session
    /// starts no programs.
    pub async fn load(&self) -> Result<(), StoreError> {
        let session = self.shared.session;
        let rows = self.shared.means.store.call_async(move |store| store.tasks(session)).await?;
        rows.into_iter().filter(|row| row.status != Kept::Cancelled).for_each(|row| self.shared.board.put(row));
        self.taken_up.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Takes up the tasks that were loaded, once: what is open goes on, and what was interrupted is tried again or
    /// failed by its strategy. A task that the memory has and the store lost is set off anew.
    pub async fn take_up(&self, memory: &Arc<WorkingMemory>) -> Result<(), StoreError> {
        if self.taken_up.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        for row in self.shared.board.all() {
            match row.status {
                // One that runs lives in another process, which reports to the store.
                Kept::Completed | Kept::Failed | Kept::Cancelled | Kept::NeedsUser | Kept::Running => {}
                Kept::Pending | Kept::Waiting => self.drive(row, memory, None),
                Kept::Interrupted => {
                    process::sweep(&row.id.to_string());
                    let message = "it was interrupted when the program ended".to_owned();
                    self.drive(row, memory, Some(Failure { kind: FailureKind::Interrupted, message }));
                }
            }
        }
        self.set_off_lost(memory).await
    }

    async fn set_off_lost(&self, memory: &Arc<WorkingMemory>) -> Result<(), StoreError> {
        let open = memory.background_tasks.iter().filter(|(_, record)| record.status.is_open());
        let lost: Vec<BackgroundTask> = open
            .filter(|(id, _)| self.shared.board.get(id).is_none() && self.shared.task(id).is_some())
            .map(|(id, record)| {
                self.row(&TaskOrder {
                    task: id.to_owned(),
                    handler: self.shared.task(id).map(|task| task.handler.to_string()).unwrap_or_default(),
                    turn: record.since_turn,
                    after: Vec::new(),
                    reason: "it was open when the session was taken up".to_owned(),
                })
            })
            .collect();
        for row in &lost {
            self.shared.keep(row.clone()).await?;
        }
        self.start(lost, memory);
        Ok(())
    }

    fn drive(&self, row: BackgroundTask, memory: &Arc<WorkingMemory>, failed: Option<Failure>) {
        let name = row.name.clone();
        let job = tokio::spawn(attempt::drive(Arc::clone(&self.shared), row, Arc::clone(memory), failed));
        let earlier = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).insert(name, job.abort_handle());
        if let Some(earlier) = earlier {
            earlier.abort();
        }
    }

    /// Ends what runs and keeps it as interrupted, to be picked up by another scheduler.
    pub async fn stop(&self) -> Result<(), StoreError> {
        let jobs: Vec<AbortHandle> =
            self.jobs.lock().unwrap_or_else(PoisonError::into_inner).drain().map(|(_, job)| job).collect();
        for job in jobs {
            job.abort();
        }
        for mut row in self.shared.board.all() {
            if row.status == Kept::Running {
                row.status = Kept::Interrupted;
                self.shared.keep(row).await?;
            }
        }
        Ok(())
    }

    /// News since a memory was made, to be merged into it by the next turn.
    pub fn updates(&self, known: &Tasks) -> Vec<TaskUpdate> {
        let all = self.shared.board.all().into_iter().map(|row| (row.name.clone(), record(&row)));
        all.filter(|(task, record)| known.get(task) != Some(record))
            .map(|(task, record)| TaskUpdate { task, record })
            .collect()
    }

    /// Everything that happens from now on.
    pub fn events(&self) -> broadcast::Receiver<TaskEvent> {
        self.shared.board.events()
    }

    /// Returns when no task is pending, running or waiting any more.
    pub async fn settled(&self) {
        let mut changes = self.shared.board.changes();
        let busy = |row: &BackgroundTask| {
            matches!(row.status, Kept::Pending | Kept::Running | Kept::Waiting | Kept::Interrupted)
        };
        while self.shared.board.all().iter().any(busy) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Tries a task again that failed or needs the user.
    pub async fn retry(&self, task: &str, memory: &Arc<WorkingMemory>) -> Result<(), String> {
        let Some(mut row) = self.shared.board.get(task) else {
            return Err(format!("there is no task {task} to try again"));
        };
        if !matches!(row.status, Kept::Failed | Kept::NeedsUser) {
            return Err(format!("{} is not at a standstill", self.shared.name_of(task)));
        }
        row.status = Kept::Pending;
        row.attempts = 0;
        row.error = None;
        row.result = None;
        self.shared.keep(row.clone()).await.map_err(|error| error.to_string())?;
        self.start(vec![row], memory);
        Ok(())
    }

    /// Goes on without a task: it is called off, and what it held up is free.
    pub async fn skip(&self, task: &str) -> Result<(), String> {
        let Some(mut row) = self.shared.board.get(task) else { return Err(format!("there is no task {task}")) };
        if matches!(row.status, Kept::Completed | Kept::Failed) {
            return Err(format!("{} is over already", self.shared.name_of(task)));
        }
        self.abort(task);
        row.status = Kept::Failed;
        row.error = Some("called off by you; we go on without it".to_owned());
        self.shared.keep(row.clone()).await.map_err(|error| error.to_string())?;
        self.shared.board.tell(&row, self.shared.name_of(task), News::Cancelled);
        Ok(())
    }

    fn abort(&self, task: &str) {
        let job = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).remove(task);
        if let Some(job) = job {
            job.abort();
        }
    }

    /// Forgets tasks of turns that were taken back.
    pub fn rewound_to(&self, turn: u32) {
        for row in self.shared.board.all() {
            if row.turn > turn {
                self.abort(&row.name);
                self.shared.board.remove(&row.name);
                self.shared.board.tell(&row, self.shared.name_of(&row.name), News::Cancelled);
            }
        }
    }

    /// Tasks whose gap was passed over, for the user to try again.
    pub fn gaps(&self) -> Vec<String> {
        let is_gap = |row: &BackgroundTask| {
            let strategy = self.shared.task(&row.name).map(|task| &task.failure_strategy.value);
            row.status == Kept::Failed && matches!(strategy, Some(FailureStrategy::ProceedWithGap(_)))
        };
        self.shared.board.all().into_iter().filter(is_gap).map(|row| row.name).collect()
    }

    /// Tries to fill the gaps, because the conversation has come to a new phase.
    pub async fn fill_gaps(&self, memory: &Arc<WorkingMemory>) {
        for task in self.gaps() {
            // A gap that cannot be tried again stays a gap, which is what it was.
            let _ = self.retry(&task, memory).await;
        }
    }

    /// What the user has to agree to before tasks that need them can run; `None` when nothing waits for it.
    pub fn trust_request(&self) -> Option<TrustRequest> {
        let waits = self
            .shared
            .board
            .all()
            .iter()
            .any(|row| record(row).status == TaskStatus::NeedsUser && self.shared.acts(&row.name));
        if waits { request(&self.shared.engine, &self.shared.provenance) } else { None }
    }

    /// Keeps the user's decision about exactly what was shown, and goes on with the tasks that waited for it.
    pub async fn decide(
        &self,
        shown: &TrustRequest,
        trusted: bool,
        memory: &Arc<WorkingMemory>,
    ) -> Result<(), StoreError> {
        let now = (self.shared.means.clock)();
        decide(&self.shared.means.store, shown, trusted, now).await?;
        for row in self.shared.board.all() {
            if row.status == Kept::NeedsUser && self.shared.acts(&row.name) {
                // Refusing is an answer too: the task then fails by its strategy.
                let _ = self.retry(&row.name, memory).await;
            }
        }
        Ok(())
    }
}

/// Keeps the user's decision about exactly what was shown.
pub async fn decide(
    store: &StoreHandle,
    shown: &TrustRequest,
    trusted: bool,
    now: jiff::Timestamp,
) -> Result<(), StoreError> {
    let decision = if trusted { Decision::Trusted } else { Decision::Refused };
    let trust = Trust { engine_hash: shown.digest, decided_at: now, decision };
    store.call_async(move |store| store.set_trust(&trust)).await
}
