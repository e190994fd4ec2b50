//! Gets the JSON out of whatever a model sent: fences, prose around it, think blocks, sloppy syntax.

use serde_json::Value;

/// The longest answer that is looked at, in bytes.
const MAX_ANSWER: usize = 256 * 1024;
/// The deepest nesting that is looked at.
const MAX_DEPTH: usize = 32;

/// Why nothing could be made of an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RepairError {
    /// There is no object in it.
    #[error("the analysis has no JSON object in it")]
    NoObject,
    /// It is longer than any honest answer.
    #[error("the analysis is too long")]
    TooLong,
    /// It nests deeper than any honest answer.
    #[error("the analysis is nested too deeply")]
    TooDeep,
    /// It cannot be read, even with repairs.
    #[error("the analysis is not JSON, and cannot be repaired")]
    Unreadable,
}

/// The JSON object in an answer, and whether it had to be repaired.
pub(crate) fn repair(answer: &str) -> Result<(Value, bool), RepairError> {
    if answer.len() > MAX_ANSWER {
        return Err(RepairError::TooLong);
    }
    let text = after_thinking(answer).trim();
    let start = text.find('{').ok_or(RepairError::NoObject)?;
    let text = &text[start..];
    if depth(text) > MAX_DEPTH {
        return Err(RepairError::TooDeep);
    }
    let clean = start == 0 && answer.trim_start().starts_with('{');
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    if let Some(Ok(value @ Value::Object(_))) = stream.next() {
        let rest = text[stream.byte_offset()..].trim();
        return Ok((value, !clean || !rest.is_empty()));
    }
    let end = text.rfind('}').map_or(text.len(), |at| at + 1);
    for candidate in [&text[..end], text] {
        let repaired = jsonrepair_rs::jsonrepair(candidate).ok();
        let value = repaired.and_then(|json| serde_json::from_str::<Value>(&json).ok());
        if let Some(value @ Value::Object(_)) = value {
            return Ok((value, true));
        }
    }
    Err(RepairError::Unreadable)
}

/// What follows the last think block.
fn after_thinking(answer: &str) -> &str {
    ["</think>", "</thinking>", "</reasoning>"]
        .iter()
        .filter_map(|tag| answer.rfind(tag).map(|at| &answer[at + tag.len()..]))
        .min_by_key(|rest| rest.len())
        .unwrap_or(answer)
}

fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0usize);
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_clean_object_needs_no_repair() {
        assert_eq!(repair(r#"{"fields": []}"#), Ok((json!({ "fields": [] }), false)));
    }

    #[test]
    fn fences_prose_and_thoughts_are_cut_off() {
        let answer = "<think>{not this}</think>Here you are:\n```json\n{\"fields\": []}\n```\nAnything else?";
        assert_eq!(repair(answer), Ok((json!({ "fields": [] }), true)));
    }

    #[test]
    fn trailing_commas_single_quotes_and_a_cut_end_are_mended() {
        assert_eq!(repair("{'a': 1,}").map(|(value, _)| value), Ok(json!({ "a": 1 })));
        assert_eq!(repair(r#"{"a": [1, 2"#).map(|(value, _)| value), Ok(json!({ "a": [1, 2] })));
    }

    #[test]
    fn prose_alone_is_refused() {
        assert_eq!(repair("I could not find anything."), Err(RepairError::NoObject));
    }

    #[test]
    fn deep_nesting_is_refused_before_it_is_parsed() {
        assert_eq!(repair(&"{\"a\":".repeat(10_000)), Err(RepairError::TooDeep));
    }
}
