//! Finds the JSON object in what a model wrote: fences, prose and think blocks around it are cut off, slips are repaired.

use jsonrepair_rs::{RepairOptions, jsonrepair_with_options};
use serde_json::Value;

/// Larger texts are not repaired: an analysis is a few kilobytes.
const LONGEST_REPAIR: usize = 1 << 20;

/// Reads the JSON object in `text`, or `None` when there is none.
pub fn object(text: &str) -> Option<Value> {
    whole_object(text).or_else(|| repaired(from_brace(after_thinking(text))?))
}

/// Reads the JSON object in `text` only if it is whole: repairing a cut one would pass half an answer for all of it.
pub fn whole_object(text: &str) -> Option<Value> {
    let answer = after_thinking(text).trim();
    strict(answer).or_else(|| strict(between_braces(answer)?))
}

/// Whether `text` has all of the data that it begins: an object, or a list of them.
pub fn is_whole(text: &str) -> bool {
    let answer = after_thinking(text).trim();
    let list = || answer.get(answer.find('[')?..=answer.rfind(']')?);
    whole_object(text).is_some() || list().is_some_and(|list| serde_json::from_str::<Vec<Value>>(list).is_ok())
}

fn strict(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(Value::is_object)
}

fn repaired(text: &str) -> Option<Value> {
    let options = RepairOptions::new().with_max_input_bytes(LONGEST_REPAIR);
    let body = text.rsplit_once("```").map_or(text, |(body, _)| body);
    jsonrepair_with_options(body, options).ok().as_deref().and_then(strict)
}

/// Chat templates that open the think block themselves leave only its end in the answer.
fn after_thinking(text: &str) -> &str {
    text.rsplit_once("</think>").map_or(text, |(_, answer)| answer)
}

fn from_brace(text: &str) -> Option<&str> {
    text.find('{').map(|start| &text[start..])
}

fn between_braces(text: &str) -> Option<&str> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    text.get(start..=end)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::{object, whole_object};

    #[test]
    fn an_object_is_found_in_whatever_surrounds_it() {
        let expected = Some(json!({"a": 1}));
        for text in [
            "{\"a\": 1}",
            "Sure! Here it is:\n```json\n{\"a\": 1}\n```\nAnything else?",
            "<think>is it {\"a\": 2}?</think>\n{\"a\": 1}",
            "reasoning without a start</think>{\"a\":1}",
            "{a: 1,}",
            "```json\n{'a': 1\n```",
        ] {
            assert_eq!(object(text), expected, "{text}");
        }
    }

    #[test]
    fn a_cut_object_is_repaired_but_never_called_whole() {
        let cut = "{\"fields\": [{\"path\": \"a\"";
        assert_eq!(object(cut), Some(json!({"fields": [{"path": "a"}]})));
        assert_eq!(whole_object(cut), None);
        assert_eq!(whole_object("```json\n{\"a\": 1}\n\n\n\n"), Some(json!({"a": 1})));
    }

    #[test]
    fn prose_is_not_turned_into_json() {
        for text in ["", "I would rather not.", "[1, 2]", "\"a\"", "```\nnothing\n```"] {
            assert_eq!(object(text), None, "{text}");
        }
    }
}
