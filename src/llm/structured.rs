//! Getting data instead of prose, by the best means an endpoint has.
//!
//! The ladder: JSON Schema, tool call, JSON mode, plain prompt. Which rung holds is found out once per endpoint and
//! model, by what the endpoint refuses and by what comes back, and remembered. The same memory holds the other
//! peculiarities that only show when a request is refused, such as the name of the output limit.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::adapter;
use super::chat::{ChatRequest, OutputSchema};
use super::endpoint::{Endpoint, Provider};
use super::error::ChatError;
use super::json_text;

/// A way of getting data, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// The endpoint constrains the answer by a JSON Schema.
    JsonSchema,
    /// The model calls a tool whose parameters are the data.
    ToolCall,
    /// The endpoint guarantees JSON; the prompt describes the shape.
    JsonMode,
    /// The prompt describes the shape, and the answer is searched for it.
    Prompt,
}

impl Means {
    /// The next best that a protocol has.
    fn below(self, provider: Provider) -> Option<Self> {
        let ladder = adapter::of(provider).means;
        let here = ladder.iter().position(|means| *means == self)?;
        ladder.get(here + 1).copied()
    }

    /// What it is called in sentences.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::JsonSchema => "a JSON Schema",
            Self::ToolCall => "a tool call",
            Self::JsonMode => "JSON mode",
            Self::Prompt => "a plain prompt",
        }
    }

    /// Says whether the prompt itself has to describe the shape.
    pub(super) fn needs_instruction(self) -> bool {
        matches!(self, Self::JsonMode | Self::Prompt)
    }
}

/// What has been found out about one model of one endpoint. Callers may keep it and hand it back after a restart.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
// Each is an observation of its own; together they are no state that an enum could name.
#[allow(clippy::struct_excessive_bools)]
pub struct Capabilities {
    /// The means that is known to work.
    pub structured: Option<Means>,
    /// The endpoint wants `max_completion_tokens` instead of `max_tokens`.
    pub max_completion_tokens: bool,
    /// The model takes no temperature.
    pub no_temperature: bool,
    /// The endpoint does not know `stream_options`, so its usage is estimated.
    pub no_stream_options: bool,
    /// The model's chat template wants the person to speak first.
    pub user_first: bool,
    /// Whether it serves two requests at once, where that has shown.
    pub at_once: Option<bool>,
    /// Tokens that the model needs for thinking, beside those of its answer.
    pub room_to_think: u32,
    /// Whether the model is a small one that needs help, where that was tried.
    pub small: Option<bool>,
    /// How many tokens the model takes at once, where the endpoint has said so.
    pub window: Option<u32>,
    /// The endpoint or its model takes no tools, or does not take back what they brought.
    pub no_tools: bool,
    /// The endpoint does not say when an answer has come to its end.
    pub no_end_mark: bool,
    /// The means under trial.
    #[serde(skip)]
    trial: Option<Means>,
    /// Found out in an earlier run, and not seen to hold in this one.
    #[serde(skip)]
    remembered: bool,
}

impl Capabilities {
    /// Guesses what can be known beforehand.
    pub(super) fn expected(endpoint: &Endpoint) -> Self {
        let openai = endpoint.base_url().host_str() == Some("api.openai.com");
        Self { max_completion_tokens: openai, ..Self::default() }
    }

    /// The means to use now.
    pub fn means(&self) -> Means {
        self.structured.or(self.trial).unwrap_or(Means::JsonSchema)
    }

    /// Takes over what was found out in an earlier run; the endpoint may have changed since.
    #[must_use]
    pub(super) fn remembered(self) -> Self {
        Self { remembered: true, trial: None, ..self }
    }

    /// What is worth keeping for the next run: what was found, not how far the finding out has come.
    #[must_use]
    pub(super) fn settled(&self) -> Self {
        Self { remembered: false, trial: None, ..self.clone() }
    }

