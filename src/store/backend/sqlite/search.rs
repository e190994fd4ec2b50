//! Search in everything said, and in artifacts.

use rusqlite::{Connection, OptionalExtension, params};

use super::columns::Millis;
use super::work::{ARTIFACT, IN_VIEW, read_artifact};
use crate::store::query::{MARK_END, MARK_START};
use crate::store::{ArtifactHit, ProjectId, SearchHit, SearchQuery};

/// Up to so many matches are all ranked by bm25. More of them share words that say little, and ranking them all would
/// take seconds: bm25 counts every occurrence of every word in the whole index first.
const RARE: u32 = 10_000;
/// Of words that common, so many of the newest matches are ranked, by how dense the match is.
const NEWEST: u32 = 2_000;
/// Where a filter throws matches away, so many of the newest are looked at.
const LOOKED_AT: u32 = 100_000;

/// So many words of a message are shown around a match.
const AROUND: u32 = 16;

/// The tables a filter needs beside the index, and the filter. Parameters 2 to 5: project, engine, session, and a session
/// that is left out. What was thrown away is found only where that session is asked for.
const FILTERED: &str = "said_index CROSS JOIN messages m ON m.key = said_index.rowid
     CROSS JOIN sessions s ON s.id = m.session_id CROSS JOIN engines e ON e.hash = s.engine_hash
     WHERE said_index MATCH ?1 AND (?2 IS NULL OR s.project_id = ?2) AND (?3 IS NULL OR e.engine_id = ?3)
       AND (?4 IS NULL OR m.session_id = ?4) AND (?5 IS NULL OR m.session_id <> ?5)
       AND (s.trashed_at IS NULL OR m.session_id = ?4)";

/// Finds messages, best first. Two steps: first all that match are ranked, then snippets are cut for the few that are
/// shown; in one step SQLite would cut a snippet for every match.
pub(super) fn said(
    conn: &Connection,
    text: &str,
    within: &SearchQuery,
    limit: u32,
) -> rusqlite::Result<Vec<SearchHit>> {
    let best = if nth_newest(conn, text, RARE)?.is_none() {
        by_rank(conn, within, text, limit)?
    } else {
        by_density(conn, within, text, limit)?
    };
    best.into_iter().map(|(key, score)| hit(conn, (text, within.whole), key, score)).collect()
}

/// Returns the key of the match that so many newer ones precede, if there are that many.
fn nth_newest(conn: &Connection, text: &str, count: u32) -> rusqlite::Result<Option<i64>> {
    let mut statement = conn.prepare_cached(
        "SELECT rowid FROM said_index WHERE said_index MATCH ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ?2",
    )?;
    statement.query_row(params![text, count], |row| row.get(0)).optional()
}

fn by_rank(conn: &Connection, within: &SearchQuery, text: &str, limit: u32) -> rusqlite::Result<Vec<(i64, f64)>> {
    let sql = format!("SELECT said_index.rowid, rank FROM {FILTERED} ORDER BY rank, said_index.rowid DESC LIMIT ?6");
    let mut statement = conn.prepare_cached(&sql)?;
    let parameters = params![text, within.project, within.engine, within.session, within.except, limit];
    let found = statement.query_map(parameters, |row| Ok((row.get(0)?, -row.get::<_, f64>(1)?)))?;
    found.collect()
}

/// Ranks the newest matches by how much of a message they make up: bm25 without the part that asks how rare a word is.
fn by_density(conn: &Connection, within: &SearchQuery, text: &str, limit: u32) -> rusqlite::Result<Vec<(i64, f64)>> {
    let (oldest, newest) = range(conn, within, text)?;
    let sql = format!(
        "SELECT said_index.rowid, length(highlight(said_index, 0, 'x', '')) - length(m.content), length(m.content)
         FROM {FILTERED} AND said_index.rowid BETWEEN ?6 AND ?7 ORDER BY said_index.rowid DESC LIMIT ?8"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let (project, engine, session) = (within.project, &within.engine, within.session);
    let parameters = params![text, project, engine, session, within.except, oldest, newest, NEWEST];
    let found = statement.query_map(parameters, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let found: Vec<(i64, f64, f64)> = found.collect::<Result<_, _>>()?;
    let mean = found.iter().map(|(_, _, length)| length).sum::<f64>() / found.len().max(1) as f64;
    let score = |hits: f64, length: f64| hits * 2.2 / (hits + 1.2 * (0.25 + 0.75 * length / mean));
    let mut ranked: Vec<(i64, f64)> = found.into_iter().map(|(key, hits, length)| (key, score(hits, length))).collect();
    // Stable: of equally dense ones the newest stays first.
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked.truncate(limit as usize);
    Ok(ranked)
}

/// Returns the keys between which to look: those of the session, or the newest where another filter applies.
fn range(conn: &Connection, within: &SearchQuery, text: &str) -> rusqlite::Result<(i64, i64)> {
    if let Some(session) = within.session {
        let sql = "SELECT coalesce(min(key), 0), coalesce(max(key), 0) FROM messages WHERE session_id = ?1";
        return conn.prepare_cached(sql)?.query_row([session], |row| Ok((row.get(0)?, row.get(1)?)));
    }
    let filtered = within.project.is_some() || within.engine.is_some();
    let oldest = if filtered { nth_newest(conn, text, LOOKED_AT)? } else { None };
    Ok((oldest.unwrap_or(0), i64::MAX))
}

fn hit(conn: &Connection, (text, whole): (&str, bool), key: i64, score: f64) -> rusqlite::Result<SearchHit> {
    let mut statement = conn.prepare_cached(
        "SELECT m.session_id, s.title, m.id, m.turn, m.role, m.created_at,
         CASE WHEN ?6 THEN m.content ELSE snippet(said_index, 0, ?3, ?4, '…', ?5) END
         FROM said_index JOIN messages m ON m.key = said_index.rowid JOIN sessions s ON s.id = m.session_id
         WHERE said_index MATCH ?1 AND said_index.rowid = ?2",
    )?;
    statement.query_row(params![text, key, MARK_START.to_string(), MARK_END.to_string(), AROUND, whole], |row| {
        Ok(SearchHit {
            session_id: row.get(0)?,
            session_title: row.get(1)?,
            message_id: row.get(2)?,
            turn: row.get(3)?,
            role: row.get(4)?,
            created_at: row.get::<_, Millis>(5)?.0,
            snippet: row.get(6)?,
            score,
        })
    })
}

/// A word in a title counts four times.
pub(super) fn artifacts(
    conn: &Connection,
    text: &str,
    project: ProjectId,
    limit: u32,
) -> rusqlite::Result<Vec<ArtifactHit>> {
    conn.prepare_cached(&format!(
        "SELECT {ARTIFACT}, bm25(artifacts_index, 4.0, 1.0) AS score
         FROM artifacts_index JOIN artifacts a ON a.key = artifacts_index.rowid
         WHERE artifacts_index MATCH ?1 AND a.project_id = ?2 AND {IN_VIEW} ORDER BY score, a.key LIMIT ?3"
    ))?
    .query_map(params![text, project, limit], |row| {
        Ok(ArtifactHit { artifact: read_artifact(row)?, score: -row.get::<_, f64>(9)? })
    })?
    .collect()
}
