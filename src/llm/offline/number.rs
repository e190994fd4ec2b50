//! Which number an answer means.

use serde_json::{Number, Value, json};

use super::quantity::{Quantity, Span, Unit, quantities};
use super::reading::{BRIEF, CLEAR};
use crate::engine::config::Field;
use crate::engine::words::words;

/// The quantity that fits the field: of the unit its description speaks of, else the first.
pub fn number(field: &Field, text: &str) -> Option<(Value, String, f64)> {
    let all = quantities(text);
    let about = format!("{} {}", field.name, field.description);
    let wanted = Span::mentioned(&about);
    let money = words(&about)
        .any(|word| matches!(word.as_str(), "money" | "budget" | "cost" | "price" | "euros" | "dollars" | "revenue"));
    let fits = |quantity: &Quantity| match quantity.unit {
        Some(Unit::Time(_)) => wanted.is_some(),
        Some(Unit::Money) => money,
        _ => false,
    };
    let at = all.iter().position(fits).or_else(|| (!all.is_empty()).then_some(0))?;
    // Of a range the upper end counts, and the whole range is the quote.
    let range = all.get(at + 1).filter(|next| is_range(&text[all[at].range.end..next.range.start]));
    let quantity = range.unwrap_or(&all[at]);
    let quote = text[all[at].range.start..quantity.range.end].to_owned();
    let value = match (quantity.unit, wanted) {
        (Some(Unit::Time(given)), Some(wanted)) if given != wanted => quantity.value * given.hours() / wanted.hours(),
        _ => quantity.value,
    };
    let rounded = (value * 100.0).round() / 100.0;
    let confidence = if all.len() == 1 || range.is_some() { CLEAR } else { BRIEF };
    Some((number_value(rounded)?, quote, confidence))
}

/// Whether what stands between two numbers makes them the ends of a range.
fn is_range(between: &str) -> bool {
    matches!(between.trim().trim_matches('€').to_lowercase().as_str(), "-" | "–" | "—" | "to" | "or" | "up to")
}

pub fn number_value(value: f64) -> Option<Value> {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return Some(json!(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}
