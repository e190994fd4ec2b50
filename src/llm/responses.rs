//! OpenAI's responses, the protocol of its newest models.

use serde_json::{Value, json};

use super::adapter::{Framing, Plan, Protocol, parse, text, turns};
use super::assembly::{Assembly, Emit};
use super::bounds::count;
use super::chat::{Finish, OutputSchema, Role};
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
    let turns = turns(plan, plan.known.user_first).into_iter().map(|message| {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        json!({ "role": role, "content": message.content })
    });
    let input: Vec<Value> = turns.collect();
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
    body
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
        "response.function_call_arguments.delta" => into.push_arguments(text(&data, "/delta"), emit),
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
    for item in items {
        let parts = |name: &str| item.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        for part in parts("summary") {
            into.push_reasoning(text(&part, "/text"), emit);
        }
        for part in parts("content") {
            into.push_text(text(&part, "/text"), emit);
            into.refusal.push_str(text(&part, "/refusal"));
        }
        into.push_arguments(text(item, "/arguments"), emit);
    }
    end(body, into);
    Ok(())
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
