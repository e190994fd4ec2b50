//! The way of one task: wait for what it needs, ask for leave, try, and do what its strategy says when it fails.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use tokio::time::timeout;

use super::board::{Board, record};
use super::event::News;
use super::failure::{Failure, FailureKind, Next, after_failure};
use super::handler::{self, Job};
use super::means::Means;
use super::result::{Found, artifact};
use super::sanitise;
use super::trust::{Provenance, request};
use crate::engine::Engine;
use crate::engine::config::{BackgroundTask as Task, Handler};
use crate::engine::memory::WorkingMemory;
use crate::llm::Models;
use crate::store::{BackgroundTask, BudgetEntry, Decision, ProjectId, SessionId, StoreError, TaskStatus};

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
}

impl Shared {
    pub fn task(&self, id: &str) -> Option<&Task> {
        self.engine.definition().background_tasks.iter().find(|task| *task.id == *id)
    }

    pub fn name_of<'a>(&'a self, id: &'a str) -> &'a str {
        self.task(id).map_or(id, |task| task.name.as_str())
    }

    fn handler(&self, task: &Task) -> Option<&Handler> {
        self.engine.definition().handlers.get(&*task.handler).map(|handler| &handler.value)
    }

    /// Whether a task runs a program or calls an address.
    pub fn acts(&self, id: &str) -> bool {
        let handler = self.task(id).and_then(|task| self.handler(task));
        matches!(handler, Some(Handler::Command(_) | Handler::Http(_)))
    }

    /// Keeps a task in the store, then on the board.
    pub async fn keep(&self, row: BackgroundTask) -> Result<(), StoreError> {
        let kept = self.save(row.clone()).await;
        self.board.put(row);
        kept
    }

    async fn save(&self, mut row: BackgroundTask) -> Result<(), StoreError> {
        row.updated_at = (self.means.clock)();
        self.means.store.call_async(move |store| store.save_task(&row)).await
    }

    /// Keeps a task, shows it, tells of it, and only then wakes those who wait for it. Where it cannot be kept, that is
    /// told too.
    async fn note(&self, row: &BackgroundTask, news: News) {
        let kept = self.save(row.clone()).await;
        self.board.show(row.clone());
        self.board.tell(row, self.name_of(&row.name), news);
        if let Err(error) = kept {
            self.board.tell(row, self.name_of(&row.name), News::NotKept(error.to_string()));
        }
        self.board.changed();
    }
}

/// Carries a task from where it stands to its end. `failed` is what became of an attempt before.
pub(super) async fn drive(
    shared: Arc<Shared>,
    mut row: BackgroundTask,
    memory: Arc<WorkingMemory>,
    failed: Option<Failure>,
) {
    let Some(task) = shared.task(&row.name) else {
        let failure = Failure::hopeless("the engine has no such task any more");
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
        match after_failure(&task.failure_strategy.value, &failure, row.attempts.max(1), (shared.means.jitter)()) {
            Next::GiveUp { note } => return give_up(&shared, &mut row, note).await,
            Next::AskUser { note } => return ask_user(&shared, &mut row, note).await,
            Next::Again { after, note } => {
                row.status = TaskStatus::Waiting;
                row.error = Some(sanitise::line(&note, 300));
                shared.note(&row, News::Waiting).await;
                (shared.means.wait)(after).await;
            }
        }
    }
}

enum Outcome {
    Over,
    Failed(Failure),
}

async fn attempt(shared: &Shared, task: &Task, row: &mut BackgroundTask, memory: &WorkingMemory) -> Outcome {
    let memory = match dependencies(shared, task, row, memory).await {
        Ok(memory) => memory,
        Err(failure) => return Outcome::Failed(failure),
    };
    let Some(handler) = shared.handler(task) else {
        return Outcome::Failed(Failure::hopeless("the engine has no such handler any more"));
    };
    match leave(shared, handler).await {
        Ok(Leave::Granted) => {}
        Ok(Leave::Asked(note)) => {
            ask_user(shared, row, note).await;
            return Outcome::Over;
        }
        Err(failure) => return Outcome::Failed(failure),
    }
    // The semaphore is never closed; without a slot the task would only run sooner.
    let slot = shared.means.slots.acquire().await.ok();
    if elsewhere(shared, row).await {
        return Outcome::Over;
    }
    row.status = TaskStatus::Running;
    row.attempts += 1;
    row.error = None;
    shared.note(row, News::Started).await;
    let outcome = work(shared, task, handler, row, &memory).await;
    drop(slot);
    match outcome {
        Ok(found) => {
            complete(shared, row, &task.name, found).await;
            Outcome::Over
        }
        Err(failure) => Outcome::Failed(failure),
    }
}

