//! The offline interviewer: an embedded model that needs no endpoint. It asks the engine's own questions, takes answers
//! down word for word, and never pretends to know more than it was told.

mod choice;
mod correction;
mod list;
mod number;
mod quantity;
mod reading;
mod reply;
mod sentences;
mod volunteered;
mod wording;

pub use quantity::{Quantity, Unit, quantities};

use serde_json::{Value, json};

use crate::engine::ports::{
    AnalysisReply, AnalysisRequest, CallRecord, ResponseReply, ResponseRequest, SummaryReply, SummaryRequest,
};
use crate::engine::replies::{Reply, plain_reply};
use crate::engine::strategy::compression;

/// A value found in a message, with the words it was found in.
#[derive(Clone, Debug, PartialEq)]
struct Found {
    path: String,
    value: Value,
    confidence: f64,
    quote: String,
    reasoning: &'static str,
}

/// Reads a message as the answer to what was asked last, and for what it corrects or volunteers.
pub fn analyse(request: &AnalysisRequest<'_>) -> AnalysisReply {
    let mut found = Vec::new();
    let message = wording::heard(request.message).answer;
    let declines = plain_reply(message) == Some(Reply::Declines);
    if !declines && !message.is_empty() {
        found.extend(correction::find(request, message));
        if found.is_empty() {
            found.extend(reading::answer_to_question(request, message));
        }
        found.extend(volunteered::find(request, message, &found));
    }
    let fields: Vec<Value> = found
        .iter()
        .map(|found| {
            json!({
                "path": found.path,
                "value": found.value,
                "confidence": found.confidence,
                "quote": found.quote,
                "reasoning": found.reasoning,
            })
        })
        .collect();
    AnalysisReply { text: json!({ "fields": fields, "signals": {} }).to_string(), call: record("analyse") }
}

/// Takes up what was said and asks on.
pub fn respond(request: &ResponseRequest<'_>) -> ResponseReply {
    let (text, asked) = reply::compose(request);
    ResponseReply { text, asked: Some(asked), call: record("respond") }
}

/// Shortens old turns to the sentences that carried something.
pub fn summarise(request: &SummaryRequest<'_>, memory: &crate::engine::memory::WorkingMemory) -> SummaryReply {
    let text = compression::extractive(request.previous, request.messages, memory, request.target_tokens);
    SummaryReply { text, call: record("summarise") }
}

/// No model was asked, so nothing was spent.
fn record(role: &str) -> CallRecord {
    CallRecord { role: role.to_owned(), estimated: true, ..CallRecord::default() }
}
