//! Single values and lists of them.

use std::ops::Deref;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use toml::de::{DeTable, DeValue};

use super::id::{NAME_PATTERN, NAME_RULE, name_fault};
use super::{Node, Surface, entries};
use super::{Problems, Span};

/// A value that remembers where it stands. Two are equal when their values are.
#[derive(Clone, Debug, Default)]
pub struct Spanned<T> {
    pub value: T,
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Surface> Surface for Spanned<T> {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        Self { value: T::decode(node, problems), span: node.span() }
    }
    fn encode(&self) -> Value {
        self.value.encode()
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        T::schema(definitions)
    }
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fraction(pub f64);

impl Surface for Fraction {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let number = f64::decode(node, problems);
        if !(0.0..=1.0).contains(&number) {
            problems.error("out-of-range", node.span(), format!("{number} is not between 0 and 1"));
            return Self::default();
        }
        Self(number)
    }
    fn encode(&self) -> Value {
        self.0.into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

/// The longest text in an engine file, in bytes: texts are told to models and shown to people.
const MAX_TEXT: usize = 16 * 1024;

impl Surface for String {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        match node.value {
            DeValue::String(text) if text.trim().is_empty() => {
                problems.error("empty-text", node.span(), "this text is empty");
                Self::new()
            }
            DeValue::String(text) if text.len() > MAX_TEXT => {
                let message = format!("this text is longer than {} KiB", MAX_TEXT / 1024);
                problems.error("too-large", node.span(), message);
                Self::new()
            }
            DeValue::String(text) => text.to_string(),
            _ => {
                node.wrong_type("a string", problems);
                Self::new()
            }
        }
    }
    fn encode(&self) -> Value {
        self.clone().into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "string", "minLength": 1 })
    }
}

impl Surface for bool {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let DeValue::Boolean(value) = node.value else {
            node.wrong_type("true or false", problems);
            return false;
        };
        *value
    }
    fn encode(&self) -> Value {
        (*self).into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "boolean" })
    }
}

impl Surface for u32 {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let DeValue::Integer(number) = node.value else {
            node.wrong_type("a whole number", problems);
            return 0;
        };
        Self::from_str_radix(number.as_str(), number.radix()).unwrap_or_else(|_| {
            problems.error("out-of-range", node.span(), format!("expected a whole number from 0 to {}", u32::MAX));
            0
        })
    }
    fn encode(&self) -> Value {
        (*self).into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "integer", "minimum": 0 })
    }
}

impl Surface for f64 {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let parsed = match node.value {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => {
                node.wrong_type("a number", problems);
                return 0.0;
            }
        };
        parsed.filter(|number: &f64| number.is_finite()).unwrap_or_else(|| {
            problems.error("out-of-range", node.span(), "expected a finite decimal number");
            0.0
        })
    }
    fn encode(&self) -> Value {
        (*self).into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "number" })
    }
}

/// Any value at all. Its shape is checked later: against a field, or against a task's result.
impl Surface for Value {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        match node.value {
            DeValue::String(text) => text.to_string().into(),
            DeValue::Boolean(value) => (*value).into(),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).map_or_else(
                |_| {
                    problems.error("out-of-range", node.span(), "this number is too large");
                    Self::Null
                },
                Self::from,
            ),
            DeValue::Float(_) => f64::decode(node, problems).into(),
            DeValue::Array(items) => items.iter().map(|item| Self::decode(Node::new(item), problems)).collect(),
            DeValue::Table(_) => {
                let parts = node.entries(problems).into_iter();
                Self::Object(parts.map(|(key, _, value)| (key.to_owned(), Self::decode(value, problems))).collect())
            }
            DeValue::Datetime(_) => {
                node.wrong_type("a value that JSON has", problems);
                Self::Null
            }
        }
    }
    fn encode(&self) -> Value {
        self.clone()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({})
    }
}

impl<T: Surface> Surface for Option<T> {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        Some(T::decode(node, problems))
    }
    fn encode(&self) -> Value {
        self.as_ref().map_or(Value::Null, Surface::encode)
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        T::schema(definitions)
    }
}

impl<T: Surface> Surface for Box<T> {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        Self::new(T::decode(node, problems))
    }
    fn encode(&self) -> Value {
        self.as_ref().encode()
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        T::schema(definitions)
    }
}

impl<T: Surface> Surface for Vec<T> {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let DeValue::Array(items) = node.value else {
            node.wrong_type("an array", problems);
            return Self::new();
        };
        items.iter().map(|item| T::decode(Node::new(item), problems)).collect()
    }
    fn encode(&self) -> Value {
        self.iter().map(Surface::encode).collect()
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        json!({ "type": "array", "items": T::schema(definitions) })
    }
}

/// Values by a name that the file chooses, in the order of the file.
pub(crate) type Named<T> = IndexMap<String, Spanned<T>>;

impl<T: Surface> Surface for Named<T> {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let entries = node.entries(problems);
        let read = |(key, span, value): (&str, Span, Node<'_>)| {
            if let Some(fault) = name_fault(key) {
                problems.error("bad-name", span.clone(), fault).help(NAME_RULE);
            }
            let value = problems.under(key, |problems| T::decode(value, problems));
            (key.to_owned(), Spanned { value, span })
        };
        entries.into_iter().map(read).collect()
    }
    fn encode(&self) -> Value {
        Value::Object(self.iter().map(|(key, value)| (key.clone(), value.encode())).collect())
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        json!({
            "type": "object",
            "propertyNames": { "pattern": NAME_PATTERN },
            "additionalProperties": T::schema(definitions),
        })
    }
}

/// Values under keys of any form, in the order of the file, each with the place of its key.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries<T>(pub IndexMap<String, Spanned<T>>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(IndexMap::new())
    }
}

impl<T> Deref for Entries<T> {
    type Target = IndexMap<String, Spanned<T>>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T: Surface> Entries<T> {
    pub(super) fn read(table: &DeTable<'_>, problems: &mut Problems) -> Self {
        let read = |(key, span, value): (&str, Span, Node<'_>)| {
            let value = problems.under(key, |problems| T::decode(value, problems));
            (key.to_owned(), Spanned { value, span })
        };
        Self(entries(table).into_iter().map(read).collect())
    }
}

impl<T: Surface> Surface for Entries<T> {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let DeValue::Table(table) = node.value else {
            node.wrong_type("a table", problems);
            return Self::default();
        };
        Self::read(table, problems)
    }
    fn encode(&self) -> Value {
        Value::Object(self.iter().map(|(key, value)| (key.clone(), value.encode())).collect())
    }
    fn schema(definitions: &mut Map<String, Value>) -> Value {
        json!({ "type": "object", "additionalProperties": T::schema(definitions) })
    }
}
