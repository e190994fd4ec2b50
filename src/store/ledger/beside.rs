//! What vouches for rows that the log of no session covers: drafts, tasks, artifacts, handoffs, decisions about engines.
//!
//! They change between turns and outside of sessions, so each has a digest of its own, sealed with the log key where there
//! is one. The list of all that is under a key is sealed too, and anew with every change: the sessions with the number of
//! their events, and the rows beside the logs. None can be taken out, put back or set back to an earlier state unnoticed.
//! Drafts are not on the list: they are written too often.

use serde::Serialize;
use serde_json::json;

use crate::store::backend::{Artifacts, Backend, Gone, Handoffs, Row, SealRow, Sealed, Tasks, Unsent};
use crate::store::{
    Artifact, ArtifactId, Digest, Doubt, Draft, Handoff, HandoffId, SessionId, StoreError, TaskId, TaskRow, Trust,
    canonical,
};

/// The use that the log key is put to here.
const USE: &str = "beside";

/// A row as its seal sees it.
pub(super) struct Vouched {
    pub(super) kind: Sealed,
    pub(super) id: Vec<u8>,
    pub(super) session: Option<SessionId>,
    pub(super) hash: Digest,
}

impl Vouched {
    fn new(kind: Sealed, id: &[u8], session: Option<SessionId>, content: &impl Serialize) -> Self {
        let hash = canonical::digest(&json!({ "kind": kind, "id": id, "content": content }));
        Self { kind, id: id.to_vec(), session, hash }
    }

    pub(super) fn draft(session: SessionId, place: Unsent, draft: &Draft) -> Self {
        Self::new(kind_of(place), session.0.as_bytes(), Some(session), draft)
    }

    pub(super) fn task(task: &TaskRow) -> Self {
        Self::new(Sealed::Task, task.id.0.as_bytes(), Some(task.session_id), task)
    }

    pub(super) fn artifact(artifact: &Artifact) -> Self {
        Self::new(Sealed::Artifact, artifact.id.0.as_bytes(), artifact.session_id, artifact)
    }

    /// The session that takes a handoff up may be deleted; the handoff then stays without it.
    pub(super) fn handoff(handoff: &Handoff) -> Self {
        let lasting = Handoff { target_session_id: None, ..handoff.clone() };
        Self::new(Sealed::Handoff, handoff.id.0.as_bytes(), Some(handoff.source_session_id), &lasting)
    }

    pub(super) fn trust(trust: &Trust) -> Self {
        Self::new(Sealed::Trust, &trust.engine_hash.0, None, trust)
    }

    /// The list of all that the log key has sealed, and whether there is anything on it.
    pub(super) fn roll(db: &mut dyn Backend) -> Result<(Self, bool), StoreError> {
        let keyed = db.keyed_sessions()?;
        let listed =
            |seal: &SealRow| seal.mac.is_some() && !matches!(seal.kind, Sealed::Draft | Sealed::Sent | Sealed::Roll);
        // A hash says what kind of row it is of, and which.
        let rows: Vec<u8> = db.seals()?.iter().filter(|seal| listed(seal)).flat_map(|seal| seal.hash.0).collect();
        let is_empty = keyed.is_empty() && rows.is_empty();
        let content = json!({ "sessions": keyed, "rows": Digest::of(&rows) });
        Ok((Self::new(Sealed::Roll, &[], None, &content), is_empty))
    }

    /// What the log key makes of it.
    pub(super) fn mac(&self, db: &dyn Backend) -> Option<Digest> {
        db.log_key().and_then(|key| key.seal(USE, self.hash))
    }

    /// Writes the seal.
    fn put(self, db: &mut dyn Backend) -> Result<(), StoreError> {
        if let (None, Some(session)) = (db.log_key(), self.session)
            && db.seal(self.kind, &self.id)?.is_some_and(|before| before.mac.is_some())
        {
            return Err(StoreError::KeyMissing { session });
        }
        let mac = self.mac(db);
        db.put(Row::Seal(&SealRow { kind: self.kind, id: self.id, session_id: self.session, hash: self.hash, mac }))
    }
}

fn kind_of(place: Unsent) -> Sealed {
    match place {
        Unsent::Draft => Sealed::Draft,
        Unsent::Sent => Sealed::Sent,
    }
}

pub(super) fn vouch_for_draft(
    db: &mut dyn Backend,
    id: SessionId,
    place: Unsent,
    draft: &Draft,
) -> Result<(), StoreError> {
    Vouched::draft(id, place, draft).put(db)
}

