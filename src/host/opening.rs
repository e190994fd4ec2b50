//! Opening sessions: a new one, an earlier one, a copy of one.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;

use super::by_hand::ByHand;
use super::draft::SessionDraft;
use super::engines::FoundEngine;
use super::protocol::EngineChange;
use super::registry::Gate;
use super::session::Keeping;
use super::spending::Untold;
use super::waiting::Waiting;
use super::{DEFAULT_PROJECT, Host};
use super::{HostError, Session, records, spending};
use crate::engine::Engine;
use crate::engine::handoff::Handoff;
use crate::engine::memory::{SCHEMA_VERSION, WorkingMemory};
use crate::engine::opening::{self, Begun};
use crate::engine::outline::EngineOutline;
use crate::engine::sensitive::SensitivePolicy;
use crate::engine::transcript::Transcript;
use crate::settings::Sensitive;
use crate::store::{Draft, InboundHandoff, NewSession, ProjectId, SessionId, SessionRecord, TitleSource};
use crate::tasks::{Provenance, has_something};
use crate::words::Language;

/// What an open session is made of.
struct Parts {
    record: SessionRecord,
    engine: Arc<Engine>,
    provenance: Provenance,
    memory: WorkingMemory,
    transcript: Transcript,
    engine_change: Option<EngineChange>,
    draft: Draft,
}

impl Host {
    /// Opens a new session.
    pub async fn start(&self, engine: &str, project: Option<&str>) -> Result<Session, HostError> {
        Ok(self.start_in(engine, project, None).await?.0)
    }

    /// Opens a new session in a language, where one is given.
    pub(super) async fn start_in(
        &self,
        engine: &str,
        project: Option<&str>,
        language: Option<&Language>,
    ) -> Result<(Session, Gate), HostError> {
        let project = project.unwrap_or(DEFAULT_PROJECT).to_owned();
        let project = self.store().call_async(move |store| store.ensure_project(&project)).await?.id;
        self.begin(engine, project, None, language).await
    }

    /// Opens a new session in a project, with what an earlier one hands over. Nobody else opens it before its gate is let
    /// go of.
    pub(super) async fn begin(
        &self,
        name: &str,
        project_id: ProjectId,
        inbound: Option<(InboundHandoff, Handoff)>,
        language: Option<&Language>,
    ) -> Result<(Session, Gate), HostError> {
        let found = self.found(name)?;
        let (inbound, handoff) = inbound.unzip();
        let chosen = Some(&self.settings.language.value).filter(|language| language.chosen);
        let language = language.or(chosen);
        let begun = opening::begin(&found.engine, handoff, language);
        let Begun { memory, first, log } = begun.map_err(HostError::Opening)?;
        let pinned = found.pin();
        let FoundEngine { engine, provenance, .. } = found;
        let now = Timestamp::now();
        let id = SessionId::new(now);
        let gate = self.registry.gate(id).await;
        let new = NewSession {
            id,
            project_id,
            engine: pinned,
            title: EngineOutline::name_of(&engine, memory.language.current.as_deref()),
            title_source: TitleSource::Default,
            phase: memory.phase.current.clone(),
            completeness: memory.completeness.overall,
            state: records::state(&memory)?,
            messages: vec![records::message(&first, now)],
            extractions: log.iter().map(|entry| records::extraction(entry, None, now)).collect(),
            engine_folder: provenance.folder.clone(),
            inbound,
        };
        let record = self.store().call_async(move |store| store.create_session(new)).await?;
        let transcript = Transcript::from_messages([first]);
        let (engine_change, draft) = (None, Draft::default());
        let parts = Parts { record, engine, provenance, memory, transcript, engine_change, draft };
        Ok((self.assemble(parts).await?, gate))
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
        let (engine, provenance) = self.pinned(&pinned, resumed.session.engine_folder.clone())?;
        let version = resumed.state.get("schema_version").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if version > u64::from(SCHEMA_VERSION) {
            return Err(HostError::NewerState(version));
        }
        let memory: WorkingMemory = serde_json::from_value(resumed.state)?;
        let transcript = Transcript::from_messages(resumed.messages.into_iter().filter_map(records::said));
        let engine_change = self.change_since(&engine, provenance.folder.as_deref());
        let (record, draft) = (resumed.session, resumed.draft);
        self.assemble(Parts { record, engine, provenance, memory, transcript, engine_change, draft }).await
    }

    /// A new session that is this one up to a turn.
    pub async fn fork(&self, id: &str, turn: u32) -> Result<SessionRecord, HostError> {
        let prefix = id.to_owned();
        let forked = self.store().call_async(move |store| {
            let id = store.find_session(&prefix)?.id;
            store.fork(id, turn, SessionId::new(Timestamp::now()))
        });
        Ok(forked.await?)
    }

    /// What becomes of sensitive words.
    pub(super) fn sensitive(&self) -> SensitivePolicy {
        match self.settings.sensitive.value {
            Sensitive::Warn => SensitivePolicy::Warn,
            Sensitive::Redact => SensitivePolicy::Redact,
            Sensitive::Allow => SensitivePolicy::Allow,
        }
    }

    async fn assemble(&self, parts: Parts) -> Result<Session, HostError> {
        let Parts { record, engine, provenance, memory, transcript, engine_change, draft } = parts;
        let (kept, is_new) = self.registry.kept(self, &record, &engine, provenance);
        let backend = self.backend().under(&kept.budget);
        if is_new {
            kept.scheduler.set_models(backend.models());
            kept.scheduler.load().await?;
        }
        spending::count(&kept, record.id, memory.raised_caps).await?;
        let (id, project) = (record.id, record.project_id);
        let searchable = kept.store.call_async(move |store| has_something(store, project, id)).await?;
        let allowed = kept.scheduler.allowed().await? == Some(true);
        Ok(Session {
            searchable,
            allowed: allowed.into(),
            project: self.project_name(record.project_id).await?,
            cap_usd: kept.budget.caps().session_usd,
            record,
            outline: Arc::new(EngineOutline::of(&engine)),
            engine,
            memory: Arc::new(memory),
            transcript,
            backend,
            keeping: Keeping::Store(kept),
            sensitive: self.sensitive(),
            engine_change,
            draft: SessionDraft::new(draft),
            waiting: Waiting::default(),
            untold: Untold::default(),
            changes: ByHand::default(),
            analysed: Mutex::default(),
        })
    }
}
