//! Ollama's own protocol. Its chat completions know no size of the context window, and cut longer prompts silently.

use serde_json::{Map, Value, json};

use super::adapter::{Framing, Plan, Protocol, arguments, parse, text, turns, without};
use super::assembly::{Assembly, CallPiece, Emit};
use super::bounds::count;
use super::chat::{ChatMessage, Finish, Role};
use super::endpoint::Endpoint;
use super::error::ChatError;
use super::sse::SseEvent;
use super::status;
use super::structured::Means;

pub(super) const PROTOCOL: Protocol = Protocol {
    chat_path: "api/chat",
    models_path: "api/tags",
    base_path,
    key_header: ("authorization", "Bearer "),
    version: None,
    framing: Framing::Lines,
    means: &[Means::JsonSchema, Means::JsonMode, Means::Prompt],
    body,
    event,
    whole: read,
};

/// The address of its chat completions is its own address, one part longer.
fn base_path(path: &str) -> String {
    without(path, &["/v1/chat/completions", "/api/chat", "/api", "/v1"]).to_owned()
}

fn body(plan: &Plan<'_>) -> Value {
    let system = plan.request.system.join("\n\n");
    let system = (!system.is_empty()).then(|| json!({ "role": "system", "content": system }));
    let turns = turns(plan, plan.known.user_first);
    let messages: Vec<Value> = system.into_iter().chain(turns.iter().flat_map(written)).collect();
    let mut body = json!({ "model": plan.endpoint.model, "messages": messages, "stream": true });
    let options = options(plan);
    if !options.is_empty() {
        body["options"] = Value::Object(options);
    }
    if let (Some(output), Some(means)) = (&plan.request.schema, plan.means) {
        match means {
            Means::JsonSchema => body["format"] = Value::clone(&output.schema),
            Means::JsonMode => body["format"] = json!("json"),
            Means::ToolCall | Means::Prompt => {}
        }
    }
    // It has no word for tools that may not be called now, so they are left out then.
    let tools = plan.tools().iter().filter(|_| !plan.forbids_calls()).map(|tool| {
        json!({ "type": "function", "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.parameters } })
    });
    let tools: Vec<Value> = tools.collect();
    if !tools.is_empty() {
        body["tools"] = Value::Array(tools);
    }
    body
}

/// A message as it is sent; what tools brought is a message for each call.
fn written(message: &ChatMessage) -> Vec<Value> {
    let told = message.results.iter();
    let mut all: Vec<Value> =
        told.map(|told| json!({ "role": "tool", "tool_name": told.name, "content": told.text })).collect();
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    if !message.calls.is_empty() {
        let calls = message.calls.iter();
        let calls = calls.map(|call| json!({ "function": { "name": call.name, "arguments": arguments(call) } }));
        all.push(json!({ "role": role, "content": message.content, "tool_calls": calls.collect::<Vec<_>>() }));
    } else if all.is_empty() {
        all.push(json!({ "role": role, "content": message.content }));
    }
    all
}

fn options(plan: &Plan<'_>) -> Map<String, Value> {
    let temperature = plan.request.temperature.filter(|_| !plan.known.no_temperature);
    let stated = [
        ("num_ctx", plan.endpoint.window().map(Value::from)),
        ("num_predict", plan.max_output_tokens.map(Value::from)),
        ("temperature", temperature.map(Value::from)),
    ];
    stated.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn event(endpoint: &Endpoint, event: &SseEvent, into: &mut Assembly, emit: Emit<'_>) -> Result<(), ChatError> {
    read(endpoint, &parse(endpoint, &event.data)?, into, emit)
}

/// A line of a stream and a whole answer have the same form.
fn read(endpoint: &Endpoint, line: &Value, into: &mut Assembly, emit: Emit<'_>) -> Result<(), ChatError> {
    if let Some(error) = line.get("error").filter(|error| !error.is_null()) {
        return Err(status::from_value(endpoint, error));
    }
    if line.get("message").is_none() && line.get("done").is_none() {
        return Err(ChatError::MalformedStream { detail: "a line has neither a message nor an end".to_owned() });
    }
    if into.model.is_empty() {
        text(line, "/model").clone_into(&mut into.model);
    }
    into.push_reasoning(text(line, "/message/thinking"), emit);
    into.push_text(text(line, "/message/content"), emit);
    let calls = line.pointer("/message/tool_calls").and_then(Value::as_array);
    // Calls come whole, and have no number.
    for call in calls.into_iter().flatten() {
        let written = call.pointer("/function/arguments").map(ToString::to_string).unwrap_or_default();
        let (id, name) = (text(call, "/id"), text(call, "/function/name"));
        into.push_call(&CallPiece { at: None, id, name, arguments: &written }, emit);
    }
    if line.get("done").and_then(Value::as_bool) == Some(true) {
        into.tally.input = count(line, "/prompt_eval_count").or(into.tally.input);
        into.tally.output = count(line, "/eval_count").or(into.tally.output);
        into.finish = Some(match text(line, "/done_reason") {
            "length" => Finish::Length,
            "" | "stop" => Finish::Stop,
            _ => Finish::Other,
        });
        into.done = true;
    }
    Ok(())
}
