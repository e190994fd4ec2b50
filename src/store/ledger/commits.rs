//! Writing a change of state: the turn, the amendment, the migration and the first commit of a session alike.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::checks::check_depth;
use super::history::{self, Parent};
use super::{Store, drafts, filing, handoffs, seal, sessions, superseded, whole_millis, work};
use crate::store::backend::{Backend, Body, CheckpointRow, CommitRow, Encoding, ExtractionRow, Part, Row, SessionRow};
use crate::store::delta::{self, Patch};
use crate::store::{
    BudgetEntry, Checkpoint, CommitKind, Committed, Digest, EventKind, ExtractionEntry, MessageRecord, SessionId,
    StoreError, TitleSource, TurnCommit, canonical,
};

/// Is what a change leaves behind beside the state. Each part has a digest in the log.
#[derive(Clone, Copy, Default)]
pub(super) struct Words<'a> {
    pub(super) messages: &'a [MessageRecord],
    pub(super) extractions: &'a [ExtractionEntry],
    pub(super) figures: Option<&'a Value>,
    pub(super) budget: &'a [BudgetEntry],
}

/// Is a change of state on its way into the database, made by the engine that the session's row names.
pub(super) struct Change<'a> {
    pub(super) kind: EventKind,
    pub(super) turn: u32,
    pub(super) state: &'a Value,
    pub(super) phase: &'a str,
    pub(super) completeness: f64,
    pub(super) words: Words<'a>,
    pub(super) checkpoint: Option<&'a Checkpoint>,
    /// What only this kind of event has to say.
    pub(super) notes: Value,
}

impl Store {
    /// Stores a turn, or an amendment, in one transaction.
    pub fn commit(&mut self, turn: TurnCommit) -> Result<Committed, StoreError> {
        self.write(|db, now| commit(db, turn, now))
    }
}

/// Stores a turn or an amendment. A turn uses up the claim that there was on it.
pub(super) fn commit(db: &mut dyn Backend, commit: TurnCommit, now: Timestamp) -> Result<Committed, StoreError> {
    let id = commit.session_id;
    let mut row = sessions::get_to_change_at_turn(db, id, commit.expected_turn, commit.expected_revision)?;
    let (kind, turn) = match commit.kind {
        CommitKind::Turn => (EventKind::Turn, row.record.turn + 1),
        CommitKind::Amendment => (EventKind::Amendment, row.record.turn),
    };
    if let Some(title) = commit.title
        && row.record.title_source != TitleSource::User
    {
        row.record.title = title;
        row.record.title_source = TitleSource::Content;
    }
    if commit.kind == CommitKind::Turn {
        row.claimed_by = None;
        filing::take_out(db, &mut row, now)?;
        drafts::forget_sent(db, id)?;
    }
    work::settle(db, &commit.settled)?;
    let figures = commit.figures.as_ref().map(serde_json::to_value).transpose();
    let figures = figures.map_err(|error| StoreError::Fault(format!("figures cannot be written: {error}")))?;
    let change = Change {
        kind,
        turn,
        state: &commit.state,
        phase: &commit.phase,
        completeness: commit.completeness,
        words: Words {
            messages: &commit.messages,
            extractions: &commit.extractions,
            figures: figures.as_ref(),
            budget: &commit.budget,
        },
        checkpoint: commit.checkpoint.as_ref(),
        notes: json!({}),
    };
    let parent = history::tip(db, &row)?;
    let committed = append(db, &mut row, Some(parent), &change, now)?;
    for task in &commit.tasks {
        if task.session_id != id {
            return Err(StoreError::refused(format!("Task {} belongs to another session than {id}", task.id)));
        }
        work::save_task(db, task)?;
    }
    if let (Some(verification), Some(inbound)) = (&commit.verification, row.record.inbound_handoff_id) {
        handoffs::verify(db, inbound, verification)?;
    }
    Ok(committed)
}

/// Writes a change and makes it the tip of its session.
pub(super) fn append(
    db: &mut dyn Backend,
    row: &mut SessionRow,
    parent: Option<Parent>,
    change: &Change<'_>,
    now: Timestamp,
) -> Result<Committed, StoreError> {
    check(change)?;
    let (id, engine_hash) = (row.record.id, row.record.engine_hash);
    let state_text = to_text(change.state)?;
    let parent_seq = parent.as_ref().map(|parent| parent.seq);
    let mut payload = json!({
        "turn": change.turn,
        "parent": parent_seq,
        "engine": engine_hash,
        "phase": change.phase,
        "completeness": change.completeness,
        "title": Digest::of(row.record.title.as_bytes()),
        "state": Digest::of(state_text.as_bytes()),
    });
    if let (Value::Object(payload), Value::Object(notes)) = (&mut payload, &change.notes) {
        payload.extend(notes.clone());
        payload.extend(digests(id, &change.words));
        payload.extend(change.checkpoint.map(|kept| ("checkpoint".to_owned(), json!(canonical::digest(kept)))));
    }
    let seq = seal::append(db, row, change.kind, now, payload)?;
    let (body, chain) = encode(parent, change.state, &state_text)?;
    let commit = CommitRow {
        seq,
        parent: parent_seq,
        turn: change.turn,
        engine_hash,
        phase: change.phase.to_owned(),
        completeness: change.completeness,
        rewound_by: None,
        chain,
        body,
        figures: change.words.figures.map(to_text).transpose()?,
        checkpoint: change.checkpoint.map(|kept| checkpoint_row(change.state, kept)).transpose()?,
    };
    db.put(Row::Commit(id, &commit))?;
    write_words(db, row, seq, &change.words)?;
    db.put(Row::State(id, &state_text))?;
    stand_at(row, &commit, seq, now);
    db.put(Row::Session(row))?;
    Ok(Committed { turn: change.turn, revision: seq, head: row.head_hash })
}

