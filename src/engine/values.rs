//! Values of fields: what they look like to a person, and when two of them say the same.

use serde_json::Value;

use super::words::Folded;

/// A value on one line for people.
pub fn brief_text(value: &Value) -> String {
    match value {
        Value::Null => "—".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Array(items) => items.iter().map(brief_text).collect::<Vec<_>>().join(", "),
        Value::Object(object) => {
            let parts = object.iter().filter(|(_, value)| !value.is_null());
            parts
                .map(|(key, value)| format!("{}: {}", key.replace('_', " "), brief_text(value)))
                .collect::<Vec<_>>()
                .join("; ")
        }
    }
}

/// Whether two values say the same: texts regardless of case, spacing and punctuation, numbers regardless of their form.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a == b || Folded::new(a).as_str() == Folded::new(b).as_str(),
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        _ => a == b,
    }
}
