//! Brings a model's value into the shape of its field, where that can be done without guessing.

use serde_json::{Map, Number, Value};

use crate::engine::config::{Kind, Part, Shape};
use crate::engine::words::Folded;

/// Texts longer than this are no values any more.
const MAX_TEXT: usize = 4_000;
/// Longer lists are no values any more.
pub(super) const MAX_ITEMS: usize = 100;

/// The value in the field's shape, or why it has none.
pub(crate) fn coerce(value: &Value, shape: &Shape) -> Result<Value, String> {
    match shape.r#type {
        Kind::String => text(value).map(Value::String),
        Kind::Number => number(value, shape.unit.as_deref()),
        Kind::Boolean => boolean(value),
        Kind::Enum => option(value, &shape.options),
        Kind::Array => array(value, shape),
        Kind::Object => object(value, shape),
    }
}

fn text(value: &Value) -> Result<String, String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
        }
        _ => return Err("expected a text".to_owned()),
    };
    match text.len() {
        0 => Err("the text is empty".to_owned()),
        length if length > MAX_TEXT => Err(format!("the text has {length} bytes")),
        _ if is_placeholder(&text) => Err(format!("“{text}” is a placeholder")),
        _ => Ok(text),
    }
}

/// Words that models put where they found nothing.
fn is_placeholder(text: &str) -> bool {
    const PLACEHOLDERS: &[&str] =
        &["unknown", "n a", "none", "null", "not specified", "not mentioned", "not provided", "unspecified", "tbd"];
    PLACEHOLDERS.contains(&Folded::new(text).as_str())
}

/// A number; a text may end in the unit, which is how people see it.
fn number(value: &Value, unit: Option<&str>) -> Result<Value, String> {
    let wrong = || Err("expected a number".to_owned());
    match value {
        Value::Number(_) => Ok(value.clone()),
        // A range stays a range: its ends, and nothing else.
        Value::Object(ends) => match (ends.get("from"), ends.get("to")) {
            (Some(from), Some(to)) if ends.len() == 2 => range(&number(from, unit)?, &number(to, unit)?),
            _ => wrong(),
        },
        Value::String(text) if let Some((from, to)) = ends(text) => {
            range(&number(&from.into(), unit)?, &number(&to.into(), unit)?)
        }
        Value::String(text) => {
            let text = text.trim();
            let text = unit.and_then(|unit| text.strip_suffix(unit)).unwrap_or(text);
            let bare: String = text.chars().filter(|c| !matches!(c, ',' | ' ' | '_' | '€' | '$' | '£' | '%')).collect();
            let (digits, factor) = match bare.to_lowercase().strip_suffix(['k', 'm']) {
                Some(digits) if bare.to_lowercase().ends_with('k') => (digits.to_owned(), 1e3),
                Some(digits) => (digits.to_owned(), 1e6),
                None => (bare, 1.0),
            };
            let Ok(parsed) = digits.parse::<f64>() else { return wrong() };
            let scaled = parsed * factor;
            if scaled.fract() == 0.0 && scaled.abs() < 9e15 {
                return Ok(Value::from(scaled as i64));
            }
            Number::from_f64(scaled).map_or_else(wrong, |number| Ok(Value::Number(number)))
        }
        _ => wrong(),
    }
}

/// The ends of a range that was written as a text.
fn ends(text: &str) -> Option<(&str, &str)> {
    let split = ["–", " to ", "-"].iter().find_map(|mark| text.trim().split_once(mark));
    split.filter(|(from, to)| !from.trim().is_empty() && to.contains(|c: char| c.is_ascii_digit()))
}

fn range(from: &Value, to: &Value) -> Result<Value, String> {
    match (from.as_f64(), to.as_f64()) {
        (Some(low), Some(high)) if low < high => Ok(serde_json::json!({ "from": from, "to": to })),
        (Some(low), Some(high)) if (low - high).abs() < f64::EPSILON => Ok(to.clone()),
        _ => Err("a range goes from the lower to the higher number".to_owned()),
    }
}

fn boolean(value: &Value) -> Result<Value, String> {
    match value {
        Value::Bool(_) => Ok(value.clone()),
        Value::String(text) => match text.trim().to_lowercase().as_str() {
            "true" | "yes" | "y" => Ok(Value::Bool(true)),
            "false" | "no" | "n" => Ok(Value::Bool(false)),
            _ => Err("expected yes or no".to_owned()),
        },
        _ => Err("expected yes or no".to_owned()),
    }
}

fn option(value: &Value, options: &[String]) -> Result<Value, String> {
    let given = value.as_str().ok_or("expected one of the options")?;
    let folded = Folded::new(given);
    let found = options.iter().find(|option| Folded::new(option).as_str() == folded.as_str());
    found.map(|option| Value::String(option.clone())).ok_or_else(|| format!("“{given}” is not one of the options"))
}

fn array(value: &Value, shape: &Shape) -> Result<Value, String> {
    let Some(items) = &shape.items else { return Err("the field has no item shape".to_owned()) };
    let single = [value.clone()];
    let given: &[Value] = match value {
        Value::Array(all) => all,
        _ => &single,
    };
    if given.len() > MAX_ITEMS {
        return Err(format!("the list has {} elements", given.len()));
    }
    // "Which systems?" – "None." is an answer, and engines ask models to write it so; proof is asked for elsewhere.
    if let [Value::String(only)] = given
        && items.r#type == Kind::String
        && Folded::new(only).as_str() == "none"
    {
        return Ok(Value::Array(given.to_vec()));
    }
    let good: Vec<Value> = given.iter().filter_map(|item| coerce(item, items).ok()).collect();
    if good.is_empty() { Err("the list has no usable element".to_owned()) } else { Ok(Value::Array(good)) }
}

fn object(value: &Value, shape: &Shape) -> Result<Value, String> {
    let given = match value {
        Value::Object(given) => given.clone(),
        Value::String(text) if let Some(parts) = named_parts(text, shape) => parts,
        // A bare text where an object was wanted is its first part.
        Value::String(_) | Value::Number(_) => {
            let first = shape.properties.keys().next().ok_or("the field has no properties")?;
            Map::from_iter([(first.clone(), value.clone())])
        }
        _ => return Err("expected an object".to_owned()),
    };
    let mut good = Map::new();
    for (name, part) in &shape.properties {
        if let Some(Ok(value)) = given.get(name).map(|value| coerce(value, part)) {
            good.insert(name.clone(), value);
        }
    }
    if good.is_empty() { Err("the object has no usable part".to_owned()) } else { Ok(Value::Object(good)) }
}

/// The parts of a record that was written as people see it, `Feature: waiting list; Effort: 3 days`.
fn named_parts(text: &str, shape: &Shape) -> Option<Map<String, Value>> {
    let parts = text.split(';').map(|part| {
        let (name, value) = part.split_once(':')?;
        let meant = Folded::new(name);
        let says = |shown: &str| Folded::new(shown).as_str() == meant.as_str();
        let named = |key: &str, part: &Part| says(part.name.as_deref().unwrap_or(key)) || says(key);
        let (key, _) = shape.properties.iter().find(|(key, part)| named(key, part))?;
        Some((key.clone(), Value::from(value.trim())))
    });
    parts.collect()
}
