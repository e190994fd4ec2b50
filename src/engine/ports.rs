//! The one way by which a turn reaches the outside.

use std::future::Future;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Engine;
use super::budget::OverBudget;
use super::config::{Field, Technique, Tool};
use super::context::AssembledContext;
use super::extraction::{Change, LogEntry};
use super::figures::TurnFigures;
use super::memory::{TaskRecord, WorkingMemory};
use super::obligations::AgendaItem;
use super::qa::Finding;
use super::reading::Heard;
use super::step::TraceEntry;
use super::tools::{ToolCall, ToolFinding, ToolRound};
use super::transcript::{Message, Transcript};

/// What a turn needs of the outside. Dropping the future of a turn at any call leaves the session as it was.
///
/// An analysis and an answer may be under way at once, so everything is asked of a shared reference.
pub trait Ports: Send + Sync {
    /// A clock that only goes forward, in microseconds.
    fn now_micros(&self) -> u64;

    /// In which order analysis and answer are best asked for now.
    fn pacing(&self) -> Pacing {
        Pacing::AtOnce
    }

    /// How many tokens fit into a request, where that is known.
    fn window(&self) -> Option<u32> {
        None
    }

    /// Whether the model is a small one: it gets short prompts, and rules help it to listen.
    fn model_is_small(&self) -> bool {
        false
    }

