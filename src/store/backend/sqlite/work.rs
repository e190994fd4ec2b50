//! Reading what stands around sessions: projects, engines, trust, handoffs, tasks, artifacts.

use rusqlite::{Connection, OptionalExtension, Row};

use super::columns::{Json, Millis};
use crate::engine::memory::{TaskRecord, TaskStatus};
use crate::store::backend::{Artifacts, Handoffs, OwnedTask, Tasks};
use crate::store::{Artifact, Digest, Handoff, PinnedEngine, Project, TaskRow, Trust};

pub(super) fn projects(conn: &Connection) -> rusqlite::Result<Vec<Project>> {
    conn.prepare_cached("SELECT id, name, created_at FROM projects ORDER BY name")?
        .query_map([], |row| {
            Ok(Project { id: row.get(0)?, name: row.get(1)?, created_at: row.get::<_, Millis>(2)?.0 })
        })?
        .collect()
}

pub(super) fn engine(conn: &Connection, hash: Digest) -> rusqlite::Result<Option<PinnedEngine>> {
    conn.prepare_cached("SELECT engine_id, version, files FROM engines WHERE hash = ?1")?
        .query_row([hash], |row| {
            Ok(PinnedEngine { hash, engine_id: row.get(0)?, version: row.get(1)?, files: row.get::<_, Json<_>>(2)?.0 })
        })
        .optional()
}

pub(super) fn all_trust(conn: &Connection) -> rusqlite::Result<Vec<Trust>> {
    conn.prepare_cached("SELECT engine_hash, decided_at, decision FROM trust ORDER BY engine_hash")?
        .query_map([], |row| {
            Ok(Trust { engine_hash: row.get(0)?, decided_at: row.get::<_, Millis>(1)?.0, decision: row.get(2)? })
        })?
        .collect()
}

pub(super) fn trust(conn: &Connection, engine_hash: Digest) -> rusqlite::Result<Option<Trust>> {
    conn.prepare_cached("SELECT decided_at, decision FROM trust WHERE engine_hash = ?1")?
        .query_row([engine_hash], |row| {
            Ok(Trust { engine_hash, decided_at: row.get::<_, Millis>(0)?.0, decision: row.get(1)? })
        })
        .optional()
}

/// In the order in which they are written too.
pub(super) const HANDOFF: &str = "id, project_id, source_engine_id, source_session_id, source_turn, target_engine_id, \
     target_session_id, payload, transition_reason, verified, verification, created_at";

pub(super) fn handoffs(conn: &Connection, which: Handoffs) -> rusqlite::Result<Vec<Handoff>> {
    let (condition, id) = match which {
        Handoffs::One(id) => ("id = ?1", Some(id.0)),
        Handoffs::Of(project) => ("project_id = ?1", Some(project.0)),
        Handoffs::All => ("?1 IS NULL", None),
    };
    conn.prepare_cached(&format!("SELECT {HANDOFF} FROM handoffs WHERE {condition} ORDER BY created_at, id"))?
        .query_map([id], |row| {
            Ok(Handoff {
                id: row.get(0)?,
                project_id: row.get(1)?,
                source_engine_id: row.get(2)?,
                source_session_id: row.get(3)?,
                source_turn: row.get(4)?,
                target_engine_id: row.get(5)?,
                target_session_id: row.get(6)?,
                payload: row.get::<_, Json<_>>(7)?.0,
                transition_reason: row.get(8)?,
                verified: row.get(9)?,
                verification: row.get::<_, Option<Json<_>>>(10)?.map(|json| json.0),
                created_at: row.get::<_, Millis>(11)?.0,
            })
        })?
        .collect()
}

/// In the order in which they are written too.
pub(super) const TASK: &str =
    "id, session_id, task, name, status, turn, reason, attempts, result, note, created_at, updated_at, owner";

pub(super) fn tasks(conn: &Connection, which: Tasks) -> rusqlite::Result<Vec<OwnedTask>> {
    let select = |condition: &str| {
        conn.prepare_cached(&format!("SELECT {TASK} FROM tasks WHERE {condition} ORDER BY created_at, id"))
    };
    match which {
        Tasks::One(id) => select("id = ?1")?.query_map([id], read_task)?.collect(),
        Tasks::Of(session) => {
            select("session_id = ?1 AND rewound_by IS NULL")?.query_map([session], read_task)?.collect()
        }
        Tasks::All => select("TRUE")?.query_map([], read_task)?.collect(),
        Tasks::Running => select("status = ?1")?.query_map([TaskStatus::Running], read_task)?.collect(),
    }
}

fn read_task(row: &Row<'_>) -> rusqlite::Result<OwnedTask> {
    let task = TaskRow {
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
    };
    Ok(OwnedTask { task, owner: row.get(12)? })
}

pub(super) const ARTIFACT: &str =
    "a.id, a.project_id, a.session_id, a.kind, a.title, a.content, a.tokens, a.meta, a.created_at";

/// Whether an artifact counts: what a task made goes out of view with the turn that set the task off, and what was made in
/// a session goes into the trash with it.
pub(super) const IN_VIEW: &str = "NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = a.id AND t.rewound_by IS NOT NULL)
     AND NOT EXISTS (SELECT 1 FROM sessions o WHERE o.id = a.session_id AND o.trashed_at IS NOT NULL)";

pub(super) fn read_artifact(row: &Row<'_>) -> rusqlite::Result<Artifact> {
    Ok(Artifact {
        id: row.get(0)?,
        project_id: row.get(1)?,
        session_id: row.get(2)?,
        kind: row.get(3)?,
        title: row.get(4)?,
        content: row.get(5)?,
        tokens: row.get(6)?,
        meta: row.get::<_, Json<_>>(7)?.0,
        created_at: row.get::<_, Millis>(8)?.0,
    })
}

pub(super) fn artifacts(conn: &Connection, which: Artifacts) -> rusqlite::Result<Vec<Artifact>> {
    let (condition, id) = match which {
        Artifacts::One(id) => ("a.id = ?1", Some(id.0)),
        Artifacts::Of(project) => (&*format!("a.project_id = ?1 AND {IN_VIEW}"), Some(project.0)),
        Artifacts::All => ("?1 IS NULL", None),
    };
    conn.prepare_cached(&format!("SELECT {ARTIFACT} FROM artifacts a WHERE {condition} ORDER BY a.created_at, a.id"))?
        .query_map([id], read_artifact)?
        .collect()
}
