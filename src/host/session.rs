//! A session: an engine, its memory and what was said, kept in the store after every change.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use jiff::Timestamp;

use super::backend::Backend;
use super::by_hand::ByHand;
use super::claim::Claim;
use super::draft::SessionDraft;
use super::ports::{Analysed, OnNews, TurnPorts};
use super::protocol::{EngineChange, Snapshot, TurnDone};
use super::rehearsal::Rehearsal;
use super::spending::{self, Told, Untold};
use super::waiting::Waiting;
use super::{HostError, consent};
use crate::engine::Engine;
use crate::engine::answer_card::{AnswerCard, answer_card};
use crate::engine::memory::{Speaker, WorkingMemory};
use crate::engine::outline::EngineOutline;
use crate::engine::ports::PersistError;
use crate::engine::sensitive::SensitivePolicy;
use crate::engine::sidebar::{self, SidebarState};
use crate::engine::transcript::{Message, Role, Transcript};
use crate::engine::turn::{TurnError, TurnInput, TurnOutcome, run_turn};
use crate::llm::Budget;
use crate::store::{Committed, Draft, SessionRecord, StoreHandle, TitleSource};
use crate::tasks::{Account, Scheduler};
use crate::words::{self, Words};

/// A session that is open.
#[derive(Debug)]
pub struct Session {
    pub(super) record: SessionRecord,
    pub(super) project: Option<String>,
    pub(super) engine: Arc<Engine>,
    pub(super) outline: Arc<EngineOutline>,
    pub(super) memory: Arc<WorkingMemory>,
    pub(super) transcript: Transcript,
    pub(super) backend: Backend,
    pub(super) keeping: Keeping,
    pub(super) sensitive: SensitivePolicy,
    pub(super) cap_usd: Option<f64>,
    pub(super) engine_change: Option<EngineChange>,
    pub(super) draft: SessionDraft,
    /// Whether the project had something to look up when the session was opened.
    pub(super) searchable: bool,
    /// Whether its engine may let a model use tools, as was known when the session was opened or a turn last asked.
    pub(super) allowed: AtomicBool,
    /// What the turn under way waits for.
    pub(super) waiting: Waiting,
    /// Calls of turns that came to nothing, and that no turn has told of.
    pub(super) untold: Untold,
    /// What a turn that came to nothing had analysed before.
    pub(super) analysed: Mutex<Option<Analysed>>,
    /// What was changed by hand since the last turn, to be taken back one by one.
    pub(super) changes: ByHand,
}

/// Where the turns of a session go, and who does its background work.
#[derive(Debug)]
pub(super) enum Keeping {
    /// Into the store; background tasks really run.
    Store(Kept),
    /// Nowhere; what background tasks bring is written in a script.
    Nowhere(Arc<Rehearsal>),
}

/// What a session that is kept works with. It outlives the session being looked at: tasks go on in the background.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub store: StoreHandle,
    pub scheduler: Arc<Scheduler>,
    pub budget: Arc<Budget>,
}

/// Whose words a turn is about.
#[derive(Clone, Debug)]
pub(super) enum Voice {
    /// The user has written them: they are the draft again should the turn come to nothing.
    Written,
    /// The user has said them by pressing a key. They are not kept as a draft: pressing the key again is as quick.
    Pressed,
    /// Somebody else has said them.
    Other(Speaker),
}

/// The session as it was before a turn that is to be replaced.
pub(super) struct Past {
    memory: Arc<WorkingMemory>,
    transcript: Transcript,
    record: SessionRecord,
}

/// A turn that is in the store but not in the session yet.
pub(super) struct KeptTurn {
    outcome: TurnOutcome,
    committed: Option<(Committed, Option<String>)>,
    past: Option<Past>,
}

