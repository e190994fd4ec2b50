//! What a field that has a value makes of another.

use serde_json::Value;

use super::coerce::MAX_ITEMS;
use crate::engine::config::{Field, Kind, Merge};
use crate::engine::values::same;
use crate::engine::words::Folded;

/// The value after merging, and whether it only grew.
pub(super) fn combine(field: &Field, old: &Value, new: &Value) -> (Value, bool) {
    match (field.merge, old, new) {
        (Merge::Union, Value::Array(old), Value::Array(new)) => {
            let mut all = old.clone();
            for item in new {
                if all.len() < MAX_ITEMS && !all.iter().any(|known| same(known, item)) {
                    all.push(item.clone());
                }
            }
            (Value::Array(all), true)
        }
        (Merge::Upsert, Value::Array(old), Value::Array(new)) => {
            (Value::Array(upsert(old, new, field.key.as_deref().unwrap_or_default())), true)
        }
        // A text that says all of the old one and more is the same answer, told better.
        (_, Value::String(old), Value::String(longer)) if field.shape.r#type == Kind::String => {
            let grew = Folded::new(longer).find(&Folded::new(old)).is_some();
            (new.clone(), grew)
        }
        _ => (new.clone(), false),
    }
}

/// Elements with a known key are completed part by part; others are added.
fn upsert(old: &[Value], new: &[Value], key: &str) -> Vec<Value> {
    let mut all = old.to_vec();
    for item in new {
        let name = item.get(key).filter(|_| item.is_object());
        let room = all.len() < MAX_ITEMS;
        let known = all.iter_mut().find(|other| match (other.get(key), name) {
            (Some(a), Some(b)) => same(a, b),
            _ => false,
        });
        match (known, item) {
            (Some(Value::Object(known)), Value::Object(parts)) => {
                known.extend(parts.iter().map(|(part, value)| (part.clone(), value.clone())));
            }
            (None, _) if name.is_some() && room => all.push(item.clone()),
            _ => {}
        }
    }
    all
}
