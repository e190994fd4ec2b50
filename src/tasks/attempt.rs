//! The way of one task: wait for what it needs, ask for leave, try, and do what its strategy says when it fails.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::timeout;

use super::account::Account;
use super::board::Board;
use super::event::TaskEvent;
use super::failure::{AttemptFailure, FailureKind, Next, after_failure};
use super::handler::{self, Job};
use super::means::Means;
use super::pin::PinnedFile;
use super::result::{HandlerResult, artifact};
use super::sanitise;
use super::search::Search;
use super::trust::{Deed, Provenance, TrustRequest, request, request_with};
use super::workplace::Workplace;
use crate::engine::Engine;
use crate::engine::config::{BackgroundTask, Handler, LONGEST_TIMEOUT_SECONDS};
use crate::engine::memory::{TaskRecord, TaskStatus, WorkingMemory};
use crate::engine::sensitive::SensitivePolicy;
use crate::llm::Models;
use crate::store::{Decision, Doubt, ProjectId, SessionId, StoreError, StoreHandle, TaskRow};

/// A handler keeps its time itself; one that does not is ended this much later.
const OVERTIME: Duration = Duration::from_secs(10);

/// What all tasks of a session have in common.
#[derive(Debug)]
pub(super) struct Shared {
    pub session: SessionId,
    pub project: ProjectId,
    pub engine: Arc<Engine>,
    pub provenance: Provenance,
    pub means: Means,
    pub board: Board,
    pub models: Mutex<Option<Arc<Models>>>,
    /// Tasks that wait for the user's leave, by their id in the engine file.
    pub asked: Mutex<BTreeSet<String>>,
    /// Why what was decided about the engine does not count, as it was found last.
    pub doubt: Mutex<Option<Doubt>>,
}

impl Shared {
    pub fn task(&self, id: &str) -> Option<&BackgroundTask> {
        self.engine.definition().background_tasks.iter().find(|task| *task.id == *id)
    }

    pub(crate) fn name_of<'a>(&'a self, id: &'a str) -> &'a str {
        self.task(id).map_or(id, |task| task.name.as_str())
    }

    fn handler(&self, task: &BackgroundTask) -> Option<&Handler> {
        self.engine.definition().handlers.get(&*task.handler).map(|handler| &handler.value)
    }

