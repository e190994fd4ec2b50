//! OpenAI's responses, the protocol of its newest models.

use serde_json::{Value, json};

use super::adapter::{Framing, Plan, Protocol, arguments, parse, text, turns};
use super::assembly::{Assembly, CallPiece, Emit};
use super::bounds::count;
use super::chat::{ChatMessage, Finish, OutputSchema, Role};
use super::endpoint::Endpoint;
use super::error::ChatError;
use super::openai;
use super::sse::SseEvent;
use super::status;
use super::structured::{self, Means};

pub(super) const PROTOCOL: Protocol = Protocol {
    chat_path: "responses",
    models_path: "models",
    base_path: openai::versioned,
    key_header: ("authorization", "Bearer "),
    version: None,
    framing: Framing::Events,
    means: &[Means::JsonSchema, Means::ToolCall, Means::JsonMode, Means::Prompt],
    body,
    event,
    whole,
};

fn body(plan: &Plan<'_>) -> Value {
    let input: Vec<Value> = turns(plan, plan.known.user_first).iter().flat_map(written).collect();
    // The conversation is kept here; the endpoint is not asked to keep it too.
    let mut body = json!({ "model": plan.endpoint.model, "input": input, "stream": true, "store": false });
    let system = plan.request.system.join("\n\n");
    if !system.is_empty() {
        body["instructions"] = json!(system);
    }
    if let Some(limit) = plan.max_output_tokens {
        body["max_output_tokens"] = json!(limit.max(LEAST_OUTPUT));
    }
    if let Some(temperature) = plan.request.temperature.filter(|_| !plan.known.no_temperature) {
        body["temperature"] = json!(temperature);
    }
    if let (Some(output), Some(means)) = (&plan.request.schema, plan.means) {
        ask_for_data(&mut body, output, means);
    }
    let tools = plan.tools().iter().map(|tool| {
        json!({ "type": "function", "name": tool.name, "description": tool.description,
            "parameters": tool.parameters, "strict": structured::is_strict(&tool.parameters) })
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

/// A message as it is sent: calls and what they brought are parts of their own.
fn written(message: &ChatMessage) -> Vec<Value> {
    let told = message.results.iter();
    let mut all: Vec<Value> =
        told.map(|told| json!({ "type": "function_call_output", "call_id": told.id, "output": told.text })).collect();
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    if !message.is_about_tools() || !message.content.trim().is_empty() {
        all.push(json!({ "role": role, "content": message.content }));
    }
    let calls = message.calls.iter();
    all.extend(calls.map(|call| {
        json!({ "type": "function_call", "call_id": call.id, "name": call.name,
            "arguments": arguments(call).to_string() })
    }));
    all
}

/// A smaller limit is refused.
const LEAST_OUTPUT: u32 = 16;

fn ask_for_data(body: &mut Value, output: &OutputSchema, means: Means) {
    match means {
        Means::JsonSchema => {
            body["text"] = json!({ "format": { "type": "json_schema", "name": output.name, "schema": output.schema,
                "strict": structured::is_strict(&output.schema) } });
        }
        Means::ToolCall => {
            body["tools"] = json!([{ "type": "function", "name": output.name, "description": "Records the answer.",
                "parameters": output.schema, "strict": structured::is_strict(&output.schema) }]);
            body["tool_choice"] = json!({ "type": "function", "name": output.name });
        }
        Means::JsonMode => body["text"] = json!({ "format": { "type": "json_object" } }),
        Means::Prompt => {}
    }
}

fn event(endpoint: &Endpoint, event: &SseEvent, into: &mut Assembly, emit: Emit<'_>) -> Result<(), ChatError> {
    let data = event.data.trim();
    if data.is_empty() || data == "[DONE]" {
        return Ok(());
    }
    let data = parse(endpoint, data)?;
    match text(&data, "/type") {
        "response.output_text.delta" => into.push_text(text(&data, "/delta"), emit),
        "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
            into.push_reasoning(text(&data, "/delta"), emit);
        }
        "response.refusal.delta" => into.refusal.push_str(text(&data, "/delta")),
        "response.output_item.added" => push_call(data.get("item"), number(&data), into, emit),
        "response.function_call_arguments.delta" => {
            let piece = CallPiece { at: number(&data), arguments: text(&data, "/delta"), ..CallPiece::default() };
            into.push_call(&piece, emit);
        }
        "response.completed" | "response.incomplete" => end(data.get("response").unwrap_or(&Value::Null), into),
        "response.failed" => {
            let response = data.get("response").unwrap_or(&data);
            return Err(status::from_value(endpoint, response.get("error").unwrap_or(response)));
        }
        "error" => return Err(status::from_value(endpoint, data.get("error").unwrap_or(&data))),
        // Beginnings and ends of parts, and what is new, carry nothing for us.
        _ => {}
    }
    Ok(())
}

fn whole(endpoint: &Endpoint, body: &Value, into: &mut Assembly, emit: Emit<'_>) -> Result<(), ChatError> {
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Err(status::from_value(endpoint, error));
    }
    let Some(items) = body.get("output").and_then(Value::as_array) else {
        return Err(ChatError::MalformedStream { detail: "the answer has neither output nor an error".to_owned() });
    };
    for (at, item) in (0..).zip(items) {
        let parts = |name: &str| item.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        for part in parts("summary") {
            into.push_reasoning(text(&part, "/text"), emit);
        }
        for part in parts("content") {
            into.push_text(text(&part, "/text"), emit);
            into.refusal.push_str(text(&part, "/refusal"));
        }
        push_call(Some(item), Some(at), into, emit);
    }
    end(body, into);
    Ok(())
}

/// Takes a call of a tool, as far as a part is one.
fn push_call(item: Option<&Value>, at: Option<u64>, into: &mut Assembly, emit: Emit<'_>) {
    let Some(item) = item.filter(|item| text(item, "/type") == "function_call" || item.get("arguments").is_some())
    else {
        return;
    };
    let piece =
        CallPiece { at, id: text(item, "/call_id"), name: text(item, "/name"), arguments: text(item, "/arguments") };
    into.push_call(&piece, emit);
}

/// The number of the part that an event is about.
fn number(data: &Value) -> Option<u64> {
    data.get("output_index").and_then(Value::as_u64)
}

/// Reads what only the end of an answer says.
fn end(response: &Value, into: &mut Assembly) {
    text(response, "/model").clone_into(&mut into.model);
    if let Some(usage) = response.get("usage") {
        let tally = &mut into.tally;
        tally.input = count(usage, "/input_tokens").or(tally.input);
        tally.output = count(usage, "/output_tokens").or(tally.output);
        tally.cached = count(usage, "/input_tokens_details/cached_tokens").unwrap_or(tally.cached);
        tally.reasoning = count(usage, "/output_tokens_details/reasoning_tokens").unwrap_or(tally.reasoning);
    }
    into.finish = Some(match (text(response, "/status"), text(response, "/incomplete_details/reason")) {
        (_, "max_output_tokens") => Finish::Length,
        (_, "content_filter") => Finish::Refusal,
        ("completed" | "", _) => Finish::Stop,
        _ => Finish::Other,
    });
    into.done = true;
}
