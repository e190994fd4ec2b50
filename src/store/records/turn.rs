//! What one turn leaves behind, and what it takes to go on from there.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::{BudgetEntry, Draft, SessionRecord, TaskRow};
use crate::engine::figures::TurnFigures;
use crate::store::{Digest, ExtractionId, MessageId, SessionId};

/// Says who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    User,
    /// The engine.
    Assistant,
    /// Neither: a note of the program in the conversation.
    System,
}

/// Is something that was said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageRecord {
    /// Its id, made by the caller.
    pub id: MessageId,
    pub turn: u32,
    pub role: Role,
    pub content: String,
    pub created_at: Timestamp,
    /// Whatever the caller keeps with it.
    pub meta: Value,
}

/// Says what an entry of the extractions log did to its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtractionKind {
    /// The field was empty.
    New,
    /// Same meaning, more of it.
    Update,
    /// Another value takes the place of the one before.
    Supersede,
    /// Not certain enough.
    Candidate,
    /// Something it depends on changed.
    Stale,
    /// "I don't know."
    Unknown,
    /// "I'd rather not say."
    Declined,
    /// The value was taken back.
    Cleared,
}

/// Is one entry of the extractions log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExtractionEntry {
    /// Its id, made by the caller.
    pub id: ExtractionId,
    pub turn: u32,
    /// The message it came from, if it came from one.
    pub message_id: Option<MessageId>,
    pub field_path: String,
    pub value: Value,
    /// How certain, 0 to 1.
    pub confidence: f64,
    pub kind: ExtractionKind,
    pub reasoning: Option<String>,
    /// The quotes, spans and source.
    pub evidence: Value,
    /// The later entry that took this one's place: the next `supersede` or `cleared` of the same field that a rewind
    /// has not taken back. Set by the store when that entry comes; what a caller says here is ignored.
    pub superseded_by: Option<ExtractionId>,
}

/// Is a state kept on purpose, for example before history is compressed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub turn: u32,
    /// The whole state.
    pub state: Value,
    /// The size of the context then.
    pub context_tokens: u32,
    pub reason: String,
}

/// Says what kind of change a commit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitKind {
    /// The next turn.
    Turn,
    /// A change between turns: a value edited in the sidebar, a result that arrived. The turn stays the same.
    Amendment,
}

/// Is everything a turn leaves behind. It is stored whole or not at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnCommit {
    pub session_id: SessionId,
    /// Whether it is the next turn or a change between turns.
    pub kind: CommitKind,
    /// The turn that the caller started from.
    pub expected_turn: u32,
    /// The revision that the caller started from.
    pub expected_revision: u64,
    /// What was said. Each carries the number of the turn that this commit makes.
    pub messages: Vec<MessageRecord>,
    /// The working memory after it.
    pub state: Value,
    /// The phase after it.
    pub phase: String,
    /// The completeness after it.
    pub completeness: f64,
    /// A title made from content. Ignored where the user has given one.
    pub title: Option<String>,
    /// What was understood.
    pub extractions: Vec<ExtractionEntry>,
    /// A state to keep.
    pub checkpoint: Option<Checkpoint>,
    /// Background tasks that were started or changed.
    pub tasks: Vec<TaskRow>,
    pub figures: Option<TurnFigures>,
    pub budget: Vec<BudgetEntry>,
    /// The calls that `budget` is about: what was reserved for them goes.
    pub settled: Vec<Uuid>,
    /// How well the answer took up the session's inbound handoff, if that was measured. Ignored where that handoff is
    /// gone.
    pub verification: Option<HandoffVerification>,
}

/// Is how well the receiver of a handoff understood it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HandoffVerification {
    /// Whether it has shown that it understood.
    pub verified: bool,
    pub result: Value,
}

/// Acknowledges a commit: from here on it survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Committed {
    /// The turn the session is at.
    pub turn: u32,
    /// The revision to hand in next.
    pub revision: u64,
    /// The head of the session's event log, to keep elsewhere if a change after the fact must show.
    pub head: Digest,
}

/// Is all it takes to go on where a session was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resumed {
    pub session: SessionRecord,
    pub draft: Draft,
    pub state: Value,
    /// The last messages, oldest first.
    pub messages: Vec<MessageRecord>,
    pub tasks: Vec<TaskRow>,
}

/// Is a turn or amendment that a rewind took out of view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RewoundTurn {
    pub turn: u32,
    pub rewound_at: Timestamp,
    /// What was said in it.
    pub messages: Vec<MessageRecord>,
}

/// Is an earlier course of a session: turns that were taken back together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// What it is called by: the event that took it back.
    pub rewind: u64,
    /// The turn it went on from.
    pub after: u32,
    pub taken_at: Timestamp,
    /// What was said in it.
    pub turns: Vec<RewoundTurn>,
}
