//! Reading sessions: one with its place in the log, or many as they are listed.

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::columns::Millis;
use crate::store::backend::{SessionRow, Sessions, fold};
use crate::store::{ForkPoint, SessionFilter, SessionId, SessionRecord};

/// The columns that [`read`] reads, in its order.
const COLUMNS: &str = "s.id, s.project_id, coalesce(e.engine_id, ''), coalesce(e.version, ''), s.engine_hash, s.title, \
     s.title_source, s.created_at, s.updated_at, s.turn, s.revision, s.phase, s.completeness, s.inbound_handoff_id, \
     s.outbound_handoff_id, s.forked_session, s.forked_turn, s.engine_folder";
/// A session whose engine is gone can still be read, so that checking it can say so.
const TABLES: &str = "sessions s LEFT JOIN engines e ON e.hash = s.engine_hash";

fn read(row: &Row<'_>) -> rusqlite::Result<SessionRecord> {
    let forked_session: Option<SessionId> = row.get(15)?;
    let forked_turn: Option<u32> = row.get(16)?;
    Ok(SessionRecord {
        id: row.get(0)?,
        project_id: row.get(1)?,
        engine_id: row.get(2)?,
        engine_version: row.get(3)?,
        engine_hash: row.get(4)?,
        title: row.get(5)?,
        title_source: row.get(6)?,
        created_at: row.get::<_, Millis>(7)?.0,
        updated_at: row.get::<_, Millis>(8)?.0,
        turn: row.get(9)?,
        revision: row.get(10)?,
        phase: row.get(11)?,
        completeness: row.get(12)?,
        inbound_handoff_id: row.get(13)?,
        outbound_handoff_id: row.get(14)?,
        forked_from: forked_session.zip(forked_turn).map(|(session, turn)| ForkPoint { session, turn }),
        engine_folder: row.get::<_, Option<String>>(17)?.map(PathBuf::from),
    })
}

/// Before its first commit a session has no chain.
pub(super) fn one(conn: &Connection, id: SessionId) -> rusqlite::Result<Option<SessionRow>> {
    conn.prepare_cached(&format!(
        "SELECT {COLUMNS}, s.tip, coalesce(c.chain, 0), s.head_seq, s.head_hash, s.claimed_by,
                s.head_mac, s.keyed_since FROM {TABLES}
         LEFT JOIN commits c ON c.session_id = s.id AND c.seq = s.tip WHERE s.id = ?1"
    ))?
    .query_row([id], |row| {
        Ok(SessionRow {
            record: read(row)?,
            tip: row.get(18)?,
            chain: row.get(19)?,
            head_seq: row.get(20)?,
            head_hash: row.get(21)?,
            claimed_by: row.get(22)?,
            head_mac: row.get(23)?,
            keyed_since: row.get(24)?,
        })
    })
    .optional()
}

pub(super) fn ids(conn: &Connection) -> rusqlite::Result<Vec<SessionId>> {
    conn.prepare("SELECT id FROM sessions ORDER BY id")?.query_map([], |row| row.get(0))?.collect()
}

pub(super) fn some(conn: &Connection, which: &Sessions<'_>) -> rusqlite::Result<Vec<SessionRecord>> {
    match which {
        Sessions::Listed(filter) => listed(conn, filter),
        Sessions::Between(low, high) => conn
            .prepare_cached(&format!("SELECT {COLUMNS} FROM {TABLES} WHERE s.id BETWEEN ?1 AND ?2 LIMIT 100"))?
            .query_map([low, high], read)?
            .collect(),
    }
}

pub(super) fn with_rewound(conn: &Connection) -> rusqlite::Result<Vec<SessionId>> {
    conn.prepare("SELECT DISTINCT session_id FROM commits WHERE rewound_by IS NOT NULL ORDER BY session_id")?
        .query_map([], |row| row.get(0))?
        .collect()
}

pub(super) fn keyed(conn: &Connection) -> rusqlite::Result<Vec<(SessionId, u64, u64)>> {
    conn.prepare_cached("SELECT id, keyed_since, head_seq FROM sessions WHERE keyed_since IS NOT NULL ORDER BY id")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect()
}

fn listed(conn: &Connection, filter: &SessionFilter) -> rusqlite::Result<Vec<SessionRecord>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM {TABLES}
         WHERE (?1 IS NULL OR s.project_id = ?1) AND (?2 IS NULL OR e.engine_id = ?2)
           AND (?3 IS NULL OR instr(s.title_folded, ?3) > 0)
         ORDER BY s.updated_at DESC, s.id DESC LIMIT ?4 OFFSET ?5"
    ))?;
    let text = filter.text.as_deref().map(fold);
    let limit = filter.limit.map_or(-1, i64::from);
    statement.query_map(params![filter.project, filter.engine, text, limit, filter.offset], read)?.collect()
}

pub(super) fn state(conn: &Connection, id: SessionId) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT state FROM states WHERE session_id = ?1")?.query_row([id], |row| row.get(0)).optional()
}
