//! Engines as sessions are pinned to them, and what the user decided about them.

use serde_json::{Value, json};

use super::commits::{self, Change, Words};
use super::{Store, beside, history, sessions};
use crate::store::backend::{Backend, Row};
use crate::store::{
    Decision, Digest, Doubt, EventKind, PinnedEngine, SessionId, SessionRecord, StoreError, Trust, canonical,
};

impl Store {
    /// Returns the engine with that digest, files and all.
    pub fn pinned_engine(&mut self, hash: Digest) -> Result<PinnedEngine, StoreError> {
        self.read(|db| db.engine(hash)?.ok_or_else(|| StoreError::not_found("engine", hash)))
    }

    /// Moves a session to another engine version, with the state as that version wants it. Rewinding to a turn before
    /// brings the old version back.
    pub fn migrate_session(
        &mut self,
        id: SessionId,
        expected_revision: u64,
        engine: PinnedEngine,
        state: &Value,
    ) -> Result<SessionRecord, StoreError> {
        self.write(|db, now| {
            let mut row = sessions::get_to_change(db, id, expected_revision)?;
            keep(db, &engine)?;
            let before = std::mem::replace(&mut row.record.engine_hash, engine.hash);
            (row.record.engine_id, row.record.engine_version) = (engine.engine_id, engine.version);
            let (turn, phase, completeness) = (row.record.turn, row.record.phase.clone(), row.record.completeness);
            let change = Change {
                kind: EventKind::Migrated,
                turn,
                state,
                phase: &phase,
                completeness,
                words: Words::default(),
                checkpoint: None,
                notes: json!({ "from": before }),
            };
            let parent = history::tip(db, &row)?;
            commits::append(db, &mut row, Some(parent), &change, now)?;
            // The engine of that digest may have been kept under another name before.
            Ok(sessions::get(db, id)?.record)
        })
    }

    /// Returns what the user decided about an engine folder, as far as that can be believed.
    pub fn trust(&mut self, engine_hash: Digest) -> Result<Option<Trust>, StoreError> {
        self.read(|db| match db.trust(engine_hash)? {
            Some(trust) if beside::doubt(db, &trust)?.is_none() => Ok(Some(trust)),
            _ => Ok(None),
        })
    }

    /// Returns why a decision about it is kept that does not count; `None` where there is none, or it counts.
    pub fn doubt(&mut self, engine_hash: Digest) -> Result<Option<Doubt>, StoreError> {
        self.read(|db| match db.trust(engine_hash)? {
            Some(trust) => beside::doubt(db, &trust),
            None => Ok(None),
        })
    }

    /// Keeps such a decision. An agreement that would not count is refused.
    pub fn set_trust(&mut self, trust: &Trust) -> Result<(), StoreError> {
        self.write(|db, _| {
            db.put(Row::Trust(trust))?;
            beside::vouch_for_trust(db, trust.engine_hash)
        })?;
        match self.doubt(trust.engine_hash)? {
            Some(doubt) if trust.decision == Decision::Trusted => {
                Err(StoreError::refused(format!("The agreement does not count yet: {doubt}")))
            }
            _ => Ok(()),
        }
    }
}

/// Keeps an engine under the digest of its files.
pub(super) fn keep(db: &mut dyn Backend, engine: &PinnedEngine) -> Result<(), StoreError> {
    if canonical::digest(&engine.files) != engine.hash {
        let reason = format!("The files of engine {} do not have the digest {}", engine.engine_id, engine.hash);
        return Err(StoreError::refused(reason));
    }
    db.put(Row::Engine(engine))
}
