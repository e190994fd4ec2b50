//! What the engine leaves behind, as the store keeps it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::engine::extraction::{ChangeKind, LogEntry};
use crate::engine::memory::WorkingMemory;
use crate::engine::ports::{Checkpoint, TurnToKeep};
use crate::engine::transcript::{Message, Role};
use crate::store::{self, CommitKind, ExtractionEntry, ExtractionId, ExtractionKind, HandoffVerification, MessageId};

/// What is kept with a message.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct MessageMeta {
    /// Its size; counted anew where it is not there.
    tokens: Option<u32>,
}

/// A message as the store keeps it.
pub fn message(message: &Message, now: Timestamp) -> store::MessageRecord {
    let role = match message.role {
        Role::User => store::Role::User,
        Role::Assistant => store::Role::Assistant,
    };
    let content = message.text.to_string();
    let meta = json!(MessageMeta { tokens: Some(message.tokens) });
    store::MessageRecord { id: MessageId::new(now), turn: message.turn, role, content, created_at: now, meta }
}

/// A message as the engine reads it; notes of the program are not part of the conversation.
pub fn said(message: store::MessageRecord) -> Option<Message> {
    let role = match message.role {
        store::Role::User => Role::User,
        store::Role::Assistant => Role::Assistant,
        store::Role::System => return None,
    };
    let MessageMeta { tokens } = MessageMeta::deserialize(&message.meta).unwrap_or_default();
    Some(match tokens {
        Some(tokens) => Message { turn: message.turn, role, text: message.content.into(), tokens },
        None => Message::new(message.turn, role, message.content),
    })
}

/// An entry of the extractions log.
pub fn extraction(entry: &LogEntry, message_id: Option<MessageId>, now: Timestamp) -> ExtractionEntry {
    ExtractionEntry {
        id: ExtractionId::new(now),
        turn: entry.turn,
        message_id,
        field_path: entry.field_path.clone(),
        value: entry.extracted_value.clone(),
        confidence: entry.confidence,
        kind: match entry.extraction_type {
            ChangeKind::New => ExtractionKind::New,
            ChangeKind::Update => ExtractionKind::Update,
            ChangeKind::Supersede => ExtractionKind::Supersede,
            ChangeKind::Candidate => ExtractionKind::Candidate,
            ChangeKind::Stale => ExtractionKind::Stale,
            ChangeKind::Unknown => ExtractionKind::Unknown,
            ChangeKind::Declined => ExtractionKind::Declined,
            ChangeKind::Cleared => ExtractionKind::Cleared,
        },
        reasoning: Some(entry.reasoning.clone()).filter(|text| !text.is_empty()),
        evidence: json!(entry.evidence),
        superseded_by: None,
    }
}

/// The checkpoint belongs to the turn that took it, though it holds the state before.
fn checkpoint(checkpoint: &Checkpoint, turn: u32) -> Result<store::Checkpoint, serde_json::Error> {
    Ok(store::Checkpoint {
        turn,
        state: state(&checkpoint.memory)?,
        context_tokens: checkpoint.context_tokens,
        reason: checkpoint.reason.to_owned(),
    })
}

/// The memory as a document.
pub fn state(memory: &WorkingMemory) -> Result<Value, serde_json::Error> {
    serde_json::to_value(memory)
}

/// How well the answer took up what was handed over, where this turn has measured it.
fn verification(before: &WorkingMemory, after: &WorkingMemory) -> Option<HandoffVerification> {
    let of = |memory: &WorkingMemory| memory.inbound_handoff.as_ref()?.verification.clone();
    let measured = of(after).filter(|_| of(before).is_none())?;
    Some(HandoffVerification { verified: measured.verified, result: json!(measured) })
}

/// A whole turn for the store, with the memory that it started from.
pub fn turn(
    session: &store::SessionRecord,
    before: &WorkingMemory,
    commit: &TurnToKeep<'_>,
    title: Option<String>,
    tasks: Vec<store::TaskRow>,
    now: Timestamp,
) -> Result<store::TurnCommit, serde_json::Error> {
    let (question, answer) = (message(commit.message, now), message(commit.answer, now));
    let message_id = Some(question.id);
    Ok(store::TurnCommit {
        session_id: session.id,
        kind: CommitKind::Turn,
        expected_turn: session.turn,
        expected_revision: session.revision,
        messages: vec![question, answer],
        state: state(commit.memory)?,
        phase: commit.memory.phase.current.clone(),
        completeness: commit.memory.completeness.overall,
        title,
        extractions: commit.log.iter().map(|entry| extraction(entry, message_id, now)).collect(),
        checkpoint: commit.checkpoint.map(|kept| checkpoint(kept, commit.memory.turn)).transpose()?,
        tasks,
        figures: Some(commit.figures.clone()),
        // What it has cost is added when it is kept.
        budget: Vec::new(),
        settled: Vec::new(),
        verification: verification(before, commit.memory),
    })
}

/// A change between turns for the store.
pub fn amendment(
    session: &store::SessionRecord,
    memory: &WorkingMemory,
    log: &[LogEntry],
    now: Timestamp,
) -> Result<store::TurnCommit, serde_json::Error> {
    Ok(store::TurnCommit {
        session_id: session.id,
        kind: CommitKind::Amendment,
        expected_turn: session.turn,
        expected_revision: session.revision,
        messages: Vec::new(),
        state: state(memory)?,
        phase: memory.phase.current.clone(),
        completeness: memory.completeness.overall,
        title: None,
        extractions: log.iter().map(|entry| extraction(entry, None, now)).collect(),
        checkpoint: None,
        tasks: Vec::new(),
        figures: None,
        budget: Vec::new(),
        settled: Vec::new(),
        verification: None,
    })
}
