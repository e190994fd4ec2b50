//! What the user changes about a session outside its turns: values, phases, caps, the title, turns taken back.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::{HostError, Session, records, title};
use crate::engine::budget::Cap;
use crate::engine::edit::{self, Edited, WrappedUp};
use crate::engine::extraction::LogEntry;
use crate::engine::memory::WorkingMemory;
use crate::engine::sensitive::{self, SensitivePolicy};
use crate::engine::transcript::Role;
use crate::llm::BudgetSnapshot;
use crate::store::{Store, TitleSource};

/// What the memory was before each change by hand since the last turn. It is gone when the session is closed: then the
/// changes go with their turn.
#[derive(Debug, Default)]
pub(super) struct ByHand {
    /// The last one is what the next undo brings back.
    before: Vec<Arc<WorkingMemory>>,
    /// What was taken back, the last one first to come back.
    taken_back: Vec<Arc<WorkingMemory>>,
}

impl Session {
    /// Takes back the last change that was made by hand since the last turn; says whether there is one.
    pub(super) async fn undo_change(&mut self) -> Result<bool, HostError> {
        let Some(before) = self.changes.before.pop() else { return Ok(false) };
        let now = Arc::clone(&self.memory);
        self.put_back(&before).await?;
        self.changes.taken_back.push(now);
        Ok(true)
    }

    /// Makes the change again that was taken back last; says whether there is one.
    pub(super) async fn redo_change(&mut self) -> Result<bool, HostError> {
        let Some(after) = self.changes.taken_back.pop() else { return Ok(false) };
        let now = Arc::clone(&self.memory);
        self.put_back(&after).await?;
        self.changes.before.push(now);
        Ok(true)
    }

    async fn put_back(&mut self, memory: &WorkingMemory) -> Result<(), HostError> {
        self.write(Edited { memory: memory.clone(), changes: Vec::new(), log: Vec::new() }).await
    }

    /// Sets a field to what the user says it is. Says which fields are in doubt since.
    pub async fn correct(&mut self, path: &str, value: &Value) -> Result<Vec<String>, HostError> {
        let edited = edit::correct(&self.engine, &self.memory, path, value)?;
        let doubted = edited.doubted();
        self.keep(edited).await?;
        Ok(doubted)
    }

    /// Takes the user's yes to everything that is noted, as it was shown to them.
    pub async fn confirm(&mut self, shown: &[(String, Value)]) -> Result<(), HostError> {
        self.keep(edit::confirm(&self.engine, &self.memory, shown)?).await
    }

    /// Forgets the value of a field. Says which fields are in doubt since.
    pub async fn clear(&mut self, path: &str) -> Result<Vec<String>, HostError> {
        let edited = edit::clear(&self.engine, &self.memory, path)?;
        let doubted = edited.doubted();
        self.keep(edited).await?;
        Ok(doubted)
    }

    /// Sets an obligation aside.
    pub async fn defer(&mut self, obligation: &str, reason: &str) -> Result<(), HostError> {
        self.keep(edit::defer(&self.engine, &self.memory, obligation, reason)?).await
    }

    /// Leaves all questions open but the most valuable ones, and says which.
    pub async fn wrap_up(&mut self) -> Result<WrappedUp, HostError> {
        let (edited, wrapped) = edit::wrap_up(&self.engine, &self.memory);
        self.keep(edited).await?;
        Ok(wrapped)
    }

    /// Moves to a phase because the user says so.
    pub async fn force_phase(&mut self, phase: &str) -> Result<(), HostError> {
        self.keep(edit::force_phase(&self.engine, &self.memory, phase)?).await
    }

    /// Keeps a memory that was changed outside a turn and has nothing for the log.
    pub(super) async fn amend(&mut self, change: impl FnOnce(&mut WorkingMemory)) -> Result<(), HostError> {
        let mut memory = (*self.memory).clone();
        change(&mut memory);
        self.keep(Edited { memory, changes: Vec::new(), log: Vec::new() }).await
    }