/// Waits for the tasks before it, and returns the memory with their results.
async fn dependencies(
    shared: &Shared,
    task: &Task,
    row: &mut BackgroundTask,
    memory: &WorkingMemory,
) -> Result<WorkingMemory, Failure> {
    let mut memory = memory.clone();
    let mut changes = shared.board.changes();
    loop {
        let mut open = None;
        for id in &task.after {
            match shared.board.get(id) {
                Some(other) if other.status == TaskStatus::Completed => {
                    memory.background_tasks.put(id, record(&other));
                }
                Some(other) if other.status == TaskStatus::Failed => {
                    let name = shared.name_of(id);
                    return Err(Failure::hopeless(format!("it needs the result of “{name}”, which brought nothing")));
                }
                _ => open = Some(shared.name_of(id)),
            }
        }
        let Some(open) = open else { return Ok(memory) };
        let note = format!("waiting for “{open}”");
        if row.status != TaskStatus::Waiting || row.error.as_ref() != Some(&note) {
            row.status = TaskStatus::Waiting;
            row.error = Some(note);
            shared.note(row, News::Waiting).await;
        } else if changes.changed().await.is_err() {
            return Err(Failure::hopeless("the session is closed"));
        }
    }
}

enum Leave {
    Granted,
    Asked(String),
}

/// Whether the user lets the engine do what the handler does.
async fn leave(shared: &Shared, handler: &Handler) -> Result<Leave, Failure> {
    if shared.provenance.embedded || matches!(handler, Handler::Llm(_)) {
        return Ok(Leave::Granted);
    }
    let Some(wanted) = request(&shared.engine, &shared.provenance) else { return Ok(Leave::Granted) };
    let digest = wanted.digest;
    let decided = shared.means.store.call_async(move |store| store.trust(digest)).await;
    match decided.map_err(|error| Failure::failed(error.to_string()))?.map(|trust| trust.decision) {
        Some(Decision::Trusted) => Ok(Leave::Granted),
        Some(Decision::Refused) => Err(Failure::hopeless("you have not allowed this engine to do it")),
        None => {
            let own = |act: &&super::trust::Act| {
                shared.engine.definition().handlers.get(&act.handler).is_some_and(|named| named.value == *handler)
            };
            let what = wanted.acts.iter().find(own).map_or_else(String::new, super::trust::Act::words);
            Ok(Leave::Asked(format!("this engine would {what}: look at it, then allow or refuse it")))
        }
    }
}

/// Whether another process has taken the task up meanwhile.
async fn elsewhere(shared: &Shared, row: &BackgroundTask) -> bool {
    let id = row.id;
    let kept = shared.means.store.call_async(move |store| store.task(id)).await;
    match kept {
        Ok(kept) if matches!(kept.status, TaskStatus::Running | TaskStatus::Completed) => {
            shared.board.put(kept);
            true
        }
        _ => false,
    }
}

async fn work(
    shared: &Shared,
    task: &Task,
    handler: &Handler,
    row: &BackgroundTask,
    memory: &WorkingMemory,
) -> Result<Found, Failure> {
    let time = Duration::from_secs(u64::from(task.timeout_seconds));
    let folder = shared.means.work_folder.join(row.id.to_string());
    let job = Job {
        engine: &shared.engine,
        memory,
        row,
        after: task.after.iter().map(ToString::to_string).collect(),
        time,
        limits: &shared.means.limits,
        work_folder: &folder,
        engine_folder: shared.provenance.folder.as_deref(),
        models: shared.models.lock().unwrap_or_else(PoisonError::into_inner).clone(),
    };
    let progress = |line: &str| {
        let line = sanitise::line(line, 160);
        let mut seen = row.clone();
        seen.error = Some(line.clone());
        // Progress is for watching, not for keeping: the next change of the task overwrites it.
        shared.board.put(seen.clone());
        shared.board.tell(&seen, &task.name, News::Progress(line));
    };
    let most = if matches!(handler, Handler::Llm(_)) { time } else { time + shared.means.limits.grace + OVERTIME };
    timeout(most, handler::run(handler, &job, &progress)).await.unwrap_or_else(|_| {
        let message = format!("it did not finish within {} s", time.as_secs());
        Err(Failure { kind: FailureKind::Stuck, message })
    })
}

async fn complete(shared: &Shared, row: &mut BackgroundTask, name: &str, found: Found) {
    let now = (shared.means.clock)();
    row.status = TaskStatus::Completed;
    row.error = Some(format!("from {}", found.source));
    row.result = Some(found.value.clone());
    let artifact = artifact(row, shared.project, name, &found, now);
    let spent: Vec<BudgetEntry> = found
        .call
        .iter()
        .map(|call| BudgetEntry {
            session_id: Some(shared.session),
            day: now.to_zoned(TimeZone::system()).date(),
            role: call.role.clone(),
            model: call.model.clone(),
            input_tokens: call.input_tokens,
            cached_tokens: call.cached_tokens,
            output_tokens: call.output_tokens,
            cost_usd: call.cost_usd,
        })
        .collect();
    let kept = shared.means.store.call_async(move |store| {
        store.save_artifact(&artifact)?;
        if spent.is_empty() { Ok(()) } else { store.spend(&spent) }
    });
    let kept = kept.await;
    shared.note(row, News::Completed).await;
    if let Err(error) = kept {
        shared.board.tell(row, name, News::NotKept(error.to_string()));
    }
}

async fn give_up(shared: &Shared, row: &mut BackgroundTask, note: String) {
    row.status = TaskStatus::Failed;
    row.error = Some(sanitise::line(&note, 300));
    shared.note(row, News::Failed).await;
}

async fn ask_user(shared: &Shared, row: &mut BackgroundTask, note: String) {
    row.status = TaskStatus::NeedsUser;
    row.error = Some(sanitise::line(&note, 600));
    shared.note(row, News::NeedsUser).await;
}
