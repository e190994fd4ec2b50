//! What is asked of a model and what comes back, in the words every endpoint shares.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::ChatError;
use super::json_text;
use crate::engine::tools::ToolCall;

/// Whose words a message carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Whose words these are.
    pub role: Role,
    /// The words.
    pub content: String,
    /// Tools that the model called at the end of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// What calls brought; such a message stands right after the one with the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ToolResult>,
}

/// What the call of a tool brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// What it brought, as the model reads it.
    pub text: String,
}

impl ChatMessage {
    /// Builds a message of the person.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: Role::User, content: content.into(), calls: Vec::new(), results: Vec::new() }
    }

    /// Builds a message of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: Role::Assistant, ..Self::user(content) }
    }

    /// Builds a message of the model that ends with calls of tools.
    pub fn calling(content: impl Into<String>, calls: Vec<ToolCall>) -> Self {
        Self { calls, ..Self::assistant(content) }
    }

    /// Builds the message that tells what calls brought.
    pub fn telling(results: Vec<ToolResult>) -> Self {
        Self { results, ..Self::user("") }
    }

    /// Whether it is about tools, so that it cannot be joined with its neighbours.
    pub(super) fn is_about_tools(&self) -> bool {
        !self.calls.is_empty() || !self.results.is_empty()
    }
}

/// A tool that a model may call while it answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOffer {
    /// Letters, digits and underscores.
    pub name: String,
    /// What it does and when it is of use.
    pub description: String,
    /// The JSON Schema of its arguments. Its root is an object.
    pub parameters: Arc<Value>,
}

/// The shape an answer must have.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputSchema {
    /// A short name, letters, digits and underscores: endpoints use it as the name of a format or a tool.
    pub name: String,
    /// The JSON Schema. Its root is an object.
    pub schema: Arc<Value>,
    /// Whether part of it is of use to the caller: then what came is handed over instead of asking in another way.
    pub in_parts: bool,
}

/// One question to a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// The instructions, stable parts first, so that an endpoint's prompt cache hits from one turn to the next.
    pub system: Vec<String>,
    /// The conversation, oldest first.
    pub messages: Vec<ChatMessage>,
    /// The shape the answer must have, if it is data rather than prose.
    pub schema: Option<OutputSchema>,
    /// Tools that the model may call. They stand in a request as long as a session does, so that prompt caches hit.
    pub tools: Vec<ToolOffer>,
    /// Whether it may call them now; where not, it is told to answer without.
    pub may_call: bool,
    /// The longest answer wanted. Without it the endpoint's own limit holds.
    pub max_output_tokens: Option<u32>,
    /// How freely the model may choose its words.
    pub temperature: Option<f32>,
}

/// What happens while an answer is on its way.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatEvent {
    /// The call waits for its turn: requests per minute or concurrent calls are limited.
    Queued {
        /// How long, when that is known beforehand.
        wait: Option<Duration>,
    },
    /// The endpoint has accepted the request; an answer is coming.
    Started,
    /// More of the answer.
    Delta(String),
    /// More of the model's thinking, which is not part of the answer.
    Reasoning(String),
    /// The attempt failed and another follows. **Everything received before this event is void**: a front end that shows deltas
    /// clears them, because the next attempt starts the answer anew.
    Retrying {
        /// The attempt that failed, counted from 1.
        attempt: u32,
        /// How long until the next one.
        wait: Duration,
        /// Why it failed.
        error: ChatError,
    },
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model was done.
    Stop,
    /// The limit of output tokens was reached: the answer is cut.
    Length,
    /// The model or a filter declined.
    Refusal,
    /// The answer ended without a word about why, and looks whole.
    Unmarked,
    /// Something this version has no word for.
    Other,
}

/// What a call consumed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt, cached ones included.
    pub input_tokens: u64,
    /// Those of them that came out of the endpoint's prompt cache.
    pub cached_input_tokens: u64,
    /// Tokens of the answer, reasoning included.
    pub output_tokens: u64,
    /// Those of them that were reasoning.
    pub reasoning_tokens: u64,
    /// What it cost, when a price is known or the endpoint says so.
    pub cost_usd: Option<f64>,
    /// Whether the token counts are our estimate because the endpoint gave none.
    pub estimated: bool,
}

impl Usage {
    /// Adds up prompt and answer.
    pub fn total_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

/// How long an answer took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latency {
    /// From the request sent to the first word, reasoning included.
    pub first_token: Option<Duration>,
    /// From the request sent to the end of the answer. Earlier attempts are not part of it.
    pub total: Duration,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The answer. When a schema was asked for, the JSON text, however the endpoint delivered it.
    pub text: String,
    /// The model's thinking, kept apart.
    pub reasoning: String,
    /// Tools that it calls. Then there may be no words yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// What the call consumed.
    pub usage: Usage,
    /// Why the answer ended.
    pub finish: Finish,
    /// The model that answered, as the endpoint names it.
    pub model: String,
    /// How long it took.
    pub latency: Latency,
    /// Whether it also called tools that it was not given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub astray: bool,
}

impl ChatReply {
    /// Reads the answer as a JSON object: fences, prose and think blocks are cut off and sloppy JSON is repaired.
    pub fn json(&self) -> Option<Value> {
        json_text::object(&self.text)
    }
}
