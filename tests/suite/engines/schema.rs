//! The published JSON Schema takes what the loader takes, and refuses keys that nobody knows.
#![allow(clippy::expect_used, reason = "a test whose files cannot be read has failed")]

use std::fs;
use std::path::Path;

use elenchus::engine::config::json_schema;
use jsonschema::Validator;
use serde_json::{Value, json};
use toml::de::{DeTable, DeValue};

/// The engine files of this repository, with the place of each.
fn engine_files() -> Vec<(String, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shipped = fs::read_dir(root.join("engines")).expect("the engines are there");
    let folders =
        shipped.map(|entry| entry.expect("it can be listed").path()).filter(|path| path.join("engine.toml").is_file());
    let others = [root.join("src/cli/engines/starter"), root.join("tests/fixtures/base")];
    let files: Vec<(String, Value)> = folders
        .chain(others)
        .map(|folder| {
            let text = fs::read_to_string(folder.join("engine.toml")).expect("every folder has an engine.toml");
            let table = DeTable::parse(&text).expect("it is TOML");
            (folder.display().to_string(), object(table.get_ref()))
        })
        .collect();
    assert_eq!(files.len(), 7, "five engines, the starter and the base of the fixtures");
    files
}

fn object(table: &DeTable<'_>) -> Value {
    table.iter().map(|(key, value)| (key.get_ref().to_string(), convert(value.get_ref()))).collect()
}

fn convert(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => json!(text),
        DeValue::Integer(number) => json!(number.as_str().parse::<i64>().expect("it is a whole number")),
        DeValue::Float(number) => json!(number.as_str().parse::<f64>().expect("it is a number")),
        DeValue::Boolean(flag) => json!(flag),
        DeValue::Datetime(date) => json!(date.to_string()),
        DeValue::Array(items) => items.iter().map(|item| convert(item.get_ref())).collect(),
        DeValue::Table(table) => object(table),
    }
}

fn validator() -> Validator {
    jsonschema::validator_for(&json_schema()).expect("the schema can be compiled")
}

fn faults(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn the_schema_is_one() {
    assert!(jsonschema::meta::is_valid(&json_schema()));
}

#[test]
fn every_sound_engine_fits_the_schema() {
    let validator = validator();
    for (place, engine) in engine_files() {
        assert_eq!(faults(&validator, &engine), Vec::<String>::new(), "{place}");
    }
}

#[test]
fn the_schema_refuses_what_the_loader_refuses() {
    let validator = validator();
    let (_, engine) = engine_files().into_iter().find(|(place, _)| place.ends_with("base")).expect("it was read");
    let refused = |pointer: &str, key: &str, value: Value| {
        let mut spoilt = engine.clone();
        let table = spoilt.pointer_mut(pointer).and_then(Value::as_object_mut).expect("there is a table");
        table.insert(key.to_owned(), value);
        assert!(!validator.is_valid(&spoilt), "`{key}` in {pointer:?} was taken");
    };
    for pointer in
        ["", "/phases/0", "/obligations/0", "/fields/2/items", "/completeness", "/handlers/guide", "/context"]
    {
        refused(pointer, "unheard_of", json!(1));
    }
    refused("/phases/1/triggers/0", "evaluator", json!("goal_is_sure"));
    refused("/phases/1/triggers/0", "type", json!("turns"));
    refused("/phases/0", "order", json!("first"));
    refused("/fields/0", "confidence_threshold", json!(1.5));
    refused("/evaluators", "goal lost!", json!("1"));
    let mut without = engine.clone();
    without.as_object_mut().expect("an engine is a table").remove("outcome");
    assert!(!validator.is_valid(&without), "an engine without outcome was taken");
}
