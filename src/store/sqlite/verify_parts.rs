//! The parts of a session against its log: commits, words, states, the session's own row, references.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::columns::Json;
use super::commits::{self, Change};
use super::failure::Outcome;
use super::replay::{Logged, Replay, Row};
use super::verify::Findings;
use super::{budget, history};
use crate::store::{Digest, EventKind};

/// Checks that there is a row for every commit of the log and no other, that it says what the log says, and that its
/// words have the digests that the log has.
pub(super) fn check_commits(conn: &Connection, replay: &Replay, findings: &mut Findings<'_>) -> Outcome<()> {
    let id = findings.session;
    let mut stored = BTreeSet::new();
    let mut statement = conn.prepare_cached(
        "SELECT seq, parent, turn, engine_hash, phase, completeness, rewound_by, figures FROM commits
         WHERE session_id = ?1 ORDER BY seq",
    )?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        let seq: u64 = row.get(0)?;
        stored.insert(seq);
        let Some(logged) = replay.commits.get(&seq).filter(|logged| !logged.erased) else {
            findings.add(Some(seq), "A commit is stored that the log does not have");
            continue;
        };
        let parent: Option<u64> = row.get(1)?;
        let engine: Digest = row.get(3)?;
        let says = json!({
            "turn": row.get::<_, u64>(2)?,
            "parent": parent,
            "engine": engine,
            "phase": row.get::<_, String>(4)?,
            "completeness": row.get::<_, f64>(5)?,
        });
        for (name, value) in says.as_object().into_iter().flatten() {
            let logged = logged.payload.get(name).unwrap_or(&Value::Null);
            findings.expect(Some(seq), &format!("The {name} of the commit"), value, logged);
        }
        findings.expect(Some(seq), "Whether the commit was rewound", &row.get(6)?, &logged.rewound_by);
        let figures: Option<Value> = row.get::<_, Option<Json<Value>>>(7)?.map(|json| json.0);
        check_words(conn, seq, logged, figures.as_ref(), findings)?;
    }
    for (seq, _) in replay.commits.iter().filter(|(seq, logged)| !logged.erased && !stored.contains(*seq)) {
        findings.add(Some(*seq), "A commit of the log is missing");
    }
    Ok(())
}

/// Checks messages, extractions, figures and costs of a commit. (The checkpoint hangs on the state.)
fn check_words(
    conn: &Connection,
    seq: u64,
    logged: &Logged,
    figures: Option<&Value>,
    findings: &mut Findings<'_>,
) -> Outcome<()> {
    let id = findings.session;
    let change = Change {
        kind: EventKind::Turn,
        turn: 0,
        engine: Digest::ZERO,
        messages: &history::messages_of(conn, id, seq)?,
        state: &Value::Null,
        phase: "",
        completeness: 0.0,
        extractions: &history::extractions_of(conn, id, seq)?,
        checkpoint: None,
        figures,
        budget: &budget::of_commit(conn, id, seq)?,
        notes: Value::Null,
    };
    let stored = commits::digests(id, &change);
    for part in ["messages", "extractions", "figures", "budget"] {
        let digest = stored.get(part).and_then(Value::as_str);
        findings.expect(Some(seq), &format!("The {part} part of the commit"), &digest, &logged.digest(part));
    }
    Ok(())
}