    /// Says whether an answer of the wrong form speaks against the means: one that has worked in this run is not at fault.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.structured.is_none() || self.remembered
    }

    /// Notes that `means` delivered.
    pub(super) fn confirm(&mut self, means: Means) {
        self.structured = Some(means);
        self.trial = None;
        self.remembered = false;
    }

    /// Gives up `means`; says whether there is a lower rung. Another call may have stepped down already.
    pub(super) fn step_down(&mut self, means: Means, provider: Provider) -> bool {
        if self.means() != means {
            return true;
        }
        // What held in an earlier run and holds no more says nothing about the better means: they are tried anew.
        if std::mem::take(&mut self.remembered) && means != Means::JsonSchema {
            self.structured = None;
            return true;
        }
        self.structured = None;
        let below = means.below(provider);
        // Where none delivers, the last is as good as any: the others are not tried anew with every request.
        self.trial = Some(below.unwrap_or(means));
        below.is_some()
    }

    /// Gives a model whose thoughts have used up its answer more room; says whether that makes sense.
    pub(super) fn give_room_to_think(&mut self) -> bool {
        let next = THINKING.iter().find(|room| **room > self.room_to_think);
        self.room_to_think = next.copied().unwrap_or(self.room_to_think);
        next.is_some()
    }

    /// Whether a refusal is about tools: it names them, or it comes where what tools brought is sent back. Some models
    /// want their thoughts back with it, which are not kept.
    fn refuses_tools(&self, error: &ChatError, request: &ChatRequest, detail: &str) -> bool {
        let offers = !self.no_tools && request.schema.is_none() && !request.tools.is_empty();
        let named = TOOL_WORDS.iter().any(|word| detail.contains(word));
        let tells = request.messages.iter().any(|message| !message.results.is_empty());
        offers && (named || (tells && matches!(error, ChatError::Rejected { .. })))
    }

    /// Learns from a refusal; says whether another try makes sense.
    pub(super) fn learn(&mut self, error: &ChatError, request: &ChatRequest, means: Means, provider: Provider) -> bool {
        let (ChatError::Rejected { detail, .. } | ChatError::Server { detail, .. }) = error else { return false };
        let detail = detail.to_lowercase();
        if detail.contains("max_completion_tokens") && !self.max_completion_tokens {
            self.max_completion_tokens = true;
        } else if detail.contains("temperature") && request.temperature.is_some() && !self.no_temperature {
            self.no_temperature = true;
        } else if detail.contains("stream_options") && !self.no_stream_options {
            self.no_stream_options = true;
        } else if detail.contains("alternate") && !self.user_first {
            self.user_first = true;
        } else if request.schema.is_some() && STRUCTURE_WORDS.iter().any(|word| detail.contains(word)) {
            return self.step_down(means, provider);
        } else if self.refuses_tools(error, request, &detail) {
            self.no_tools = true;
        } else if self.remembered {
            // The endpoint contradicts something that was remembered of it; which, it does not say.
            let Self { at_once, small, room_to_think, .. } = *self;
            *self = Self { at_once, room_to_think, small, ..Self::default() };
        } else {
            return false;
        }
        true
    }
}

/// Rooms to think in that are tried one after the other, in tokens.
const THINKING: &[u32] = &[8_000, 32_000];

/// How endpoints name tools that they do not take.
const TOOL_WORDS: &[&str] = &["tool", "function"];

/// How endpoints name what they cannot do.
const STRUCTURE_WORDS: &[&str] = &[
    "response_format",
    "json_schema",
    "json_object",
    "schema",
    "tool",
    "function",
    "grammar",
    "output_config",
    "guided",
];

/// The instruction for the means that need one.
pub(super) fn instruction(output: &OutputSchema) -> String {
    format!(
        "Answer with one JSON object and nothing else: no prose, no code fence. It must match this JSON Schema:\n{}",
        output.schema
    )
}

