//! Going on from an earlier turn in a session of its own.

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, params};
use serde_json::{Value, json};

use super::columns::Json;
use super::failure::Outcome;
use super::sessions::{self, Blank};
use super::{events, history};
use crate::store::{Digest, EventKind, ForkPoint, Session, SessionId};

/// Makes a session that is another one up to a turn. Rows are copied as they are; the log is written anew, because its
/// seals name the session. So the fork can be rewound and checked, and outlives the original. Costs and tasks stay with
/// the original.
pub(super) fn fork(
    tx: &Transaction<'_>,
    id: SessionId,
    turn: u32,
    new_id: SessionId,
    now: Timestamp,
) -> Outcome<Session> {
    let session = sessions::get(tx, id)?;
    let last = history::last_of_turn(tx, id, turn)?;
    let blank = Blank {
        id: new_id,
        project_id: session.project_id,
        engine: session.engine_hash,
        title: &session.title,
        title_source: session.title_source,
        forked_from: Some(ForkPoint { session: id, turn }),
    };
    sessions::insert(tx, &blank, now)?;
    let mut parent = None;
    for (seq, kind, payload) in originals(tx, id, turn)? {
        let event = events::append(tx, new_id, kind, now, anew(payload, parent, &session, seq))?;
        copy(tx, id, seq, new_id, event.seq, parent)?;
        parent = Some(event.seq);
    }
    tx.execute(
        "INSERT INTO states (session_id, state) VALUES (?1, ?2)",
        params![new_id, Json(history::state_after(tx, id, last)?)],
    )?;
    tx.execute(
        "UPDATE sessions SET tip = ?2, revision = ?2, inbound_handoff_id = ?3,
             (turn, engine_hash, phase, completeness) =
                 (SELECT turn, engine_hash, phase, completeness FROM commits WHERE session_id = ?1 AND seq = ?2)
         WHERE id = ?1",
        params![new_id, parent, session.inbound_handoff_id],
    )?;
    sessions::get(tx, new_id)
}

/// Returns the events of the commits in view up to a turn.
fn originals(conn: &Connection, id: SessionId, turn: u32) -> Outcome<Vec<(u64, EventKind, Value)>> {
    let mut statement = conn.prepare(
        "SELECT c.seq, e.kind, e.payload FROM commits c JOIN events e ON e.session_id = c.session_id AND e.seq = c.seq
         WHERE c.session_id = ?1 AND c.turn <= ?2 AND c.rewound_by IS NULL ORDER BY c.seq",
    )?;
    let found =
        statement.query_map(params![id, turn], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, Json<_>>(2)?.0)))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Says what an event says, for the fork: its own parent and title, no costs, and where it was copied from.
fn anew(mut payload: Value, parent: Option<u64>, session: &Session, seq: u64) -> Value {
    if let Value::Object(payload) = &mut payload {
        payload.shift_remove("budget");
        payload.insert("parent".to_owned(), json!(parent));
        payload.insert("title".to_owned(), json!(Digest::of(session.title.as_bytes())));
        payload.insert("copied".to_owned(), json!({ "session": session.id, "seq": seq }));
    }
    payload
}

/// Copies a commit with its messages, extractions and checkpoint.
fn copy(
    tx: &Transaction<'_>,
    id: SessionId,
    seq: u64,
    new_id: SessionId,
    new_seq: u64,
    parent: Option<u64>,
) -> Outcome<()> {
    tx.prepare_cached(
        "INSERT INTO commits (session_id, seq, parent, turn, engine_hash, phase, completeness, encoding, chain, body,
                              figures)
         SELECT ?3, ?4, ?5, turn, engine_hash, phase, completeness, encoding, chain, body, figures
         FROM commits WHERE session_id = ?1 AND seq = ?2",
    )?
    .execute(params![id, seq, new_id, new_seq, parent])?;
    for (table, columns) in [
        ("messages", "ordinal, id, turn, role, content, created_at, meta"),
        ("extractions", "ordinal, id, turn, message_id, field_path, value, confidence, kind, reasoning, evidence"),
        ("checkpoints", "turn, delta, context_tokens, reason"),
    ] {
        tx.prepare_cached(&format!(
            "INSERT INTO {table} (session_id, seq, {columns})
             SELECT ?3, ?4, {columns} FROM {table} WHERE session_id = ?1 AND seq = ?2"
        ))?
        .execute(params![id, seq, new_id, new_seq])?;
    }
    Ok(())
}
