//! The analysis answer as it comes over the wire, read leniently.

use serde_json::{Map, Value};

use crate::engine::config::Mode;

/// What a model made of a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AnalysisAnswer {
    pub readings: Vec<Reading>,
    /// What it noticed besides.
    pub signals: Signals,
}

/// A value a model found.
#[derive(Clone, Debug, PartialEq)]
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

/// Reads an answer, taking what has the right shape and leaving the rest.
pub(crate) fn read_answer(answer: &Value) -> AnalysisAnswer {
    let readings = match answer.get("fields") {
        Some(Value::Array(items)) => items.iter().filter_map(|item| from_item(item.as_object()?)).collect(),
        Some(Value::Object(map)) => from_map(map),
        // Some models leave the envelope out.
        _ => answer.as_object().map(from_map).unwrap_or_default(),
    };
    let signals = answer.get("signals").map(signals).unwrap_or_default();
    AnalysisAnswer { readings: readings.into_iter().take(MAX_READINGS).collect(), signals }
}

fn from_item(item: &Map<String, Value>) -> Option<Reading> {
    reading(item.get("path")?.as_str()?, item)
}

fn from_map(map: &Map<String, Value>) -> Vec<Reading> {
    map.iter().filter_map(|(path, entry)| reading(path, entry.as_object()?)).collect()
}

/// The longest reasoning that is remembered, in bytes.
const MAX_REASONING: usize = 400;
/// The longest path that is looked up and reported, in bytes.
const MAX_PATH: usize = 200;

fn reading(path: &str, entry: &Map<String, Value>) -> Option<Reading> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let short = |text: &str, most: usize| text[..text.floor_char_boundary(most)].to_owned();
    let confidence = entry.get("confidence").and_then(number).unwrap_or(UNSTATED_CONFIDENCE);
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

    use super::unit;

    #[test]
    fn levels_on_other_scales_are_understood_and_all_others_cut() {
        let levels = [0.7, 1.0, 1.4, 7.0, 9.0, 85.0, 400.0, -2.0].map(|level| (unit(level) * 100.0).round() as i32);
        assert_eq!(levels, [70, 100, 100, 70, 90, 85, 100, 0]);
    }
}
