//! Tools that a model may call while it answers: what they are called, what a call may say, and what is told of it.
//!
//! A call is the model's own writing, so nothing in it is believed: what cannot be done is answered with the reason, and
//! the number and length of calls is limited.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::Tool;
use crate::words::Words;

/// Calls in one answer; what is beyond is answered with a refusal.
pub const MOST_CALLS: usize = 3;
/// How often an answer is written on after calls.
pub const MOST_ROUNDS: usize = 2;
/// Calls of one request that are answered at all, refusals included.
const MOST_ANSWERED: usize = 8;
/// The longest arguments that are read, in bytes.
const LONGEST_ARGUMENTS: usize = 4_096;
/// The longest query, in characters.
const LONGEST_QUERY: usize = 200;
/// What is kept of the name of a tool that there is not.
const LONGEST_NAME: usize = 40;
/// The longest id that is sent back, in bytes.
const LONGEST_ID: usize = 128;
/// The most of what a model wrote before its calls that is kept and sent back, in bytes.
const LONGEST_BEFORE: usize = 8 * 1024;

/// A call as a model wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// What the endpoint calls it by.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// JSON, or what the model took for it.
    pub arguments: String,
}

/// Calls that were answered within one turn, and what the model had said before them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolRound {
    pub said: String,
    /// Each call with what it brought, as the model reads it.
    pub answered: Vec<(ToolCall, String)>,
}

/// What a tool brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFinding {
    /// As the model reads it.
    pub text: String,
    /// The places that it comes from, for people.
    pub places: Vec<String>,
}

/// A call in the figures of a turn: what the answer rests on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The tool by its word in engine files, or what the model called it.
    pub tool: String,
    pub query: String,
    /// The places that were found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    pub ms: f64,
    /// Why it brought nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

impl ToolUse {
    /// What came of it, for people.
    pub fn in_words(&self, words: &Words) -> String {
        let Self { tool, query, places, failed, .. } = self;
        match (failed, places.len()) {
            (Some(why), _) if query.is_empty() => format!("{tool}: {why}"),
            (Some(why), _) => format!("{tool} for “{query}”: {why}"),
            (None, 0) => words.host.looked_up(query),
            (None, count) => words.host.looked_up_places(count, query),
        }
    }
}

impl Tool {
    /// Its name for a model.
    pub fn called(self) -> &'static str {
        match self {
            Self::Search => "search_project",
        }
    }

    /// What a model is told of it.
    pub fn description(self) -> &'static str {
        match self {
            Self::Search => {
                "Searches earlier sessions of this person's project: what was said, what is known from them, briefs and \
                 research. Use it when they refer to something from before, or when what you would ask may have been \
                 settled there. Do not announce it, and do not use it for general knowledge. Say where a finding comes \
                 from, and have it confirmed before you build on it."
            }
        }
    }

    /// The JSON Schema of its arguments.
    pub fn parameters(self) -> Value {
        match self {
            Self::Search => json!({
                "type": "object",
                "properties": { "query": { "type": "string", "description": "Two to five telling words." } },
                "required": ["query"],
                "additionalProperties": false,
            }),
        }
    }

    /// What is told while it works.
    pub fn doing(self, query: &str, words: &Words) -> String {
        match self {
            Self::Search => words.host.searching(query),
        }
    }

    /// What an engine with it may do, for those who have to agree to it.
    pub fn deed(self) -> &'static str {
        match self {
            Self::Search => {
                "let your model search the other sessions of a project: what you said there, what is known from them, \
                 briefs and research"
            }
        }
    }
}

/// What a call asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub tool: Tool,
    pub query: String,
}

/// Reads a call; where it cannot be done, the reason is for the model.
pub(super) fn read(call: &ToolCall, granted: &[Tool]) -> Result<Asked, String> {
    let Some(tool) = granted.iter().copied().find(|tool| tool.called() == call.name) else {
        let names: Vec<&str> = granted.iter().map(|tool| tool.called()).collect();
        return Err(format!("there is no such tool; there is {}", names.join(", ")));
    };
    let long = call.arguments.len();
    if long > LONGEST_ARGUMENTS {
        return Err(format!("the arguments have {long} bytes, at most {LONGEST_ARGUMENTS} are read"));
    }
    let arguments: Value =
        serde_json::from_str(&call.arguments).map_err(|_| "the arguments are not JSON".to_owned())?;
    let query = arguments.get("query").and_then(Value::as_str).map(str::trim);
    let query = query.filter(|query| query.chars().any(char::is_alphanumeric));
    let query = query.ok_or_else(|| "the arguments have no text `query` with words in it".to_owned())?;
    Ok(Asked { tool, query: one_line(query, LONGEST_QUERY) })
}

