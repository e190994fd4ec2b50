//! Reading what turns left behind: states, messages, extractions, checkpoints, figures.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;

use super::columns::{Json, Millis};
use super::failure::{Failure, Outcome};
use super::sessions;
use crate::engine::figures::TurnFigures;
use crate::store::delta::{self, Patch};
use crate::store::{Checkpoint, ExtractionEntry, ExtractionId, ExtractionKind, Message, SessionId};

/// Is the commit that the next one builds on.
pub(super) struct Parent {
    pub(super) seq: u64,
    pub(super) state: Value,
    /// Bytes of deltas since the last whole state.
    pub(super) chain: usize,
}

/// Returns the commit whose state is the current one.
pub(super) fn tip(conn: &Connection, id: SessionId) -> Outcome<Parent> {
    let parent = conn
        .prepare_cached(
            "SELECT c.seq, t.state, c.chain FROM sessions s
             JOIN commits c ON c.session_id = s.id AND c.seq = s.tip
             JOIN states t ON t.session_id = s.id WHERE s.id = ?1",
        )?
        .query_row([id], |row| {
            Ok(Parent { seq: row.get(0)?, state: row.get::<_, Json<_>>(1)?.0, chain: row.get(2)? })
        })?;
    Ok(parent)
}

/// Names the commit that a turn ended with: its last amendment, or the turn itself.
pub(super) fn last_of_turn(conn: &Connection, id: SessionId, turn: u32) -> Outcome<u64> {
    let session = sessions::get(conn, id)?;
    let found = conn
        .prepare_cached("SELECT max(seq) FROM commits WHERE session_id = ?1 AND turn = ?2 AND rewound_by IS NULL")?
        .query_row(params![id, turn], |row| row.get::<_, Option<u64>>(0))?;
    found
        .ok_or_else(|| Failure::refused(format!("Session {id} has no turn {turn}: it goes from 0 to {}", session.turn)))
}

/// Works out the state after a commit: the nearest whole state before it, and every delta since.
pub(super) fn state_after(conn: &Connection, id: SessionId, seq: u64) -> Outcome<Value> {
    let mut statement = conn.prepare_cached(
        "WITH RECURSIVE line (seq, parent, encoding, body) AS (
             SELECT seq, parent, encoding, body FROM commits WHERE session_id = ?1 AND seq = ?2
             UNION ALL
             SELECT c.seq, c.parent, c.encoding, c.body FROM line
             JOIN commits c ON c.session_id = ?1 AND c.seq = line.parent WHERE line.encoding = 'delta'
         )
         SELECT encoding, body FROM line ORDER BY seq",
    )?;
    let mut rows = statement.query(params![id, seq])?;
    let mut state = None;
    while let Some(row) = rows.next()? {
        state = Some(step(state, row)?);
    }
    state.ok_or_else(|| Failure::fault(format!("session {id} has no commit {seq}")))
}

/// Applies one row of (encoding, body) to the state before it.
pub(super) fn step(state: Option<Value>, row: &Row<'_>) -> Outcome<Value> {
    if row.get_ref(0)?.as_str().unwrap_or_default() == "snapshot" {
        return Ok(row.get::<_, Json<Value>>(1)?.0);
    }
    let patch = row.get::<_, Json<Patch>>(1)?.0;
    let mut state = state.ok_or_else(|| Failure::fault("a delta has no state to start from"))?;
    delta::apply(&mut state, patch).map_err(|reason| Failure::fault(format!("a delta does not fit: {reason}")))?;
    Ok(state)
}

const MESSAGE: &str = "id, turn, role, content, created_at, meta";

fn read_message(row: &Row<'_>) -> rusqlite::Result<Message> {
    Ok(Message {
        id: row.get(0)?,
        turn: row.get(1)?,
        role: row.get(2)?,
        content: row.get(3)?,
        created_at: row.get::<_, Millis>(4)?.0,
        meta: row.get::<_, Json<_>>(5)?.0,
    })
}

/// Returns the last messages in view, oldest first.
pub(super) fn last_messages(conn: &Connection, id: SessionId, count: u32) -> Outcome<Vec<Message>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {MESSAGE} FROM messages WHERE session_id = ?1 AND in_view ORDER BY seq DESC, ordinal DESC LIMIT ?2"
    ))?;
    let mut messages: Vec<Message> =
        statement.query_map(params![id, count], read_message)?.collect::<Result<_, _>>()?;
    messages.reverse();
    Ok(messages)
}

/// Returns the messages in view from one turn to another.
pub(super) fn messages(conn: &Connection, id: SessionId, from: u32, to: u32) -> Outcome<Vec<Message>> {
    sessions::get(conn, id)?;
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {MESSAGE} FROM messages WHERE session_id = ?1 AND in_view AND turn BETWEEN ?2 AND ?3
         ORDER BY seq, ordinal"
    ))?;
    Ok(statement.query_map(params![id, from, to], read_message)?.collect::<Result<_, _>>()?)
}

