//! The JSON Schema of `engine.toml`, so that editors complete and check while a designer types.

use serde_json::{Map, Value, json};

use super::definition::Definition;
use crate::decode::Surface;

/// The schema, drawn from the same declarations that read the file.
pub fn json_schema() -> Value {
    let mut definitions = Map::new();
    let root = Definition::schema(&mut definitions);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Elenchus engine",
        "$ref": root["$ref"],
        "$defs": definitions,
    })
}
