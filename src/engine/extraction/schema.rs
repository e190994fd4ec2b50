//! The JSON Schema of an analysis answer: a flat list of entries, so that a model writes only what it found.

use serde_json::{Map, Value, json};

use crate::decode::{Id, Named};
use crate::engine::config::{Classifier, Definition, Field, Kind, Mode, Scheduler, Shape};

/// The schema for these fields. Flat and small: providers compile it, and refuse what is large, bounded or branched.
pub(crate) fn analysis_schema(definition: &Definition, fields: &[&Field]) -> Value {
    let paths: Vec<&str> = fields.iter().map(|field| field.path.as_str()).collect();
    let entry = object(Map::from_iter([
        ("path".to_owned(), json!({ "type": "string", "enum": paths })),
        ("quote".to_owned(), json!({ "type": "string" })),
        ("value".to_owned(), json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] })),
        ("confidence".to_owned(), json!({ "type": "number" })),
    ]));
    let level = || json!({ "type": "number" });
    let mut signals = Map::from_iter([
        ("trust".to_owned(), level()),
        ("rapport".to_owned(), level()),
        ("friction".to_owned(), level()),
        ("intents".to_owned(), words(&intents(definition))),
    ]);
    if definition.techniques.scheduler == Scheduler::LlmDriven {
        let known: Vec<&str> = definition.techniques.available.iter().map(Id::as_str).collect();
        signals.insert("techniques_used".to_owned(), words(&known));
    }
    if definition.modes.classifier == Classifier::Llm {
        let shares: Map<String, Value> = Mode::ALL.iter().map(|mode| (mode.word().to_owned(), level())).collect();
        signals.insert("modes".to_owned(), object(shares));
    }
    object(Map::from_iter([
        ("fields".to_owned(), json!({ "type": "array", "items": entry })),
        ("signals".to_owned(), object(signals)),
    ]))
}

/// The schema for a small model: what was said and where. How sure it is and how the message sounds it cannot tell.
pub(super) fn short_schema(fields: &[&Field]) -> Value {
    let paths: Vec<&str> = fields.iter().map(|field| field.path.as_str()).collect();
    let entry = object(Map::from_iter([
        ("path".to_owned(), json!({ "type": "string", "enum": paths })),
        ("quote".to_owned(), json!({ "type": "string" })),
        ("value".to_owned(), json!({ "type": "string" })),
    ]));
    object(Map::from_iter([("fields".to_owned(), json!({ "type": "array", "items": entry }))]))
}

/// Names of the intents a model may report: the engine's own, and two that every conversation has.
pub fn intents(definition: &Definition) -> Vec<&str> {
    let own = definition.intents.iter().map(|intent| intent.id.as_str());
    own.chain(["does_not_know", "declines_to_say"]).collect()
}

fn words(known: &[&str]) -> Value {
    json!({ "type": "array", "items": { "type": "string", "enum": known } })
}

/// The schema of a record with these parts, for a model that is to fill in all of them.
pub(crate) fn record_schema(parts: &Named<Shape>) -> Value {
    object(parts.iter().map(|(name, part)| (name.clone(), shape(&part.value))).collect())
}

/// An object with all of these keys and no others.
fn object(properties: Map<String, Value>) -> Value {
    let required = properties.keys().map(|key| Value::from(key.as_str())).collect();
    Value::Object(Map::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), Value::Object(properties)),
        ("required".to_owned(), required),
        ("additionalProperties".to_owned(), false.into()),
    ]))
}

fn shape(shape: &Shape) -> Value {
    match shape.r#type {
        Kind::String => json!({ "type": "string" }),
        Kind::Number => json!({ "type": "number" }),
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Enum => json!({ "type": "string", "enum": shape.options }),
        Kind::Array => {
            json!({ "type": "array", "items": shape.items.as_ref().map_or(json!({}), |items| self::shape(items)) })
        }
        Kind::Object => {
            let parts = shape
                .properties
                .iter()
                .map(|(name, part)| (name.clone(), json!({ "anyOf": [self::shape(&part.value), { "type": "null" }] })));
            object(parts.collect())
        }
    }
}
