//! Erasing: out of the tables, out of the index, out of the files.
//!
//! `secure_delete` overwrites deleted rows, and the index has a mode of its own for the same. But when pages are
//! rebalanced, copies of rows may stay behind in their slack; only writing the whole file anew leaves none. And the log
//! beside the file holds pages as they were, until it is emptied. So an erasure ends with both, and if another process
//! stands in the way, a note in the database lets the next opening try again.
//!
//! What the file system or the disk itself keeps of blocks it has freed is beyond a program's reach.

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, params};
use serde_json::json;

use super::failure::{Failure, Outcome};
use super::{events, sessions};
use crate::store::{ArtifactId, Erasure, EventKind, ProjectId, SessionId};

const PENDING: &str = "erasure pending";
/// Up to so many messages are taken out of the index one by one, each leaving no trace; a few milliseconds each. More of
/// them are only marked as gone, and the index is merged anew afterwards, which drops what is marked.
const ONE_BY_ONE: u64 = 200;

/// Deletes sessions with everything that hangs on them, and engines that nothing is pinned to any more.
pub(super) fn delete_sessions(tx: &Transaction<'_>, ids: &[SessionId]) -> Outcome<()> {
    let mut messages = 0;
    for id in ids {
        sessions::get(tx, *id)?;
        let sql = "SELECT count(*) FROM messages WHERE session_id = ?1";
        messages += tx.query_row(sql, [id], |row| row.get::<_, u64>(0))?;
    }
    let many = messages > ONE_BY_ONE;
    set_one_by_one(tx, !many)?;
    for id in ids {
        tx.execute("DELETE FROM sessions WHERE id = ?1", [id])?;
    }
    set_one_by_one(tx, true)?;
    delete_unused_engines(tx)?;
    note(tx, many)
}

/// Says whether the index forgets each message at once or only marks it.
fn set_one_by_one(tx: &Transaction<'_>, one_by_one: bool) -> Outcome<()> {
    tx.execute("INSERT INTO said_index(said_index, rank) VALUES ('secure-delete', ?1)", [one_by_one])?;
    Ok(())
}

/// Deletes a project with its sessions.
pub(super) fn delete_project(tx: &Transaction<'_>, id: ProjectId) -> Outcome<()> {
    sessions::project(tx, id)?;
    let ids: Vec<SessionId> = tx
        .prepare("SELECT id FROM sessions WHERE project_id = ?1")?
        .query_map([id], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    delete_sessions(tx, &ids)?;
    tx.execute("DELETE FROM projects WHERE id = ?1", [id])?;
    Ok(())
}

fn delete_unused_engines(tx: &Transaction<'_>) -> Outcome<()> {
    tx.execute(
        "DELETE FROM engines WHERE NOT EXISTS (SELECT 1 FROM commits c WHERE c.engine_hash = engines.hash)
         AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.engine_hash = engines.hash)",
        [],
    )?;
    Ok(())
}

/// Deletes an artifact.
pub(super) fn delete_artifact(tx: &Transaction<'_>, id: ArtifactId) -> Outcome<()> {
    if tx.execute("DELETE FROM artifacts WHERE id = ?1", [id])? == 0 {
        return Err(Failure::not_found("artifact", id));
    }
    note(tx, false)
}

/// Deletes what rewinds took out of view. The log says which commits are gone, so that checking it does not miss them.
pub(super) fn delete_rewound(tx: &Transaction<'_>, id: SessionId, now: Timestamp) -> Outcome<()> {
    sessions::get(tx, id)?;
    let gone: Vec<u64> = tx
        .prepare("SELECT seq FROM commits WHERE session_id = ?1 AND rewound_by IS NOT NULL ORDER BY seq")?
        .query_map([id], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    if gone.is_empty() {
        return Ok(());
    }
    events::append(tx, id, EventKind::RewoundErased, now, json!({ "commits": gone }))?;
    tx.execute("DELETE FROM commits WHERE session_id = ?1 AND rewound_by IS NOT NULL", [id])?;
    tx.execute("DELETE FROM tasks WHERE session_id = ?1 AND rewound_by IS NOT NULL", [id])?;
    note(tx, false)
}

/// Notes, in the same transaction as the deletion, that the files still have to be rewritten, and perhaps the index. A
/// note that asks for the index is not replaced by one that does not.
fn note(tx: &Transaction<'_>, index_too: bool) -> Outcome<()> {
    tx.execute(
        "INSERT INTO notes (name, value) VALUES (?1, ?2)
         ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
        params![PENDING, if index_too { "index" } else { "files" }],
    )?;
    Ok(())
}

/// Rewrites the files. What stands in the way is no failure of the deletion, which is done: it is reported.
pub(super) fn rewrite(conn: &Connection) -> Erasure {
    match try_rewrite(conn) {
        Ok(true) => Erasure::Complete,
        Ok(false) => Erasure::Pending { reason: "another process is reading the database".to_owned() },
        Err(error) => Erasure::Pending { reason: error.to_string() },
    }
}

fn try_rewrite(conn: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM notes WHERE name = ?1 AND value = 'index')";
    if conn.query_row(sql, [PENDING], |row| row.get(0))? {
        conn.execute("INSERT INTO said_index(said_index) VALUES ('optimize')", [])?;
    }
    conn.execute_batch("VACUUM")?;
    if !empty_log(conn)? {
        return Ok(false);
    }
    conn.execute("DELETE FROM notes WHERE name = ?1", params![PENDING])?;
    Ok(true)
}

/// Moves the log beside the file into the file and cuts it to nothing. Says whether it could.
fn empty_log(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| Ok(row.get::<_, i64>(0)? == 0))
}

/// Tries again what an earlier erasure could not finish. Fails only if the note itself cannot be read.
pub(super) fn retry(conn: &Connection) -> Outcome<()> {
    let pending: u32 = conn.query_row("SELECT count(*) FROM notes WHERE name = ?1", [PENDING], |row| row.get(0))?;
    if pending > 0 {
        rewrite(conn);
    }
    Ok(())
}
