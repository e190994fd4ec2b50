//! The JSON Schema of tables, drawn up from the same declarations that read them.

use serde_json::{Map, Value, json};

use super::{Surface, Table};

/// The keys of a table while its schema is drawn up.
#[derive(Debug)]
pub struct Keys<'d> {
    /// Named types.
    pub definitions: &'d mut Map<String, Value>,
    /// Schema per key.
    pub properties: Map<String, Value>,
    /// Keys that must be there.
    pub required: Vec<Value>,
    /// What holds only for one form of a tagged table.
    pub conditions: Vec<Value>,
}

/// One form of a tagged table: its word, what it is for, and what draws up its keys.
pub type Form = (&'static str, &'static str, fn(&mut Keys<'_>));

impl Keys<'_> {
    /// Adds a key with what its doc comment says.
    pub fn add<T: Surface>(&mut self, key: &str, doc: &str, default: Option<Value>, required: bool) {
        let mut schema = T::schema(self.definitions);
        if let Value::Object(object) = &mut schema {
            object.insert("description".into(), doc.trim().into());
            if let Some(default) = default {
                object.insert("default".into(), default);
            }
        }
        self.properties.insert(key.into(), schema);
        if required {
            self.required.push(key.into());
        }
    }

    /// Adds a tag and, for each of its words, the keys that go with it and the refusal of those that do not.
    pub(crate) fn add_forms(&mut self, tag: &str, forms: &[Form]) {
        let words: Vec<&str> = forms.iter().map(|(word, ..)| *word).collect();
        let docs: Vec<String> = forms.iter().map(|(word, doc, _)| format!("{word}: {}", doc.trim())).collect();
        self.properties.insert(tag.into(), json!({ "enum": words, "description": docs.join("\n") }));
        self.required.push(tag.into());
        let drawn: Vec<(Map<String, Value>, Vec<Value>)> = forms
            .iter()
            .map(|(_, _, draw)| {
                let mut keys = Keys::new(self.definitions);
                draw(&mut keys);
                (keys.properties, keys.required)
            })
            .collect();
        for key in drawn.iter().flat_map(|(properties, _)| properties.keys()) {
            self.properties.entry(key.clone()).or_insert_with(|| json!({}));
        }
        for (word, (properties, required)) in words.iter().zip(&drawn) {
            let mut allowed = properties.clone();
            for key in drawn.iter().flat_map(|(properties, _)| properties.keys()) {
                allowed.entry(key.clone()).or_insert(Value::Bool(false));
            }
            self.conditions.push(json!({
                "if": { "properties": { tag: { "const": word } }, "required": [tag] },
                "then": { "properties": allowed, "required": required },
            }));
        }
    }

    fn new(definitions: &mut Map<String, Value>) -> Keys<'_> {
        Keys { definitions, properties: Map::new(), required: Vec::new(), conditions: Vec::new() }
    }
}

/// The schema of a table, put once among the definitions under its name.
pub(crate) fn table_schema<T: Table>(name: &'static str, doc: &str, definitions: &mut Map<String, Value>) -> Value {
    if !definitions.contains_key(name) {
        definitions.insert(name.into(), Value::Null);
        let mut keys = Keys::new(definitions);
        T::properties(&mut keys);
        let mut schema = json!({
            "type": "object",
            "description": doc.trim(),
            "properties": keys.properties,
            "required": keys.required,
            "additionalProperties": false,
        });
        if !keys.conditions.is_empty() {
            schema["allOf"] = Value::Array(keys.conditions);
        }
        definitions.insert(name.into(), schema);
    }
    json!({ "$ref": format!("#/$defs/{name}") })
}
