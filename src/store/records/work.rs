//! What grows around a conversation: handoffs, tasks, artifacts, costs, trust, and answers to searches.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Role;
use crate::engine::memory::TaskRecord;
use crate::store::{ArtifactId, Digest, HandoffId, MessageId, ProjectId, SessionId, TaskId};

/// Carries what one engine found out to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Handoff {
    /// Its id, made by the caller.
    pub id: HandoffId,
    /// The project of the source session.
    pub project_id: ProjectId,
    pub source_engine_id: String,
    pub source_session_id: SessionId,
    /// The turn of that session in which it was drawn up.
    pub source_turn: u32,
    pub target_engine_id: String,
    /// The session that took it up.
    pub target_session_id: Option<SessionId>,
    /// The sections.
    pub payload: Value,
    pub transition_reason: Option<String>,
    /// Whether the receiver has shown that it understood.
    pub verified: bool,
    pub verification: Option<Value>,
    pub created_at: Timestamp,
}

/// Is a background task as it is kept: its record, and whose it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskRow {
    /// Its id, made by the caller.
    pub id: TaskId,
    /// The session it works for.
    pub session_id: SessionId,
    pub record: TaskRecord,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Is a text that belongs to a project: research, a brief.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its id, made by the caller.
    pub id: ArtifactId,
    pub project_id: ProjectId,
    /// The session it was made in. It is erased with that session.
    pub session_id: Option<SessionId>,
    pub kind: String,
    pub title: String,
    pub content: String,
    /// Its size in tokens, as the caller counts them.
    pub tokens: u32,
    /// Where it comes from, as [`ArtifactOrigin`](super::ArtifactOrigin) writes it.
    pub meta: Value,
    pub created_at: Timestamp,
}

/// Is an artifact that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArtifactHit {
    pub artifact: Artifact,
    /// Its rank: larger is better.
    pub score: f64,
}

/// Is what one call, or several of the same kind, cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetEntry {
    /// The session. None once that session is deleted: money spent stays spent.
    pub session_id: Option<SessionId>,
    /// The day, in the user's own time zone.
    pub day: Date,
    /// What the model was asked to do.
    pub role: String,
    pub model: String,
    /// Tokens read.
    pub input_tokens: u64,
    /// Of these, read from a cache.
    pub cached_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    pub cost_usd: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct BudgetSum {
    pub entries: u64,
    /// Tokens read.
    pub input_tokens: u64,
    /// Of these, read from a cache.
    pub cached_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    pub cost_usd: f64,
}

/// Says what the user decided about an engine folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Its programs may run.
    Trusted,
    /// They may not.
    Refused,
}

/// Is a decision about an engine folder, by content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trust {
    /// The digest of the folder's files.
    pub engine_hash: Digest,
    pub decided_at: Timestamp,
    pub decision: Decision,
}

/// Why a decision that is kept does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    #[error("it was changed after it was made, or this program has not written it")]
    Changed,
    #[error("the log key has not sealed it: it was made without the key, or somebody else has written it")]
    Unsealed,
    #[error(
        "something that the log key has sealed was taken out or put back; `elenchus sessions verify` says more, and with \
         `--repair` all agreements are forgotten and can be given anew"
    )]
    SetBack,
}

/// Asks for what was said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchQuery {
    /// Words; all must occur. "In quotes" they must occur together. The last one may be the beginning of a word.
    pub text: String,
    /// Only in this project.
    pub project: Option<ProjectId>,
    /// Only with this engine id.
    pub engine: Option<String>,
    /// Only in this session.
    pub session: Option<SessionId>,
    /// Not in this session.
    pub except: Option<SessionId>,
    /// Whether any of the words will do.
    pub any: bool,
    /// Whether a hit gives the whole message instead of the words around the match.
    pub whole: bool,
    /// At most so many; 50 if none is given.
    pub limit: Option<u32>,
}

/// Is a message that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    pub session_id: SessionId,
    pub session_title: String,
    pub message_id: MessageId,
    pub turn: u32,
    pub role: Role,
    pub created_at: Timestamp,
    /// The words around the match, with matches between `query::MARK_START` and `query::MARK_END`; or the whole message,
    /// without marks.
    pub snippet: String,
    /// Its rank: larger is better.
    pub score: f64,
}

/// Says how far an erasure went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "erasure")]
pub enum Erasure {
    /// The words are in none of the database's files any more.
    Complete,
    /// They are out of the database, but traces may remain in its files until the next opening that succeeds in
    /// rewriting them; the reason says what stood in the way.
    Pending {
        /// What stood in the way.
        reason: String,
    },
}