/// The calls of one reply that are answered, and those beyond.
pub(super) fn answerable(mut calls: Vec<ToolCall>) -> (Vec<ToolCall>, Vec<ToolCall>) {
    let beyond = calls.split_off(calls.len().min(MOST_ANSWERED));
    (calls, beyond)
}

/// Calls that nobody makes, for the figures: each by its name up to a number, the rest as one.
pub(super) fn dropped(calls: Vec<ToolCall>, why: &str) -> Vec<ToolUse> {
    let more = calls.len().saturating_sub(MOST_ANSWERED);
    let unused = |tool: String| ToolUse { tool, failed: Some(why.to_owned()), ..ToolUse::default() };
    let named = calls.into_iter().take(MOST_ANSWERED).map(|call| unused(one_line(&call.name, LONGEST_NAME)));
    named.chain((more > 0).then(|| unused(format!("{more} more calls")))).collect()
}

/// A call as it is sent back and kept. One whose id is no id gets its number.
pub(super) fn kept(call: ToolCall, number: usize) -> ToolCall {
    let fits = call.arguments.len() <= LONGEST_ARGUMENTS;
    let arguments = if fits { call.arguments } else { "{}".to_owned() };
    let is_id = !call.id.is_empty() && call.id.len() <= LONGEST_ID && call.id.chars().all(|c| c.is_ascii_graphic());
    let id = if is_id { call.id } else { format!("call_{number}") };
    ToolCall { id, name: one_line(&call.name, LONGEST_NAME), arguments }
}

/// What a model wrote before its calls, as it is kept and sent back.
pub(super) fn before_calls(text: &str) -> String {
    let text = text.trim();
    text[..text.floor_char_boundary(LONGEST_BEFORE)].trim_end().to_owned()
}

/// A text on one line, cut.
fn one_line(text: &str, most: usize) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let flat: String = flat.chars().filter(|c| !c.is_control()).collect();
    if flat.chars().count() <= most { flat } else { flat.chars().take(most - 1).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: "1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
    }

    #[test]
    fn a_call_is_read_and_its_query_is_one_short_line() {
        let long = format!("{{\"query\": \" kegs\\n and\\u0007 {} \"}}", "taps ".repeat(200));
        let asked = read(&call("search_project", &long), &[Tool::Search]).expect("it can be done");
        assert_eq!((asked.tool, asked.query.chars().count()), (Tool::Search, LONGEST_QUERY));
        assert!(asked.query.starts_with("kegs and taps"), "{}", asked.query);
    }

    #[test]
    fn what_cannot_be_done_is_said_with_its_reason() {
        let huge = format!("{{\"query\": \"{}\"}}", "x".repeat(100_000));
        for (name, arguments, why) in [
            ("rm", "{}", "there is no such tool; there is search_project"),
            ("search_project", "kegs", "the arguments are not JSON"),
            ("search_project", "{}", "the arguments have no text `query` with words in it"),
            ("search_project", "{\"query\": \" ?! \"}", "the arguments have no text `query` with words in it"),
            ("search_project", "[[[[", "the arguments are not JSON"),
            ("search_project", &huge, "the arguments have 100013 bytes, at most 4096 are read"),
        ] {
            assert_eq!(read(&call(name, arguments), &[Tool::Search]), Err(why.to_owned()));
        }
    }

    #[test]
    fn what_is_sent_back_is_no_longer_than_what_is_read() {
        let long = ToolCall { id: "i".repeat(700_000), ..call(&"x".repeat(10_000), &"y".repeat(100_000)) };
        let long = kept(long, 4);
        assert_eq!(
            (long.id.as_str(), long.name.chars().count(), long.arguments.as_str()),
            ("call_4", LONGEST_NAME, "{}")
        );
        assert_eq!(kept(call("search_project", "{}"), 4).id, "1");
        assert_eq!(before_calls(&format!(" Let me see.{}ok.", " ".repeat(2_500_000))), "Let me see.");
        let (answered, beyond) = answerable(vec![ToolCall::default(); 100]);
        assert_eq!((answered.len(), beyond.len()), (MOST_ANSWERED, 92));
    }

    #[test]
    fn calls_that_nobody_makes_are_counted_and_bounded() {
        let unused = dropped(vec![call("search_project", "{}"); 100], "it was not made");
        assert_eq!(unused.len(), MOST_ANSWERED + 1);
        let told: Vec<String> =
            [&unused[0], &unused[MOST_ANSWERED]].map(|used| used.in_words(crate::words::english())).into();
        assert_eq!(told, ["search_project: it was not made", "92 more calls: it was not made"]);
    }
}
