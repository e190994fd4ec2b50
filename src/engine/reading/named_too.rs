//! What is said of things that nobody has listed yet: "dark mode would be nice" names dark mode, too.

use serde_json::Value;

use super::answers::{UNSURE, is_statement};
use super::rearranged::Ground;
use super::{FieldReading, Standing};
use crate::engine::config::{Field, Kind};
use crate::engine::values::same;

/// The most words of a name.
const A_NAME: usize = 5;

/// Where a list was asked for, what other lists are read to say of its elements names these as well: judgements on a list
/// stand with it (`shows`).
pub(super) fn elements(ground: &Ground<'_, '_, '_, '_>, found: &mut Vec<FieldReading>) {
    let Ground { engine, question, material, .. } = *ground;
    let [asked] = question.fields.as_slice() else { return };
    if !is_list_of_names(asked) || !question.shown.paths.is_empty() {
        return;
    }
    let judges = |path: &str| {
        let mut obligations = engine.definition().obligations.iter();
        obligations.any(|o| {
            o.shows.iter().any(|shown| **shown == *asked.path) && o.satisfied_by.iter().any(|own| **own == *path)
        })
    };
    let mut named: Vec<FieldReading> = Vec::new();
    for reading in found.iter().filter(|reading| reading.path != *asked.path && judges(&reading.path)) {
        let field = engine.field(&reading.path).filter(|field| is_list_of_names(field));
        let Some(items) = reading.value.as_array().filter(|_| field.is_some()) else { continue };
        let listed = |item: &Value| {
            let own = found.iter().chain(&named).filter(|other| other.path == *asked.path);
            own.filter_map(|other| other.value.as_array()).flatten().any(|other| same(other, item))
        };
        let is_name = |item: &&Value| {
            let text = item.as_str().unwrap_or_default();
            let words = text.split_whitespace().count();
            (1..=A_NAME).contains(&words) && !is_statement(text, material.lexicon) && !listed(item)
        };
        let own: Vec<Value> = items.iter().filter(is_name).cloned().collect();
        if !own.is_empty() {
            named.push(FieldReading {
                path: asked.path.to_string(),
                value: Value::Array(own),
                status: Standing::Known,
                confidence: super::values::BRIEF,
                reading: format!("named where something was said of it, {}", reading.reading),
                doubt: None,
                ..reading.clone()
            });
        }
    }
    // Beside what is named, what may not be an answer is none.
    if !named.is_empty() {
        found.retain(|reading| reading.path != *asked.path || reading.doubt.as_deref() != Some(UNSURE));
    }
    found.extend(named);
}

fn is_list_of_names(field: &Field) -> bool {
    let texts = field.shape.items.as_deref().is_some_and(|items| items.r#type == Kind::String);
    field.shape.r#type == Kind::Array && texts
}
