//! What the protocols have in common: one door to their adapters, and the conversation in the form all of them accept.

use serde_json::Value;

use super::assembly::{Assembly, Emit};
use super::chat::{ChatMessage, ChatRequest, Role, ToolOffer};
use super::endpoint::{Endpoint, Provider};
use super::error::ChatError;
use super::sse::SseEvent;
use super::structured::{self, Capabilities, Means};
use super::{anthropic, ollama, openai, responses};

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

impl Plan<'_> {
    /// The tools that go into the request: none where the endpoint takes none, or where data is asked for.
    pub fn tools(&self) -> &[ToolOffer] {
        if self.known.no_tools || self.request.schema.is_some() { &[] } else { &self.request.tools }
    }

    /// Whether the model has to be told that it may not call them now.
    pub fn forbids_calls(&self) -> bool {
        !self.tools().is_empty() && !self.request.may_call
    }
}

/// How a stream is divided into events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events.
    Events,
    /// A JSON value in each line.
    Lines,
}

/// Reads one event of a stream.
type ReadEvent = fn(&Endpoint, &SseEvent, &mut Assembly, Emit<'_>) -> Result<(), ChatError>;
/// Reads an answer that came whole because the endpoint does not stream.
type ReadWhole = fn(&Endpoint, &Value, &mut Assembly, Emit<'_>) -> Result<(), ChatError>;

/// Everything that tells one protocol from another. A new one is a [`Provider`], a file with such a record, and a line in
/// [`of`]; a line in `presets.rs` gives it a name for the settings, one in the form for endpoints lets people choose it.
pub(super) struct Protocol {
    /// What is added to the base address for a chat, and for the list of models.
    pub chat_path: &'static str,
    pub models_path: &'static str,
    /// Completes the path of a base address that people leave out or paste too much of.
    pub base_path: fn(&str) -> String,
    /// The header that carries the key, and the word before it.
    pub key_header: (&'static str, &'static str),
    /// A header that every request has.
    pub version: Option<(&'static str, &'static str)>,
    pub framing: Framing,
    /// The means of getting data, best first.
    pub means: &'static [Means],
    /// Writes the request body.
    pub body: fn(&Plan<'_>) -> Value,
    pub event: ReadEvent,
    pub whole: ReadWhole,
}

/// The record of a protocol.
pub(super) fn of(provider: Provider) -> &'static Protocol {
    match provider {
        Provider::OpenAi => &openai::PROTOCOL,
        Provider::Responses => &responses::PROTOCOL,
        Provider::Anthropic => &anthropic::PROTOCOL,
        Provider::Ollama => &ollama::PROTOCOL,
    }
}

/// Writes the request body.
pub(super) fn body(plan: &Plan<'_>) -> Value {
    let mut body = (of(plan.endpoint.provider).body)(plan);
    for (key, value) in &plan.endpoint.extra_body {
        body[key] = value.clone();
    }
    body
}

/// Reads one event of a stream.
pub(super) fn event(
    endpoint: &Endpoint,
    event: &SseEvent,
    into: &mut Assembly,
    emit: Emit<'_>,
) -> Result<(), ChatError> {
    (of(endpoint.provider).event)(endpoint, event, into, emit)
}

/// Reads an answer that came whole.
pub(super) fn whole(endpoint: &Endpoint, body: &Value, into: &mut Assembly, emit: Emit<'_>) -> Result<(), ChatError> {
    (of(endpoint.provider).whole)(endpoint, body, into, emit)
}

/// A base path without the ends of addresses that people paste.
pub(super) fn without<'p>(path: &'p str, tails: &[&str]) -> &'p str {
    let path = path.trim_end_matches('/');
    tails.iter().find_map(|tail| path.strip_suffix(tail)).unwrap_or(path)
}

/// The conversation as it is sent. What describes the shape of data stands at its end: all before it is the same as in the
/// request for an answer, so that endpoints know it already.
pub(super) fn turns(plan: &Plan<'_>, user_first: bool) -> Vec<ChatMessage> {
    let mut messages = plan.request.messages.clone();
    if plan.tools().is_empty() {
        messages.iter_mut().filter(|message| message.is_about_tools()).for_each(spell_out);
    }
    let described = plan.request.schema.as_ref().filter(|_| plan.means.is_some_and(Means::needs_instruction));
    messages.extend(described.map(|output| ChatMessage::user(structured::instruction(output))));
    alternating(&messages, user_first)
}

/// Puts what calls of tools brought into plain words, for an endpoint that takes no tools, or no longer.
fn spell_out(message: &mut ChatMessage) {
    message.calls.clear();
    let results: Vec<String> = message.results.drain(..).map(|result| result.text).collect();
    if !results.is_empty() {
        message.content = results.join("\n\n");
    } else if message.content.trim().is_empty() {
        "I look that up.".clone_into(&mut message.content);
    }
}

/// The arguments of a call as an object: what a model wrote that is none cannot be sent back to it.
pub(super) fn arguments(call: &crate::engine::tools::ToolCall) -> Value {
    let read = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
    read.unwrap_or_else(|| Value::Object(serde_json::Map::new()))
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
            Some(last) if last.role == message.role && !last.is_about_tools() && !message.is_about_tools() => {
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
