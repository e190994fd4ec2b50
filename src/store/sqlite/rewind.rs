//! Changing one's mind: taking turns back, and putting them back.

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, params};
use serde_json::{Value, json};

use super::columns::{Json, Millis};
use super::failure::{Failure, Outcome};
use super::{commits, events, history, sessions};
use crate::store::{Committed, EventKind, RewoundTurn, Session, SessionId, TurnCommit};

/// Takes back every turn after one.
pub(super) fn rewind(
    tx: &Transaction<'_>,
    id: SessionId,
    revision: u64,
    turn: u32,
    now: Timestamp,
) -> Outcome<Session> {
    let session = sessions::get_at(tx, id, revision)?;
    if turn == session.turn {
        return Ok(session);
    }
    let to = history::last_of_turn(tx, id, turn)?;
    let state = history::state_after(tx, id, to)?;
    let payload = json!({ "turn": turn, "tip": to });
    let event = events::append(tx, id, EventKind::Rewound, now, payload)?;
    tx.execute(
        "UPDATE commits SET rewound_by = ?3 WHERE session_id = ?1 AND rewound_by IS NULL AND turn > ?2",
        params![id, turn, event.seq],
    )?;
    tx.execute(
        "UPDATE tasks SET rewound_by = ?3 WHERE session_id = ?1 AND rewound_by IS NULL AND turn > ?2",
        params![id, turn, event.seq],
    )?;
    show(tx, id, event.seq, false)?;
    set_tip(tx, id, to, event.seq, &state, now)?;
    sessions::get(tx, id)
}

/// Takes back every turn after the one that the caller started from, and stores a turn in their place.
pub(super) fn replace(
    tx: &Transaction<'_>,
    commit: TurnCommit,
    owner: uuid::Uuid,
    now: Timestamp,
) -> Outcome<Committed> {
    let session = rewind(tx, commit.session_id, commit.expected_revision, commit.expected_turn, now)?;
    commits::commit(tx, &TurnCommit { expected_revision: session.revision, ..commit }, owner, now)
}

/// Puts back what the last rewind took.
pub(super) fn undo(tx: &Transaction<'_>, id: SessionId, revision: u64, now: Timestamp) -> Outcome<Session> {
    sessions::get_at(tx, id, revision)?;
    let newest: Option<u64> = tx.query_row(
        "SELECT max(seq) FROM commits WHERE session_id = ?1 AND rewound_by = ?2",
        params![id, revision],
        |row| row.get(0),
    )?;
    let Some(newest) = newest else {
        return Err(Failure::refused(format!(
            "Session {id} has no rewind to take back: it has changed since the last one"
        )));
    };
    let state = history::state_after(tx, id, newest)?;
    let payload = json!({ "rewind": revision, "tip": newest });
    let event = events::append(tx, id, EventKind::RewindUndone, now, payload)?;
    show(tx, id, revision, true)?;
    for table in ["commits", "tasks"] {
        tx.execute(
            &format!("UPDATE {table} SET rewound_by = NULL WHERE session_id = ?1 AND rewound_by = ?2"),
            params![id, revision],
        )?;
    }
    set_tip(tx, id, newest, event.seq, &state, now)?;
    sessions::get(tx, id)
}

/// Takes what one rewind took out of view, or puts it back.
fn show(tx: &Transaction<'_>, id: SessionId, rewound_by: u64, in_view: bool) -> Outcome<()> {
    for table in ["messages", "extractions", "checkpoints"] {
        tx.execute(
            &format!(
                "UPDATE {table} SET in_view = ?3 WHERE session_id = ?1
                 AND seq IN (SELECT seq FROM commits WHERE session_id = ?1 AND rewound_by = ?2)"
            ),
            params![id, rewound_by, in_view],
        )?;
    }
    Ok(())
}

/// Makes a commit the current one again, with everything the session's row says of it.
fn set_tip(tx: &Transaction<'_>, id: SessionId, tip: u64, revision: u64, state: &Value, now: Timestamp) -> Outcome<()> {
    tx.execute(
        "UPDATE sessions SET tip = ?2, revision = ?3, updated_at = ?4,
             (turn, engine_hash, phase, completeness) =
                 (SELECT turn, engine_hash, phase, completeness FROM commits WHERE session_id = ?1 AND seq = ?2)
         WHERE id = ?1",
        params![id, tip, revision, Millis(now)],
    )?;
    tx.execute("UPDATE states SET state = ?2 WHERE session_id = ?1", params![id, Json(state)])?;
    Ok(())
}

/// Returns what rewinds took out of view, in the order it was committed.
pub(super) fn rewound(conn: &Connection, id: SessionId) -> Outcome<Vec<RewoundTurn>> {
    sessions::get(conn, id)?;
    let mut statement = conn.prepare(
        "SELECT c.seq, c.turn, e.at FROM commits c
         JOIN events e ON e.session_id = c.session_id AND e.seq = c.rewound_by
         WHERE c.session_id = ?1 ORDER BY c.seq",
    )?;
    let rows = statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, Millis>(2)?.0)))?;
    rows.map(|row| {
        let (seq, turn, rewound_at) = row?;
        Ok(RewoundTurn { turn, rewound_at, messages: history::messages_of(conn, id, seq)? })
    })
    .collect()
}
