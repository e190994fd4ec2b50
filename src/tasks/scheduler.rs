//! The scheduler of one session: sets tasks off, picks up what an earlier process left, and lets the user step in.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::broadcast;
use tokio::task::AbortHandle;
use tracing::Instrument as _;

use super::attempt::{self, Shared};
use super::board::Board;
use super::event::TaskEvent;
use super::failure::{AttemptFailure, FailureKind};
use super::handler::process;
use super::means::Means;
use super::trust::{Provenance, TrustRequest};
use crate::engine::Engine;
use crate::engine::config::FailureStrategy;
use crate::engine::memory::{TaskRecord, TaskStatus, Tasks, WorkingMemory};
use crate::llm::Models;
use crate::store::{Decision, ProjectId, SessionId, StoreError, StoreHandle, TaskId, TaskRow, Trust};

/// Why nothing can be done about a task.
#[derive(Debug, thiserror::Error)]
pub enum TaskRefusal {
    /// The session has no such task.
    #[error("there is no task {0}")]
    NoSuchTask(String),
    /// It needs no help: it is being worked on, or is done.
    #[error("{0} is not at a standstill")]
    StillGoing(String),
    /// There is nothing left to call off.
    #[error("{0} is over already")]
    Over(String),
    /// What an engine would do is nothing that one can agree to.
    #[error("this cannot be allowed: {0}")]
    NotToBeAllowed(String),
    /// It could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The background tasks of one session. They go on as long as it lives; dropping it ends them, and what they were doing
/// is picked up by the next process that opens the session.
#[derive(Debug)]
pub(crate) struct Scheduler {
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
        let (board, models, asked, doubt) = (Board::new(), Mutex::default(), Mutex::default(), Mutex::default());
        let shared = Shared { session, project, engine, provenance: from, means, board, models, asked, doubt };
        Self { shared: Arc::new(shared), jobs: Mutex::default(), taken_up: AtomicBool::new(true) }
    }

    /// Has these models do the research from now on; without any, tasks that need one say so.
    pub(crate) fn set_models(&self, models: Option<Arc<Models>>) {
        *self.shared.models.lock().unwrap_or_else(PoisonError::into_inner) = models;
    }

    /// The folder of the engine, if it has one.
    pub fn engine_folder(&self) -> Option<&Path> {
        self.shared.provenance.folder.as_deref()
    }

    /// A task as the store keeps it, to be stored with the turn that set it off.
    pub fn row(&self, record: TaskRecord) -> TaskRow {
        let now = (self.shared.means.clock)();
        TaskRow { id: TaskId::new(now), session_id: self.shared.session, record, created_at: now, updated_at: now }
    }

    /// Starts tasks that were stored.
    pub fn start(&self, rows: Vec<TaskRow>, memory: &Arc<WorkingMemory>) {
        for row in &rows {
            self.shared.board.put(row.clone());
            self.shared.board.tell(TaskEvent::Changed(row.record.clone()));
        }
        for row in rows {
            self.drive(row, memory, None);
        }
    }

    /// Shows the tasks of a session as they were kept, and does nothing about them yet: looking at a session must not
    /// start programs.
    pub async fn load(&self) -> Result<(), StoreError> {
        let session = self.shared.session;
        let rows = self.shared.means.store.call_async(move |store| store.tasks(session)).await?;
        let halted: Vec<String> = rows
            .iter()
            .filter(|row| row.record.status == TaskStatus::NeedsUser)
            .map(|row| row.record.id.clone())
            .collect();
        for row in rows {
            self.shared.board.put(row);
        }
        self.taken_up.store(false, Ordering::Relaxed);
        // As long as nothing is decided, the user's leave is what they wait for.
        if halted.is_empty() {
            return Ok(());
        }
        if let Some(wanted) = self.shared.wanted()
            && self.shared.decided(&wanted).await?.0.is_none()
        {
            self.shared.asked().extend(halted);
        }
        Ok(())
    }

