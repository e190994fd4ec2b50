//! Search in everything said.

use rusqlite::{Connection, Row, params};

use super::columns::Millis;
use super::failure::Outcome;
use crate::store::query::{self, Join, MARK_END, MARK_START};
use crate::store::{SearchHit, SearchQuery};

const DEFAULT_LIMIT: u32 = 50;

/// Finds messages, best first. Two steps: the index ranks all that match, then snippets are cut for the few that are
/// shown; in one step SQLite would cut a snippet for every match.
pub(super) fn search(conn: &Connection, wanted: &SearchQuery) -> Outcome<Vec<SearchHit>> {
    let Some(text) = query::full_text(&wanted.text, Join::All) else { return Ok(Vec::new()) };
    best(conn, wanted, &text)?.into_iter().map(|(key, score)| hit(conn, &text, key, score)).collect()
}

/// Ranks. Without a filter the index keeps only the best by itself.
fn best(conn: &Connection, wanted: &SearchQuery, text: &str) -> Outcome<Vec<(i64, f64)>> {
    let limit = wanted.limit.unwrap_or(DEFAULT_LIMIT);
    let pair = |row: &Row<'_>| Ok((row.get(0)?, -row.get::<_, f64>(1)?));
    if wanted.project.is_none() && wanted.engine.is_none() && wanted.session.is_none() {
        let mut statement =
            conn.prepare_cached("SELECT rowid, rank FROM said_index WHERE said_index MATCH ?1 ORDER BY rank LIMIT ?2")?;
        return Ok(statement.query_map(params![text, limit], pair)?.collect::<Result<_, _>>()?);
    }
    let mut statement = conn.prepare_cached(
        "SELECT i.rowid, i.rank FROM said_index i
         CROSS JOIN messages m ON m.key = i.rowid
         CROSS JOIN sessions s ON s.id = m.session_id
         CROSS JOIN engines e ON e.hash = s.engine_hash
         WHERE i.said_index MATCH ?1 AND (?3 IS NULL OR s.project_id = ?3) AND (?4 IS NULL OR e.engine_id = ?4)
           AND (?5 IS NULL OR m.session_id = ?5)
         ORDER BY i.rank, i.rowid LIMIT ?2",
    )?;
    let found = statement.query_map(params![text, limit, wanted.project, wanted.engine, wanted.session], pair)?;
    Ok(found.collect::<Result<_, _>>()?)
}

fn hit(conn: &Connection, text: &str, key: i64, score: f64) -> Outcome<SearchHit> {
    let mut statement = conn.prepare_cached(
        "SELECT m.session_id, s.title, m.id, m.turn, m.role, m.created_at, snippet(said_index, 0, ?3, ?4, '…', 16)
         FROM said_index JOIN messages m ON m.key = said_index.rowid JOIN sessions s ON s.id = m.session_id
         WHERE said_index MATCH ?1 AND said_index.rowid = ?2",
    )?;
    let hit = statement.query_row(params![text, key, MARK_START.to_string(), MARK_END.to_string()], |row| {
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
    })?;
    Ok(hit)
}