impl Session {
    /// A session of which nothing is known but this: it belongs to no project, has no cap and no draft, and may search
    /// nothing.
    pub(super) fn of(
        record: SessionRecord,
        engine: Arc<Engine>,
        memory: WorkingMemory,
        transcript: Transcript,
        backend: Backend,
        keeping: Keeping,
    ) -> Self {
        Self {
            record,
            project: None,
            outline: Arc::new(EngineOutline::of(&engine)),
            engine,
            memory: Arc::new(memory),
            transcript,
            backend,
            keeping,
            sensitive: SensitivePolicy::default(),
            cap_usd: None,
            engine_change: None,
            draft: SessionDraft::default(),
            searchable: false,
            allowed: AtomicBool::new(false),
            waiting: Waiting::default(),
            untold: Untold::default(),
            changes: ByHand::default(),
            analysed: Mutex::default(),
        }
    }

    /// What the store knows of it: id, title and so on.
    pub fn record(&self) -> &SessionRecord {
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

    /// Has another model answer from now on, and do the research. What it costs is booked into this session.
    pub fn set_backend(&mut self, backend: &Backend) {
        self.backend = match &self.keeping {
            Keeping::Store(kept) => {
                let backend = backend.under(&kept.budget);
                kept.scheduler.set_models(backend.models());
                backend
            }
            Keeping::Nowhere(_) => backend.clone(),
        };
    }

    /// The folder its engine was read from, if it was read from one.
    pub fn engine_folder(&self) -> Option<&Path> {
        match &self.keeping {
            Keeping::Store(kept) => kept.scheduler.engine_folder(),
            Keeping::Nowhere(_) => None,
        }
    }

    /// How its engine differs from the one there is now, if it does.
    pub fn engine_change(&self) -> Option<&EngineChange> {
        self.engine_change.as_ref()
    }

    /// What needs a store is refused to a rehearsal.
    pub(super) fn kept(&self) -> Result<&Kept, HostError> {
        match &self.keeping {
            Keeping::Store(kept) => Ok(kept),
            Keeping::Nowhere(_) => Err(HostError::Rehearsal),
        }
    }

    /// Its memory with what background tasks have done since the last turn.
    pub fn memory_now(&self) -> Arc<WorkingMemory> {
        let Keeping::Store(kept) = &self.keeping else { return Arc::clone(&self.memory) };
        let mut memory = Arc::clone(&self.memory);
        let usage = spending::in_all(&kept.budget, &self.memory.usage);
        if usage != self.memory.usage {
            Arc::make_mut(&mut memory).usage = usage;
        }
        for update in kept.scheduler.updates(&self.memory.background_tasks) {
            Arc::make_mut(&mut memory).background_tasks.put(update);
        }
        memory
    }

    /// The sidebar as it stands.
    pub fn sidebar(&self) -> SidebarState {
        sidebar::build(&self.engine, &self.memory_now(), self.cap_usd).state
    }

    /// What can be chosen in answer to the last question.
    pub fn card(&self) -> Option<AnswerCard> {
        answer_card(&self.engine, &self.memory)
    }

    /// Everything a front end needs to show it.
    pub fn snapshot(&self) -> Snapshot {
        self.shown(self.memory_now(), self.transcript.messages().to_vec())
    }

    /// Everything a front end needs to show it as it was after a turn, with the memory of then.
    pub(super) fn snapshot_as_of(&self, turn: u32, memory: WorkingMemory) -> Snapshot {
        let messages = self.transcript.messages().iter().filter(|message| message.turn <= turn);
        self.shown(Arc::new(memory), messages.cloned().collect())
    }

    /// The words of the language that it is held in; English where the program has none of it.
    pub fn words(&self) -> &'static Words {
        words::spoken(self.memory.language.current.as_deref())
    }

    /// Its title; empty while it has none of its own.
    pub(super) fn own_title(&self) -> String {
        let definition = self.engine.definition();
        let names = definition.name_in.values().map(|name| &name.value).chain([&definition.name]);
        if names.into_iter().any(|name| *name == self.record.title) { String::new() } else { self.record.title.clone() }
    }

