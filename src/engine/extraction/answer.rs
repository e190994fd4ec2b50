//! The analysis answer as it comes over the wire, read leniently.

use serde_json::{Map, Value};

use crate::engine::config::Mode;

/// What a model made of a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AnalysisAnswer {
    pub readings: Vec<Reading>,
    /// What it noticed besides.
    pub signals: Signals,
    /// Whether it says which intents were shown, and so that others were not.
    pub reliable: bool,
}

/// A value a model found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    pub path: String,
    /// The value; null takes a value back.
    pub value: Value,
    pub confidence: f64,
    /// The words it claims to have it from.
    pub quote: String,
    pub reasoning: String,
    /// Why it must not count before it is confirmed, where its finder says so.
    pub doubt: Option<String>,
}

/// What a model noticed besides values. A level it did not give is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Signals {
    /// How openly the user speaks, 0 to 1.
    pub trust: Option<f64>,
    /// How well the two get on, 0 to 1.
    pub rapport: Option<f64>,
    /// How much the user resists, 0 to 1.
    pub friction: Option<f64>,
    /// Techniques the last answer used.
    pub techniques_used: Vec<String>,
    /// Intents the user showed.
    pub intents: Vec<String>,
    /// How the last answer sounded, in shares by mode.
    pub modes: Option<[f64; 7]>,
}

/// The most readings of one answer that are looked at.
const MAX_READINGS: usize = 100;
/// A confidence for readings that came without one.
const UNSTATED_CONFIDENCE: f64 = 0.6;

/// A confidence for values that came without anything beside them: they count only where the user's own words are the
/// same.
const BARE_CONFIDENCE: f64 = 0.75;
/// How many wrappers around a report are opened.
const MOST_WRAPPERS: usize = 2;

/// Reads a report, taking what has the right shape and leaving the rest; nothing where it is no report at all.
///
/// `{"fields": …}` is one, so is a list of entries without its envelope, and values by the path of their field. One key
/// around any of them is opened. Everything else is data about something else: an error, a call, the schema given back.
pub(crate) fn read_report(answer: &Value, is_field: impl Fn(&str) -> bool) -> Option<AnalysisAnswer> {
    let mut report = answer;
    for _ in 0..=MOST_WRAPPERS {
        if let Some(readings) = readings(report, &is_field) {
            let signals = report.get("signals").map(signals).unwrap_or_default();
            let readings = readings.into_iter().take(MAX_READINGS).collect();
            let reliable = report.pointer("/signals/intents").is_some_and(Value::is_array);
            return Some(AnalysisAnswer { readings, signals, reliable });
        }
        let [inner] = report.as_object()?.values().collect::<Vec<_>>()[..] else { return None };
        report = inner;
    }
    None
}

/// Reads entries that were saved one by one.
pub(crate) fn read_entries(entries: &[Value]) -> AnalysisAnswer {
    let readings = entries.iter().filter_map(|item| from_item(item.as_object()?));
    AnalysisAnswer { readings: readings.take(MAX_READINGS).collect(), ..AnalysisAnswer::default() }
}

/// The values of a report, if it is one.
fn readings(report: &Value, is_field: &impl Fn(&str) -> bool) -> Option<Vec<Reading>> {
    match (report, report.get("fields")) {
        (_, Some(Value::Array(items))) => Some(from_list(items)).filter(|found| items.is_empty() || !found.is_empty()),
        (_, Some(Value::Object(map))) if map.is_empty() => Some(Vec::new()),
        (_, Some(Value::Object(map))) | (Value::Object(map), None) => from_map(map, is_field),
        (Value::Array(items), _) => Some(from_list(items)).filter(|found| !found.is_empty()),
        _ => None,
    }
}

fn from_list(items: &[Value]) -> Vec<Reading> {
    items.iter().filter_map(|item| from_item(item.as_object()?)).collect()
}

fn from_item(item: &Map<String, Value>) -> Option<Reading> {
    reading(item.get("path")?.as_str()?, item)
}

/// Values by the path of their field, each with what belongs to it or alone; nothing where no key is a field.
fn from_map(map: &Map<String, Value>, is_field: &impl Fn(&str) -> bool) -> Option<Vec<Reading>> {
    map.keys().any(|key| is_field(key)).then_some(())?;
    let found = map.iter().filter_map(|(path, entry)| match entry {
        Value::Object(parts) if parts.contains_key("value") => reading(path, parts),
        // A field that nothing was found for is no field that something was taken back of.
        Value::Null => None,
        bare if is_field(path) => {
            let value = bare.clone();
            Some(Reading { path: path.clone(), value, confidence: BARE_CONFIDENCE, ..Reading::default() })
        }
        _ => None,
    });
    Some(found.collect())
}

/// The longest reasoning that is remembered, in bytes.
const MAX_REASONING: usize = 400;
/// The longest path that is looked up and reported, in bytes.
const MAX_PATH: usize = 200;

