//! Background tasks, and which of them lost their process.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use uuid::Uuid;

use super::columns::{Json, Millis};
use super::failure::{Failure, Outcome};
use super::{commits, instance, sessions};
use crate::engine::memory::{TaskRecord, TaskStatus};
use crate::store::{SessionId, TaskId, TaskRow};

const COLUMNS: &str =
    "id, session_id, task, name, status, turn, reason, attempts, result, note, created_at, updated_at";

fn read(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    Ok(TaskRow {
        id: row.get(0)?,
        session_id: row.get(1)?,
        record: TaskRecord {
            id: row.get(2)?,
            name: row.get(3)?,
            status: row.get(4)?,
            since_turn: row.get(5)?,
            reason: row.get(6)?,
            attempts: row.get(7)?,
            result: row.get::<_, Option<Json<_>>>(8)?.map(|json| json.0),
            note: row.get(9)?,
        },
        created_at: row.get::<_, Millis>(10)?.0,
        updated_at: row.get::<_, Millis>(11)?.0,
    })
}

/// Keeps a task. While it runs it belongs to a process.
pub(super) fn save(tx: &Transaction<'_>, task: &TaskRow, owner: Uuid) -> Outcome<()> {
    sessions::get(tx, task.session_id)?;
    let record = &task.record;
    record.result.iter().try_for_each(commits::check_depth)?;
    let owner = (record.status == TaskStatus::Running).then_some(owner);
    let changed = tx
        .prepare_cached(&format!(
            "INSERT INTO tasks ({COLUMNS}, owner) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
             ON CONFLICT (id) DO UPDATE SET status = excluded.status, attempts = excluded.attempts,
                 result = excluded.result, note = excluded.note, updated_at = excluded.updated_at, owner = excluded.owner
             WHERE session_id = excluded.session_id"
        ))?
        .execute(params![
            task.id,
            task.session_id,
            record.id,
            record.name,
            record.status,
            record.since_turn,
            record.reason,
            record.attempts,
            record.result.as_ref().map(Json),
            record.note,
            Millis(task.created_at),
            Millis(task.updated_at),
            owner,
        ])?;
    if changed == 0 {
        return Err(Failure::refused(format!("Task {} belongs to another session", task.id)));
    }
    Ok(())
}

/// Returns a task, rewound or not: its process may still report to it.
pub(super) fn get(conn: &Connection, id: TaskId) -> Outcome<TaskRow> {
    conn.query_row(&format!("SELECT {COLUMNS} FROM tasks WHERE id = ?1"), [id], read)
        .optional()?
        .ok_or_else(|| Failure::not_found("task", id))
}

/// Returns the tasks of a session that no rewind has taken out of view.
pub(super) fn of_session(conn: &Connection, session: SessionId) -> Outcome<Vec<TaskRow>> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM tasks WHERE session_id = ?1 AND rewound_by IS NULL ORDER BY created_at, id"
    ))?;
    Ok(statement.query_map([session], read)?.collect::<Result<_, _>>()?)
}

/// Returns the interrupted tasks of all sessions.
pub(super) fn interrupted(conn: &Connection) -> Outcome<Vec<TaskRow>> {
    let mut statement = conn.prepare(&format!(
        "SELECT {COLUMNS} FROM tasks WHERE status = ?1 AND rewound_by IS NULL ORDER BY created_at, id"
    ))?;
    Ok(statement.query_map([TaskStatus::Interrupted], read)?.collect::<Result<_, _>>()?)
}

/// Tells whether any task is marked as running.
pub(super) fn any_running(conn: &Connection) -> Outcome<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM tasks WHERE status = ?1)";
    Ok(conn.query_row(sql, [TaskStatus::Running], |row| row.get(0))?)
}

/// Marks the running tasks of dead processes as interrupted.
pub(super) fn interrupt_orphans(tx: &Transaction<'_>, database: &Path, now: Timestamp) -> Outcome<()> {
    let owners: Vec<Option<Uuid>> = tx
        .prepare("SELECT DISTINCT owner FROM tasks WHERE status = ?1")?
        .query_map([TaskStatus::Running], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for owner in owners {
        if !owner.is_some_and(|owner| instance::is_alive(database, owner)) {
            tx.execute(
                "UPDATE tasks SET status = ?1, owner = NULL, updated_at = ?4 WHERE status = ?2 AND owner IS ?3",
                params![TaskStatus::Interrupted, TaskStatus::Running, owner, Millis(now)],
            )?;
        }
    }
    Ok(())
}
