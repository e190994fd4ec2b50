//! Reading and repairing costs. A row may hold any number: an endpoint once could say what it liked.

use jiff::civil::Date;
use rusqlite::types::FromSqlError;
use rusqlite::{Connection, Row, params};
use uuid::Uuid;

use crate::engine::budget::{MOST_TOKENS, MOST_USD};
use crate::store::backend::{Spent, WildCost};
use crate::store::{BudgetEntry, BudgetSum, SessionId};

/// The columns within bounds.
fn bounded() -> [String; 4] {
    let count = |column: &str| format!("min(max({column}, 0), {MOST_TOKENS})");
    let usd = format!("min(max(cost_usd, 0.0), {MOST_USD:?})");
    [count("input_tokens"), count("cached_tokens"), count("output_tokens"), usd]
}

/// Rows that are out of bounds, of the session `?1` or of all where that is null.
fn wild_rows() -> String {
    let [input, cached, output, usd] = bounded();
    format!(
        "(?1 IS NULL OR session_id = ?1) AND (input_tokens <> {input} OR cached_tokens <> {cached}
            OR output_tokens <> {output} OR cost_usd <> {usd})"
    )
}

pub(super) fn of_commits(conn: &Connection, id: SessionId) -> rusqlite::Result<Vec<(u64, BudgetEntry)>> {
    conn.prepare_cached(
        "SELECT seq, session_id, day, role, model, input_tokens, cached_tokens, output_tokens, cost_usd FROM budget
         WHERE session_id = ?1 AND seq IS NOT NULL ORDER BY key",
    )?
    .query_map([id], |row| {
        let day: String = row.get(2)?;
        let entry = BudgetEntry {
            session_id: row.get(1)?,
            day: day.parse::<Date>().map_err(|error| FromSqlError::Other(Box::new(error)))?,
            role: row.get(3)?,
            model: row.get(4)?,
            input_tokens: count(row, 5)?,
            cached_tokens: count(row, 6)?,
            output_tokens: count(row, 7)?,
            cost_usd: row.get(8)?,
        };
        Ok((row.get(0)?, entry))
    })?
    .collect()
}

/// A count as it is written. This program has never written one below zero, so the log vouches for none.
fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(|count| u64::try_from(count).unwrap_or(0))
}

/// What a process has reserved itself it counts itself, so that is left out. What another has reserved may be spent, and
/// where it was killed it counts for good.
pub(super) fn spent(conn: &Connection, spent: Spent, own: Uuid) -> rusqlite::Result<BudgetSum> {
    let [input, cached, output, usd] = bounded();
    let sum = |condition: &str| {
        conn.prepare_cached(&format!(
            "SELECT count(*), coalesce(sum({input}), 0), coalesce(sum({cached}), 0), coalesce(sum({output}), 0),
                    total({usd}) FROM budget WHERE {condition} AND reserved_by IS NOT ?2"
        ))
    };
    match spent {
        Spent::By(session) => sum("session_id = ?1")?.query_row(params![session, own], read_sum),
        Spent::On(day) => sum("day = ?1")?.query_row(params![day.to_string(), own], read_sum),
    }
}

fn read_sum(row: &Row<'_>) -> rusqlite::Result<BudgetSum> {
    Ok(BudgetSum {
        entries: row.get(0)?,
        input_tokens: row.get(1)?,
        cached_tokens: row.get(2)?,
        output_tokens: row.get(3)?,
        cost_usd: row.get(4)?,
    })
}

pub(super) fn wild(conn: &Connection, id: Option<SessionId>) -> rusqlite::Result<Vec<WildCost>> {
    let condition = wild_rows();
    conn.prepare_cached(&format!(
        "SELECT key, session_id, seq, input_tokens, cached_tokens, output_tokens, cost_usd FROM budget
         WHERE {condition} ORDER BY key"
    ))?
    .query_map(params![id], |row| {
        Ok(WildCost {
            key: row.get(0)?,
            session_id: row.get(1)?,
            seq: row.get::<_, Option<i64>>(2)?.and_then(|seq| u64::try_from(seq).ok()),
            input: row.get(3)?,
            cached: row.get(4)?,
            output: row.get(5)?,
            usd: row.get(6)?,
        })
    })?
    .collect()
}

pub(super) fn bound(conn: &Connection, id: Option<SessionId>) -> rusqlite::Result<()> {
    let ([input, cached, output, usd], condition) = (bounded(), wild_rows());
    let sql = format!(
        "UPDATE budget SET input_tokens = {input}, cached_tokens = {cached}, output_tokens = {output}, cost_usd = {usd}
         WHERE {condition}"
    );
    conn.prepare_cached(&sql)?.execute(params![id]).map(|_| ())
}