/// Makes a commit the current one in the session's row, as of an event.
pub(super) fn stand_at(row: &mut SessionRow, tip: &CommitRow, revision: u64, now: Timestamp) {
    (row.tip, row.chain) = (tip.seq, tip.chain);
    row.record.turn = tip.turn;
    row.record.engine_hash = tip.engine_hash;
    row.record.phase.clone_from(&tip.phase);
    row.record.completeness = tip.completeness;
    row.record.revision = revision;
    row.record.updated_at = now;
}

/// Refuses what does not belong to the turn, or could not be read back as it is.
fn check(change: &Change<'_>) -> Result<(), StoreError> {
    let (turn, words) = (change.turn, &change.words);
    let wrong =
        |what: &str, found: u32| StoreError::refused(format!("A {what} of turn {found} cannot go into turn {turn}"));
    if let Some(message) = words.messages.iter().find(|message| message.turn != turn) {
        return Err(wrong("message", message.turn));
    }
    if let Some(entry) = words.extractions.iter().find(|entry| entry.turn != turn) {
        return Err(wrong("extraction", entry.turn));
    }
    if let Some(checkpoint) = change.checkpoint.filter(|checkpoint| checkpoint.turn != turn) {
        return Err(wrong("checkpoint", checkpoint.turn));
    }
    let mut numbers = words.extractions.iter().map(|entry| entry.confidence).chain([change.completeness]);
    if !numbers.all(f64::is_finite) {
        return Err(StoreError::refused("A confidence or completeness is not a number"));
    }
    let messages = words.messages.iter().map(|message| &message.meta);
    let entries = words.extractions.iter().flat_map(|entry| [&entry.value, &entry.evidence]);
    let rest = [change.state].into_iter().chain(words.figures).chain(change.checkpoint.map(|kept| &kept.state));
    messages.chain(entries).chain(rest).try_for_each(check_depth)
}

pub(super) fn to_text<T: serde::Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Fault(error.to_string()))
}

/// Writes a state as a delta to its parent, until the deltas since the last whole state would outweigh it; then whole.
/// So all rows together never weigh more than twice the deltas, however large the state is, and no state is further
/// away than twice its own size. The delta is tried before it is trusted. Returns the bytes of deltas since the last
/// whole state as well.
fn encode(parent: Option<Parent>, state: &Value, state_text: &str) -> Result<(Body, usize), StoreError> {
    let whole = || (Body { encoding: Encoding::Snapshot, text: state_text.to_owned() }, 0);
    let Some(mut parent) = parent else { return Ok(whole()) };
    let text = to_text(&delta::diff(&parent.state, state))?;
    let chain = parent.chain + text.len();
    if chain > state_text.len() {
        return Ok(whole());
    }
    let Ok(patch) = serde_json::from_str::<Patch>(&text) else { return Ok(whole()) };
    let faithful = delta::apply(&mut parent.state, patch).is_ok() && delta::identical(&parent.state, state);
    Ok(if faithful { (Body { encoding: Encoding::Delta, text }, chain) } else { whole() })
}

/// Mostly the state just before the one committed, so the difference is small.
fn checkpoint_row(state: &Value, kept: &Checkpoint) -> Result<CheckpointRow, StoreError> {
    Ok(CheckpointRow {
        turn: kept.turn,
        delta: to_text(&delta::diff(state, &kept.state))?,
        context_tokens: kept.context_tokens,
        reason: kept.reason.clone(),
    })
}

/// Digests the parts of a change, as they are kept. A part that is empty has no digest.
pub(super) fn digests(id: SessionId, words: &Words<'_>) -> Map<String, Value> {
    let mut found = Map::new();
    let mut add = |name: &str, digest: Digest| found.insert(name.to_owned(), Value::String(digest.to_string()));
    if !words.messages.is_empty() {
        let kept =
            |message: &MessageRecord| MessageRecord { created_at: whole_millis(message.created_at), ..message.clone() };
        add("messages", canonical::digest(&words.messages.iter().map(kept).collect::<Vec<_>>()));
    }
    if !words.extractions.is_empty() {
        // What takes an entry's place comes later, so the seal cannot cover it.
        let kept = words.extractions.iter().map(|entry| ExtractionEntry { superseded_by: None, ..entry.clone() });
        add("extractions", canonical::digest(&kept.collect::<Vec<_>>()));
    }
    if let Some(figures) = words.figures {
        add("figures", canonical::digest(figures));
    }
    if !words.budget.is_empty() {
        let entries = words.budget.iter().map(|entry| BudgetEntry { session_id: Some(id), ..entry.clone() });
        add("budget", canonical::digest(&entries.collect::<Vec<_>>()));
    }
    found
}

fn write_words(db: &mut dyn Backend, row: &SessionRow, seq: u64, words: &Words<'_>) -> Result<(), StoreError> {
    let id = row.record.id;
    for message in Part::of(seq, words.messages) {
        db.put(Row::Message(id, message))?;
    }
    let entries = words.extractions.iter().map(|entry| ExtractionRow {
        engine_id: row.record.engine_id.clone(),
        entry: ExtractionEntry { superseded_by: None, ..entry.clone() },
    });
    for part in Part::of(seq, entries) {
        let entry = &part.value.entry;
        if superseded::takes_place(entry.kind) {
            db.supersede(id, &entry.field_path, entry.id)?;
        }
        db.put(Row::Extraction(id, part.as_ref()))?;
    }
    let costs = words.budget.iter().map(|entry| BudgetEntry { session_id: Some(id), ..entry.clone() });
    work::spend(db, Some(seq), costs)
}