    /// Finds out what the user said.
    fn analyse(&self, request: &AnalysisRequest<'_>) -> impl Future<Output = Result<AnalysisReply, CallError>> + Send;

    /// Writes the answer, passing on what is written as it comes.
    fn respond(&self, request: &ResponseRequest<'_>) -> impl Future<Output = Result<ResponseReply, CallError>> + Send;

    /// The tools that may be used in this session and have something to work on.
    fn tools(&self) -> &[Tool] {
        &[]
    }

    /// Whether there is enough left to spend for a tool and the request after it.
    fn may_use_tools(&self) -> bool {
        true
    }

    /// Uses a tool. Where that is not possible, the reason is for the model.
    fn use_tool(&self, tool: Tool, query: &str) -> impl Future<Output = Result<ToolFinding, String>> + Send {
        let _ = query;
        std::future::ready(Err(format!("{tool} cannot be used here")))
    }

    /// Shortens what was said long ago.
    fn summarise(&self, request: &SummaryRequest<'_>) -> impl Future<Output = Result<SummaryReply, CallError>> + Send;

    /// Calls that ended since this was last asked and are no reply's own: tried again, refused, dropped.
    fn other_calls(&self) -> Vec<CallRecord> {
        Vec::new()
    }

    /// What the user is to be told with this turn beside its answer, such as a threshold of the budget that was crossed.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether the user has seen words of the answer that is being written.
    fn has_shown(&self) -> bool {
        false
    }

    /// Keeps words of the answer back from the user from now on, because it may not hold.
    fn hold(&self) {}

    /// Shows the words that were kept back and those to come, or drops the former where the answer does not hold.
    fn release(&self, holds: bool) {
        let _ = holds;
    }

    /// Keeps the turn, whole or not at all.
    fn persist(&self, commit: &TurnToKeep<'_>) -> impl Future<Output = Result<(), PersistError>> + Send;

    /// Starts the background tasks that were kept with the turn.
    fn dispatch(&self) -> impl Future<Output = ()> + Send;

    /// Tells the listeners how far the turn has come.
    fn emit(&self, event: TurnEvent<'_>);
}

/// In which order analysis and answer are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    /// One after the other: both are there without waiting, and nothing would be gained.
    AtOnce,
    /// Both at once: the answer is begun on what rules alone hear in the message.
    Together,
    /// The answer first, on what rules alone hear, then the analysis: one request at a time, and the user waits for one.
    AnswerFirst,
    /// The analysis first, for this reason: nothing is begun that may have to be thrown away.
    AnalysisFirst(&'static str),
}

/// How far a turn has come.
#[derive(Clone, Copy, Debug)]
pub enum TurnEvent<'a> {
    StepDone(&'a TraceEntry),
    /// The history had to be compressed, by this strategy.
    Compressed(&'a str),
    /// The answer was sent back for revision; what was shown of it no longer counts.
    Revising(&'a [Finding]),
    /// The answer that was begun early does not hold, for this reason; what was shown of it no longer counts.
    Discarded(&'a str),
}

/// What the analysis of a message is made from.
#[derive(Debug)]
pub struct AnalysisRequest<'a> {
    pub engine: &'a Engine,
    /// The memory before this message.
    pub memory: &'a WorkingMemory,
    /// What was said before.
    pub transcript: &'a Transcript,
    pub message: &'a str,
    /// What rules alone make of it.
    pub heard: &'a Heard,
    pub fields: Vec<&'a Field>,
    /// What it is shown: the same beginning as an answer's.
    pub context: AssembledContext<'a>,
    /// What the model is told; the same as long as the fields are.
    pub instructions: Arc<str>,
    /// What it is told of this message.
    pub material: String,
    /// The shape of its answer.
    pub schema: Arc<Value>,
    /// What it may take.
    pub max_output_tokens: u32,
}

/// What an analysis brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnalysisReply {
    /// The answer as it came; it is repaired, checked and never believed.
    pub text: String,
    /// Whether it ended before its end, so that its last entry may be half an entry.
    pub cut: bool,
    /// What the user is to be told of how it came.
    pub warnings: Vec<String>,
    pub call: CallRecord,
}

impl AnalysisRequest<'_> {
    /// What is asked for instead of an answer.
    pub fn report(&self) -> String {
        format!("{}{}", self.instructions, self.material)
    }
}

/// What an answer is made from.
#[derive(Debug)]
pub struct ResponseRequest<'a> {
    pub engine: &'a Engine,
    /// The memory of this turn so far.
    pub memory: &'a WorkingMemory,
    /// What was said before.
    pub transcript: &'a Transcript,
    pub message: &'a str,
    /// What rules alone make of it.
    pub heard: &'a Heard,
    pub agenda: &'a [AgendaItem],
    pub techniques: &'a [&'a Technique],
    /// What was just learned.
    pub changes: &'a [Change],
    /// The phase that was just left, if one was.
    pub left_phase: Option<&'a str>,
    /// What a model gets to see.
    pub context: &'a AssembledContext<'a>,
    /// Tools that it has; the same over a session.
    pub tools: &'a [Tool],
    /// Whether it may call them in this request.
    pub may_call: bool,
    /// What it has called in this turn, with what that brought.
    pub rounds: &'a [ToolRound],
    /// Whether rules are to write it, although there is a model: a small one would not know how.
    pub by_rules: bool,
    pub revision: Option<Revision<'a>>,
}

/// An answer that was sent back.
#[derive(Clone, Copy, Debug)]
pub struct Revision<'a> {
    pub draft: &'a str,
    pub findings: &'a [Finding],
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResponseReply {
    pub text: String,
    /// Obligations it asks for, where its writer knows; else they are found by comparing questions.
    pub asked: Option<Vec<String>>,
    /// Whether it ends where the model had to stop, and not where it wanted to.
    pub cut: bool,
    /// Tools that it calls before it goes on.
    pub calls: Vec<ToolCall>,
    /// Whether it has just shown that the endpoint takes no tools.
    pub tools_refused: bool,
    /// What the user is to be told of how it came.
    pub warnings: Vec<String>,
    /// What it cost.
    pub call: CallRecord,
}

#[derive(Debug)]
pub struct SummaryRequest<'a> {
    /// The summary so far.
    pub previous: Option<&'a str>,
    /// What was said since, oldest first.
    pub messages: &'a [Message],
    /// How long it may be, in tokens.
    pub target_tokens: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SummaryReply {
    pub text: String,
    pub call: CallRecord,
}

/// What a call cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// `analyse`, `respond`, `summarise` or `research`.
    pub role: String,
    /// The model that answered; empty where none was asked.
    pub model: String,
    /// Tokens sent, by the endpoint's own count where it gives one.
    pub input_tokens: u64,
    /// Of those, tokens that the endpoint had in its cache.
    pub cached_tokens: u64,
    pub output_tokens: u64,
    /// What it cost, where prices are known.
    #[serde(deserialize_with = "crate::engine::budget::read_usd")]
    pub cost_usd: f64,
    pub latency_ms: u64,
    /// Whether the tokens are our own estimate.
    pub estimated: bool,
    /// Whether the endpoint turned it down: it cost nothing, and something else was sent instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
}

/// A call that brought nothing.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The model cannot take that much; less may do.
    #[error("{0}")]
    ContextOverflow(String),
    /// It was not made: it could cost more than may be spent.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// Nothing this turn can do about it.
    #[error("{message}")]
    Failed {
        /// What happened and what to do, for the user.
        message: String,
        /// The error behind it, for callers that treat kinds of faults differently.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}

impl CallError {
    /// A failure that is told in words only.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), source: None }
    }
}

/// What is kept of the session could not be read before the turn, or the turn could not be kept after it.
#[derive(Debug, thiserror::Error)]
pub enum PersistError {
    /// The session went on somewhere else meanwhile, or is about to: look at it again first.
    #[error("{0}")]
    Elsewhere(String),
    /// What the turn needs could not be read. Nothing was sent yet.
    #[error("what the session holds could not be read: {0}")]
    Unread(String),
    /// The turn could not be saved, and there is nothing that it can do about it.
    #[error("the turn could not be saved: {0}")]
    Failed(String),
}

/// A state to return to.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    pub memory: WorkingMemory,
    pub reason: &'static str,
    /// Tokens of the context then.
    pub context_tokens: u32,
}

/// Everything a turn leaves behind, to be kept in one transaction.
#[derive(Debug)]
pub struct TurnToKeep<'a> {
    pub message: &'a Message,
    pub answer: &'a Message,
    pub memory: &'a WorkingMemory,
    /// The extractions log's new entries.
    pub log: &'a [LogEntry],
    /// A state to return to, where one was taken.
    pub checkpoint: Option<&'a Checkpoint>,
    pub orders: &'a [TaskRecord],
    /// Its figures, without what was learned: that is in the log.
    pub figures: &'a TurnFigures,
}
