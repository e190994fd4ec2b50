//! Reading words that are no part of the conversation yet.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::store::backend::Unsent;
use crate::store::{Draft, SessionId};

fn read(row: &Row<'_>) -> rusqlite::Result<Draft> {
    Ok(Draft { text: row.get("words")?, replaces: row.get("replaces")?, unanswered: row.get("unanswered")? })
}

pub(super) fn one(conn: &Connection, id: SessionId, place: Unsent) -> rusqlite::Result<Option<Draft>> {
    conn.prepare_cached("SELECT words, replaces, unanswered FROM unsent WHERE session_id = ?1 AND place = ?2")?
        .query_row(params![id, place], read)
        .optional()
}

pub(super) fn all(conn: &Connection) -> rusqlite::Result<Vec<(SessionId, Unsent, Draft)>> {
    conn.prepare_cached("SELECT session_id, place, words, replaces, unanswered FROM unsent ORDER BY session_id, place")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, read(row)?)))?
        .collect()
}
