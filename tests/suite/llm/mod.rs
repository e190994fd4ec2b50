//! Endpoints, against a fake one.

/// The guard never overshoots, and says when it must stop.
mod budget;
/// Dropping a call closes the connection.
mod cancel;
/// Every way a call fails, and what the person is told.
mod failure;
/// Numbers from outside are bounded before they are believed.
mod figures;
/// Doctor's probe and the search for local servers.
mod probe;
/// Other protocols than chat completions and messages.
mod protocols;
/// Recordings: byte for byte, without keys, with a helpful miss.
mod record;
/// What is sent.
mod request;
/// What is tried again, when, and how it is announced.
mod retry;
/// The key shows nowhere, wherever an endpoint echoes it.
mod secrets;
/// Words as they arrive: deltas, reasoning, usage, peculiar servers, splits at every byte.
mod streaming;
/// The ladder from JSON Schema to plain prompt.
mod structured;
/// Tools: offered, called, told; and endpoints that take none.
mod tools;

use elenchus::llm::{ChatError, ChatEvent, ChatMessage, ChatReply, ChatRequest, Client, Endpoint};

/// A question without any demands.
fn question() -> ChatRequest {
    ChatRequest {
        system: vec!["You are an interviewer.".to_owned()],
        messages: vec![ChatMessage::user("We need a booking app.")],
        ..ChatRequest::default()
    }
}

/// Asks once and returns the outcome with everything that happened on the way.
async fn ask_with(client: &Client, request: &ChatRequest) -> (Result<ChatReply, ChatError>, Vec<ChatEvent>) {
    let mut events = Vec::new();
    let outcome = client.chat(request, &mut |event| events.push(event)).await;
    (outcome, events)
}

/// Asks an endpoint the question.
async fn ask(endpoint: Endpoint) -> (Result<ChatReply, ChatError>, Vec<ChatEvent>) {
    let client = Client::new(endpoint).expect("a usable endpoint");
    ask_with(&client, &question()).await
}

/// Asks without trying again.
pub async fn ask_once(mut endpoint: Endpoint) -> Result<ChatReply, ChatError> {
    endpoint.retry.attempts = 1;
    ask(endpoint).await.0
}

/// The deltas among events, joined.
fn deltas(events: &[ChatEvent]) -> String {
    events
        .iter()
        .filter_map(|event| if let ChatEvent::Delta(text) = event { Some(text.as_str()) } else { None })
        .collect()
}
