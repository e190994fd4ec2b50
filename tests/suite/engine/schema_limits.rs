//! The schema of an analysis within the limits that providers have published, for every engine in the binary and for one
//! with as many fields as one analysis looks for.
//!
//! OpenAI, structured outputs (strict): the root is an object and no `anyOf`; every object is closed and requires all its
//! properties; at most 5,000 properties in 10 levels, 1,000 values of enums, 120,000 characters of names and values, and
//! 15,000 in one enum of more than 250 values. Anthropic, structured outputs: objects closed; no bounds on numbers, texts
//! or lists; no recursion; at most 24 optional properties and 16 of a union type.

use elenchus::engine::extraction::MAX_SLICE;
use elenchus::engine::memory::WorkingMemory;
use elenchus::engine::tokens;
use serde_json::Value;

use super::support::{SMALL, catalogue, shipped, small_with, try_engine};

/// Words of JSON Schema that both providers take.
const TAKEN: &[&str] = &["type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"];

#[derive(Default)]
struct Measured {
    properties: usize,
    optional: usize,
    unions: usize,
    values: usize,
    characters: usize,
    levels: usize,
}

fn measure(schema: &Value, level: usize, seen: &mut Measured) {
    let parts = schema.as_object().expect("a schema is an object");
    for word in parts.keys() {
        assert!(TAKEN.contains(&word.as_str()), "`{word}` is not taken by both");
    }
    seen.levels = seen.levels.max(level);
    if let Some(branches) = parts.get("anyOf").and_then(Value::as_array) {
        assert!(level > 1, "the root is no choice");
        seen.unions += 1;
        for branch in branches {
            measure(branch, level + 1, seen);
        }
        return;
    }
    let kind = &parts["type"];
    assert!(kind.is_string(), "a list of types is not taken by both");
    if let Some(values) = parts.get("enum").and_then(Value::as_array) {
        assert_eq!(kind, "string", "an enum has a type");
        let characters: usize = values.iter().filter_map(Value::as_str).map(str::len).sum();
        assert!(values.len() <= 250 || characters <= 15_000);
        seen.values += values.len();
        seen.characters += characters;
    }
    if kind == "object" {
        assert_eq!(parts["additionalProperties"], Value::Bool(false), "objects are closed");
        let properties = parts["properties"].as_object().expect("properties");
        let required = parts["required"].as_array().expect("required");
        seen.optional += properties.keys().filter(|key| !required.iter().any(|name| name == *key)).count();
        seen.properties += properties.len();
        seen.characters += properties.keys().map(String::len).sum::<usize>();
        for part in properties.values() {
            measure(part, level + 1, seen);
        }
    }
    if let Some(items) = parts.get("items") {
        measure(items, level + 1, seen);
    }
}

fn is_within_limits(schema: &Value) {
    assert_eq!(schema["type"], "object");
    let mut seen = Measured::default();
    measure(schema, 1, &mut seen);
    assert!(seen.properties <= 5_000 && seen.levels <= 10 && seen.values <= 1_000 && seen.characters <= 120_000);
    assert!(seen.optional == 0 && seen.unions <= 16);
}

#[test]
fn every_engine_asks_for_what_both_providers_take_and_for_little() {
    for id in catalogue().ids() {
        let engine = shipped(&id);
        let slice = engine.slice(&WorkingMemory::new(engine.definition()), MAX_SLICE);
        is_within_limits(&slice.schema);
        let asked = tokens::estimate(&slice.schema.to_string()) + tokens::estimate(&slice.instructions);
        assert!(asked < 1_200, "{id}: {asked} tokens of schema and instructions");
        let catalogue = engine.preamble().text.split("# Fields of a report").nth(1).expect("the fields are told of");
        assert!(tokens::estimate(catalogue) <= 1_500, "{id}: the catalogue of fields is too long");
    }
}

#[test]
fn the_model_as_judge_of_modes_and_techniques_is_asked_within_the_limits_too() {
    let engine = small_with(&[
        ("classifier = \"lexical\"", "classifier = \"llm\""),
        ("scheduler = \"rule_based\"", "scheduler = \"llm_driven\""),
    ]);
    is_within_limits(&engine.slice(&WorkingMemory::new(engine.definition()), MAX_SLICE).schema);
}

#[test]
fn an_engine_with_more_fields_than_one_analysis_takes_tells_of_them_in_slices() {
    use std::fmt::Write as _;
    let mut text = SMALL.to_owned();
    for at in 0..MAX_SLICE {
        let _ = write!(
            text,
            "\n[[fields]]\npath = \"more.field_{at}\"\nname = \"More {at}\"\ndescription = \"Something.\"\ntype = \"string\"\n"
        );
    }
    let engine = try_engine(&text).unwrap_or_else(|problems| panic!("{problems}"));
    let slice = engine.slice(&WorkingMemory::new(engine.definition()), MAX_SLICE);
    is_within_limits(&slice.schema);
    assert!(!engine.preamble().text.contains("# Fields of a report"));
    assert!(slice.instructions.contains("- purpose.problem (string): What goes wrong."));
}
