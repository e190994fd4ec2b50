//! Reads figures of a turn: what is missing is nothing.

use serde_json::Value;

use crate::engine::step::Step;

/// The items of a list.
pub fn each<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + Clone {
    value[name].as_array().map_or(&[][..], Vec::as_slice).iter()
}

/// A text.
pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// A number.
pub fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_default()
}

/// Whether something is so.
pub fn is(value: &Value, name: &str) -> bool {
    value[name].as_bool().unwrap_or_default()
}

/// The line of the trace that a step left.
pub fn step(turn: &Value, step: Step) -> Option<&Value> {
    each(turn, "steps").find(|entry| entry["step"].as_u64() == Some(u64::from(step.number())))
}