    /// Takes up the tasks that were loaded, once: what is open goes on, and what was interrupted is tried again or
    /// failed by its strategy. A task that the memory has and the store lost is set off anew.
    pub async fn take_up(&self, memory: &Arc<WorkingMemory>) -> Result<(), StoreError> {
        if self.taken_up.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        for row in self.shared.board.all() {
            match row.record.status {
                // One that runs lives in another process, which reports to the store.
                TaskStatus::Completed | TaskStatus::Failed | TaskStatus::NeedsUser | TaskStatus::Running => {}
                TaskStatus::Pending | TaskStatus::Waiting => self.drive(row, memory, None),
                TaskStatus::Interrupted => {
                    process::sweep(&row.id.to_string());
                    let message = "it was interrupted when the program ended".to_owned();
                    self.drive(row, memory, Some(AttemptFailure { kind: FailureKind::Interrupted, message }));
                }
            }
        }
        self.set_off_lost(memory).await
    }

    async fn set_off_lost(&self, memory: &Arc<WorkingMemory>) -> Result<(), StoreError> {
        let open = memory.background_tasks.iter().filter(|record| record.status.is_open());
        let lost: Vec<TaskRow> = open
            .filter(|record| self.shared.board.get(&record.id).is_none())
            .filter_map(|record| {
                let reason = "it was open when the session was taken up".to_owned();
                Some(self.row(TaskRecord::ordered(self.shared.task(&record.id)?, record.since_turn, reason)))
            })
            .collect();
        for row in &lost {
            self.shared.keep(row.clone()).await?;
        }
        self.start(lost, memory);
        Ok(())
    }