/// The JSON text of the object in an answer, if it has everything the schema's root requires.
///
/// An answer cut by length must hold the whole object; some models go on with blank lines until they are stopped.
pub(super) fn data(text: &str, cut: bool, output: &OutputSchema) -> Option<String> {
    let found = if cut { json_text::whole_object(text) } else { json_text::object(text) }?;
    let (object, text) = match called(&found, output) {
        Some(arguments) => (arguments, arguments.to_string()),
        None => (&found, text.to_owned()),
    };
    let required = output.schema.get("required").and_then(Value::as_array);
    let mut keys = required.into_iter().flatten().filter_map(Value::as_str);
    keys.all(|key| object.get(key).is_some()).then_some(text)
}

/// Says whether an answer that is not all of the data begins like it, for a caller that can use part of it: then the means
/// works, and this answer was cut, left something out, or has another envelope.
pub(super) fn is_part(text: &str, request: &ChatRequest) -> bool {
    let Some(output) = request.schema.as_ref().filter(|output| output.in_parts) else { return false };
    let required = output.schema.get("required").and_then(Value::as_array);
    let keys: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    let begins = text.find('{').map(|start| &text[start..]);
    let echoed = text.contains("\"properties\"");
    let lists = |data: &str, key: &str| ["", " "].iter().any(|gap| data.contains(&format!("\"{key}\":{gap}[")));
    let named = |data: &str| keys.iter().any(|key| lists(data, key));
    begins.is_some_and(|data| !echoed && (named(data) || has_choices(data, &output.schema)))
}

/// So many entries in a row that one and the same piece of a message is to prove, each for another field: the model goes
/// through the fields and not through the message.
const CIRCLES: usize = 6;
/// So much of the end of a report is looked at.
const END: usize = 4_096;

/// Whether a report under way names field after field with the same proof. Small models do that until they are stopped.
pub(super) fn goes_in_circles(report: &str) -> bool {
    let end = &report[report.floor_char_boundary(report.len().saturating_sub(END))..];
    let mut entries = end.rsplit("\"path\"").filter_map(|entry| {
        let (path, rest) = entry.split_once("\"quote\"")?;
        Some((text_of(path)?, text_of(rest)?))
    });
    let Some((path, proof)) = entries.next() else { return false };
    let mut paths = BTreeSet::from([path]);
    entries.take(CIRCLES - 1).all(|(path, own)| own == proof && paths.insert(path)) && paths.len() == CIRCLES
}

/// The text that follows a key.
fn text_of(rest: &str) -> Option<&str> {
    let text = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    text.find('"').map(|end| &text[..end])
}

/// Whether data has names in it that a schema gives to choose from, as keys or as values.
fn has_choices(data: &str, schema: &Value) -> bool {
    match schema {
        Value::Object(parts) => parts.iter().any(|(key, part)| match part {
            Value::Array(choices) if key == "enum" => {
                let mut choices = choices.iter().filter_map(Value::as_str);
                choices.any(|choice| data.contains(&format!("\"{choice}\"")))
            }
            other => has_choices(data, other),
        }),
        Value::Array(parts) => parts.iter().any(|part| has_choices(data, part)),
        _ => false,
    }
}

/// The arguments of a tool call that a small model wrote out as text instead of making it.
fn called<'a>(object: &'a Value, output: &OutputSchema) -> Option<&'a Value> {
    let is_call = object.as_object()?.len() == 2 && object.get("name")?.as_str()? == output.name;
    let arguments = object.get("arguments").or_else(|| object.get("parameters"))?;
    Some(arguments).filter(|arguments| is_call && arguments.is_object())
}

