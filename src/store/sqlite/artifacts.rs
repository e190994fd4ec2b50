//! Artifacts of a project, found by their words.

use rusqlite::{Connection, Row, Transaction, params};

use super::columns::{Json, Millis};
use super::failure::Outcome;
use super::{commits, sessions};
use crate::store::query::{self, Join};
use crate::store::{Artifact, ArtifactHit, ProjectId};

const COLUMNS: &str = "a.id, a.project_id, a.session_id, a.kind, a.title, a.content, a.tokens, a.meta, a.created_at";
/// How many of the best are looked at to fill a budget.
const CANDIDATES: u32 = 200;

fn read(row: &Row<'_>) -> rusqlite::Result<Artifact> {
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

/// Keeps an artifact, new or changed.
pub(super) fn save(tx: &Transaction<'_>, artifact: &Artifact) -> Outcome<()> {
    sessions::project(tx, artifact.project_id)?;
    if let Some(session) = artifact.session_id {
        sessions::get(tx, session)?;
    }
    commits::check_depth(&artifact.meta)?;
    tx.execute(
        "INSERT INTO artifacts (id, project_id, session_id, kind, title, content, tokens, meta, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, title = excluded.title, content = excluded.content,
             tokens = excluded.tokens, meta = excluded.meta",
        params![
            artifact.id,
            artifact.project_id,
            artifact.session_id,
            artifact.kind,
            artifact.title,
            artifact.content,
            artifact.tokens,
            Json(&artifact.meta),
            Millis(artifact.created_at),
        ],
    )?;
    Ok(())
}

/// Returns the artifacts of a project, oldest first.
pub(super) fn of_project(conn: &Connection, project: ProjectId) -> Outcome<Vec<Artifact>> {
    let mut statement = conn
        .prepare(&format!("SELECT {COLUMNS} FROM artifacts a WHERE a.project_id = ?1 ORDER BY a.created_at, a.id"))?;
    Ok(statement.query_map([project], read)?.collect::<Result<_, _>>()?)
}

/// Returns the best artifacts that fit the budget together. One that does not fit is passed over for a smaller one.
/// A word in a title counts four times.
pub(super) fn search(conn: &Connection, project: ProjectId, words: &str, budget: u32) -> Outcome<Vec<ArtifactHit>> {
    let Some(wanted) = query::full_text(words, Join::Any) else { return Ok(Vec::new()) };
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS}, bm25(artifacts_index, 4.0, 1.0) AS score
         FROM artifacts_index JOIN artifacts a ON a.key = artifacts_index.rowid
         WHERE artifacts_index MATCH ?1 AND a.project_id = ?2 ORDER BY score, a.key LIMIT ?3"
    ))?;
    let mut rows = statement.query(params![wanted, project, CANDIDATES])?;
    let (mut room, mut hits) = (budget, Vec::new());
    while let Some(row) = rows.next()? {
        let artifact = read(row)?;
        if let Some(rest) = room.checked_sub(artifact.tokens) {
            room = rest;
            hits.push(ArtifactHit { artifact, score: -row.get::<_, f64>(9)? });
        }
    }
    Ok(hits)
}
