//! The values that only settings have, and how a value of the file becomes one with its origin.

use std::ops::Deref;

use serde_json::{Map, Value, json};
use toml::de::DeValue;

use super::origin::{Origin, Resolved};
use crate::decode::{Node, Problems, Surface};

/// A value of the file: its origin is the place where it stands.
impl<T: Surface> Surface for Resolved<T> {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let origin = Origin::File(problems.place(node.span()));
        Self { value: T::decode(node, problems), origin }
    }
    fn encode(&self) -> Value {
        self.value.encode()
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        T::schema(definitions)
    }
}

/// A number that is not negative.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Amount(pub f64);

impl Surface for Amount {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let number = match node.value() {
            DeValue::Float(number) => number.as_str().parse::<f64>().ok(),
            value => whole(value).map(|number| number as f64),
        };
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        Self(number.unwrap_or_else(|| {
            node.wrong_type("a number of zero or more", problems);
            0.0
        }))
    }
    fn encode(&self) -> Value {
        self.0.into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "number", "minimum": 0 })
    }
}

/// A whole number above zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count(pub u64);

impl Count {
    /// The number where fewer bits will do.
    pub fn small(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }
}

impl Surface for Count {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        Self(whole(node.value()).filter(|number| *number > 0).unwrap_or_else(|| {
            node.wrong_type("a whole number above zero", problems);
            1
        }))
    }
    fn encode(&self) -> Value {
        self.0.into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "integer", "minimum": 1 })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Percentages(pub Vec<u8>);

impl Surface for Percentages {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let percent = |value: &DeValue<'_>| whole(value).and_then(|number| u8::try_from(number).ok());
        let items = node.value().as_array().map(|items| {
            let percent = |value| percent(value).filter(|number| (1..=100).contains(number));
            items.iter().map(|item| percent(item.get_ref())).collect::<Option<Vec<u8>>>()
        });
        Self(items.flatten().unwrap_or_else(|| {
            node.wrong_type("a list of whole numbers from 1 to 100", problems);
            Vec::new()
        }))
    }
    fn encode(&self) -> Value {
        json!(self.0)
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "array", "items": { "type": "integer", "minimum": 1, "maximum": 100 } })
    }
}

/// Texts by name, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Texts(pub Vec<(String, String)>);

impl Surface for Texts {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let is_text = |value: &DeValue<'_>| matches!(value, DeValue::String(_));
        let texts = node.value().as_table().is_some_and(|table| table.iter().all(|(_, v)| is_text(v.get_ref())));
        if !texts {
            node.wrong_type("a table of strings", problems);
            return Self::default();
        }
        let entries = node.entries(problems).into_iter();
        Self(entries.filter_map(|(key, _, value)| Some((key.to_owned(), value.value().as_str()?.to_owned()))).collect())
    }
    fn encode(&self) -> Value {
        self.0.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str()))).collect()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "object", "additionalProperties": { "type": "string" } })
    }
}

/// A table of anything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Anything(pub Map<String, Value>);

impl Deref for Anything {
    type Target = Map<String, Value>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Surface for Anything {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let entries = node.entries(problems).into_iter();
        Self(entries.map(|(key, _, value)| (key.to_owned(), Value::decode(value, problems))).collect())
    }
    fn encode(&self) -> Value {
        Value::Object(self.0.clone())
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "object" })
    }
}

fn whole(value: &DeValue<'_>) -> Option<u64> {
    let integer = value.as_integer()?;
    u64::from_str_radix(integer.as_str(), integer.radix()).ok()
}
