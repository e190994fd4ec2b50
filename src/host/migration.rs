//! Moves a session from one version of its engine to another: what both know is kept, what is new starts pending.

use std::sync::Arc;

use super::Host;
use super::engines::FoundEngine;
use super::session::Keeping;
use super::{HostError, Session, records};
use crate::engine::Engine;
use crate::engine::changes::changes;
use crate::engine::memory::WorkingMemory;
use crate::engine::outline::EngineOutline;
use crate::store::PinnedEngine;

impl Host {
    /// Moves a session to its engine as it is now, if that has changed and is in order; says what is different.
    pub async fn reload(&self, session: &mut Session) -> Result<Option<Vec<String>>, HostError> {
        let found = self.current(&session.record.engine_id, session.engine_folder())?;
        if found.engine.hash() == session.engine.hash() {
            return Ok(None);
        }
        let (old, new) = (&session.record.engine_id, found.engine.definition().id.as_str());
        if new != old {
            return Err(HostError::EngineRenamed { old: old.clone(), new: new.to_owned() });
        }
        let different = changes(&session.engine, &found.engine);
        self.move_to(session, found).await?;
        Ok(Some(different))
    }

    /// Takes back every turn after `turn`, and says how many those were. The store brings back the engine of that turn as well; a session that has
    /// moved on to another version since goes on with that one.
    pub async fn rewind(&self, session: &mut Session, turn: u32) -> Result<u32, HostError> {
        let (running, before) = (session.record.engine_hash, session.record.turn);
        session.rewind(turn).await?;
        if session.record.engine_hash != running {
            let pinned = self.store().call_async(move |store| store.pinned_engine(running)).await?;
            let engine = Arc::clone(&session.engine);
            self.adopt(session, &engine, pinned).await?;
        }
        Ok(before.saturating_sub(session.record.turn))
    }

    async fn move_to(&self, session: &mut Session, found: FoundEngine) -> Result<(), HostError> {
        let pinned = found.pin();
        let FoundEngine { engine, provenance, .. } = found;
        self.adopt(session, &engine, pinned).await?;
        // Tasks of the old version end; what they were doing is taken up by the new one.
        session.kept()?.scheduler.stop().await?;
        if let Some(kept) = self.registry.replace_scheduler(self, &session.record, &engine, provenance) {
            kept.scheduler.set_models(session.backend.models());
            kept.scheduler.load().await?;
            session.keeping = Keeping::Store(kept);
        }
        session.outline = Arc::new(EngineOutline::of(&engine));
        session.engine = engine;
        session.engine_change = None;
        Ok(())
    }

    /// Brings the memory over to a version of the engine, and keeps both.
    async fn adopt(&self, session: &mut Session, engine: &Engine, pinned: PinnedEngine) -> Result<(), HostError> {
        let mut memory = (*session.memory).clone();
        adopt(engine, &mut memory);
        let (id, revision, state) = (session.record.id, session.record.revision, records::state(&memory)?);
        session.record =
            self.store().call_async(move |store| store.migrate_session(id, revision, pinned, &state)).await?;
        session.memory = Arc::new(memory);
        Ok(())
    }
}

/// Brings a memory over to another version of its engine: what both know is kept, what is new starts pending.
fn adopt(engine: &Engine, memory: &mut WorkingMemory) {
    let definition = engine.definition();
    let fresh = WorkingMemory::new(definition);
    let known = std::mem::replace(&mut memory.obligations, fresh.obligations);
    for (id, state) in known.iter() {
        if let Some(place) = memory.obligations.get_mut(id) {
            *place = state.clone();
        }
    }
    let gone: Vec<String> =
        memory.extraction.iter().map(|(path, _)| path.to_owned()).filter(|path| engine.field(path).is_none()).collect();
    for path in gone {
        memory.extraction.remove(&path);
    }
    if engine.phase(&memory.phase.current).is_none() {
        let (turn, completeness) = (memory.turn, memory.completeness.overall);
        memory.phase.move_to(&definition.initial_phase, turn, completeness, true);
    }
    memory.engine_version.clone_from(&definition.version.value);
    memory.asked.retain(|asked| engine.obligation(&asked.obligation).is_some());
    crate::engine::obligations::refresh(engine, memory);
    (memory.completeness, _) = crate::engine::completeness::evaluate(engine, memory);
}
