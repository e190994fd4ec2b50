//! Writing a change of state: the turn, the amendment, the migration and the first commit of a session alike.

use jiff::Timestamp;
use rusqlite::{Transaction, params};
use serde_json::{Map, Value, json};

use super::columns::{Json, Millis, whole_millis};
use super::failure::{Failure, Outcome};
use super::history::{self, Parent};
use super::{budget, events, sessions, tasks};
use crate::store::delta::{self, Patch};
use crate::store::{
    BudgetEntry, Checkpoint, CommitKind, Committed, Digest, EventKind, ExtractionEntry, Message, SessionId,
    TitleSource, TurnCommit, canonical,
};

/// The parser refuses what is nested 128 deep, and a delta adds up to 64; what could not be read back is not written.
const MAX_DEPTH: usize = 64;

/// Is a change of state on its way into the database.
pub(super) struct Change<'a> {
    pub(super) kind: EventKind,
    pub(super) turn: u32,
    pub(super) engine: Digest,
    pub(super) messages: &'a [Message],
    pub(super) state: &'a Value,
    pub(super) phase: &'a str,
    pub(super) completeness: f64,
    pub(super) extractions: &'a [ExtractionEntry],
    pub(super) checkpoint: Option<&'a Checkpoint>,
    pub(super) figures: Option<&'a Value>,
    pub(super) budget: &'a [BudgetEntry],
    /// What only this kind of event has to say.
    pub(super) notes: Value,
}

/// Stores a turn or an amendment.
pub(super) fn commit(
    tx: &Transaction<'_>,
    commit: &TurnCommit,
    owner: uuid::Uuid,
    now: Timestamp,
) -> Outcome<Committed> {
    let id = commit.session_id;
    let session = sessions::get(tx, id)?;
    if (session.turn, session.revision) != (commit.expected_turn, commit.expected_revision) {
        return Err(sessions::conflict(&session, commit.expected_turn, commit.expected_revision));
    }
    let (kind, turn) = match commit.kind {
        CommitKind::Turn => (EventKind::Turn, session.turn + 1),
        CommitKind::Amendment => (EventKind::Amendment, session.turn),
    };
    if let Some(title) = &commit.title
        && session.title_source != TitleSource::User
    {
        sessions::set_title(tx, id, title, TitleSource::Content)?;
    }
    let figures = commit.figures.as_ref().map(serde_json::to_value).transpose();
    let figures = figures.map_err(|error| Failure::fault(format!("figures cannot be written: {error}")))?;
    let change = Change {
        kind,
        turn,
        engine: session.engine_hash,
        messages: &commit.messages,
        state: &commit.state,
        phase: &commit.phase,
        completeness: commit.completeness,
        extractions: &commit.extractions,
        checkpoint: commit.checkpoint.as_ref(),
        figures: figures.as_ref(),
        budget: &commit.budget,
        notes: json!({}),
    };
    let parent = history::tip(tx, id)?;
    let committed = append(tx, id, Some(parent), &change, now)?;
    for task in &commit.tasks {
        if task.session_id != id {
            return Err(Failure::refused(format!("Task {} belongs to another session than {id}", task.id)));
        }
        tasks::save(tx, task, owner)?;
    }
    Ok(committed)
}

