//! A session: an engine, its memory and what was said, kept in the store after every change.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;

use super::HostError;
use super::backend::Backend;
use super::ports::{OnEvent, SessionPorts};
use super::{artifacts, records, spending};
use crate::engine::Engine;
use crate::engine::budget::Cap;
use crate::engine::edit::{self, Edited};
use crate::engine::extraction::LogEntry;
use crate::engine::memory::WorkingMemory;
use crate::engine::ports::PersistError;
use crate::engine::sensitive::SensitivePolicy;
use crate::engine::sidebar::{self, SidebarState};
use crate::engine::step::TraceEntry;
use crate::engine::transcript::Transcript;
use crate::engine::turn::{TurnError, TurnInput, TurnOutcome, run_turn};
use crate::llm::BudgetSnapshot;
use crate::store::{self, StoreHandle};
use crate::tasks::Scheduler;

/// What happens during a turn.
#[derive(Clone, Debug)]
pub enum SessionEvent {
    /// The message is being analysed.
    Reading,
    /// The answer is being written.
    Writing,
    /// Old turns are being summarised.
    Summarising,
    /// More of the answer.
    Delta(String),
    /// More of what the model thinks before it answers.
    Reasoning(String),
    /// The call waits for its turn.
    Queued,
    /// A call failed and is tried again; what was shown of the answer no longer counts.
    Retrying {
        /// Which attempt comes next.
        attempt: u32,
        /// After how long.
        wait: Duration,
        /// Why.
        reason: String,
    },
    /// The answer was sent back, for these reasons; what was shown of it no longer counts.
    Revising(Vec<String>),
    /// The history was compressed, by this strategy.
    Compressed(String),
    /// A step is done.
    StepDone(TraceEntry),
}

/// How the engine of a session differs from the one of that name now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineChange {
    /// The version the session is pinned to.
    pub pinned_version: String,
    /// The version there is now.
    pub current_version: String,
    /// What is different, in words.
    pub differences: Vec<String>,
}

/// The session as it was before a turn that is to be replaced.
struct Past {
    memory: WorkingMemory,
    transcript: Transcript,
    record: store::SessionRecord,
}

/// A session that is open.
#[derive(Debug)]
pub struct Session {
    pub(super) record: store::SessionRecord,
    pub(super) project: Option<String>,
    pub(super) engine: Arc<Engine>,
    pub(super) memory: WorkingMemory,
    pub(super) transcript: Transcript,
    pub(super) backend: Backend,
    pub(super) store: StoreHandle,
    pub(super) sensitive: SensitivePolicy,
    pub(super) cap_usd: Option<f64>,
    /// Whether the guard of the backend knows what the session has cost.
    pub(super) counted: bool,
    pub(super) scheduler: Arc<Scheduler>,
    pub(super) engine_change: Option<EngineChange>,
}

impl Session {
    /// What the store knows of it: id, title, draft and so on.
    pub fn record(&self) -> &store::SessionRecord {
        &self.record
    }

    /// The name of its project, if it belongs to one.
    pub fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    /// Its engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Its memory after the last turn.
    pub fn memory(&self) -> &WorkingMemory {
        &self.memory
    }

    /// What was said.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Who answers.
    pub fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Has somebody else answer from now on, and do the research.
    pub fn set_backend(&mut self, backend: Backend) {
        self.scheduler.set_models(backend.models());
        self.backend = backend;
        self.counted = false;
    }

    /// The folder its engine was read from, if it was read from one.
    pub fn engine_folder(&self) -> Option<&Path> {
        self.scheduler.engine_folder()
    }

    /// How its engine differs from the one there is now, if it does.
    pub fn engine_change(&self) -> Option<&EngineChange> {
        self.engine_change.as_ref()
    }

