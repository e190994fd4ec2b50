//! Engines as sessions are pinned to them, and what the user decided about them.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde_json::{Value, json};

use super::columns::{Json, Millis};
use super::commits::{self, Change};
use super::failure::{Failure, Outcome};
use super::{history, sessions};
use crate::store::{Digest, EventKind, PinnedEngine, Session, SessionId, Trust, canonical};

/// Keeps an engine under the digest of its files.
pub(super) fn keep(tx: &Transaction<'_>, engine: &PinnedEngine) -> Outcome<()> {
    if canonical::digest(&engine.files) != engine.hash {
        let reason = format!("The files of engine {} do not have the digest {}", engine.engine_id, engine.hash);
        return Err(Failure::refused(reason));
    }
    tx.execute(
        "INSERT INTO engines (hash, engine_id, version, files) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (hash) DO NOTHING",
        params![engine.hash, engine.engine_id, engine.version, Json(&engine.files)],
    )?;
    Ok(())
}

/// Returns an engine.
pub(super) fn get(conn: &Connection, hash: Digest) -> Outcome<PinnedEngine> {
    conn.query_row("SELECT engine_id, version, files FROM engines WHERE hash = ?1", [hash], |row| {
        Ok(PinnedEngine { hash, engine_id: row.get(0)?, version: row.get(1)?, files: row.get::<_, Json<_>>(2)?.0 })
    })
    .optional()?
    .ok_or_else(|| Failure::not_found("engine", hash))
}

/// Moves a session to another engine version.
pub(super) fn migrate(
    tx: &Transaction<'_>,
    id: SessionId,
    revision: u64,
    engine: &PinnedEngine,
    state: &Value,
    now: Timestamp,
) -> Outcome<Session> {
    let session = sessions::get_at(tx, id, revision)?;
    keep(tx, engine)?;
    let change = Change {
        kind: EventKind::Migrated,
        turn: session.turn,
        engine: engine.hash,
        messages: &[],
        state,
        phase: &session.phase,
        completeness: session.completeness,
        extractions: &[],
        checkpoint: None,
        figures: None,
        budget: &[],
        notes: json!({ "from": session.engine_hash }),
    };
    let parent = history::tip(tx, id)?;
    commits::append(tx, id, Some(parent), &change, now)?;
    sessions::get(tx, id)
}

/// Returns what the user decided about an engine folder.
pub(super) fn trust(conn: &Connection, engine_hash: Digest) -> Outcome<Option<Trust>> {
    let found = conn.query_row("SELECT decided_at, decision FROM trust WHERE engine_hash = ?1", [engine_hash], |row| {
        Ok(Trust { engine_hash, decided_at: row.get::<_, Millis>(0)?.0, decision: row.get(1)? })
    });
    Ok(found.optional()?)
}

/// Keeps such a decision.
pub(super) fn set_trust(tx: &Transaction<'_>, trust: &Trust) -> Outcome<()> {
    tx.execute(
        "INSERT INTO trust (engine_hash, decision, decided_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (engine_hash) DO UPDATE SET decision = excluded.decision, decided_at = excluded.decided_at",
        params![trust.engine_hash, trust.decision, Millis(trust.decided_at)],
    )?;
    Ok(())
}