    fn shown(&self, memory: Arc<WorkingMemory>, messages: Vec<Message>) -> Snapshot {
        let record = &self.record;
        Snapshot {
            id: record.id.to_string(),
            title: self.own_title(),
            project: self.project.clone(),
            tags: record.filing.tags.clone(),
            engine: Arc::clone(&self.outline),
            sidebar: sidebar::build(&self.engine, &memory, self.cap_usd).state,
            card: answer_card(&self.engine, &memory),
            memory,
            messages,
            draft: self.draft.get(),
            trust: self.trust_request().as_ref().map(consent::question),
            engine_change: self.engine_change.clone(),
            under_way: None,
            may_search: self.may_search(),
            recap: None,
        }
    }

    /// Runs a turn. It is kept whole, or the session stays as it was; dropping the future cancels it.
    pub async fn say(&mut self, message: &str, on_news: OnNews<'_>) -> Result<TurnOutcome, TurnError> {
        let turn = Box::pin(self.run(None, message, Voice::Written, on_news)).await?;
        Ok(self.adopt_turn(turn).await)
    }

    /// Runs a turn in place of one that was, and of all after it. They are taken back when it is kept and not before: a
    /// turn that fails or is cancelled leaves them as they were, and so does a process that ends.
    pub async fn say_instead(
        &mut self,
        turn: u32,
        message: &str,
        on_news: OnNews<'_>,
    ) -> Result<TurnOutcome, TurnError> {
        let past = self.before(turn).await?;
        let turn = Box::pin(self.run(Some(past), message, Voice::Written, on_news)).await?;
        Ok(self.adopt_turn(turn).await)
    }

    /// The session as it was before a turn.
    pub(super) async fn before(&self, turn: u32) -> Result<Past, PersistError> {
        let (id, before) = (self.record.id, turn.saturating_sub(1));
        let kept = self.kept().map_err(unreadable)?;
        let state = kept.store.call_async(move |store| store.state_at(id, before)).await.map_err(unreadable)?;
        let memory: WorkingMemory = serde_json::from_value(state).map_err(unreadable)?;
        // What the user has decided about the session as a whole belongs to no turn.
        let (raised_caps, without_project) = (self.memory.raised_caps, self.memory.without_project);
        let memory = Arc::new(WorkingMemory { raised_caps, without_project, ..memory });
        let mut transcript = self.transcript.clone();
        transcript.rewind(before);
        Ok(Past { memory, transcript, record: SessionRecord { turn: before, ..self.record.clone() } })
    }

    /// Runs a turn up to the point where it is kept. The session itself is not changed: it can be read meanwhile.
    pub(super) async fn run(
        &self,
        past: Option<Past>,
        message: &str,
        voice: Voice,
        on_news: OnNews<'_>,
    ) -> Result<KeptTurn, TurnError> {
        let (memory, transcript, record) = match &past {
            Some(past) => (&past.memory, &past.transcript, &past.record),
            None => (&self.memory, &self.transcript, &self.record),
        };
        let ahead = self.ahead(past.as_ref(), message).filter(|_| matches!(voice, Voice::Written));
        let claim = Claim::take(self, ahead).await?;
        let answering = match voice {
            Voice::Other(speaker) => Some(Arc::new(memory.answering(speaker))),
            Voice::Written | Voice::Pressed => None,
        };
        let memory = answering.as_ref().unwrap_or(memory);
        let input = self.input(memory, record, message).await?;
        let tools = self.tools().await.map_err(unreadable)?;
        // A turn that fails or is cancelled did not happen, but what it has cost is kept when this is dropped.
        let _account = self.kept().ok().map(|kept| Account::open(&kept.budget, &kept.store, self.record.id));
        let ports = TurnPorts {
            engine: &self.engine,
            memory,
            backend: &self.backend,
            keeping: &self.keeping,
            record,
            replaces: past.is_some(),
            started: Instant::now(),
            on_news: Mutex::new(on_news),
            waiting: &self.waiting,
            told: Told::by(&self.untold),
            shown: AtomicBool::new(false),
            held: Mutex::default(),
            nearly_analysed: AtomicBool::new(false),
            committed: Mutex::default(),
            ordered: Mutex::default(),
            tools,
            serial: AtomicBool::new(false),
            analysed: &self.analysed,
        };
        self.waiting.begin();
        let outcome = match Box::pin(run_turn(&self.engine, memory, transcript, &input, &ports)).await {
            Ok(outcome) => outcome,
            Err(error) => {
                if matches!(error, TurnError::Input(_)) {
                    claim.withdraw();
                }
                return Err(error);
            }
        };
        ports.told.kept();
        // Said once more, it is analysed once more.
        ports.analysed.lock().unwrap_or_else(PoisonError::into_inner).take();
        let committed = ports.committed.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(ports);
        claim.used();
        Ok(KeptTurn { outcome, committed, past })
    }

