//! Estimates tokens where an endpoint has not counted them: for a budget beforehand, for missing usage afterwards.

use super::chat::{ChatMessage, ChatRequest, ToolOffer};

/// What a message costs besides its words: role markers and separators of the chat template.
const PER_MESSAGE: u64 = 4;

/// Estimates the tokens of `text`, as the engine does when it shares out the context.
pub fn estimate(text: &str) -> u64 {
    u64::from(crate::engine::tokens::estimate(text))
}

/// Estimates the tokens of a whole request, schema and tools included.
pub fn estimate_request(request: &ChatRequest) -> u64 {
    let system: u64 = request.system.iter().map(|part| estimate(part) + PER_MESSAGE).sum();
    let message = |message: &ChatMessage| {
        let calls: u64 = message.calls.iter().map(|call| estimate(&call.arguments) + PER_MESSAGE).sum();
        let results: u64 = message.results.iter().map(|result| estimate(&result.text) + PER_MESSAGE).sum();
        estimate(&message.content) + PER_MESSAGE + calls + results
    };
    let messages: u64 = request.messages.iter().map(message).sum();
    let tool = |tool: &ToolOffer| estimate(&tool.description) + estimate(&tool.parameters.to_string()) + PER_MESSAGE;
    let tools: u64 = request.tools.iter().map(tool).sum();
    let schema = request.schema.as_ref().map_or(0, |schema| estimate(&schema.schema.to_string()));
    system + messages + tools + schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_stay_near_what_tokenizers_count() {
        for (text, counted) in [
            ("Reception loses three hours a day on the phone.", 10),
            ("fn main() { let total = 1024; }", 11),
            ("予約アプリが必要です", 8),
        ] {
            let estimate = estimate(text);
            assert!(estimate >= counted * 7 / 10 && estimate <= counted * 2, "{text}: {estimate} against {counted}");
        }
    }

    #[test]
    fn nothing_costs_nothing() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate_request(&ChatRequest::default()), 0);
    }
}
