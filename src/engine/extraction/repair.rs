//! Gets the JSON out of whatever a model sent: fences, prose around it, think blocks, sloppy syntax.

use serde_json::Value;

/// The longest answer that is looked at, in bytes.
const MAX_ANSWER: usize = 256 * 1024;
/// The deepest nesting that is looked at.
const MAX_DEPTH: usize = 32;

/// Why nothing could be made of an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RepairError {
    /// There is no object and no list in it.
    #[error("the analysis has no JSON in it")]
    NoData,
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

/// The JSON object in an answer, or the list where one comes first, and whether it had to be repaired.
pub(crate) fn repair(answer: &str) -> Result<(Value, bool), RepairError> {
    if answer.len() > MAX_ANSWER {
        return Err(RepairError::TooLong);
    }
    let text = after_thinking(answer).trim();
    if let Some(list) = whole_list(text) {
        return Ok((list, true));
    }
    let start = text.find('{').ok_or(RepairError::NoData)?;
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

/// The list that an answer has before any object, if it is whole and has objects in it.
fn whole_list(text: &str) -> Option<Value> {
    let start = text.find('[').filter(|start| text.find('{').is_some_and(|object| *start < object))?;
    let text = &text[start..];
    if depth(text) > MAX_DEPTH {
        return None;
    }
    let first = serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?;
    first.ok().filter(|list| list.as_array().is_some_and(|items| items.iter().any(Value::is_object)))
}

/// The entries of a cut or garbled answer that are whole, as they came.
pub(crate) fn salvage(answer: &str) -> Vec<Value> {
    let text = &answer[..answer.floor_char_boundary(MAX_ANSWER)];
    let text = after_thinking(text);
    let mut entries = Vec::new();
    let mut starts: Vec<usize> = Vec::new();
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            // A line break within a text is a quotation mark that was forgotten.
            b'\n' => quoted = false,
            b'{' if !quoted && starts.len() < MAX_DEPTH => starts.push(at),
            b'}' if !quoted => {
                let entry = starts.pop().and_then(|start| whole_entry(&text[start..=at]));
                entries.extend(entry);
            }
            _ => {}
        }
    }
    entries
}

/// An entry that has a field and a value.
fn whole_entry(text: &str) -> Option<Value> {
    let strict = serde_json::from_str::<Value>(text).ok();
    let value = strict.or_else(|| serde_json::from_str(&jsonrepair_rs::jsonrepair(text).ok()?).ok())?;
    (value.get("path")?.is_string() && value.get("value").is_some()).then_some(value)
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
    fn of_a_cut_answer_the_whole_entries_are_saved_and_the_half_one_is_not() {
        let cut = r#"{"fields": [{"path": "a", "quote": "x {y}", "value": "one", "confidence": 0.9},
            {"path": "b", "quote": "z", "value": null, "confidence": 1}, {"path": "c", "quote": "we lose tw"#;
        let paths = |text: &str| -> Vec<String> {
            salvage(text).iter().filter_map(|entry| Some(entry.get("path")?.as_str()?.to_owned())).collect()
        };
        assert_eq!(paths(cut), ["a", "b"]);
        assert_eq!(paths("{'path': 'a', 'value': 'one',} and so on"), ["a"]);
        assert_eq!(paths("I found nothing { really }"), Vec::<String>::new());
        assert_eq!(paths(&"{".repeat(100_000)), Vec::<String>::new());
    }

    #[test]
    fn a_list_of_entries_without_an_envelope_is_found_and_a_list_in_prose_is_not() {
        assert_eq!(repair("[{\"path\": \"a\"}, {}]"), Ok((json!([{ "path": "a" }, {}]), true)));
        assert_eq!(repair("```json\n[{\"path\": \"a\"}]\n```"), Ok((json!([{ "path": "a" }]), true)));
        assert_eq!(repair("It says [1, 2]: {\"fields\": []}"), Ok((json!({ "fields": [] }), true)));
        assert_eq!(repair("[]"), Err(RepairError::NoData));
    }

    #[test]
    fn prose_alone_is_refused() {
        assert_eq!(repair("I could not find anything."), Err(RepairError::NoData));
    }

    #[test]
    fn deep_nesting_is_refused_before_it_is_parsed() {
        assert_eq!(repair(&"{\"a\":".repeat(10_000)), Err(RepairError::TooDeep));
    }
}