fn reading(path: &str, entry: &Map<String, Value>) -> Option<Reading> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let short = |text: &str, most: usize| text[..text.floor_char_boundary(most)].to_owned();
    let stated = entry.get("confidence");
    let confidence =
        stated.and_then(|stated| number(stated).or_else(|| in_words(stated))).unwrap_or(UNSTATED_CONFIDENCE);
    Some(Reading {
        path: short(path, MAX_PATH),
        value: entry.get("value")?.clone(),
        confidence: unit(confidence),
        quote: text("quote").to_owned(),
        reasoning: short(text("reasoning").trim(), MAX_REASONING),
        doubt: Some(short(text("doubt").trim(), MAX_REASONING)).filter(|doubt| !doubt.is_empty()),
    })
}

fn signals(value: &Value) -> Signals {
    let level = |key: &str| value.get(key).and_then(number).map(unit);
    let words = |key: &str| -> Vec<String> {
        let items = value.get(key).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).take(20).map(ToOwned::to_owned).collect()
    };
    Signals {
        trust: level("trust"),
        rapport: level("rapport"),
        friction: level("friction"),
        techniques_used: words("techniques_used"),
        intents: words("intents"),
        modes: value.get("modes").and_then(modes),
    }
}

fn modes(value: &Value) -> Option<[f64; 7]> {
    let mut shares = [0.0; 7];
    for mode in Mode::ALL {
        shares[*mode as usize] = value.get(mode.word()).and_then(number).unwrap_or(0.0).max(0.0);
    }
    let sum: f64 = shares.iter().sum();
    (sum.is_finite() && sum > 0.0).then(|| shares.map(|share| share / sum * 100.0))
}

/// How sure a model is that says so in a word.
fn in_words(value: &Value) -> Option<f64> {
    match value.as_str()?.trim().to_lowercase().as_str() {
        "certain" | "very high" | "high" => Some(0.9),
        "medium" | "moderate" => Some(UNSTATED_CONFIDENCE),
        "low" | "very low" => Some(0.3),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().trim_end_matches('%').parse().ok(),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

/// Cuts a level to 0..1; models that think in per cent, or from one to ten, are understood.
fn unit(level: f64) -> f64 {
    let whole = level.fract() == 0.0;
    let level = match level {
        level if whole && level > 1.0 && level <= 10.0 => level / 10.0,
        level if level > 10.0 && level <= 100.0 => level / 100.0,
        level => level,
    };
    level.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use serde_json::json;

    use super::{read_report, unit};

    #[test]
    fn a_report_is_read_in_whatever_envelope_it_comes() {
        let entry = || json!({ "path": "a.b", "quote": "one", "value": "one", "confidence": "high" });
        let is_field = |path: &str| path.starts_with("a.");
        for report in [
            json!({ "fields": [entry()], "signals": {} }),
            json!({ "analysis": { "fields": [entry()], "signals": {} } }),
            json!({ "result": { "report": [entry()] } }),
            json!([entry()]),
            json!({ "a.b": entry() }),
            json!({ "fields": { "a.b": entry() } }),
            json!({ "a.b": "one", "a.c": null }),
        ] {
            let read = read_report(&report, is_field).unwrap_or_else(|| panic!("{report} is a report"));
            let found: Vec<_> = read.readings.iter().map(|r| (r.path.as_str(), &r.value)).collect();
            assert_eq!(found, [("a.b", &json!("one"))], "{report}");
            assert!(read.readings[0].confidence >= 0.7, "{report}");
        }
        for nothing in [json!({ "fields": [] }), json!({ "fields": {} }), json!({ "a.b": null })] {
            assert_eq!(read_report(&nothing, is_field).map(|read| read.readings.len()), Some(0), "{nothing}");
        }
    }

    #[test]
    fn data_about_something_else_is_no_report() {
        for other in [
            json!({}),
            json!([]),
            json!([1, 2]),
            json!(null),
            json!("fields"),
            json!({ "query": "library" }),
            json!({ "error": "I cannot" }),
            json!({ "error": { "message": "no", "code": 400 } }),
            json!({ "fields": null }),
            json!({ "fields": ["a.b"] }),
            json!({ "signals": { "trust": 0.5 } }),
            json!({ "type": "object", "properties": { "fields": { "type": "array", "items": [] } } }),
            json!({ "properties": { "fields": { "type": "array", "items": {} } } }),
            json!({ "name": "search_project", "arguments": { "query": "x" } }),
        ] {
            assert_eq!(read_report(&other, |path| path.starts_with("a.")), None, "{other}");
        }
    }

    #[test]
    fn levels_on_other_scales_are_understood_and_all_others_cut() {
        let levels = [0.7, 1.0, 1.4, 7.0, 9.0, 85.0, 400.0, -2.0].map(|level| (unit(level) * 100.0).round() as i32);
        assert_eq!(levels, [70, 100, 100, 70, 90, 85, 100, 0]);
    }
}
