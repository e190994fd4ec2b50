//! The append-only log of a session, each event sealed with the hash of the one before.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Store, sessions};
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

/// Adds an event to the end of a session's log. The row names the new end; the caller writes it, with whatever else
/// changes in it.
pub(super) fn append(
    db: &mut dyn Backend,
    row: &mut SessionRow,
    kind: EventKind,
    at: Timestamp,
    payload: Value,
) -> Result<u64, StoreError> {
    let (session_id, seq, prev) = (row.record.id, row.head_seq + 1, row.head_hash);
    let mut event = Event { session_id, seq, kind, at, payload, prev, hash: Digest::ZERO };
    event.hash = seal(&event);
    db.put(Row::Event(&event))?;
    (row.head_seq, row.head_hash) = (event.seq, event.hash);
    Ok(seq)
}