pub(super) fn forget_draft(db: &mut dyn Backend, id: SessionId, place: Unsent) -> Result<(), StoreError> {
    db.delete(Gone::Seal(kind_of(place), id.0.as_bytes()))
}

// A row that was there before keeps some of what it says, so what is vouched for is what is read back.

pub(super) fn vouch_for_task(db: &mut dyn Backend, id: TaskId) -> Result<(), StoreError> {
    db.tasks(Tasks::One(id))?.iter().try_for_each(|row| Vouched::task(&row.task).put(db))
}

pub(super) fn vouch_for_artifact(db: &mut dyn Backend, id: ArtifactId) -> Result<(), StoreError> {
    db.artifacts(Artifacts::One(id))?.iter().try_for_each(|artifact| Vouched::artifact(artifact).put(db))
}

pub(super) fn vouch_for_handoff(db: &mut dyn Backend, id: HandoffId) -> Result<(), StoreError> {
    db.handoffs(Handoffs::One(id))?.iter().try_for_each(|handoff| Vouched::handoff(handoff).put(db))
}

pub(super) fn vouch_for_trust(db: &mut dyn Backend, engine_hash: Digest) -> Result<(), StoreError> {
    db.trust(engine_hash)?.iter().try_for_each(|trust| Vouched::trust(trust).put(db))
}

/// Why a decision about an engine cannot be believed, if it cannot. With a log key at hand only one counts that it has
/// sealed, and only while nothing that is sealed was set back: anyone who can write the file could have written the
/// decision, or put back one that was revoked.
pub(super) fn doubt(db: &mut dyn Backend, trust: &Trust) -> Result<Option<Doubt>, StoreError> {
    let vouched = Vouched::trust(trust);
    let mac = vouched.mac(db);
    Ok(match db.seal(Sealed::Trust, &vouched.id)? {
        Some(seal) if seal.hash == vouched.hash => match mac {
            None => None,
            mac if seal.mac != mac => Some(Doubt::Unsealed),
            _ if roll_is_intact(db)? => None,
            _ => Some(Doubt::SetBack),
        },
        _ => Some(Doubt::Changed),
    })
}

/// Forgets every decision about an engine.
pub(super) fn forget_decisions(db: &mut dyn Backend) -> Result<(), StoreError> {
    db.delete(Gone::Decisions)
}

/// Forgets the seals of tasks of a session that are gone, and of what they made.
pub(super) fn forget_tasks(db: &mut dyn Backend, session: SessionId) -> Result<(), StoreError> {
    for seal in db.seals()?.into_iter().filter(|seal| seal.session_id == Some(session)) {
        let Ok(id) = uuid::Uuid::from_slice(&seal.id) else { continue };
        let gone = match seal.kind {
            Sealed::Task => db.tasks(Tasks::One(TaskId(id)))?.is_empty(),
            Sealed::Artifact => db.artifacts(Artifacts::One(ArtifactId(id)))?.is_empty(),
            _ => false,
        };
        if gone {
            db.delete(Gone::Seal(seal.kind, &seal.id))?;
        }
    }
    Ok(())
}

/// Seals with the log key what was vouched for without it in a session.
pub(super) fn seal_session(db: &mut dyn Backend, session: SessionId) -> Result<(), StoreError> {
    for mut seal in db.seals()?.into_iter().filter(|seal| seal.session_id == Some(session)) {
        seal.mac = db.log_key().and_then(|key| key.seal(USE, seal.hash));
        db.put(Row::Seal(&seal))?;
    }
    Ok(())
}

/// Whether the list of what the log key has sealed is as it was sealed. It is true without a key, and where there is
/// nothing for it yet.
pub(super) fn roll_is_intact(db: &mut dyn Backend) -> Result<bool, StoreError> {
    if db.log_key().is_none() {
        return Ok(true);
    }
    let (roll, is_empty) = Vouched::roll(db)?;
    let sealed = db.seal(Sealed::Roll, &[])?;
    if is_empty && sealed.is_none() {
        return Ok(true);
    }
    let mac = roll.mac(db);
    Ok(mac.is_some() && sealed.and_then(|roll| roll.mac) == mac)
}

/// Seals the list of what the log key has sealed as it is now.
pub(crate) fn call_the_roll(db: &mut dyn Backend) -> Result<(), StoreError> {
    if db.log_key().is_none() {
        return Ok(());
    }
    let (roll, is_empty) = Vouched::roll(db)?;
    let known = db.seal(Sealed::Roll, &[])?.map(|roll| roll.hash);
    if known == Some(roll.hash) || (known.is_none() && is_empty) { Ok(()) } else { roll.put(db) }
}