    async fn keep(&mut self, edited: Edited) -> Result<(), HostError> {
        let (before, by_hand) = (Arc::clone(&self.memory), edited.memory.by_hand > self.memory.by_hand);
        self.write(edited).await?;
        self.changes.taken_back.clear();
        if by_hand {
            self.changes.before.push(before);
        } else {
            // What was kept besides would be lost with a memory from before it.
            self.changes.before.clear();
        }
        Ok(())
    }

    async fn write(&mut self, mut edited: Edited) -> Result<(), HostError> {
        if self.sensitive != SensitivePolicy::Allow {
            edited.log = edited.log.into_iter().map(LogEntry::redacted).collect();
        }
        let kept = self.kept()?;
        let commit = records::amendment(&self.record, &edited.memory, &edited.log, Timestamp::now())?;
        let committed = kept.store.call_async(move |store| store.commit(commit)).await?;
        self.record.revision = committed.revision;
        self.record.phase.clone_from(&edited.memory.phase.current);
        self.record.completeness = edited.memory.completeness.overall;
        self.memory = Arc::new(edited.memory);
        Ok(())
    }

    /// Takes back every turn after `turn`, state and all.
    pub(super) async fn rewind(&mut self, turn: u32) -> Result<(), HostError> {
        let (id, revision) = (self.record.id, self.record.revision);
        let kept = self.kept()?;
        let rewound = kept.store.call_async(move |store| {
            let record = store.rewind(id, revision, turn)?;
            Ok((record, store.state_at(id, turn)?))
        });
        let (record, state) = rewound.await?;
        kept.scheduler.rewound_to(turn);
        self.memory = Arc::new(serde_json::from_value(state)?);
        self.changes = ByHand::default();
        self.transcript.rewind(turn);
        self.record = record;
        self.retitle().await
    }

    /// Gives the session the title that follows from what is part of it now, unless the user has given it one.
    pub(super) async fn retitle(&mut self) -> Result<(), HostError> {
        if self.record.title_source == TitleSource::User {
            return Ok(());
        }
        let first = self.transcript.messages().iter().find(|message| message.role == Role::User);
        let found = title::of_session(&self.engine, &self.memory, first.map(|message| &*message.text));
        let source = if found.is_some() { TitleSource::Content } else { TitleSource::Default };
        let title = found.unwrap_or_else(|| self.engine.definition().name.clone());
        if title != self.record.title {
            let id = self.record.id;
            let entitle = move |store: &mut Store| store.entitle_session(id, &title, source);
            self.record = self.kept()?.store.call_async(entitle).await?;
        }
        Ok(())
    }

    /// What it may cost at most, in USD.
    pub fn cap_usd(&self) -> Option<f64> {
        self.cap_usd
    }

    /// Where its budget stands; `None` while no model is asked.
    pub fn budget(&self) -> Option<BudgetSnapshot> {
        self.backend.models().map(|models| models.budget().snapshot())
    }

    /// Raises a cap because the user says so: one of the session for as long as it lives, one of the day until the
    /// program ends.
    pub async fn raise_cap(&mut self, cap: Cap, limit: f64) -> Result<(), HostError> {
        let budget = Arc::clone(&self.kept()?.budget);
        match budget.caps().get(cap) {
            Some(now) if limit.is_finite() && limit > now => {}
            Some(now) => return Err(HostError::CapNotRaised { cap, now }),
            None => return Err(HostError::NoCap(cap)),
        }
        self.keep(edit::raise_cap(&self.memory, cap, limit)).await?;
        budget.raise(cap, limit);
        self.cap_usd = budget.caps().session_usd;
        Ok(())
    }

    /// Gives the session a title of the user's.
    pub async fn rename(&mut self, title: &str) -> Result<(), HostError> {
        let (id, title) = (self.record.id, sensitive::storable(title, self.sensitive));
        self.record = self.kept()?.store.call_async(move |store| store.rename_session(id, &title)).await?;
        Ok(())
    }
}
