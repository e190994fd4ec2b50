//! Erasing: out of the tables, out of the index, out of the files.
//!
//! `secure_delete` overwrites deleted rows, and the index has a mode of its own for the same. But when pages are
//! rebalanced, copies of rows may stay behind in their slack; only writing the whole file anew leaves none. And the log
//! beside the file holds pages as they were, until it is emptied. So an erasure ends with both, and if another process
//! stands in the way, a note in the database lets the next opening try again.
//!
//! What the file system or the disk itself keeps of blocks it has freed is beyond a program's reach.

use rusqlite::{Connection, params};

use crate::store::backend::Gone;
use crate::store::{Erasure, SessionId};

const PENDING: &str = "erasure pending";
/// Up to so many messages are taken out of the index one by one, each leaving no trace; a few milliseconds each. More of
/// them are only marked as gone, and the index is merged anew afterwards, which drops what is marked.
const ONE_BY_ONE: u64 = 200;

pub(super) fn delete(conn: &Connection, gone: &Gone<'_>) -> rusqlite::Result<()> {
    match gone {
        Gone::Sessions(ids) => delete_sessions(conn, ids),
        Gone::Rewound(id, by) => {
            // What a task has made bears its id, and is made of the words that go.
            let sql =
                "DELETE FROM artifacts WHERE id IN (SELECT id FROM tasks WHERE session_id = ?1 AND rewound_by = ?2)";
            conn.execute(sql, params![id, by])?;
            for table in ["commits", "tasks"] {
                let sql = format!("DELETE FROM {table} WHERE session_id = ?1 AND rewound_by = ?2");
                conn.execute(&sql, params![id, by])?;
            }
            note(conn, false)
        }
        Gone::Unsent(id, place) => conn
            .prepare_cached("DELETE FROM unsent WHERE session_id = ?1 AND place = ?2")?
            .execute(params![id, place])
            .map(drop),
        Gone::Reserved(call) => {
            conn.prepare_cached("DELETE FROM budget WHERE call = ?1")?.execute(params![call]).map(drop)
        }
        Gone::Seal(kind, id) => {
            conn.prepare_cached("DELETE FROM seals WHERE kind = ?1 AND id = ?2")?.execute(params![kind, id]).map(drop)
        }
        Gone::Decisions => conn.execute_batch("DELETE FROM trust; DELETE FROM seals WHERE kind = 'trust'"),
        Gone::UnusedEngines => conn
            .execute(
                "DELETE FROM engines WHERE NOT EXISTS (SELECT 1 FROM commits c WHERE c.engine_hash = engines.hash)
                 AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.engine_hash = engines.hash)",
                [],
            )
            .map(drop),
    }
}

fn delete_sessions(conn: &Connection, ids: &[SessionId]) -> rusqlite::Result<()> {
    let mut messages = 0;
    for id in ids {
        let sql = "SELECT count(*) FROM messages WHERE session_id = ?1";
        messages += conn.prepare_cached(sql)?.query_row([id], |row| row.get::<_, u64>(0))?;
    }
    let many = messages > ONE_BY_ONE;
    set_one_by_one(conn, !many)?;
    for id in ids {
        conn.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([id])?;
    }
    set_one_by_one(conn, true)?;
    note(conn, many)
}

/// Says whether the index forgets each message at once or only marks it.
fn set_one_by_one(conn: &Connection, one_by_one: bool) -> rusqlite::Result<()> {
    conn.execute("INSERT INTO said_index(said_index, rank) VALUES ('secure-delete', ?1)", [one_by_one]).map(drop)
}

/// Notes, in the same transaction as the deletion, that the files still have to be rewritten, and perhaps the index. A
/// note that asks for the index is not replaced by one that does not.
fn note(conn: &Connection, index_too: bool) -> rusqlite::Result<()> {
    conn.execute(
        "INSERT INTO notes (name, value) VALUES (?1, ?2)
         ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
        params![PENDING, if index_too { "index" } else { "files" }],
    )
    .map(drop)
}

/// Rewrites the files. What stands in the way is no failure of the deletion, which is done: it is reported.
pub(super) fn wipe(conn: &Connection) -> Erasure {
    match rewrite(conn) {
        Ok(true) => Erasure::Complete,
        Ok(false) => Erasure::Pending { reason: "another process is reading the database".to_owned() },
        Err(error) => Erasure::Pending { reason: error.to_string() },
    }
}

fn rewrite(conn: &Connection) -> rusqlite::Result<bool> {
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
pub(super) fn empty_log(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| Ok(row.get::<_, i64>(0)? == 0))
}

/// Tries again what an earlier erasure could not finish. Fails only if the note itself cannot be read.
pub(super) fn retry(conn: &Connection) -> rusqlite::Result<()> {
    let pending: u32 = conn.query_row("SELECT count(*) FROM notes WHERE name = ?1", [PENDING], |row| row.get(0))?;
    if pending > 0 {
        wipe(conn);
    }
    Ok(())
}
