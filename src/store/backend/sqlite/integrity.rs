//! What only SQLite can say about its file: damaged pages, references that lead nowhere, indexes that do not fit.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;

use super::{faults, head, open};
use crate::store::StoreError;
use crate::text::sanitise_line;

/// Damage found on the way is part of the answer; anything else that goes wrong is a failure of the check.
/// The indexes can only be asked where something can be written.
pub(super) fn check(conn: &Connection, path: &Path, indexes: bool) -> Result<Vec<String>, StoreError> {
    let fault = |error: rusqlite::Error| faults::of_sqlite(&error, path);
    let mut problems = schema(conn).map_err(fault)?;
    problems.extend(file(conn).map_err(fault)?);
    if !head::is_sound(conn).map_err(fault)? {
        problems.push("The count of changes is none that counting can have led to".to_owned());
    }
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

/// Tables, triggers, views and indexes that do not belong here, are missing, or say something else. A trigger of somebody
/// else would run with everything that is written.
pub(super) fn schema(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let (found, known) = (parts(conn)?, parts(&open::example()?)?);
    let mut problems = Vec::new();
    for ((kind, name), sql) in &found {
        match known.get(&(kind.clone(), name.clone())) {
            None => problems.push(format!("The database has a {kind} that is not Elenchus's: {}", sanitise_line(name))),
            Some(own) if own != sql => problems.push(format!("The {kind} {name} of the database was changed")),
            Some(_) => {}
        }
    }
    let missing = known.keys().filter(|part| !found.contains_key(*part));
    problems.extend(missing.map(|(kind, name)| format!("The {kind} {name} of the database is missing")));
    Ok(problems)
}

/// What a database is made of, by kind and name. How SQLite writes the tables within its full-text indexes, and what it
/// notes for itself, differs from version to version.
fn parts(conn: &Connection) -> rusqlite::Result<BTreeMap<(String, String), String>> {
    let mut statement = conn.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema")?;
    let all = statement.query_map([], |row| {
        let (kind, name, sql): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let inner = kind == "table" && sql.starts_with("CREATE TABLE '");
        Ok(((kind, name), if inner { String::new() } else { sql }))
    })?;
    all.filter(|part| !matches!(part, Ok(((_, name), _)) if name.starts_with("sqlite_stat"))).collect()
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
