//! Reading what vouches for rows that no log covers.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::store::backend::{SealRow, Sealed};

fn read(row: &Row<'_>) -> rusqlite::Result<SealRow> {
    Ok(SealRow { kind: row.get(0)?, id: row.get(1)?, session_id: row.get(2)?, hash: row.get(3)?, mac: row.get(4)? })
}

pub(super) fn all(conn: &Connection) -> rusqlite::Result<Vec<SealRow>> {
    conn.prepare_cached("SELECT kind, id, session_id, hash, mac FROM seals ORDER BY kind, id")?
        .query_map([], read)?
        .collect()
}

pub(super) fn one(conn: &Connection, kind: Sealed, id: &[u8]) -> rusqlite::Result<Option<SealRow>> {
    conn.prepare_cached("SELECT kind, id, session_id, hash, mac FROM seals WHERE kind = ?1 AND id = ?2")?
        .query_row(params![kind, id], read)
        .optional()
}