    fn drive(&self, row: TaskRow, memory: &Arc<WorkingMemory>, failed: Option<AttemptFailure>) {
        let task = row.record.id.clone();
        let span = tracing::info_span!("task", session = %self.shared.session, task);
        let driven = attempt::drive(Arc::clone(&self.shared), row, Arc::clone(memory), failed);
        let job = tokio::spawn(driven.instrument(span));
        let earlier = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).insert(task, job.abort_handle());
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
            if row.record.status == TaskStatus::Running {
                row.record.status = TaskStatus::Interrupted;
                self.shared.keep(row).await?;
            }
        }
        Ok(())
    }

    /// Whether nothing is being worked on. A task that waits to be taken up is in the store, and is found there again.
    pub(crate) fn is_idle(&self) -> bool {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).values().all(AbortHandle::is_finished)
    }

    /// Tasks that have changed since a memory was made, to be merged into it by the next turn.
    pub(crate) fn updates(&self, known: &Tasks) -> Vec<TaskRecord> {
        let all = self.shared.board.all().into_iter().map(|row| row.record);
        all.filter(|record| known.get(&record.id) != Some(record)).collect()
    }

    /// Everything that happens from now on.
    pub fn events(&self) -> broadcast::Receiver<TaskEvent> {
        self.shared.board.events()
    }

    /// Returns when no task is pending, running or waiting any more.
    pub async fn settled(&self) {
        let mut changes = self.shared.board.changes();
        while self.shared.board.all().iter().any(|row| row.record.status.is_under_way()) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Tries a task again that failed or needs the user.
    pub async fn retry(&self, task: &str, memory: &Arc<WorkingMemory>) -> Result<(), TaskRefusal> {
        let unknown = || TaskRefusal::NoSuchTask(task.to_owned());
        let mut row = self.shared.board.get(task).ok_or_else(unknown)?;
        if row.record.status.is_under_way() || row.record.status == TaskStatus::Completed {
            return Err(TaskRefusal::StillGoing(row.record.name));
        }
        row.record = TaskRecord { status: TaskStatus::Pending, attempts: 0, note: None, result: None, ..row.record };
        self.shared.keep(row.clone()).await?;
        self.start(vec![row], memory);
        Ok(())
    }

    /// Goes on without a task: it is called off, and what it held up is free.
    pub async fn skip(&self, task: &str) -> Result<(), TaskRefusal> {
        let unknown = || TaskRefusal::NoSuchTask(task.to_owned());
        let mut row = self.shared.board.get(task).ok_or_else(unknown)?;
        if !row.record.status.is_open() {
            return Err(TaskRefusal::Over(row.record.name));
        }
        self.abort(task);
        row.record.status = TaskStatus::Failed;
        row.record.note = Some("called off by you; we go on without it".to_owned());
        self.shared.keep(row.clone()).await?;
        self.shared.board.tell(TaskEvent::Changed(row.record));
        Ok(())
    }

    fn abort(&self, task: &str) {
        let job = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).remove(task);
        if let Some(job) = job {
            job.abort();
        }
    }

    /// Forgets tasks of turns that were taken back.
    pub(crate) fn rewound_to(&self, turn: u32) {
        for row in self.shared.board.all() {
            let TaskRecord { id: task, since_turn, .. } = row.record;
            if since_turn > turn {
                self.abort(&task);
                self.shared.board.remove(&task);
                self.shared.board.tell(TaskEvent::Withdrawn { task });
            }
        }
    }

    /// Tasks whose gap was passed over, for the user to try again.
    pub fn gaps(&self) -> Vec<String> {
        let is_gap = |record: &TaskRecord| {
            let strategy = self.shared.task(&record.id).map(|task| &task.failure_strategy.value);
            record.status == TaskStatus::Failed && matches!(strategy, Some(FailureStrategy::ProceedWithGap(_)))
        };
        self.shared.board.all().into_iter().map(|row| row.record).filter(is_gap).map(|record| record.id).collect()
    }

    /// Tries to fill the gaps, because the conversation has come to a new phase.
    pub(crate) async fn fill_gaps(&self, memory: &Arc<WorkingMemory>) {
        for task in self.gaps() {
            // Where the task cannot be tried again nothing is lost: the gap stays as it is.
            let _ = self.retry(&task, memory).await;
        }
    }

    /// What the user has to agree to before tasks that need them can run; `None` when nothing waits for it.
    pub fn trust_request(&self) -> Option<TrustRequest> {
        let waits = self.shared.board.all().iter().any(|row| self.shared.waits_for_leave(&row.record));
        if waits { self.shared.wanted() } else { None }
    }

    /// Whether the engine may do what it declares: what is part of the binary may, for all others the user decides. `None`
    /// as long as nothing is decided.
    pub(crate) async fn allowed(&self) -> Result<Option<bool>, StoreError> {
        let Some(wanted) = self.shared.wanted() else { return Ok(Some(true)) };
        if !wanted.obstacles.is_empty() {
            return Ok(Some(false));
        }
        let (decided, _) = self.shared.decided(&wanted).await?;
        Ok(decided.map(|decision| decision == Decision::Trusted))
    }

    /// What the engine would do and may not, because nobody has agreed to it; `None` where there is nothing of the kind.
    pub(crate) async fn withheld(&self) -> Result<Option<TrustRequest>, StoreError> {
        Ok(if self.allowed().await? == Some(true) { None } else { self.shared.wanted() })
    }

    /// Keeps the user's decision about exactly what was shown, and goes on with the tasks that waited for it.
    pub async fn decide(
        &self,
        shown: &TrustRequest,
        trusted: bool,
        memory: &Arc<WorkingMemory>,
    ) -> Result<(), TaskRefusal> {
        let now = (self.shared.means.clock)();
        decide(&self.shared.means.store, shown, trusted, now).await?;
        for row in self.shared.board.all() {
            if self.shared.waits_for_leave(&row.record) {
                self.shared.asked().remove(&row.record.id);
                // Refusing is an answer too: the task then fails by its strategy.
                let _ = self.retry(&row.record.id, memory).await;
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
) -> Result<(), TaskRefusal> {
    if let Some(obstacle) = shown.obstacles.first().filter(|_| trusted) {
        return Err(TaskRefusal::NotToBeAllowed(obstacle.clone()));
    }
    let decision = if trusted { Decision::Trusted } else { Decision::Refused };
    let trust = Trust { engine_hash: shown.digest, decided_at: now, decision };
    Ok(store.call_async(move |store| store.set_trust(&trust)).await?)
}
