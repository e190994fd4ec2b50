//! Handoffs, linked to the session they come from and to the one that takes them up.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde_json::{Value, json};

use super::columns::{Json, Millis};
use super::failure::{Failure, Outcome};
use super::{commits, events, sessions};
use crate::store::{EventKind, Handoff, HandoffId, ProjectId, SessionId};

const COLUMNS: &str = "id, project_id, source_engine_id, source_session_id, target_engine_id, target_session_id, \
     payload, transition_reason, verified, verification, created_at";

fn read(row: &Row<'_>) -> rusqlite::Result<Handoff> {
    Ok(Handoff {
        id: row.get(0)?,
        project_id: row.get(1)?,
        source_engine_id: row.get(2)?,
        source_session_id: row.get(3)?,
        target_engine_id: row.get(4)?,
        target_session_id: row.get(5)?,
        payload: row.get::<_, Json<_>>(6)?.0,
        transition_reason: row.get(7)?,
        verified: row.get(8)?,
        verification: row.get::<_, Option<Json<_>>>(9)?.map(|json| json.0),
        created_at: row.get::<_, Millis>(10)?.0,
    })
}

/// Keeps a handoff and names it in the session it comes from.
pub(super) fn save(tx: &Transaction<'_>, handoff: &Handoff, now: Timestamp) -> Outcome<()> {
    let source = sessions::get(tx, handoff.source_session_id)?;
    if source.project_id != handoff.project_id {
        return Err(Failure::refused(format!("Handoff {} names another project than its session", handoff.id)));
    }
    commits::check_depth(&handoff.payload)?;
    tx.execute(
        &format!(
            "INSERT INTO handoffs ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, NULL, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, transition_reason = excluded.transition_reason"
        ),
        params![
            handoff.id,
            handoff.project_id,
            handoff.source_engine_id,
            handoff.source_session_id,
            handoff.target_engine_id,
            Json(&handoff.payload),
            handoff.transition_reason,
            handoff.verified,
            handoff.verification.as_ref().map(Json),
            Millis(handoff.created_at),
        ],
    )?;
    tx.execute("UPDATE sessions SET outbound_handoff_id = ?2 WHERE id = ?1", params![source.id, handoff.id])?;
    events::append(tx, source.id, EventKind::HandoffLinked, now, json!({ "outbound": handoff.id }))?;
    match handoff.target_session_id {
        Some(target) => take_up(tx, handoff.id, target, now),
        None => Ok(()),
    }
}

/// Links a handoff and the session that takes it up, both ways.
pub(super) fn take_up(tx: &Transaction<'_>, id: HandoffId, target: SessionId, now: Timestamp) -> Outcome<()> {
    let handoff = get(tx, id)?;
    match handoff.target_session_id {
        Some(taken) if taken != target => {
            Err(Failure::refused(format!("Handoff {id} was taken up by session {taken} already")))
        }
        Some(_) => Ok(()),
        None => {
            sessions::get(tx, target)?;
            tx.execute("UPDATE handoffs SET target_session_id = ?2 WHERE id = ?1", params![id, target])?;
            tx.execute("UPDATE sessions SET inbound_handoff_id = ?2 WHERE id = ?1", params![target, id])?;
            events::append(tx, target, EventKind::HandoffLinked, now, json!({ "inbound": id }))?;
            Ok(())
        }
    }
}

/// Returns a handoff.
pub(super) fn get(conn: &Connection, id: HandoffId) -> Outcome<Handoff> {
    conn.query_row(&format!("SELECT {COLUMNS} FROM handoffs WHERE id = ?1"), [id], read)
        .optional()?
        .ok_or_else(|| Failure::not_found("handoff", id))
}

/// Returns the handoffs of a project, oldest first.
pub(super) fn of_project(conn: &Connection, project: ProjectId) -> Outcome<Vec<Handoff>> {
    let mut statement =
        conn.prepare(&format!("SELECT {COLUMNS} FROM handoffs WHERE project_id = ?1 ORDER BY created_at, id"))?;
    Ok(statement.query_map([project], read)?.collect::<Result<_, _>>()?)
}

/// Keeps how well the receiver understood.
pub(super) fn verify(tx: &Transaction<'_>, id: HandoffId, verified: bool, verification: &Value) -> Outcome<()> {
    commits::check_depth(verification)?;
    let changed = tx.execute(
        "UPDATE handoffs SET verified = ?2, verification = ?3 WHERE id = ?1",
        params![id, verified, Json(verification)],
    )?;
    if changed == 0 { Err(Failure::not_found("handoff", id)) } else { Ok(()) }
}
