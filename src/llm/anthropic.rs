//! Anthropic's messages.

use serde_json::{Value, json};

use super::adapter::{Framing, Plan, Protocol, arguments, parse, text, turns, without};
use super::assembly::{Assembly, CallPiece, Emit};
use super::bounds::count;
use super::chat::{ChatMessage, Finish, OutputSchema, Role};
use super::endpoint::Endpoint;
use super::error::ChatError;
use super::sse::SseEvent;
use super::status;
use super::structured::Means;
use crate::engine::tokens;

pub(super) const PROTOCOL: Protocol = Protocol {
    chat_path: "messages",
    models_path: "models",
    base_path: versioned,
    key_header: ("x-api-key", ""),
    version: Some(("anthropic-version", "2023-06-01")),
    framing: Framing::Events,
    means: &[Means::JsonSchema, Means::ToolCall, Means::Prompt],
    body,
    event,
    whole,
};

fn versioned(path: &str) -> String {
    let path = without(path, &["/messages"]);
    if path.ends_with("/v1") { path.to_owned() } else { format!("{path}/v1") }
}

/// Writes the request body.
fn body(plan: &Plan<'_>) -> Value {
    let request = plan.request;
    let messages = messages(plan);
    let mut body = json!({
        "model": plan.endpoint.model,
        "max_tokens": plan.max_output_tokens.unwrap_or(plan.endpoint.longest_answer()),
        "messages": messages,
        "stream": true,
    });
    let system = system(plan);
    if !system.is_empty() {
        body["system"] = Value::Array(system);
    }
    if let Some(temperature) = request.temperature.filter(|_| !plan.known.no_temperature) {
        body["temperature"] = json!(temperature);
    }
    if let (Some(output), Some(means)) = (&request.schema, plan.means) {
        ask_for_data(&mut body, output, means);
    }
    let tools = plan
        .tools()
        .iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters }));
    let tools: Vec<Value> = tools.collect();
    if !tools.is_empty() {
        body["tools"] = Value::Array(tools);
    }
    if plan.forbids_calls() {
        body["tool_choice"] = json!({ "type": "none" });
    }
    body
}

/// The fewest tokens that a prompt must have before a mark for its cache to take effect, by what the name of a model has
/// in it. The first that fits counts.
const LEAST_CACHED: &[(&str, u32)] = &[
    ("haiku-4", 4_096),
    ("opus-4-5", 4_096),
    ("opus-4-6", 4_096),
    ("sonnet-4-6", 2_048),
    ("haiku", 2_048),
    ("", 1_024),
];

/// The fewest tokens of a prompt that the model of an endpoint keeps.
fn least_cached(endpoint: &Endpoint) -> u32 {
    let model = endpoint.model.to_lowercase();
    LEAST_CACHED.iter().find(|(name, _)| model.contains(name)).map_or(0, |(_, least)| *least)
}

/// The instructions, the last of them with a mark: they are the same in the next turns.
fn system(plan: &Plan<'_>) -> Vec<Value> {
    let parts = plan.request.system.iter();
    let mut blocks: Vec<Value> =
        parts.filter(|part| !part.trim().is_empty()).map(|part| json!({ "type": "text", "text": part })).collect();
    let long = system_tokens(plan) >= least_cached(plan.endpoint);
    if let Some(last) = blocks.last_mut().filter(|_| long) {
        last["cache_control"] = json!({ "type": "ephemeral" });
    }
    blocks
}

fn system_tokens(plan: &Plan<'_>) -> u32 {
    plan.request.system.iter().map(|part| tokens::estimate(part)).sum()
}

/// The conversation. What the next request will begin with gets a mark: an answer's request whole; of one for data, which
/// ends with a task of its own, all before the last message.
fn messages(plan: &Plan<'_>) -> Vec<Value> {
    let turns = turns(plan, true);
    let of_person = |skip: usize| {
        let places = turns.iter().enumerate().rev().filter(|(_, message)| message.role == Role::User);
        places.map(|(at, _)| at).nth(skip)
    };
    let before: u32 = turns.iter().map(|message| tokens::estimate(&message.content)).sum();
    let marked = of_person(usize::from(plan.request.schema.is_some()));
    let marked = marked.filter(|_| system_tokens(plan) + before >= least_cached(plan.endpoint));
    let written = turns.iter().enumerate().map(|(at, message)| {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        if marked != Some(at) && !message.is_about_tools() {
            return json!({ "role": role, "content": message.content });
        }
        let mut blocks = blocks(message);
        if let Some(last) = blocks.last_mut().filter(|_| marked == Some(at)) {
            last["cache_control"] = json!({ "type": "ephemeral" });
        }
        json!({ "role": role, "content": blocks })
    });
    written.collect()
}

