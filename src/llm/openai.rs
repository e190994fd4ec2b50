//! OpenAI's chat completions, as OpenAI, Ollama, llama.cpp, LM Studio, vLLM, LiteLLM and OpenRouter speak them.

use serde_json::{Value, json};

use super::adapter::{Framing, Plan, Protocol, parse, text, turns, without};
use super::assembly::{Assembly, Emit};
use super::bounds::{self, count};
use super::chat::{Finish, OutputSchema, Role};
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
    body
}

fn messages(plan: &Plan<'_>) -> Vec<Value> {
    let system = &plan.request.system;
    // One system message: many chat templates refuse a second one.
    let system = (!system.is_empty()).then(|| json!({ "role": "system", "content": system.join("\n\n") }));
    let turns = turns(plan, plan.known.user_first).into_iter().map(|message| {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        json!({ "role": role, "content": message.content })
    });
    system.into_iter().chain(turns).collect()
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
    // Only one tool is ever offered, so only the first call counts, whatever index a server gives it.
    if let Some(call) = delta.pointer("/tool_calls/0/function/arguments") {
        match call {
            Value::String(arguments) => into.push_arguments(arguments, emit),
            // Ollama has sent arguments as an object.
            Value::Object(_) => into.push_arguments(&call.to_string(), emit),
            _ => {}
        }
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
