//! What was spent, by session and by day.

use jiff::civil::Date;
use rusqlite::types::FromSqlError;
use rusqlite::{Connection, Row, Transaction, params};

use super::failure::{Failure, Outcome};
use crate::store::{BudgetEntry, BudgetSum, SessionId};

/// Adds entries. Those of a commit belong to its session whatever they say.
pub(super) fn add(
    tx: &Transaction<'_>,
    session: Option<SessionId>,
    seq: Option<u64>,
    entries: &[BudgetEntry],
) -> Outcome<()> {
    let mut statement = tx.prepare_cached(
        "INSERT INTO budget (session_id, seq, day, role, model, input_tokens, cached_tokens, output_tokens, cost_usd)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    for entry in entries {
        if !entry.cost_usd.is_finite() {
            return Err(Failure::refused("A cost is not a number"));
        }
        statement.execute(params![
            session.or(entry.session_id),
            seq,
            entry.day.to_string(),
            entry.role,
            entry.model,
            entry.input_tokens,
            entry.cached_tokens,
            entry.output_tokens,
            entry.cost_usd,
        ])?;
    }
    Ok(())
}

/// Returns the entries of one commit.
pub(super) fn of_commit(conn: &Connection, session: SessionId, seq: u64) -> Outcome<Vec<BudgetEntry>> {
    let mut statement = conn.prepare_cached(
        "SELECT session_id, day, role, model, input_tokens, cached_tokens, output_tokens, cost_usd FROM budget
         WHERE session_id = ?1 AND seq = ?2 ORDER BY key",
    )?;
    Ok(statement.query_map(params![session, seq], read)?.collect::<Result<_, _>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<BudgetEntry> {
    let day: String = row.get(1)?;
    Ok(BudgetEntry {
        session_id: row.get(0)?,
        day: day.parse::<Date>().map_err(|error| FromSqlError::Other(Box::new(error)))?,
        role: row.get(2)?,
        model: row.get(3)?,
        input_tokens: row.get(4)?,
        cached_tokens: row.get(5)?,
        output_tokens: row.get(6)?,
        cost_usd: row.get(7)?,
    })
}

const SUM: &str = "SELECT count(*), coalesce(sum(input_tokens), 0), coalesce(sum(cached_tokens), 0), \
     coalesce(sum(output_tokens), 0), coalesce(sum(cost_usd), 0.0) FROM budget";

fn read_sum(row: &Row<'_>) -> rusqlite::Result<BudgetSum> {
    Ok(BudgetSum {
        entries: row.get(0)?,
        input_tokens: row.get(1)?,
        cached_tokens: row.get(2)?,
        output_tokens: row.get(3)?,
        cost_usd: row.get(4)?,
    })
}

/// Adds up a session.
pub(super) fn of_session(conn: &Connection, session: SessionId) -> Outcome<BudgetSum> {
    Ok(conn.prepare_cached(&format!("{SUM} WHERE session_id = ?1"))?.query_row([session], read_sum)?)
}

/// Adds up a day.
pub(super) fn of_day(conn: &Connection, day: Date) -> Outcome<BudgetSum> {
    Ok(conn.prepare_cached(&format!("{SUM} WHERE day = ?1"))?.query_row([day.to_string()], read_sum)?)
}
