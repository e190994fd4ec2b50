//! Reading sessions: one with its place in the log, or many as they are listed.

use std::path::PathBuf;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::columns::{Json, Millis};
use crate::store::backend::{SessionRow, Sessions, fold};
use crate::store::{Filed, Filing, ForkPoint, SessionFilter, SessionId, SessionRecord, Shelf};

/// The columns that [`read`] reads, in its order.
const COLUMNS: &str = "s.id, s.project_id, coalesce(e.engine_id, ''), coalesce(e.version, ''), s.engine_hash, s.title, \
     s.title_source, s.created_at, s.updated_at, s.turn, s.revision, s.phase, s.completeness, s.inbound_handoff_id, \
     s.outbound_handoff_id, s.forked_session, s.forked_turn, s.engine_folder, s.archived_at, \
     s.trashed_at, s.tags";
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
        filing: Filing {
            archived_at: row.get::<_, Option<Millis>>(18)?.map(|at| at.0),
            trashed_at: row.get::<_, Option<Millis>>(19)?.map(|at| at.0),
            tags: row.get::<_, Json<_>>(20)?.0,
        },
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
            tip: row.get(21)?,
            chain: row.get(22)?,
            head_seq: row.get(23)?,
            head_hash: row.get(24)?,
            claimed_by: row.get(25)?,
            head_mac: row.get(26)?,
            keyed_since: row.get(27)?,
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
           AND (?4 IS NULL OR EXISTS (SELECT 1 FROM json_each(s.tags) WHERE value = ?4))
           AND (?5 IS NULL OR (s.archived_at IS NOT NULL) = ?5) AND (?6 IS NULL OR (s.trashed_at IS NOT NULL) = ?6)
         ORDER BY s.updated_at DESC, s.id DESC LIMIT ?7 OFFSET ?8"
    ))?;
    let text = filter.text.as_deref().map(fold);
    let limit = filter.limit.map_or(-1, i64::from);
    let (archived, trashed) = match filter.shelf {
        None => (None, None),
        Some(Shelf::Current) => (Some(false), Some(false)),
        Some(Shelf::Archive) => (Some(true), Some(false)),
        Some(Shelf::Kept) => (None, Some(false)),
        Some(Shelf::Trash) => (None, Some(true)),
    };
    let SessionFilter { project, engine, tag, offset, .. } = filter;
    statement.query_map(params![project, engine, text, tag, archived, trashed, limit, offset], read)?.collect()
}

pub(super) fn filed(conn: &Connection) -> rusqlite::Result<Filed> {
    let count = |sql: &str| conn.prepare_cached(sql)?.query_row([], |row| row.get(0));
    let archived = count("SELECT count(*) FROM sessions WHERE archived_at IS NOT NULL AND trashed_at IS NULL")?;
    let trashed = count("SELECT count(*) FROM sessions WHERE trashed_at IS NOT NULL")?;
    let sql = "SELECT DISTINCT t.value FROM sessions s, json_each(s.tags) t
               WHERE s.tags <> '[]' AND s.trashed_at IS NULL ORDER BY t.value";
    let tags = conn.prepare_cached(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(Filed { archived, trashed, tags })
}

pub(super) fn trashed(conn: &Connection, before: Option<Timestamp>) -> rusqlite::Result<Vec<SessionId>> {
    let sql = "SELECT id FROM sessions WHERE trashed_at IS NOT NULL AND (?1 IS NULL OR trashed_at < ?1) ORDER BY id";
    conn.prepare_cached(sql)?.query_map([before.map(Millis)], |row| row.get(0))?.collect()
}

pub(super) fn state(conn: &Connection, id: SessionId) -> rusqlite::Result<Option<String>> {
    conn.prepare_cached("SELECT state FROM states WHERE session_id = ?1")?.query_row([id], |row| row.get(0)).optional()
}
