//! OpenAI's chat completions, as OpenAI, Ollama, llama.cpp, LM Studio, vLLM, LiteLLM and OpenRouter speak them.

use serde_json::{Value, json};

use super::adapter::{Framing, Plan, Protocol, arguments, parse, text, turns, without};
use super::assembly::{Assembly, CallPiece, Emit};
use super::bounds::{self, count};
use super::chat::{ChatMessage, Finish, OutputSchema, Role};
use super::endpoint::Endpoint;
use super::error::ChatError;
use super::sse::SseEvent;
use super::status;
use super::structured::{self, Means};

pub(super) const PROTOCOL: Protocol = Protocol {
    chat_path: "chat/completions",
    models_path: "models",
    base_path: versioned,
    key_header: ("authorization", "Bearer "),
    version: None,
    framing: Framing::Events,
    means: &[Means::JsonSchema, Means::ToolCall, Means::JsonMode, Means::Prompt],
    body,
    event,
    whole,
};

/// An address without a path means the first version.
pub(super) fn versioned(path: &str) -> String {
    let path = without(path, &["/chat/completions", "/responses"]);
    if path.is_empty() { "/v1".to_owned() } else { path.to_owned() }
}

/// Writes the request body.
fn body(plan: &Plan<'_>) -> Value {
    let mut body = json!({
        "model": plan.endpoint.model,
        "messages": messages(plan),
        "stream": true,
    });
    if !plan.known.no_stream_options {
        body["stream_options"] = json!({ "include_usage": true });
    }
    if let Some(limit) = plan.max_output_tokens {
        let field = if plan.known.max_completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        body[field] = json!(limit);
    }
    if let Some(temperature) = plan.request.temperature.filter(|_| !plan.known.no_temperature) {
        body["temperature"] = json!(temperature);
    }
    if let (Some(output), Some(means)) = (&plan.request.schema, plan.means) {
        ask_for_data(&mut body, output, means);
    }
    let tools = plan.tools().iter().map(|tool| {
        json!({ "type": "function", "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.parameters } })
    });
    let tools: Vec<Value> = tools.collect();
    if !tools.is_empty() {
        body["tools"] = Value::Array(tools);
    }
    if plan.forbids_calls() {
        body["tool_choice"] = json!("none");
    }
    body
}

fn messages(plan: &Plan<'_>) -> Vec<Value> {
    let system = &plan.request.system;
    // One system message: many chat templates refuse a second one.
    let system = (!system.is_empty()).then(|| json!({ "role": "system", "content": system.join("\n\n") }));
    let turns = turns(plan, plan.known.user_first);
    system.into_iter().chain(turns.iter().flat_map(written)).collect()
}

/// A message as it is sent; what tools brought is a message for each call.
fn written(message: &ChatMessage) -> Vec<Value> {
    let told = message.results.iter();
    let mut all: Vec<Value> =
        told.map(|told| json!({ "role": "tool", "tool_call_id": told.id, "content": told.text })).collect();
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    if !message.calls.is_empty() {
        let calls = message.calls.iter().map(|call| {
            json!({ "id": call.id, "type": "function", "function": {
                "name": call.name, "arguments": arguments(call).to_string() } })
        });
        all.push(json!({ "role": role, "content": message.content, "tool_calls": calls.collect::<Vec<_>>() }));
    } else if all.is_empty() {
        all.push(json!({ "role": role, "content": message.content }));
    }
    all
}

fn ask_for_data(body: &mut Value, output: &OutputSchema, means: Means) {
    match means {
        Means::JsonSchema => {
            body["response_format"] = json!({ "type": "json_schema", "json_schema": {
                "name": output.name, "schema": output.schema, "strict": structured::is_strict(&output.schema) } });
        }
        Means::ToolCall => {
            body["tools"] = json!([{ "type": "function", "function": {
                "name": output.name, "description": "Records the answer.", "parameters": output.schema } }]);
            body["tool_choice"] = json!({ "type": "function", "function": { "name": output.name } });
        }
        Means::JsonMode => body["response_format"] = json!({ "type": "json_object" }),
        Means::Prompt => {}
    }
}

/// Reads one event of a stream.
fn event(endpoint: &Endpoint, event: &SseEvent, into: &mut Assembly, emit: Emit<'_>) -> Result<(), ChatError> {
    let data = event.data.trim();
    if data == "[DONE]" {
        into.done = true;
        return Ok(());
    }
    if data.is_empty() {
        return Ok(());
    }
    let chunk = parse(endpoint, data)?;
    read(endpoint, &chunk, "delta", into, emit)
}

/// Reads an answer that came whole.
fn whole(endpoint: &Endpoint, body: &Value, into: &mut Assembly, emit: Emit<'_>) -> Result<(), ChatError> {
    if body.get("choices").is_none() && body.get("error").is_none() {
        return Err(ChatError::MalformedStream { detail: "the answer has neither choices nor an error".to_owned() });
    }
    read(endpoint, body, "message", into, emit)?;
    into.done = true;
    Ok(())
}

/// Chunks and whole answers differ only in the name of the part that holds the words.
fn read(endpoint: &Endpoint, chunk: &Value, part: &str, into: &mut Assembly, emit: Emit<'_>) -> Result<(), ChatError> {
    if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
        return Err(status::from_value(endpoint, error));
    }
    if into.model.is_empty() {
        text(chunk, "/model").clone_into(&mut into.model);
    }
    if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
        read_usage(usage, into);
    }
    let Some(choice) = chunk.pointer("/choices/0") else { return Ok(()) };
    if let Some(delta) = choice.get(part) {
        read_delta(delta, into, emit);
    }
    if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
        into.finish = Some(finish(reason));
    }
    Ok(())
}