/// Returns the messages of one commit, in view or not.
pub(super) fn messages_of(conn: &Connection, id: SessionId, seq: u64) -> Outcome<Vec<Message>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {MESSAGE} FROM messages WHERE session_id = ?1 AND seq = ?2 ORDER BY ordinal"
    ))?;
    Ok(statement.query_map(params![id, seq], read_message)?.collect::<Result<_, _>>()?)
}

const EXTRACTION: &str = "id, turn, message_id, field_path, value, confidence, kind, reasoning, evidence";

fn read_extraction(row: &Row<'_>) -> rusqlite::Result<ExtractionEntry> {
    Ok(ExtractionEntry {
        id: row.get(0)?,
        turn: row.get(1)?,
        message_id: row.get(2)?,
        field_path: row.get(3)?,
        value: row.get::<_, Json<_>>(4)?.0,
        confidence: row.get(5)?,
        kind: row.get(6)?,
        reasoning: row.get(7)?,
        evidence: row.get::<_, Json<_>>(8)?.0,
        superseded_by: None,
    })
}

/// Returns the extractions log in view, each entry with the one that took its place.
pub(super) fn extractions(conn: &Connection, id: SessionId) -> Outcome<Vec<ExtractionEntry>> {
    sessions::get(conn, id)?;
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {EXTRACTION} FROM extractions WHERE session_id = ?1 AND in_view ORDER BY seq, ordinal"
    ))?;
    let mut entries: Vec<ExtractionEntry> = statement.query_map([id], read_extraction)?.collect::<Result<_, _>>()?;
    let mut replaced_by: std::collections::HashMap<String, ExtractionId> = std::collections::HashMap::new();
    for entry in entries.iter_mut().rev() {
        entry.superseded_by = replaced_by.get(&entry.field_path).copied();
        if matches!(entry.kind, ExtractionKind::Supersede | ExtractionKind::Cleared) {
            replaced_by.insert(entry.field_path.clone(), entry.id);
        }
    }
    Ok(entries)
}

/// Returns the extractions in view from one turn to another.
pub(super) fn extractions_between(
    conn: &Connection,
    id: SessionId,
    from: u32,
    to: u32,
) -> Outcome<Vec<ExtractionEntry>> {
    sessions::get(conn, id)?;
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {EXTRACTION} FROM extractions WHERE session_id = ?1 AND in_view AND turn BETWEEN ?2 AND ?3
         ORDER BY seq, ordinal"
    ))?;
    Ok(statement.query_map(params![id, from, to], read_extraction)?.collect::<Result<_, _>>()?)
}

/// Returns the extractions of one commit, in view or not.
pub(super) fn extractions_of(conn: &Connection, id: SessionId, seq: u64) -> Outcome<Vec<ExtractionEntry>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {EXTRACTION} FROM extractions WHERE session_id = ?1 AND seq = ?2 ORDER BY ordinal"
    ))?;
    Ok(statement.query_map(params![id, seq], read_extraction)?.collect::<Result<_, _>>()?)
}

/// Returns the checkpoints in view.
pub(super) fn checkpoints(conn: &Connection, id: SessionId) -> Outcome<Vec<Checkpoint>> {
    sessions::get(conn, id)?;
    let mut statement =
        conn.prepare_cached("SELECT seq FROM checkpoints WHERE session_id = ?1 AND in_view ORDER BY seq")?;
    let seqs: Vec<u64> = statement.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let kept = |seq| checkpoint_of(conn, id, seq, state_after(conn, id, seq)?);
    Ok(seqs.into_iter().map(kept).collect::<Outcome<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Returns the checkpoint of one commit, given the state after that commit.
pub(super) fn checkpoint_of(conn: &Connection, id: SessionId, seq: u64, state: Value) -> Outcome<Option<Checkpoint>> {
    let found = conn
        .prepare_cached(
            "SELECT turn, delta, context_tokens, reason FROM checkpoints WHERE session_id = ?1 AND seq = ?2",
        )?
        .query_row(params![id, seq], |row| {
            let checkpoint = Checkpoint { turn: row.get(0)?, state, context_tokens: row.get(2)?, reason: row.get(3)? };
            Ok((checkpoint, row.get::<_, Json<Patch>>(1)?.0))
        })
        .optional()?;
    let Some((mut checkpoint, patch)) = found else { return Ok(None) };
    delta::apply(&mut checkpoint.state, patch)
        .map_err(|reason| Failure::fault(format!("a checkpoint does not fit its state: {reason}")))?;
    Ok(Some(checkpoint))
}

/// Returns the figures of the turns in view. A turn with amendments that have figures too has several entries.
pub(super) fn figures(conn: &Connection, id: SessionId, from: u32, to: u32) -> Outcome<Vec<TurnFigures>> {
    sessions::get(conn, id)?;
    let mut statement = conn.prepare_cached(
        "SELECT figures FROM commits
         WHERE session_id = ?1 AND rewound_by IS NULL AND figures IS NOT NULL AND turn BETWEEN ?2 AND ?3 ORDER BY seq",
    )?;
    let found = statement.query_map(params![id, from, to], |row| Ok(row.get::<_, Json<_>>(0)?.0))?;
    Ok(found.collect::<Result<_, _>>()?)
}
