//! How many changes were acknowledged, counted in the database and in a file beside it.
//!
//! A database whose log (`-wal`) was lost, or that was replaced by an older copy, is whole in itself: nothing in it says
//! that something is missing. The count beside it does. It is written after each acknowledged change, so it is never ahead
//! of what the database should have.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use super::files;

const LOST: &str = "changes lost";

/// More changes than there can have been. Both counts lie in files that others can write: what is beyond counts as this,
/// so that no number keeps anything from being written.
const MOST: u64 = 1_000_000_000_000_000;

/// The file beside the database. Without one nothing is noticed, and nothing fails.
pub(super) struct Head(Option<File>);

impl Head {
    /// For a database that is not in its place yet.
    pub(super) fn none() -> Self {
        Self(None)
    }

    pub(super) fn open(database: &Path, writable: bool) -> Self {
        let mut options = OpenOptions::new();
        options.read(true);
        if writable {
            options.write(true).create(true).truncate(false);
        }
        Self(files::private(&mut options).open(files::beside(database, ".head")).ok())
    }

    pub(super) fn read(&mut self) -> Option<u64> {
        let file = self.0.as_mut()?;
        let mut text = String::new();
        file.seek(SeekFrom::Start(0)).ok()?;
        file.take(32).read_to_string(&mut text).ok()?;
        text.trim().parse().ok().filter(|count| *count < MOST)
    }

    /// Always of the same length and in one piece, so that it is never seen half written. It fails only where a
    /// precaution does.
    pub(super) fn write(&mut self, count: u64) {
        if let Some(file) = &mut self.0 {
            let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(format!("{count:020}\n").as_bytes()));
        }
    }
}

/// Counts one more change, in its own transaction.
pub(super) fn count_up(conn: &Connection) -> rusqlite::Result<u64> {
    let sql = format!("UPDATE changes SET count = min(max(count, 0), {MOST} - 1) + 1 RETURNING count");
    let counted = conn.prepare_cached(&sql)?.query_row([], |row| row.get(0)).optional()?;
    match counted {
        Some(count) => Ok(count),
        None => begin_at(conn, 1).map(|()| 1),
    }
}

fn begin_at(conn: &Connection, count: u64) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM changes", [])?;
    conn.execute("INSERT INTO changes (count) VALUES (?1)", [count]).map(drop)
}

fn count(conn: &Connection) -> rusqlite::Result<u64> {
    let sql = format!("SELECT min(max(coalesce(max(count), 0), 0), {MOST}) FROM changes");
    conn.query_row(&sql, [], |row| row.get(0))
}

/// Whether the database holds a count that counting can have led to.
pub(super) fn is_sound(conn: &Connection) -> rusqlite::Result<bool> {
    let sql = format!("SELECT count(*) = 1 AND min(count) >= 0 AND max(count) < {MOST} FROM changes");
    conn.query_row(&sql, [], |row| row.get(0)).map(|sound: Option<bool>| sound == Some(true))
}

/// Sets the count to 0 where it is damaged or missing. Says whether that was so.
pub(super) fn mend(conn: &Connection) -> rusqlite::Result<bool> {
    let broken = !is_sound(conn)?;
    if broken {
        begin_at(conn, 0)?;
    }
    Ok(broken)
}

/// How many changes the database lacks. The file is read first: another process may commit between the two, and then the
/// database is ahead of what was read, which is no loss.
fn missing(conn: &Connection, head: &mut Head) -> rusqlite::Result<u64> {
    let told = head.read().unwrap_or(0);
    Ok(told.saturating_sub(count(conn)?))
}

/// How many changes are missing, now or as it was noted before.
pub(super) fn lost(conn: &Connection, head: &mut Head) -> rusqlite::Result<u64> {
    let missing = missing(conn, head)?;
    let sql = format!("SELECT min(max(CAST(value AS INTEGER), 0), {MOST}) FROM notes WHERE name = ?1");
    let noted: Option<u64> = conn.query_row(&sql, [LOST], |row| row.get(0)).optional()?;
    Ok(noted.unwrap_or(0).saturating_add(missing))
}

/// Notes at opening what is missing, before new changes would hide it.
pub(super) fn settle(conn: &Connection, head: &mut Head) -> rusqlite::Result<()> {
    let missing = missing(conn, head)?;
    if missing > 0 {
        let sum = format!("min(max(CAST(value AS INTEGER), 0), {MOST}) + ?2");
        conn.execute(
            &format!("INSERT INTO notes (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = {sum}"),
            params![LOST, missing],
        )?;
        head.write(count(conn)?);
    }
    Ok(())
}

pub(super) fn forget(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute("DELETE FROM notes WHERE name = ?1", [LOST]).map(drop)
}
