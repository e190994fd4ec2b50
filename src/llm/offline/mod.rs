//! The offline interviewer: an embedded model that needs no endpoint. It asks the engine's own questions, takes down what
//! the rules of reading heard, and never pretends to know more than it was told.

mod corrected;
mod questions;
mod reactions;
mod reply;
mod speech;
mod summary;

use serde_json::{Value, json};

use crate::engine::ports::{
    AnalysisReply, AnalysisRequest, CallRecord, ResponseReply, ResponseRequest, SummaryReply, SummaryRequest,
};
use crate::engine::strategy::compression;

/// What the rules heard in a message, in the form in which every model answers.
pub fn analyse(request: &AnalysisRequest<'_>) -> AnalysisReply {
    let fields: Vec<Value> = request
        .heard
        .kept(request.message)
        .iter()
        .map(|found| {
            json!({
                "path": found.path,
                "value": found.value,
                "confidence": found.confidence,
                "quote": found.quote,
                "reasoning": found.reading,
                "doubt": found.doubt,
            })
        })
        .collect();
    let text = json!({ "fields": fields, "signals": {} }).to_string();
    AnalysisReply { text, call: record("analyse"), ..AnalysisReply::default() }
}

/// Takes up what was said and asks on.
pub fn respond(request: &ResponseRequest<'_>) -> ResponseReply {
    let (text, asked) = reply::compose(request);
    ResponseReply { text, asked: Some(asked), call: record("respond"), ..ResponseReply::default() }
}

/// What the engine has to say to words beside the conversation: an explanation of its question, where they ask for one.
pub fn aside(request: &ResponseRequest<'_>) -> Option<String> {
    let said = reactions::to_questions(request, &speech::Speech::new(request));
    (!said.is_empty()).then(|| said.join("\n\n"))
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