    /// Tasks that wait for the user's leave.
    pub fn asked(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a task can go on once the user lets its handler do what it does.
    pub(crate) fn waits_for_leave(&self, record: &TaskRecord) -> bool {
        record.status == TaskStatus::NeedsUser && self.asked().contains(&record.id)
    }

    /// What the user has to agree to, as things are now; `None` where there is nothing to agree to.
    pub(crate) fn wanted(&self) -> Option<TrustRequest> {
        if self.provenance.embedded {
            return None;
        }
        let doubt = *self.doubt.lock().unwrap_or_else(PoisonError::into_inner);
        request(&self.engine, &self.provenance, &self.means.sandbox).map(|wanted| TrustRequest { doubt, ..wanted })
    }

    /// What the user has decided about it; and why a decision does not count, where one is kept that does not.
    pub(crate) async fn decided(&self, wanted: &TrustRequest) -> Result<Decided, StoreError> {
        let decided = decided(&self.means.store, wanted).await?;
        *self.doubt.lock().unwrap_or_else(PoisonError::into_inner) = decided.1;
        Ok(decided)
    }

    /// Keeps a task in the store, then on the board.
    pub async fn keep(&self, row: TaskRow) -> Result<(), StoreError> {
        let kept = self.save(row.clone()).await;
        self.board.put(row);
        kept
    }

    async fn save(&self, mut row: TaskRow) -> Result<(), StoreError> {
        row.updated_at = (self.means.clock)();
        self.means.store.call_async(move |store| store.save_task(&row)).await
    }

    /// Keeps a task, shows it, tells of it, and only then wakes the tasks that wait for it. A failure to keep it
    /// is told too.
    async fn note(&self, row: &TaskRow) {
        let kept = self.save(row.clone()).await;
        self.board.show(row.clone());
        self.board.tell(TaskEvent::Changed(row.record.clone()));
        self.told_if_lost(row, kept);
        self.board.changed();
    }

    fn told_if_lost(&self, row: &TaskRow, kept: Result<(), StoreError>) {
        if let Err(error) = kept {
            self.board.tell(TaskEvent::NotKept { task: row.record.id.clone(), reason: error.to_string() });
        }
    }
}

/// Carries a task from where it stands to its end. `failed` is what became of an attempt before.
pub(super) async fn drive(
    shared: Arc<Shared>,
    mut row: TaskRow,
    memory: Arc<WorkingMemory>,
    failed: Option<AttemptFailure>,
) {
    let Some(task) = shared.task(&row.record.id) else {
        let failure = AttemptFailure::hopeless("the engine has no such task any more");
        return give_up(&shared, &mut row, failure.message).await;
    };
    let mut failed = failed;
    loop {
        let failure = match failed.take() {
            Some(failure) => failure,
            None => match attempt(&shared, task, &mut row, &memory).await {
                Outcome::Over => return,
                Outcome::Failed(failure) => failure,
            },
        };
        match after_failure(&task.failure_strategy.value, &failure, row.record.attempts.max(1), (shared.means.jitter)())
        {
            Next::GiveUp { note } => return give_up(&shared, &mut row, note).await,
            Next::AskUser { note } => return ask_user(&shared, &mut row, note).await,
            Next::Again { after, note } => {
                row.record.status = TaskStatus::Waiting;
                row.record.note = Some(sanitise::line(&note, 300));
                shared.note(&row).await;
                (shared.means.wait)(after).await;
            }
        }
    }
}

enum Outcome {
    Over,
    Failed(AttemptFailure),
}

async fn attempt(shared: &Shared, task: &BackgroundTask, row: &mut TaskRow, memory: &WorkingMemory) -> Outcome {
    let memory = match dependencies(shared, task, row, memory).await {
        Ok(memory) => memory,
        Err(failure) => return Outcome::Failed(failure),
    };
    let Some(handler) = shared.handler(task) else {
        return Outcome::Failed(AttemptFailure::hopeless("the engine has no such handler any more"));
    };
    // Asked for before the slot, so that the user hears of it at once, and again at the start, when it counts.
    match leave(shared, task, shared.wanted()).await {
        Ok(Leave::Granted) => {}
        Ok(Leave::Asked(note)) => return asked(shared, row, note).await,
        Err(failure) => return Outcome::Failed(failure),
    }
    // The semaphore is never closed; without a slot the task would only run sooner.
    let slot = shared.means.slots.acquire().await.ok();
    let ready = match ready(shared, task, handler, row).await {
        Ok(Start::Ready(ready)) => ready,
        Ok(Start::Asked(note)) => return asked(shared, row, note).await,
        Err(failure) => return Outcome::Failed(failure),
    };
    if elsewhere(shared, row).await {
        return Outcome::Over;
    }
    row.record.status = TaskStatus::Running;
    row.record.attempts += 1;
    row.record.note = None;
    shared.note(row).await;
    let outcome = work(shared, task, handler, (row, &ready), &memory).await;
    drop((ready, slot));
    match outcome {
        Ok(found) => {
            complete(shared, row, found).await;
            Outcome::Over
        }
        Err(failure) => Outcome::Failed(failure),
    }
}

/// Waits for the tasks before it, and returns the memory with their results.
async fn dependencies(
    shared: &Shared,
    task: &BackgroundTask,
    row: &mut TaskRow,
    memory: &WorkingMemory,
) -> Result<WorkingMemory, AttemptFailure> {
    let mut memory = memory.clone();
    let mut changes = shared.board.changes();
    loop {
        let mut open = None;
        for id in &task.after {
            let other = shared.board.get(id).map(|other| other.record);
            match other.as_ref().map(|other| other.status) {
                Some(TaskStatus::Completed) => other.into_iter().for_each(|done| memory.background_tasks.put(done)),
                Some(TaskStatus::Failed) => {
                    let name = shared.name_of(id);
                    return Err(AttemptFailure::hopeless(format!(
                        "it needs the result of “{name}”, which brought nothing"
                    )));
                }
                None
                | Some(
                    TaskStatus::Pending
                    | TaskStatus::Running
                    | TaskStatus::Waiting
                    | TaskStatus::NeedsUser
                    | TaskStatus::Interrupted,
                ) => open = Some(shared.name_of(id)),
            }
        }
        let Some(open) = open else { return Ok(memory) };
        let note = format!("waiting for “{open}”");
        if row.record.status != TaskStatus::Waiting || row.record.note.as_ref() != Some(&note) {
            row.record.status = TaskStatus::Waiting;
            row.record.note = Some(note);
            shared.note(row).await;
        } else if changes.changed().await.is_err() {
            return Err(AttemptFailure::hopeless("the session is closed"));
        }
    }
}

/// What the user has decided about an engine; and why a decision does not count, where one is kept that does not.
pub type Decided = (Option<Decision>, Option<Doubt>);

/// Looks up what the user has decided about exactly this.
pub async fn decided(store: &StoreHandle, wanted: &TrustRequest) -> Result<Decided, StoreError> {
    let digest = wanted.digest;
    let decided = store.call_async(move |store| Ok((store.trust(digest)?, store.doubt(digest)?)));
    decided.await.map(|(trust, doubt)| (trust.map(|trust| trust.decision), doubt))
}

enum Leave {
    Granted,
    Asked(String),
}

/// Whether the user lets the engine do what it wants.
async fn leave(shared: &Shared, task: &BackgroundTask, wanted: Option<TrustRequest>) -> Result<Leave, AttemptFailure> {
    let Some(wanted) = wanted else { return Ok(Leave::Granted) };
    if let Some(obstacle) = wanted.obstacles.first() {
        return Err(AttemptFailure::hopeless(format!("it cannot be allowed: {obstacle}")));
    }
    match shared.decided(&wanted).await.map_err(|error| AttemptFailure::failed(error.to_string()))? {
        (Some(Decision::Trusted), _) => Ok(Leave::Granted),
        (Some(Decision::Refused), _) => Err(AttemptFailure::hopeless("you have not allowed this engine to do it")),
        (None, doubt) => {
            let before =
                doubt.map(|doubt| format!("what was decided about this engine does not count, because {doubt}; "));
            let before = before.unwrap_or_default();
            let act = wanted.acts.iter().find(|act| act.handler == *task.handler);
            let what = act.map_or_else(|| "do something".to_owned(), super::trust::Act::words);
            let unheld = if wanted.is_unconfined() { ", with no sandbox to hold it" } else { "" };
            Ok(Leave::Asked(format!("{before}this engine would {what}{unheld}: look at it, then allow or refuse it")))
        }
    }
}

async fn asked(shared: &Shared, row: &mut TaskRow, note: String) -> Outcome {
    shared.asked().insert(row.record.id.clone());
    ask_user(shared, row, note).await;
    Outcome::Over
}

/// What a handler works with: for a program its folder, with a copy of the files that were agreed to.
struct Ready {
    workplace: Option<Workplace>,
    files: Vec<PinnedFile>,
    /// What the user has agreed to; `None` where no leave is needed.
    agreed: Option<Box<Deed>>,
}

enum Start {
    Ready(Ready),
    Asked(String),
}

/// Makes everything ready, and asks for leave for exactly what is about to run: the copy, not what it was copied from.
async fn ready(
    shared: &Shared,
    task: &BackgroundTask,
    handler: &Handler,
    row: &TaskRow,
) -> Result<Start, AttemptFailure> {
    let Shared { engine, provenance, means, .. } = shared;
    if !handler::kind(handler).is_program() {
        return Ok(match leave(shared, task, shared.wanted()).await? {
            Leave::Granted => Start::Ready(Ready { workplace: None, files: Vec::new(), agreed: None }),
            Leave::Asked(note) => Start::Asked(note),
        });
    }
    let workplace = Workplace::create(&means.work_folder.join(row.id.to_string()))?;
    let files = provenance.folder.as_ref().map_or(Ok(Vec::new()), |folder| workplace.bring(folder));
    let asks = !provenance.embedded;
    let wanted = asks.then(|| request_with(engine, provenance, &means.sandbox, files.clone())).flatten();
    let act = wanted.iter().flat_map(|wanted| &wanted.acts).find(|act| act.handler == *task.handler);
    let agreed = act.map(|act| Box::new(act.deed.clone()));
    Ok(match leave(shared, task, wanted).await? {
        Leave::Granted => {
            let files = files.map_err(AttemptFailure::hopeless)?;
            Start::Ready(Ready { workplace: Some(workplace), files, agreed })
        }
        Leave::Asked(note) => Start::Asked(note),
    })
}

/// Whether another process has taken the task up meanwhile.
async fn elsewhere(shared: &Shared, row: &TaskRow) -> bool {
    let id = row.id;
    let kept = shared.means.store.call_async(move |store| store.task(id)).await;
    match kept {
        Ok(kept) if matches!(kept.record.status, TaskStatus::Running | TaskStatus::Completed) => {
            shared.board.put(kept);
            true
        }
        _ => false,
    }
}

async fn work(
    shared: &Shared,
    task: &BackgroundTask,
    handler: &Handler,
    (row, ready): (&TaskRow, &Ready),
    memory: &WorkingMemory,
) -> Result<HandlerResult, AttemptFailure> {
    let time = Duration::from_secs(u64::from(task.timeout_seconds.min(LONGEST_TIMEOUT_SECONDS)));
    let models = shared.models.lock().unwrap_or_else(PoisonError::into_inner).clone();
    // Dropped after the work itself: failed, timed out or called off, what it has cost is kept.
    let _account = models.as_ref().map(|models| Account::open(models.budget(), &shared.means.store, shared.session));
    let job = Job {
        engine: &shared.engine,
        memory,
        row,
        after: task.after.iter().map(ToString::to_string).collect(),
        time,
        limits: &shared.means.limits,
        sandbox: &shared.means.sandbox,
        workplace: ready.workplace.as_ref(),
        files: &ready.files,
        agreed: ready.agreed.as_deref(),
        models,
        search: Search {
            store: shared.means.store.clone(),
            project: shared.project,
            own: shared.session,
            sensitive: SensitivePolicy::Redact,
        },
    };
    let progress = |line: &str| {
        let line = sanitise::line(line, 160);
        let mut seen = row.clone();
        seen.record.note = Some(line);
        // Progress is for watching, not for keeping: the next change of the task overwrites it.
        shared.board.put(seen.clone());
        shared.board.tell(TaskEvent::Changed(seen.record));
    };
    let kind = handler::kind(handler);
    let most = if kind.keeps_time() { time + shared.means.limits.grace + OVERTIME } else { time };
    timeout(most, kind.run(&job, &progress)).await.unwrap_or_else(|_| {
        let message = format!("it did not finish within {} s", time.as_secs());
        Err(AttemptFailure { kind: FailureKind::Stuck, message })
    })
}

async fn complete(shared: &Shared, row: &mut TaskRow, found: HandlerResult) {
    let now = (shared.means.clock)();
    row.record.status = TaskStatus::Completed;
    row.record.note = Some(sanitise::line(&found.basis.in_words(), 600));
    row.record.result = Some(found.value.clone());
    let artifact = artifact(row, shared.project, &found, now);
    let kept = shared.means.store.call_async(move |store| store.save_artifact(&artifact)).await;
    shared.note(row).await;
    shared.told_if_lost(row, kept);
}

async fn give_up(shared: &Shared, row: &mut TaskRow, note: String) {
    row.record.status = TaskStatus::Failed;
    row.record.note = Some(sanitise::line(&note, 300));
    shared.note(row).await;
}

async fn ask_user(shared: &Shared, row: &mut TaskRow, note: String) {
    row.record.status = TaskStatus::NeedsUser;
    row.record.note = Some(sanitise::line(&note, 600));
    shared.note(row).await;
}