    /// Its memory with what background tasks have done since the last turn, for whoever shows it.
    pub fn memory_now(&self) -> Cow<'_, WorkingMemory> {
        let updates = self.scheduler.updates(&self.memory.background_tasks);
        let mut memory = Cow::Borrowed(&self.memory);
        for update in updates {
            memory.to_mut().background_tasks.put(&update.task, update.record);
        }
        memory
    }

    /// The sidebar as it stands.
    pub fn sidebar(&self) -> SidebarState {
        sidebar::build(&self.engine, &self.memory_now(), self.cap_usd)
    }

    /// Runs a turn. It is kept whole, or the session stays as it was; dropping the future cancels it.
    pub async fn say(&mut self, message: &str, on_event: OnEvent<'_>) -> Result<TurnOutcome, TurnError> {
        Box::pin(self.run(None, message, on_event)).await
    }

    /// Runs a turn in place of one that was, and of all after it. They are taken back when it is kept and not before: a
    /// turn that fails or is cancelled leaves them as they were, and so does a process that ends.
    pub async fn say_instead(
        &mut self,
        turn: u32,
        message: &str,
        on_event: OnEvent<'_>,
    ) -> Result<TurnOutcome, TurnError> {
        let (id, before) = (self.record.id, turn.saturating_sub(1));
        let state = self.store.call_async(move |store| store.state_at(id, before)).await;
        let state = state.map_err(|error| PersistError(error.to_string()))?;
        let memory: WorkingMemory = serde_json::from_value(state).map_err(|error| PersistError(error.to_string()))?;
        // What the user has decided about the session as a whole belongs to no turn.
        let (raised_caps, without_project) = (self.memory.raised_caps, self.memory.without_project);
        let memory = WorkingMemory { raised_caps, without_project, ..memory };
        let mut transcript = self.transcript.clone();
        transcript.rewind(before);
        let record = store::SessionRecord { turn: before, ..self.record.clone() };
        Box::pin(self.run(Some(Past { memory, transcript, record }), message, on_event)).await
    }

    async fn run(
        &mut self,
        past: Option<Past>,
        message: &str,
        on_event: OnEvent<'_>,
    ) -> Result<TurnOutcome, TurnError> {
        if !self.counted {
            let raised = self.memory.raised_caps;
            let counted = spending::count(&self.backend, &self.store, self.record.id, raised).await;
            counted.map_err(|error| PersistError(error.to_string()))?;
            self.counted = true;
        }
        self.scheduler.take_up(&self.shared_memory()).await.map_err(|error| PersistError(error.to_string()))?;
        let artifacts = if self.memory.without_project {
            Vec::new()
        } else {
            let found = artifacts::gather(&self.store, &self.record, &self.engine, message).await;
            found.map_err(|error| PersistError(error.to_string()))?
        };
        let (memory, transcript, record) = match &past {
            Some(past) => (&past.memory, &past.transcript, &past.record),
            None => (&self.memory, &self.transcript, &self.record),
        };
        // Tasks of the turns that would go have nothing to say to the one in their place.
        let mut task_updates = self.scheduler.updates(&memory.background_tasks);
        task_updates.retain(|update| update.record.since_turn <= record.turn);
        let input = TurnInput {
            message: message.to_owned(),
            task_updates,
            artifacts,
            sensitive: self.sensitive,
            cap_usd: self.cap_usd,
        };
        let account = spending::Account::open(&self.backend, &self.store, self.record.id);
        let mut ports = SessionPorts {
            engine: &self.engine,
            memory,
            backend: &self.backend,
            store: &self.store,
            record,
            replaces: past.is_some(),
            started: Instant::now(),
            on_event,
            committed: None,
            scheduler: &self.scheduler,
            ordered: None,
        };
        let mut outcome = Box::pin(run_turn(&self.engine, memory, transcript, &input, &mut ports)).await?;
        account.settle();
        outcome.report.warnings.extend(self.backend.alerts());
        let committed = ports.committed.take();
        if let Some(past) = past {
            self.transcript = past.transcript;
        }
        if let Some((committed, title)) = committed {
            self.record.turn = committed.turn;
            self.record.revision = committed.revision;
            self.record.updated_at = Timestamp::now();
            if let Some(title) = title.filter(|_| self.record.title_source != store::TitleSource::User) {
                self.record.title = title;
                self.record.title_source = store::TitleSource::Content;
            }
        }
        self.record.phase.clone_from(&outcome.memory.phase.current);
        self.record.completeness = outcome.memory.completeness.overall;
        self.memory = outcome.memory.clone();
        self.transcript.push(outcome.message.clone());
        self.transcript.push(outcome.answer.clone());
        if outcome.report.phase.transitioned_from.is_some() {
            self.scheduler.fill_gaps(&self.shared_memory()).await;
        }
        Ok(outcome)
    }

    /// Sets a field to what the user says it is.
    pub async fn correct(&mut self, path: &str, value: &Value) -> Result<(), HostError> {
        let edited = edit::correct(&self.engine, &self.memory, path, value).map_err(HostError::Edit)?;
        self.keep(edited).await
    }

    /// Forgets the value of a field.
    pub async fn clear(&mut self, path: &str) -> Result<(), HostError> {
        let edited = edit::clear(&self.engine, &self.memory, path).map_err(HostError::Edit)?;
        self.keep(edited).await
    }

    /// Sets an obligation aside.
    pub async fn defer(&mut self, obligation: &str, reason: &str) -> Result<(), HostError> {
        let edited = edit::defer(&self.engine, &self.memory, obligation, reason).map_err(HostError::Edit)?;
        self.keep(edited).await
    }

    /// Moves to a phase because the user says so.
    pub async fn force_phase(&mut self, phase: &str) -> Result<(), HostError> {
        let edited = edit::force_phase(&self.engine, &self.memory, phase).map_err(HostError::Edit)?;
        self.keep(edited).await
    }

    pub(super) async fn keep(&mut self, mut edited: Edited) -> Result<(), HostError> {
        if self.sensitive != SensitivePolicy::Allow {
            edited.log = edited.log.into_iter().map(LogEntry::redacted).collect();
        }
        let commit = records::amendment(&self.record, &edited.memory, &edited.log, Timestamp::now())?;
        let committed = self.store.call_async(move |store| store.commit(commit)).await?;
        self.record.revision = committed.revision;
        self.record.phase.clone_from(&edited.memory.phase.current);
        self.record.completeness = edited.memory.completeness.overall;
        self.memory = edited.memory;
        Ok(())
    }

    /// Takes back every turn after `turn`, state and all.
    pub async fn rewind(&mut self, turn: u32) -> Result<(), HostError> {
        let (id, revision) = (self.record.id, self.record.revision);
        let (record, state) = self
            .store
            .call_async(move |store| {
                let record = store.rewind(id, revision, turn)?;
                Ok((record, store.state_at(id, turn)?))
            })
            .await?;
        self.memory = serde_json::from_value(state)?;
        self.transcript.rewind(turn);
        self.record = record;
        self.scheduler.rewound_to(turn);
        Ok(())
    }

    /// What it may cost at most, in USD.
    pub fn cap_usd(&self) -> Option<f64> {
        self.cap_usd
    }

    /// Where the budget stands; `None` offline.
    pub fn budget(&self) -> Option<BudgetSnapshot> {
        self.backend.models().map(|models| models.budget().snapshot())
    }

    /// Raises a cap because the user says so: one of the session for as long as it lives, one of the day until the
    /// program ends.
    pub async fn raise_cap(&mut self, cap: Cap, limit: f64) -> Result<(), HostError> {
        let now = self.budget().and_then(|budget| budget.caps.get(cap));
        match now {
            Some(now) if limit.is_finite() && limit > now => {}
            Some(now) => {
                return Err(HostError::Edit(format!("the budget for the {cap} is {} already", cap.amount(now))));
            }
            None => return Err(HostError::Edit(format!("there is no budget for the {cap}"))),
        }
        self.keep(edit::raise_cap(&self.memory, cap, limit)).await?;
        if let Some(models) = self.backend.models() {
            models.budget().raise(cap, limit);
        }
        if cap == Cap::SessionUsd {
            self.cap_usd = Some(limit);
        }
        Ok(())
    }

    /// Gives the session a title of the user's.
    pub async fn rename(&mut self, title: &str) -> Result<(), HostError> {
        let (id, title) = (self.record.id, title.to_owned());
        self.record = self.store.call_async(move |store| store.rename_session(id, &title)).await?;
        Ok(())
    }

    /// Keeps what stands in the composer.
    pub async fn save_draft(&mut self, draft: &str) -> Result<(), HostError> {
        let (id, text) = (self.record.id, draft.to_owned());
        draft.clone_into(&mut self.record.draft);
        Ok(self.store.call_async(move |store| store.save_draft(id, &text)).await?)
    }
}