/// Says whether a schema is within OpenAI's strict subset: every object closed, every property required.
pub(super) fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let properties = fields.get("properties").and_then(Value::as_object);
            let closed = fields.get("additionalProperties") == Some(&Value::Bool(false));
            let required = fields.get("required").and_then(Value::as_array);
            let complete = properties.is_none_or(|properties| {
                let named = |key: &String| required.is_some_and(|list| list.iter().any(|name| name == key));
                closed && properties.keys().all(named)
            });
            let is_object = fields.get("type").and_then(Value::as_str) == Some("object");
            complete && (!is_object || closed) && fields.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_closed_and_complete_schemas_are_strict() {
        let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
        assert!(is_strict(&closed));
        assert!(is_strict(
            &json!({"type": "object", "properties": {"a": {"anyOf": [closed.clone(), {"type": "null"}]}}, "required": ["a"], "additionalProperties": false})
        ));
        assert!(!is_strict(
            &json!({"type": "object", "properties": {"a": {}}, "required": []  , "additionalProperties": false})
        ));
        assert!(!is_strict(&json!({"type": "object", "properties": {"a": {}}, "required": ["a"]})));
        assert!(!is_strict(&json!({"type": "array", "items": {"type": "object"}})));
    }

    #[test]
    fn the_ladder_ends_at_the_plain_prompt_and_can_be_kept() {
        let mut known = Capabilities::default();
        let mut rungs = vec![known.means()];
        while known.step_down(known.means(), Provider::OpenAi) {
            rungs.push(known.means());
        }
        assert_eq!(rungs, [Means::JsonSchema, Means::ToolCall, Means::JsonMode, Means::Prompt]);
        known.confirm(Means::JsonMode);
        let kept = serde_json::to_string(&known).expect("it serialises");
        assert_eq!(serde_json::from_str::<Capabilities>(&kept).expect("it reads"), known);
    }

    #[test]
    fn a_step_another_call_has_taken_is_not_taken_twice() {
        let mut known = Capabilities::default();
        assert!(known.step_down(Means::JsonSchema, Provider::OpenAi));
        assert!(known.step_down(Means::JsonSchema, Provider::OpenAi));
        assert_eq!(known.means(), Means::ToolCall);
    }

    #[test]
    fn an_object_without_what_the_root_requires_does_not_satisfy() {
        let output =
            OutputSchema { name: "x".to_owned(), schema: json!({"required": ["fields"]}).into(), in_parts: false };
        let fenced = "```json\n{\"fields\": []}\n```";
        assert_eq!(data(fenced, false, &output).as_deref(), Some(fenced));
        assert_eq!(data("{\"answer\": 1}", false, &output), None);
        assert_eq!(data("I cannot", false, &output), None);
    }

    #[test]
    fn one_proof_for_field_after_field_is_going_in_circles_and_a_list_is_not() {
        let entry =
            |path: &str, quote: &str| format!("{{\"path\": \"{path}\",\n \"quote\": \"{quote}\", \"value\": \"x\"}},");
        let report = |entries: &[String]| format!("{{\"fields\": [{}", entries.concat());
        let fields: Vec<String> = ('a'..='f').map(|path| entry(&path.to_string(), "no café")).collect();
        assert!(goes_in_circles(&report(&fields)));
        assert!(!goes_in_circles(&report(&fields[1..])), "five may be chance");
        assert!(!goes_in_circles(&report(&vec![entry("list", "tea, rolls and buns"); 9])), "elements of one list");
        let quotes: Vec<String> = ('a'..='f').map(|quote| entry(&quote.to_string(), &quote.to_string())).collect();
        assert!(!goes_in_circles(&report(&quotes)));
        assert!(!goes_in_circles("\"path\"\"quote\"") && !goes_in_circles(""));
    }

    #[test]
    fn a_tool_call_written_out_as_text_is_unwrapped() {
        let output =
            OutputSchema { name: "x".to_owned(), schema: json!({"required": ["fields"]}).into(), in_parts: false };
        let written = "{\"name\": \"x\", \"arguments\": {\"fields\": [1]}}";
        assert_eq!(data(written, false, &output).as_deref(), Some("{\"fields\":[1]}"));
        assert_eq!(data(&format!("{written}\n\n\n"), true, &output).as_deref(), Some("{\"fields\":[1]}"));
        assert_eq!(data("{\"name\": \"y\", \"arguments\": {\"fields\": [1]}}", false, &output), None);
        assert_eq!(data("{\"fields\": [1", true, &output), None, "cut, and not whole");
    }
}
