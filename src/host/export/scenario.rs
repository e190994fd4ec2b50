//! Makes a scenario of a session that was kept: its user lines, what was found in them, and where that led.

use std::fmt::Write as _;

use serde_json::Value;

use super::stored_turns::StoredTurn;
use crate::engine::memory::Status;
use crate::text::deceives;

/// The text of a scenario file. One that stands in the folder of its engine need not name it.
pub(super) fn transcribe(title: &str, engine: Option<&str>, turns: &[StoredTurn]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "name = {}", literal(&title.into()));
    out.push_str("description = \"Made from a session: what was said, what was found in it, and where it led.\"\n");
    if let Some(engine) = engine {
        let _ = writeln!(out, "engine = {}", literal(&engine.into()));
    }
    out.push_str("model = { type = \"scripted\" }\n");
    if let Some(last) = turns.last() {
        let memory = &last.memory;
        let _ = write!(out, "\n[expect]\nphase = {}\n", literal(&memory.phase.current.as_str().into()));
        let settled: Vec<String> = memory
            .obligations
            .iter()
            .filter(|(_, state)| state.status != Status::Pending)
            .map(|(id, state)| format!("{} = {}", key(id), literal(&state.status.word().into())))
            .collect();
        let edited: Vec<&String> = turns.iter().flat_map(|turn| &turn.edited).collect();
        if !edited.is_empty() {
            // What depends on an edit cannot be told apart from what was said; the fields are all that is certain.
            out.push_str("# Fields that were edited by hand are left out, and with them the obligations.\n");
        } else if !settled.is_empty() {
            let _ = writeln!(out, "obligations = {{ {} }}", settled.join(", "));
        }
        let known = memory.extraction.iter().filter(|(path, _)| memory.extraction.is_known(path));
        out.push_str("fields = [\n");
        for (path, field) in known.filter(|(path, _)| !edited.iter().any(|edited| edited.as_str() == *path)) {
            let value = field.value.as_ref().map(literal).unwrap_or_default();
            let _ = writeln!(out, "    {{ path = {}, value = {value} }},", literal(&path.into()));
        }
        out.push_str("]\n");
    }
    for turn in turns {
        let _ = write!(out, "\n[[turns]]\nsays = {}\n", literal(&turn.message.as_str().into()));
        if !turn.readings.is_empty() {
            out.push_str("readings = [\n");
            for reading in &turn.readings {
                let _ = writeln!(out, "    {},", reading_literal(reading));
            }
            out.push_str("]\n");
        }
        if !turn.intents.is_empty() {
            let _ = writeln!(out, "signals = {{ intents = {} }}", literal(&serde_json::json!(turn.intents)));
        }
        let _ = writeln!(out, "answer = {}", literal(&turn.answer.as_str().into()));
    }
    out
}

/// A reading without what is the scripted model's own, and without a value where one was taken back.
fn reading_literal(reading: &Value) -> String {
    let mut parts = Vec::new();
    for name in ["path", "value", "confidence", "quote"] {
        if let Some(value) = reading.get(name).filter(|value| !value.is_null()) {
            parts.push(format!("{name} = {}", literal(value)));
        }
    }
    format!("{{ {} }}", parts.join(", "))
}

/// A value as TOML writes it on one line. Strings are written as JSON writes them, which TOML reads the same.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "\"\"".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(_) => value.to_string(),
        Value::String(_) => escaped(&value.to_string()),
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(parts) => {
            let said = parts.iter().filter(|(_, value)| !value.is_null());
            let said: Vec<String> = said.map(|(name, value)| format!("{} = {}", key(name), literal(value))).collect();
            format!("{{ {} }}", said.join(", "))
        }
    }
}

/// A string in which what deceives is escaped as TOML does it. JSON leaves the delete character and many others as they
/// are.
fn escaped(string: &str) -> String {
    let mut out = String::with_capacity(string.len());
    for c in string.chars() {
        match u32::from(c) {
            _ if !deceives(c) => out.push(c),
            code @ ..=0xffff => drop(write!(out, "\\u{code:04x}")),
            code => drop(write!(out, "\\U{code:08x}")),
        }
    }
    out
}

fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if bare { name.to_owned() } else { literal(&name.into()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_toml_reads_them() {
        let value = json!({ "a b": ["x\n\"y\"", 1.5, true], "c": null });
        assert_eq!(literal(&value), r#"{ "a b" = ["x\n\"y\"", 1.5, true] }"#);
        let text = "\u{1b}[2K\u{7f}\u{9b}\u{202e}\u{e0041}é";
        let written = literal(&text.into());
        assert!(!written.chars().any(deceives), "{written:?}");
        let read: toml::Table = toml::from_str(&format!("text = {written}")).unwrap();
        assert_eq!(read["text"].as_str(), Some(text));
    }
}