fn read_delta(delta: &Value, into: &mut Assembly, emit: Emit<'_>) {
    // DeepSeek, llama.cpp and vLLM say `reasoning_content`, OpenRouter and newer Ollama `reasoning`.
    let reasoning = text(delta, "/reasoning_content");
    into.push_reasoning(if reasoning.is_empty() { text(delta, "/reasoning") } else { reasoning }, emit);
    into.push_text(text(delta, "/content"), emit);
    into.refusal.push_str(text(delta, "/refusal"));
    let calls = delta.get("tool_calls").and_then(Value::as_array);
    // Where data is asked for, one tool is there to carry it, so only the first call counts.
    let most = if into.offers_tools() { usize::MAX } else { 1 };
    for call in calls.into_iter().flatten().take(most) {
        let written = match call.pointer("/function/arguments") {
            Some(Value::String(written)) => written.clone(),
            // Ollama has sent arguments as an object.
            Some(object @ Value::Object(_)) => object.to_string(),
            _ => String::new(),
        };
        let piece = CallPiece {
            at: call.get("index").and_then(Value::as_u64),
            id: text(call, "/id"),
            name: text(call, "/function/name"),
            arguments: &written,
        };
        into.push_call(&piece, emit);
    }
}

fn read_usage(usage: &Value, into: &mut Assembly) {
    let tally = &mut into.tally;
    tally.input = count(usage, "/prompt_tokens").or(tally.input);
    tally.output = count(usage, "/completion_tokens").or(tally.output);
    let cached =
        count(usage, "/prompt_tokens_details/cached_tokens").or_else(|| count(usage, "/prompt_cache_hit_tokens"));
    tally.cached = cached.unwrap_or(tally.cached);
    tally.reasoning = count(usage, "/completion_tokens_details/reasoning_tokens").unwrap_or(tally.reasoning);
    tally.cost = bounds::usd(usage, "/cost").or(tally.cost);
}

fn finish(reason: &str) -> Finish {
    match reason {
        "stop" | "tool_calls" | "function_call" | "eos" => Finish::Stop,
        "length" => Finish::Length,
        "content_filter" => Finish::Refusal,
        _ => Finish::Other,
    }
}
