//! The append-only log of a session, each event sealed with the hash of the one before.

use jiff::Timestamp;
use rusqlite::{Connection, Row, Transaction, params};
use serde_json::{Value, json};

use super::columns::{Json, Millis};
use super::failure::Outcome;
use crate::store::{Digest, Event, EventKind, SessionId, canonical};

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

/// Adds an event to the end of a session's log.
pub(super) fn append(
    tx: &Transaction<'_>,
    session_id: SessionId,
    kind: EventKind,
    at: Timestamp,
    payload: Value,
) -> Outcome<Event> {
    let (head, prev) = tx
        .prepare_cached("SELECT head_seq, head_hash FROM sessions WHERE id = ?1")?
        .query_row([session_id], |row| Ok((row.get::<_, u64>(0)?, row.get(1)?)))?;
    let mut event = Event { session_id, seq: head + 1, kind, at, payload, prev, hash: Digest::ZERO };
    event.hash = seal(&event);
    tx.prepare_cached(
        "INSERT INTO events (session_id, seq, kind, at, payload, prev, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        session_id,
        event.seq,
        kind,
        Millis(at),
        canonical::to_text(&event.payload),
        prev,
        event.hash
    ])?;
    tx.prepare_cached("UPDATE sessions SET head_seq = ?2, head_hash = ?3 WHERE id = ?1")?
        .execute(params![session_id, event.seq, event.hash])?;
    Ok(event)
}

/// Returns a session's log.
pub(super) fn all(conn: &Connection, session_id: SessionId) -> Outcome<Vec<Event>> {
    let mut statement = conn.prepare_cached(
        "SELECT session_id, seq, kind, at, payload, prev, hash FROM events WHERE session_id = ?1 ORDER BY seq",
    )?;
    let events = statement.query_map([session_id], read)?.collect::<Result<_, _>>()?;
    Ok(events)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Event> {
    Ok(Event {
        session_id: row.get(0)?,
        seq: row.get(1)?,
        kind: row.get(2)?,
        at: row.get::<_, Millis>(3)?.0,
        payload: row.get::<_, Json<Value>>(4)?.0,
        prev: row.get(5)?,
        hash: row.get(6)?,
    })
}