/// Writes a change and makes it the tip of its session.
pub(super) fn append(
    tx: &Transaction<'_>,
    id: SessionId,
    parent: Option<Parent>,
    change: &Change<'_>,
    now: Timestamp,
) -> Outcome<Committed> {
    check(change)?;
    let state_text = to_text(change.state)?;
    let parent_seq = parent.as_ref().map(|parent| parent.seq);
    let body = encode(parent, change.state, &state_text)?;
    let title: String =
        tx.prepare_cached("SELECT title FROM sessions WHERE id = ?1")?.query_row([id], |row| row.get(0))?;
    let mut payload = json!({
        "turn": change.turn,
        "parent": parent_seq,
        "engine": change.engine,
        "phase": change.phase,
        "completeness": change.completeness,
        "title": Digest::of(title.as_bytes()),
        "state": Digest::of(state_text.as_bytes()),
    });
    if let (Value::Object(payload), Value::Object(notes)) = (&mut payload, &change.notes) {
        payload.extend(notes.clone());
        payload.extend(digests(id, change));
    }
    let event = events::append(tx, id, change.kind, now, payload)?;
    tx.prepare_cached(
        "INSERT INTO commits (session_id, seq, parent, turn, engine_hash, phase, completeness, encoding, chain, body,
                              figures)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        id,
        event.seq,
        parent_seq,
        change.turn,
        change.engine,
        change.phase,
        change.completeness,
        if body.chain == 0 { "snapshot" } else { "delta" },
        body.chain,
        body.text.as_deref().unwrap_or(&state_text),
        change.figures.map(Json),
    ])?;
    write_parts(tx, id, event.seq, change)?;
    tx.prepare_cached(
        "INSERT INTO states (session_id, state) VALUES (?1, ?2)
         ON CONFLICT (session_id) DO UPDATE SET state = excluded.state",
    )?
    .execute(params![id, state_text])?;
    tx.prepare_cached(
        "UPDATE sessions SET turn = ?2, revision = ?3, tip = ?3, engine_hash = ?4, phase = ?5, completeness = ?6,
                             updated_at = ?7
         WHERE id = ?1",
    )?
    .execute(params![
        id,
        change.turn,
        event.seq,
        change.engine,
        change.phase,
        change.completeness,
        Millis(now)
    ])?;
    Ok(Committed { turn: change.turn, revision: event.seq, head: event.hash })
}

/// Refuses what does not belong to the turn, or could not be read back as it is.
fn check(change: &Change<'_>) -> Outcome<()> {
    let turn = change.turn;
    let wrong =
        |what: &str, found: u32| Failure::refused(format!("A {what} of turn {found} cannot go into turn {turn}"));
    if let Some(message) = change.messages.iter().find(|message| message.turn != turn) {
        return Err(wrong("message", message.turn));
    }
    if let Some(entry) = change.extractions.iter().find(|entry| entry.turn != turn) {
        return Err(wrong("extraction", entry.turn));
    }
    if let Some(checkpoint) = change.checkpoint.filter(|checkpoint| checkpoint.turn != turn) {
        return Err(wrong("checkpoint", checkpoint.turn));
    }
    let mut numbers = change.extractions.iter().map(|entry| entry.confidence).chain([change.completeness]);
    if !numbers.all(f64::is_finite) {
        return Err(Failure::refused("A confidence or completeness is not a number"));
    }
    let messages = change.messages.iter().map(|message| &message.meta);
    let entries = change.extractions.iter().flat_map(|entry| [&entry.value, &entry.evidence]);
    let rest = [change.state].into_iter().chain(change.figures).chain(change.checkpoint.map(|kept| &kept.state));
    messages.chain(entries).chain(rest).try_for_each(check_depth)
}

/// Refuses JSON that is nested too deep to be read back.
pub(super) fn check_depth(value: &Value) -> Outcome<()> {
    fn fits(value: &Value, room: usize) -> bool {
        room > 0
            && match value {
                Value::Array(items) => items.iter().all(|item| fits(item, room - 1)),
                Value::Object(map) => map.values().all(|item| fits(item, room - 1)),
                _ => true,
            }
    }
    if fits(value, MAX_DEPTH) { Ok(()) } else { Err(Failure::refused("A JSON document is nested too deep to be kept")) }
}

pub(super) fn to_text(value: &Value) -> Outcome<String> {
    serde_json::to_string(value).map_err(|error| Failure::fault(error.to_string()))
}

/// Is what a commit's row says of its state. No text: the state whole. `chain`: bytes of deltas since a whole one.
struct Body {
    text: Option<String>,
    chain: usize,
}