/// The parts of a message: what calls brought, its words, the calls at its end.
fn blocks(message: &ChatMessage) -> Vec<Value> {
    let told = message.results.iter();
    let mut blocks: Vec<Value> =
        told.map(|told| json!({ "type": "tool_result", "tool_use_id": told.id, "content": told.text })).collect();
    if !message.content.trim().is_empty() {
        blocks.push(json!({ "type": "text", "text": message.content }));
    }
    let calls = message.calls.iter();
    blocks.extend(
        calls.map(|call| json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": arguments(call) })),
    );
    blocks
}

fn ask_for_data(body: &mut Value, output: &OutputSchema, means: Means) {
    match means {
        Means::JsonSchema => {
            body["output_config"] = json!({ "format": { "type": "json_schema", "schema": output.schema } });
        }
        Means::ToolCall => {
            body["tools"] = json!([{
                "name": output.name, "description": "Records the answer.", "input_schema": output.schema }]);
            body["tool_choice"] = json!({ "type": "tool", "name": output.name });
        }
        Means::JsonMode | Means::Prompt => {}
    }
}

/// Reads one event of a stream.
fn event(endpoint: &Endpoint, event: &SseEvent, into: &mut Assembly, emit: Emit<'_>) -> Result<(), ChatError> {
    if event.data.trim().is_empty() || event.data.trim() == "[DONE]" {
        return Ok(());
    }
    let data = parse(endpoint, &event.data)?;
    match text(&data, "/type") {
        "message_start" => {
            text(&data, "/message/model").clone_into(&mut into.model);
            read_usage(data.pointer("/message/usage"), into);
            // The output counted here is only the first token; a cancelled call must not pass for one token.
            into.tally.output = None;
        }
        "content_block_start" => read_block(data.get("content_block"), number(&data), into, emit),
        "content_block_delta" => read_block(data.get("delta"), number(&data), into, emit),
        "message_delta" => {
            read_usage(data.get("usage"), into);
            into.finish = data.pointer("/delta/stop_reason").and_then(Value::as_str).map(finish).or(into.finish);
        }
        "message_stop" => into.done = true,
        "error" => return Err(status::from_value(endpoint, data.get("error").unwrap_or(&data))),
        // `ping`, `content_block_stop` and what is new carry nothing for us.
        _ => {}
    }
    Ok(())
}

/// Reads an answer that came whole.
fn whole(endpoint: &Endpoint, body: &Value, into: &mut Assembly, emit: Emit<'_>) -> Result<(), ChatError> {
    if let Some(error) = body.get("error") {
        return Err(status::from_value(endpoint, error));
    }
    let Some(blocks) = body.get("content").and_then(Value::as_array) else {
        return Err(ChatError::MalformedStream { detail: "the answer has neither content nor an error".to_owned() });
    };
    text(body, "/model").clone_into(&mut into.model);
    for (at, block) in (0..).zip(blocks) {
        read_block(Some(block), Some(at), into, emit);
        if let Some(input) = block.get("input").filter(|_| text(block, "/type") == "tool_use") {
            into.push_call(&CallPiece { at: Some(at), arguments: &input.to_string(), ..CallPiece::default() }, emit);
        }
    }
    read_usage(body.get("usage"), into);
    into.finish = body.get("stop_reason").and_then(Value::as_str).map(finish);
    into.done = true;
    Ok(())
}

/// A block's start and its deltas carry their words under the same names.
fn read_block(block: Option<&Value>, at: Option<u64>, into: &mut Assembly, emit: Emit<'_>) {
    if let Some(block) = block {
        into.push_reasoning(text(block, "/thinking"), emit);
        into.push_text(text(block, "/text"), emit);
        let (kind, arguments) = (text(block, "/type"), text(block, "/partial_json"));
        if kind == "tool_use" {
            into.push_call(&CallPiece { at, id: text(block, "/id"), name: text(block, "/name"), arguments }, emit);
        } else if !arguments.is_empty() {
            into.push_call(&CallPiece { at, arguments, ..CallPiece::default() }, emit);
        }
    }
}

/// The number of the block that an event is about.
fn number(data: &Value) -> Option<u64> {
    data.get("index").and_then(Value::as_u64)
}

/// Anthropic counts cached tokens beside `input_tokens`; here they are part of the prompt.
fn read_usage(usage: Option<&Value>, into: &mut Assembly) {
    let Some(usage) = usage else { return };
    let tally = &mut into.tally;
    tally.cached = count(usage, "/cache_read_input_tokens").unwrap_or(tally.cached);
    tally.cache_write = count(usage, "/cache_creation_input_tokens").unwrap_or(tally.cache_write);
    if let Some(fresh) = count(usage, "/input_tokens") {
        tally.input = Some(fresh.saturating_add(tally.cached).saturating_add(tally.cache_write));
    }
    tally.output = count(usage, "/output_tokens").or(tally.output);
}

fn finish(reason: &str) -> Finish {
    match reason {
        "end_turn" | "stop_sequence" | "tool_use" => Finish::Stop,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "refusal" => Finish::Refusal,
        _ => Finish::Other,
    }
}
