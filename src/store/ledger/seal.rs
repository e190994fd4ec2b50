//! The append-only log of a session, each event sealed with the hash of the one before.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Store, beside, sessions};
use crate::store::backend::{Backend, Row, SessionRow};
use crate::store::{Digest, Event, EventKind, SessionId, StoreError, canonical};

impl Store {
    pub fn events(&mut self, id: SessionId) -> Result<Vec<Event>, StoreError> {
        self.read(|db| {
            sessions::get(db, id)?;
            db.events(id)
        })
    }
}

/// Seals an event: everything in it but its own hash.
pub(super) fn seal(event: &Event) -> Digest {
    canonical::digest(&json!({
        "session": event.session_id,
        "seq": event.seq,
        "kind": event.kind,
        "at": event.at.as_millisecond(),
        "payload": event.payload,
        "prev": event.prev,
    }))
}

/// What the log key seals of the end of a log, so that a cut one shows.
pub(super) fn head(session: SessionId, seq: u64, hash: Digest) -> Digest {
    canonical::digest(&json!({ "session": session, "seq": seq, "hash": hash }))
}

/// The uses that the log key is put to here.
pub(super) const EVENT: &str = "event";
pub(super) const HEAD: &str = "head";

/// Adds an event to the end of a session's log. The row names the new end; the caller writes it, with whatever else
/// changes in it.
///
/// With a log key the event is sealed with it. A log that was begun without one says from which event on it is.
pub(super) fn append(
    db: &mut dyn Backend,
    row: &mut SessionRow,
    kind: EventKind,
    at: Timestamp,
    payload: Value,
) -> Result<u64, StoreError> {
    check_key(db, row)?;
    if db.log_key().is_some() && row.keyed_since.is_none() {
        let since = row.head_seq + 1;
        row.keyed_since = Some(since);
        if since > 1 {
            beside::seal_session(db, row.record.id)?;
            append_one(db, row, EventKind::Keyed, at, json!({ "since": since }))?;
        }
    }
    append_one(db, row, kind, at, payload)
}

/// Refuses to go on with a sealed log without the key it is sealed with, or from an end that the key has not sealed.
pub(super) fn check_key(db: &dyn Backend, row: &SessionRow) -> Result<(), StoreError> {
    let session = row.record.id;
    if row.keyed_since.is_none() || row.head_seq == 0 {
        return Ok(());
    }
    let Some(key) = db.log_key() else { return Err(StoreError::KeyMissing { session }) };
    if key.seal(HEAD, head(session, row.head_seq, row.head_hash)) == row.head_mac {
        Ok(())
    } else {
        Err(StoreError::WrongKey { session })
    }
}

fn append_one(
    db: &mut dyn Backend,
    row: &mut SessionRow,
    kind: EventKind,
    at: Timestamp,
    payload: Value,
) -> Result<u64, StoreError> {
    let (session_id, seq, prev) = (row.record.id, row.head_seq + 1, row.head_hash);
    let mut event = Event { session_id, seq, kind, at, payload, prev, hash: Digest::ZERO, mac: None };
    event.hash = seal(&event);
    event.mac = db.log_key().and_then(|key| key.seal(EVENT, event.hash));
    db.put(Row::Event(&event))?;
    (row.head_seq, row.head_hash) = (event.seq, event.hash);
    row.head_mac = db.log_key().and_then(|key| key.seal(HEAD, head(session_id, seq, event.hash)));
    Ok(seq)
}