    /// The message as it is written ahead: it comes back as the draft should the program end before the turn is kept. A
    /// message that is answered once more stands in the session already.
    fn ahead(&self, past: Option<&Past>, message: &str) -> Option<Draft> {
        let replaces = past.map(|past| past.record.turn + 1);
        let said =
            |turn: u32| self.transcript.messages().iter().find(|said| said.turn == turn && said.role == Role::User);
        if replaces.and_then(said).is_some_and(|said| said.text.trim() == message.trim()) {
            return None;
        }
        Some(Draft::new(message, replaces))
    }

    /// What a turn starts from besides the memory and what was said.
    async fn input(
        &self,
        memory: &WorkingMemory,
        record: &SessionRecord,
        message: &str,
    ) -> Result<TurnInput, PersistError> {
        let artifacts = self.prepare(message).await?;
        // Tasks of the turns that would go have nothing to say to the one in their place.
        let mut task_updates = self.task_updates(memory);
        task_updates.retain(|update| update.since_turn <= record.turn);
        let (sensitive, cap_usd) = (self.sensitive, self.cap_usd);
        Ok(TurnInput { message: message.to_owned(), task_updates, artifacts, sensitive, cap_usd })
    }

    /// Makes a turn that was kept the state of the session.
    pub(super) async fn adopt_turn(&mut self, turn: KeptTurn) -> TurnOutcome {
        let KeptTurn { outcome, committed, past } = turn;
        if let Some(past) = past {
            self.transcript = past.transcript;
        }
        self.record.turn = outcome.memory.turn;
        if let Some((committed, title)) = committed {
            self.record.revision = committed.revision;
            self.record.updated_at = Timestamp::now();
            if let Some(title) = title.filter(|_| self.record.title_source != TitleSource::User) {
                self.record.title = title;
                self.record.title_source = TitleSource::Content;
            }
        }
        self.record.phase.clone_from(&outcome.memory.phase.current);
        self.record.completeness = outcome.memory.completeness.overall;
        self.memory = Arc::clone(&outcome.memory);
        self.changes = ByHand::default();
        self.transcript.push(outcome.message.clone());
        self.transcript.push(outcome.answer.clone());
        if let (Keeping::Store(kept), Some(_)) = (&self.keeping, &outcome.figures.transitioned_from) {
            kept.scheduler.fill_gaps(&self.memory).await;
        }
        outcome
    }

    /// A turn that was just adopted, as front ends see it. Background tasks may have come further than the turn knows.
    pub(super) fn done(&self, outcome: TurnOutcome) -> TurnDone {
        let TurnOutcome { message, answer, mut sidebar, figures, .. } = outcome;
        let memory = self.memory_now();
        if !Arc::ptr_eq(&memory, &self.memory) {
            sidebar.follow_tasks(&self.engine, &memory);
            sidebar.follow_usage(&memory);
        }
        let card = answer_card(&self.engine, &memory);
        TurnDone { message, answer, memory, sidebar, figures, title: self.own_title(), card }
    }
}

pub(super) fn unreadable(error: impl std::fmt::Display) -> PersistError {
    PersistError::Unread(error.to_string())
}
