//! What the protocols have in common: one door to their adapters, and the conversation in the form all of them accept.

use reqwest::header::HeaderName;
use serde_json::Value;

use super::assembly::{Assembly, Emit};
use super::chat::{ChatMessage, ChatRequest, Role};
use super::endpoint::{Endpoint, Provider};
use super::error::ChatError;
use super::sse::SseEvent;
use super::structured::{self, Capabilities, Means};
use super::{anthropic, openai};

/// Opens a conversation in which the model speaks first, where a protocol or chat template wants a user message first.
/// Not used without need: a small model takes it for words of the person.
const OPENING: &str = "(The conversation begins.)";

/// How a request is to be put, given what is known about the endpoint.
pub(super) struct Plan<'a> {
    pub endpoint: &'a Endpoint,
    pub request: &'a ChatRequest,
    pub known: &'a Capabilities,
    /// The means of getting data, when data is asked for.
    pub means: Option<Means>,
    /// The limit of output tokens to send.
    pub max_output_tokens: Option<u32>,
}

/// Writes the request body.
pub(super) fn body(plan: &Plan<'_>) -> Value {
    let mut body = match plan.endpoint.provider {
        Provider::OpenAi => openai::body(plan),
        Provider::Anthropic => anthropic::body(plan),
    };
    for (key, value) in &plan.endpoint.extra_body {
        body[key] = value.clone();
    }
    body
}

/// The header that carries the key, and the word before it.
pub(super) fn key_header(provider: Provider) -> (HeaderName, &'static str) {
    match provider {
        Provider::OpenAi => (reqwest::header::AUTHORIZATION, "Bearer "),
        Provider::Anthropic => (HeaderName::from_static("x-api-key"), ""),
    }
}

/// Reads one event of a stream.
pub(super) fn event(
    endpoint: &Endpoint,
    event: &SseEvent,
    into: &mut Assembly,
    emit: Emit<'_>,
) -> Result<(), ChatError> {
    match endpoint.provider {
        Provider::OpenAi => openai::event(endpoint, event, into, emit),
        Provider::Anthropic => anthropic::event(endpoint, event, into, emit),
    }
}

/// Reads an answer that came whole because the endpoint does not stream.
pub(super) fn whole(endpoint: &Endpoint, body: &Value, into: &mut Assembly, emit: Emit<'_>) -> Result<(), ChatError> {
    match endpoint.provider {
        Provider::OpenAi => openai::whole(endpoint, body, into, emit),
        Provider::Anthropic => anthropic::whole(endpoint, body, into, emit),
    }
}

/// The conversation as it is sent. What describes the shape of data stands at its end: all before it is the same as in the
/// request for an answer, so that endpoints know it already.
pub(super) fn turns(plan: &Plan<'_>, user_first: bool) -> Vec<ChatMessage> {
    let mut messages = plan.request.messages.clone();
    let described = plan.request.schema.as_ref().filter(|_| plan.means.is_some_and(Means::needs_instruction));
    messages.extend(described.map(|output| ChatMessage::user(structured::instruction(output))));
    alternating(&messages, user_first)
}

/// The conversation with alternating roles: neighbours of one role are joined, and `user_first` puts words of a user
/// before those of the model. Without any message there is always one, because no endpoint answers to nothing.
fn alternating(messages: &[ChatMessage], user_first: bool) -> Vec<ChatMessage> {
    let mut turns: Vec<ChatMessage> = Vec::with_capacity(messages.len() + 1);
    if messages.first().is_none_or(|first| user_first && first.role == Role::Assistant) {
        turns.push(ChatMessage::user(OPENING));
    }
    for message in messages {
        match turns.last_mut() {
            Some(last) if last.role == message.role => {
                last.content.push_str("\n\n");
                last.content.push_str(&message.content);
            }
            _ => turns.push(message.clone()),
        }
    }
    turns
}

/// Parses an event's data; what is not JSON is a fault of the stream.
pub(super) fn parse(endpoint: &Endpoint, data: &str) -> Result<Value, ChatError> {
    serde_json::from_str(data).map_err(|error| {
        let shown: String = endpoint.scrub(data).chars().filter(|c| !c.is_control()).take(60).collect();
        ChatError::MalformedStream { detail: format!("an event is not JSON, {error}: {shown}") }
    })
}

/// A string inside a value, empty when it is not there.
pub(super) fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn conversations_alternate_and_begin_with_the_person_where_they_must() {
        let given = [
            ChatMessage::assistant("Welcome."),
            ChatMessage::user("One."),
            ChatMessage::user("Two."),
            ChatMessage::assistant("Three."),
        ];
        let expected = [
            ChatMessage::user(OPENING),
            ChatMessage::assistant("Welcome."),
            ChatMessage::user("One.\n\nTwo."),
            ChatMessage::assistant("Three."),
        ];
        assert_eq!(alternating(&given, true), expected);
        assert_eq!(alternating(&given, false), expected[1..]);
        assert_eq!(alternating(&[], false), [ChatMessage::user(OPENING)]);
    }
}