/// Works out every state from the deltas and checks it, and the checkpoint beside it, against the log.
pub(super) fn check_states(conn: &Connection, replay: &Replay, findings: &mut Findings<'_>) -> Outcome<()> {
    let id = findings.session;
    let mut statement =
        conn.prepare_cached("SELECT encoding, body, seq, parent FROM commits WHERE session_id = ?1 ORDER BY seq")?;
    let mut rows = statement.query([id])?;
    let mut before: Option<(u64, Value)> = None;
    while let Some(row) = rows.next()? {
        let (seq, parent): (u64, Option<u64>) = (row.get(2)?, row.get(3)?);
        let base = match (before.take(), parent) {
            (Some((at, state)), Some(parent)) if at == parent => Some(state),
            (_, Some(parent)) => history::state_after(conn, id, parent).ok(),
            (_, None) => None,
        };
        let Ok(state) = history::step(base, row) else {
            findings.add(Some(seq), "The state of the commit cannot be worked out");
            continue;
        };
        let Some(logged) = replay.commits.get(&seq) else { continue };
        let digest = Digest::of(commits::to_text(&state)?.as_bytes()).to_string();
        findings.expect(Some(seq), "The state of the commit", &Some(digest.as_str()), &logged.digest("state"));
        let kept = history::checkpoint_of(conn, id, seq, state.clone());
        let kept = kept.ok().flatten().map(|kept| crate::store::canonical::digest(&kept).to_string());
        findings.expect(Some(seq), "The checkpoint of the commit", &kept.as_deref(), &logged.digest("checkpoint"));
        before = Some((seq, state));
    }
    Ok(())
}

/// Checks the session's row and its current state.
pub(super) fn check_session_row(
    conn: &Connection,
    row: &Row,
    replay: &Replay,
    findings: &mut Findings<'_>,
) -> Outcome<()> {
    let title = Digest::of(row.title.as_bytes()).to_string();
    findings.expect(None, "The title", &Some(title), &replay.title);
    findings.expect(None, "Whether the session has ended", &row.ended, &replay.ended);
    findings.expect(None, "The revision", &row.revision, &replay.revision);
    findings.expect(None, "The current commit", &row.tip, &replay.tip);
    let Some(tip) = replay.commits.get(&replay.tip) else {
        findings.add(None, "The log has no current commit");
        return Ok(());
    };
    let says = json!({ "turn": row.turn, "phase": row.phase, "completeness": row.completeness, "engine": row.engine });
    for (name, value) in says.as_object().into_iter().flatten() {
        findings.expect(None, &format!("The {name}"), value, tip.payload.get(name).unwrap_or(&Value::Null));
    }
    let state: String =
        conn.query_row("SELECT state FROM states WHERE session_id = ?1", [findings.session], |row| row.get(0))?;
    let digest = Digest::of(state.as_bytes()).to_string();
    findings.expect(None, "The current state", &Some(digest.as_str()), &tip.digest("state"));
    Ok(())
}

/// Checks what points at what within the session.
pub(super) fn check_references(conn: &Connection, findings: &mut Findings<'_>) -> Outcome<()> {
    let id = findings.session;
    let mut statement = conn.prepare_cached(
        "SELECT x.seq, x.field_path FROM extractions x WHERE x.session_id = ?1 AND x.message_id IS NOT NULL
         AND x.message_id NOT IN (SELECT id FROM messages WHERE session_id = ?1)",
    )?;
    let mut rows = statement.query([id])?;
    while let Some(row) = rows.next()? {
        let field: String = row.get(1)?;
        findings.add(Some(row.get(0)?), format!("The extraction of {field} points at a message that is not there"));
    }
    for table in ["messages", "extractions", "checkpoints"] {
        let astray: u64 = conn
            .prepare_cached(&format!(
                "SELECT count(*) FROM {table} p JOIN commits c ON c.session_id = p.session_id AND c.seq = p.seq
                 WHERE p.session_id = ?1 AND p.in_view <> (c.rewound_by IS NULL)"
            ))?
            .query_row(params![id], |row| row.get(0))?;
        if astray > 0 {
            findings.add(None, format!("{astray} rows of {table} are in view though rewound, or the reverse"));
        }
    }
    let outbound: u64 = conn
        .prepare_cached(
            "SELECT count(*) FROM sessions s JOIN handoffs h ON h.id = s.outbound_handoff_id
             WHERE s.id = ?1 AND h.source_session_id <> s.id",
        )?
        .query_row(params![id], |row| row.get(0))?;
    if outbound > 0 {
        findings.add(None, "The outbound handoff comes from another session");
    }
    Ok(())
}
