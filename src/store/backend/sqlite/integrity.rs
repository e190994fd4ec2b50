//! What only SQLite can say about its file: damaged pages, references that lead nowhere, indexes that do not fit.

use std::path::Path;

use rusqlite::Connection;

use super::faults;
use crate::store::StoreError;

/// Damage found on the way is part of the answer; anything else that goes wrong is a failure of the check.
/// The indexes can only be asked where something can be written.
pub(super) fn check(conn: &Connection, path: &Path, indexes: bool) -> Result<Vec<String>, StoreError> {
    let mut problems = file(conn).map_err(|error| faults::of_sqlite(&error, path))?;
    let all = [("said_index", "messages"), ("artifacts_index", "artifacts")];
    for (index, what) in all.into_iter().filter(|_| indexes) {
        // A command of the index that writes nothing, though it needs a transaction that may write.
        let sql = format!("INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)");
        match conn.execute(&sql, []).map_err(|error| faults::of_sqlite(&error, path)) {
            Ok(_) => {}
            Err(StoreError::Corrupt { reason, .. } | StoreError::Fault(reason)) => {
                problems.push(format!("The full-text index of {what} does not fit them: It cannot be read: {reason}"));
            }
            Err(other) => return Err(other),
        }
    }
    Ok(problems)
}

fn file(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let lines: Vec<String> =
        conn.prepare("PRAGMA quick_check(20)")?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let damaged = lines.into_iter().filter(|line| line != "ok").map(|line| format!("The file is damaged: {line}"));
    let mut problems: Vec<String> = damaged.collect();
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    let broken = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(2)?)))?;
    for row in broken {
        let (table, parent) = row?;
        problems.push(format!("A row of {table} points at a row of {parent} that is not there"));
    }
    Ok(problems)
}
