//! Reading what turns left behind: events, commits, messages, extractions.

use rusqlite::{Connection, Row, params};
use serde_json::Value;

use super::columns::{Json, Millis};
use crate::store::backend::{Body, CheckpointRow, CommitRow, ExtractionRow, Part, Span};
use crate::store::{Event, ExtractionEntry, MessageRecord, SessionId};

/// The turns that a span reaches from and to, and the condition beside them, for a table that says whether a row is in
/// view in these words.
fn bounds(span: Span, in_view: &str) -> (u32, u32, String) {
    match span {
        Span::All => (0, u32::MAX, String::new()),
        Span::InView(from, to) => (from, to, format!("AND {in_view}")),
        Span::OutOfView => (0, u32::MAX, format!("AND NOT ({in_view})")),
    }
}

pub(super) fn events(conn: &Connection, id: SessionId) -> rusqlite::Result<Vec<Event>> {
    let mut statement = conn.prepare_cached(
        "SELECT session_id, seq, kind, at, payload, prev, hash, mac FROM events WHERE session_id = ?1 ORDER BY seq",
    )?;
    statement
        .query_map([id], |row| {
            Ok(Event {
                session_id: row.get(0)?,
                seq: row.get(1)?,
                kind: row.get(2)?,
                at: row.get::<_, Millis>(3)?.0,
                payload: row.get::<_, Json<Value>>(4)?.0,
                prev: row.get(5)?,
                hash: row.get(6)?,
                mac: row.get(7)?,
            })
        })?
        .collect()
}

pub(super) fn commits(conn: &Connection, id: SessionId, span: Span) -> rusqlite::Result<Vec<CommitRow>> {
    let (from, to, and) = bounds(span, "c.rewound_by IS NULL");
    // What is in view has turns in the order of its commits, and there is an index for exactly that.
    let order = if matches!(span, Span::InView(..)) { "c.turn, c.seq" } else { "c.seq" };
    let mut statement = conn.prepare_cached(&format!(
        "SELECT c.seq, c.parent, c.turn, c.engine_hash, c.phase, c.completeness, c.rewound_by, c.chain, c.encoding,
                c.body, c.figures, k.turn, k.delta, k.context_tokens, k.reason
         FROM commits c LEFT JOIN checkpoints k ON k.session_id = c.session_id AND k.seq = c.seq
         WHERE c.session_id = ?1 AND c.turn BETWEEN ?2 AND ?3 {and} ORDER BY {order}"
    ))?;
    statement.query_map(params![id, from, to], read_commit)?.collect()
}

fn read_commit(row: &Row<'_>) -> rusqlite::Result<CommitRow> {
    let kept: Option<u32> = row.get(11)?;
    let checkpoint = match kept {
        Some(turn) => {
            Some(CheckpointRow { turn, delta: row.get(12)?, context_tokens: row.get(13)?, reason: row.get(14)? })
        }
        None => None,
    };
    Ok(CommitRow {
        seq: row.get(0)?,
        parent: row.get(1)?,
        turn: row.get(2)?,
        engine_hash: row.get(3)?,
        phase: row.get(4)?,
        completeness: row.get(5)?,
        rewound_by: row.get(6)?,
        chain: row.get(7)?,
        body: Body { encoding: row.get(8)?, text: row.get(9)? },
        figures: row.get(10)?,
        checkpoint,
    })
}

pub(super) fn line(conn: &Connection, id: SessionId, seq: u64) -> rusqlite::Result<Vec<Body>> {
    let mut statement = conn.prepare_cached(
        "WITH RECURSIVE line (seq, parent, encoding, body) AS (
             SELECT seq, parent, encoding, body FROM commits WHERE session_id = ?1 AND seq = ?2
             UNION ALL
             SELECT c.seq, c.parent, c.encoding, c.body FROM line
             JOIN commits c ON c.session_id = ?1 AND c.seq = line.parent WHERE line.encoding = 'delta'
         )
         SELECT encoding, body FROM line ORDER BY seq",
    )?;
    statement.query_map(params![id, seq], |row| Ok(Body { encoding: row.get(0)?, text: row.get(1)? }))?.collect()
}

pub(super) fn messages(
    conn: &Connection,
    id: SessionId,
    span: Span,
    last: u32,
) -> rusqlite::Result<Vec<Part<MessageRecord>>> {
    let (from, to, and) = bounds(span, "in_view");
    let mut statement = conn.prepare_cached(&format!(
        "SELECT seq, ordinal, in_view, id, turn, role, content, created_at, meta FROM messages
         WHERE session_id = ?1 AND turn BETWEEN ?2 AND ?3 {and} ORDER BY seq DESC, ordinal DESC LIMIT ?4"
    ))?;
    let read = |row: &Row<'_>| {
        let value = MessageRecord {
            id: row.get(3)?,
            turn: row.get(4)?,
            role: row.get(5)?,
            content: row.get(6)?,
            created_at: row.get::<_, Millis>(7)?.0,
            meta: row.get::<_, Json<_>>(8)?.0,
        };
        Ok(Part { seq: row.get(0)?, ordinal: row.get(1)?, in_view: row.get(2)?, value })
    };
    let found = statement.query_map(params![id, from, to, last], read)?;
    let mut messages = found.collect::<rusqlite::Result<Vec<_>>>()?;
    messages.reverse();
    Ok(messages)
}

pub(super) fn extractions(conn: &Connection, id: SessionId, span: Span) -> rusqlite::Result<Vec<Part<ExtractionRow>>> {
    let (from, to, and) = bounds(span, "in_view");
    let mut statement = conn.prepare_cached(&format!(
        "SELECT seq, ordinal, in_view, engine_id, id, turn, message_id, field_path, value, confidence, kind, reasoning,
                evidence, superseded_by
         FROM extractions WHERE session_id = ?1 AND turn BETWEEN ?2 AND ?3 {and} ORDER BY seq, ordinal"
    ))?;
    let read = |row: &Row<'_>| {
        let entry = ExtractionEntry {
            id: row.get(4)?,
            turn: row.get(5)?,
            message_id: row.get(6)?,
            field_path: row.get(7)?,
            value: row.get::<_, Json<_>>(8)?.0,
            confidence: row.get(9)?,
            kind: row.get(10)?,
            reasoning: row.get(11)?,
            evidence: row.get::<_, Json<_>>(12)?.0,
            superseded_by: row.get(13)?,
        };
        let value = ExtractionRow { engine_id: row.get(3)?, entry };
        Ok(Part { seq: row.get(0)?, ordinal: row.get(1)?, in_view: row.get(2)?, value })
    };
    statement.query_map(params![id, from, to], read)?.collect()
}
