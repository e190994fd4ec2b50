//! Everything the program works with: settings, engines, the store and the models.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use super::backend::Backend;
use super::records;
use super::session::{EngineChange, Session};
use super::spending;
use crate::catalogue::{Catalogue, CatalogueError, FolderError, Origin};
use crate::decode::{Diagnostic, Severity, render_all};
use crate::engine::changes::changes;
use crate::engine::config::EngineFiles;
use crate::engine::handoff::{Handoff, receive};
use crate::engine::memory::{Asked, SCHEMA_VERSION, WorkingMemory};
use crate::engine::sensitive::SensitivePolicy;
use crate::engine::transcript::{Message, Role, Transcript};
use crate::engine::{Engine, opening};
use crate::llm::ChatError;
use crate::settings::{Flags, Sensitive, Settings, SettingsError, Surroundings};
use crate::store::{
    self, HandoffId, NewSession, PinnedEngine, ProjectId, SessionId, SqliteOptions, SqliteStore, StoreError,
    StoreHandle, StoreOwner, TitleSource,
};

use crate::tasks::{Means, Provenance, Scheduler};

/// The project of sessions that name none.
pub const DEFAULT_PROJECT: &str = "default";

/// What keeps a command from being carried out.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The settings are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The user's folders cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// There is no such engine.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The engine has errors.
    #[error("the engine `{name}` has {} error(s)\n\n{}", errors.len(), render_all(errors, false).trim_end())]
    Engine {
        /// Its name.
        name: String,
        /// Its errors.
        errors: Vec<Diagnostic>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The endpoint cannot be used.
    #[error(transparent)]
    Endpoint(#[from] ChatError),
    /// A stored memory cannot be read.
    #[error("the session's state cannot be read: {0}")]
    State(#[from] serde_json::Error),
    /// The memory was written by a newer version.
    #[error("the session was written by a newer version of Elenchus (state version {0}); update to open it")]
    NewerState(u64),
    /// The opening cannot be rendered.
    #[error("the engine's opening cannot be written: {0}")]
    Opening(String),
    /// An edit that makes no sense.
    #[error("{0}")]
    Edit(String),
    /// A handoff that would not be understood.
    #[error("the handoff cannot be accepted: {}", problems.join("; "))]
    Handoff {
        /// What is wrong with it.
        problems: Vec<String>,
    },
}

/// Everything the program works with.
#[derive(Debug)]
pub struct Host {
    /// What is configured.
    pub settings: Settings,
    /// The engines.
    pub catalogue: Catalogue,
    // Tasks end before the store does, so that what they were doing is kept.
    pub(super) schedulers: Mutex<HashMap<SessionId, Arc<Scheduler>>>,
    /// What background tasks need of the outside.
    pub means: Means,
    store: StoreOwner,
    backend: Backend,
}

impl Host {
    /// Reads the settings, finds the engines and opens the store.
    pub fn open(flags: &Flags, surroundings: &Surroundings<'_>) -> Result<Self, HostError> {
        let settings = Settings::load(flags, surroundings)?;
        let catalogue = Catalogue::open(&settings.paths.engines())?;
        let database = SqliteStore::open(&settings.paths.database(), SqliteOptions::default())?;
        let store = StoreOwner::spawn(Box::new(database))?;
        let backend = settings.models()?.map_or(Backend::Offline, |models| Backend::Models(Arc::new(models)));
        let work = settings.paths.data_dir.value.join("work");
        let means = Means::new(store.handle(), work, settings.tasks_at_once.value);
        Ok(Self { settings, catalogue, schedulers: Mutex::default(), means, store, backend })
    }

    /// The same, asking no endpoint.
    #[must_use]
    pub fn offline(self) -> Self {
        Self { backend: Backend::Offline, ..self }
    }

    /// Who answers by default.
    pub fn backend(&self) -> &Backend {
        &self.backend
    }

    /// The way to the store.
    pub fn store(&self) -> StoreHandle {
        self.store.handle()
    }

    /// Ends background tasks, runs what was sent to the store, and closes it.
    pub fn close(self) -> Result<(), HostError> {
        drop(self.schedulers);
        Ok(self.store.close()?)
    }

    /// The engine of a name or path, with its files.
    pub fn engine(&self, name: &str) -> Result<(Arc<Engine>, EngineFiles), HostError> {
        self.found(name).map(|(engine, files, _)| (engine, files))
    }

    /// The engine of a name or path, with where it comes from.
    pub fn engine_from(&self, name: &str) -> Result<(Arc<Engine>, Provenance), HostError> {
        self.found(name).map(|(engine, _, provenance)| (engine, provenance))
    }

    /// The engine of a name or path, with its files and where it comes from.
    pub(super) fn found(&self, name: &str) -> Result<(Arc<Engine>, EngineFiles, Provenance), HostError> {
        let (files, origin) = self.catalogue.files(name)?;
        let loaded = self.catalogue.check(&files);
        let folder = (origin != Origin::Embedded).then(|| PathBuf::from(&files.origin));
        let folder = folder.and_then(|folder| folder.canonicalize().ok());
        let provenance = Provenance { embedded: self.catalogue.is_embedded(&files), folder };
        match loaded.engine {
            Some(engine) => Ok((engine, files, provenance)),
            None => Err(HostError::Engine { name: name.to_owned(), errors: errors(loaded.diagnostics) }),
        }
    }

    /// Opens a new session.
    pub async fn start(&self, engine: &str, project: Option<&str>) -> Result<Session, HostError> {
        let project = project.unwrap_or(DEFAULT_PROJECT).to_owned();
        let project = self.store().call_async(move |store| store.ensure_project(&project)).await?.id;
        self.begin(engine, project, None).await
    }

    /// Opens a new session in a project, with what an earlier one hands over.
    pub(super) async fn begin(
        &self,
        name: &str,
        project_id: ProjectId,
        inbound: Option<(HandoffId, Handoff)>,
    ) -> Result<Session, HostError> {
        let (engine, files, provenance) = self.found(name)?;
        let mut memory = WorkingMemory::new(engine.definition());
        let now = Timestamp::now();
        let (inbound_handoff_id, log) = match inbound {
            Some((id, handoff)) => (Some(id), receive(&engine, &mut memory, handoff)),
            None => (None, Vec::new()),
        };
        let opening = opening::open(&engine, &memory).map_err(|fault| HostError::Opening(fault.message))?;
        for id in &opening.asks {
            if let Some(state) = memory.obligations.get_mut(id) {
                state.times_asked = 1;
                state.last_asked = Some(0);
            }
        }
        memory.asked =
            opening.asks.into_iter().map(|obligation| Asked { obligation, to_confirm: Vec::new() }).collect();
        let first = Message::new(0, Role::Assistant, opening.text);
        let new = NewSession {
            id: SessionId::new(now),
            project_id,
            engine: pin(&engine, &files),
            title: engine.definition().name.clone(),
            title_source: TitleSource::Default,
            phase: memory.phase.current.clone(),
            completeness: memory.completeness.overall,
            state: records::state(&memory)?,
            messages: vec![records::opening(&first, provenance.folder.as_deref(), now)],
            extractions: log.iter().map(|entry| records::extraction(entry, None, now)).collect(),
            inbound_handoff_id,
        };
        let record = self.store().call_async(move |store| store.create_session(new)).await?;
        spending::count(&self.backend, &self.store(), record.id, memory.raised_caps).await?;
        let transcript = Transcript::from_messages([first]);
        let scheduler = self.scheduler(&record, &engine, provenance).0;
        self.session(record, engine, memory, transcript, None, scheduler).await
    }

    /// Opens a session where it was left. The id may be cut, as long as it is clear which is meant.
    pub async fn resume(&self, id: &str) -> Result<Session, HostError> {
        let prefix = id.to_owned();
        let (resumed, pinned) = self
            .store()
            .call_async(move |store| {
                let id = store.find_session(&prefix)?.id;
                let resumed = store.resume(id, u32::MAX)?;
                let pinned = store.pinned_engine(resumed.session.engine_hash)?;
                Ok((resumed, pinned))
            })
            .await?;
        let (engine, provenance) = self.pinned(&pinned, records::engine_folder(resumed.messages.first()))?;
        let version = resumed.state.get("schema_version").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if version > u64::from(SCHEMA_VERSION) {
            return Err(HostError::NewerState(version));
        }
        let memory: WorkingMemory = serde_json::from_value(resumed.state)?;
        let transcript = Transcript::from_messages(resumed.messages.into_iter().filter_map(records::said));
        let change = self.change_since(&engine, provenance.folder.as_deref());
        spending::count(&self.backend, &self.store(), resumed.session.id, memory.raised_caps).await?;
        let (scheduler, is_new) = self.scheduler(&resumed.session, &engine, provenance);
        if is_new {
            scheduler.load().await?;
        }
        self.session(resumed.session, engine, memory, transcript, change, scheduler).await
    }

    /// The scheduler of a session, and whether it was made just now. There is one per session and process, so that
    /// tasks go on while the user looks at another session.
    pub(super) fn scheduler(
        &self,
        record: &store::Session,
        engine: &Arc<Engine>,
        from: Provenance,
    ) -> (Arc<Scheduler>, bool) {
        let mut schedulers = self.schedulers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = schedulers.get(&record.id) {
            return (Arc::clone(known), false);
        }
        let new = Scheduler::new(record.id, record.project_id, Arc::clone(engine), from, self.means.clone());
        new.set_models(self.backend.models());
        let new = Arc::new(new);
        schedulers.insert(record.id, Arc::clone(&new));
        (new, true)
    }

    /// A new session that is this one up to a turn.
    pub async fn fork(&self, id: &str, turn: u32) -> Result<store::Session, HostError> {
        let prefix = id.to_owned();
        let forked = self.store().call_async(move |store| {
            let id = store.find_session(&prefix)?.id;
            store.fork(id, turn, SessionId::new(Timestamp::now()))
        });
        Ok(forked.await?)
    }

    async fn session(
        &self,
        record: store::Session,
        engine: Arc<Engine>,
        memory: WorkingMemory,
        transcript: Transcript,
        engine_change: Option<EngineChange>,
        scheduler: Arc<Scheduler>,
    ) -> Result<Session, HostError> {
        let project = self.project_name(record.project_id).await?;
        // A cap can be raised, not brought in where there is none.
        let cap_usd = self.settings.limits.caps.session_usd;
        let cap_usd = cap_usd.map(|cap| memory.raised_caps.session_usd.map_or(cap, |raised| raised.max(cap)));
        Ok(Session {
            record,
            project,
            engine,
            memory,
            transcript,
            backend: self.backend.clone(),
            store: self.store(),
            sensitive: match self.settings.sensitive.value {
                Sensitive::Warn => SensitivePolicy::Warn,
                Sensitive::Redact => SensitivePolicy::Redact,
                Sensitive::Allow => SensitivePolicy::Allow,
            },
            cap_usd,
            counted: true,
            scheduler,
            engine_change,
        })
    }

    /// The engine a session began with, whatever has become of its folder.
    fn pinned(&self, pinned: &PinnedEngine, folder: Option<PathBuf>) -> Result<(Arc<Engine>, Provenance), HostError> {
        let files = EngineFiles {
            origin: format!("{} {} (pinned)", pinned.engine_id, pinned.version),
            folder: pinned.engine_id.clone(),
            files: pinned.files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect(),
        };
        let loaded = self.catalogue.check(&files);
        let folder = folder.or_else(|| self.catalogue.folder(&pinned.engine_id)?.canonicalize().ok());
        let provenance = Provenance { embedded: self.catalogue.is_embedded(&files), folder };
        loaded
            .engine
            .map(|engine| (engine, provenance))
            .ok_or_else(|| HostError::Engine { name: pinned.engine_id.clone(), errors: errors(loaded.diagnostics) })
    }

    /// The engine as it is now in the folder it was read from; of that name, where there is no such folder any more.
    pub(super) fn current(
        &self,
        id: &str,
        folder: Option<&Path>,
    ) -> Result<(Arc<Engine>, EngineFiles, Provenance), HostError> {
        match folder.filter(|folder| folder.join("engine.toml").is_file()) {
            Some(folder) => self.found(&folder.display().to_string()),
            None => self.found(id),
        }
    }

    /// How the engine of a session is named so that it is found again: by its id, or else by the path of its folder.
    pub fn engine_name(&self, session: &Session) -> String {
        let id = &session.record.engine_id;
        let own = self.catalogue.folder(id).and_then(|folder| folder.canonicalize().ok());
        match session.engine_folder() {
            Some(folder) if own.as_deref() != Some(folder) => folder.display().to_string(),
            _ => id.clone(),
        }
    }

    /// How the engine differs now, if it does and can be used.
    fn change_since(&self, pinned: &Engine, folder: Option<&Path>) -> Option<EngineChange> {
        let (current, ..) = self.current(&pinned.definition().id, folder).ok()?;
        if current.hash() == pinned.hash() {
            return None;
        }
        Some(EngineChange {
            pinned_version: pinned.definition().version.value.clone(),
            current_version: current.definition().version.value.clone(),
            differences: changes(pinned, &current),
        })
    }
}

fn errors(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect()
}

pub(super) fn pin(engine: &Engine, files: &EngineFiles) -> PinnedEngine {
    let definition = engine.definition();
    let texts: BTreeMap<String, String> =
        files.files.iter().map(|(name, bytes)| (name.clone(), String::from_utf8_lossy(bytes).into_owned())).collect();
    PinnedEngine::new(definition.id.to_string(), definition.version.value.clone(), texts)
}