/// Writes a state as a delta to its parent, until the deltas since the last whole state would outweigh it; then whole.
/// So all rows together never weigh more than twice the deltas, however large the state is, and no state is further
/// away than twice its own size. The delta is tried before it is trusted.
fn encode(parent: Option<Parent>, state: &Value, state_text: &str) -> Outcome<Body> {
    let whole = Body { text: None, chain: 0 };
    let Some(mut parent) = parent else { return Ok(whole) };
    let text =
        serde_json::to_string(&delta::diff(&parent.state, state)).map_err(|error| Failure::fault(error.to_string()))?;
    let chain = parent.chain + text.len();
    if chain > state_text.len() {
        return Ok(whole);
    }
    let Ok(patch) = serde_json::from_str::<Patch>(&text) else { return Ok(whole) };
    let faithful = delta::apply(&mut parent.state, patch).is_ok() && delta::identical(&parent.state, state);
    Ok(if faithful { Body { text: Some(text), chain } } else { whole })
}

/// Cuts messages to what the columns keep.
pub(super) fn kept_messages(messages: &[Message]) -> Vec<Message> {
    messages.iter().map(|message| Message { created_at: whole_millis(message.created_at), ..message.clone() }).collect()
}

/// Cuts extractions to what is written of them.
fn kept_extractions(entries: &[ExtractionEntry]) -> Vec<ExtractionEntry> {
    entries.iter().map(|entry| ExtractionEntry { superseded_by: None, ..entry.clone() }).collect()
}

/// Digests the parts of a change. A part that is empty has no digest.
pub(super) fn digests(id: SessionId, change: &Change<'_>) -> Map<String, Value> {
    let mut found = Map::new();
    let mut add = |name: &str, digest: Digest| found.insert(name.to_owned(), Value::String(digest.to_string()));
    if !change.messages.is_empty() {
        add("messages", canonical::digest(&kept_messages(change.messages)));
    }
    if !change.extractions.is_empty() {
        add("extractions", canonical::digest(&kept_extractions(change.extractions)));
    }
    if let Some(checkpoint) = change.checkpoint {
        add("checkpoint", canonical::digest(checkpoint));
    }
    if let Some(figures) = change.figures {
        add("figures", canonical::digest(figures));
    }
    if !change.budget.is_empty() {
        let entries = change.budget.iter().map(|entry| BudgetEntry { session_id: Some(id), ..entry.clone() });
        add("budget", canonical::digest(&entries.collect::<Vec<_>>()));
    }
    found
}

fn write_parts(tx: &Transaction<'_>, id: SessionId, seq: u64, change: &Change<'_>) -> Outcome<()> {
    let mut statement = tx.prepare_cached(
        "INSERT INTO messages (session_id, seq, ordinal, id, turn, role, content, created_at, meta)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    for (ordinal, message) in change.messages.iter().enumerate() {
        let Message { id: message_id, turn, role, content, created_at, meta } = message;
        statement.execute(params![
            id,
            seq,
            ordinal,
            message_id,
            turn,
            role,
            content,
            Millis(*created_at),
            Json(meta)
        ])?;
    }
    let mut statement = tx.prepare_cached(
        "INSERT INTO extractions (session_id, seq, ordinal, id, turn, message_id, field_path, value, confidence, kind,
                                  reasoning, evidence)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?;
    for (ordinal, entry) in change.extractions.iter().enumerate() {
        statement.execute(params![
            id,
            seq,
            ordinal,
            entry.id,
            entry.turn,
            entry.message_id,
            entry.field_path,
            Json(&entry.value),
            entry.confidence,
            entry.kind,
            entry.reasoning,
            Json(&entry.evidence),
        ])?;
    }
    if let Some(checkpoint) = change.checkpoint {
        // Mostly the state just before the one committed, so the difference is small.
        let delta = delta::diff(change.state, &checkpoint.state);
        tx.execute(
            "INSERT INTO checkpoints (session_id, seq, turn, delta, context_tokens, reason)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![id, seq, checkpoint.turn, Json(delta), checkpoint.context_tokens, checkpoint.reason],
        )?;
    }
    budget::add(tx, Some(id), Some(seq), change.budget)
}
