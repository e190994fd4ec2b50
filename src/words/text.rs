//! A text of a language: with names in braces where something is put in, and with two forms where it counts something.

use std::fmt::Display;

use serde_json::{Map, Value, json};
use toml::de::DeValue;

use crate::decode::{Node, Problems, Spanned, Surface, decode_table, table};

/// A text. One that counts has a form for one, and one for all other numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    one: Option<String>,
    other: String,
}

table! {
    /// A text that counts.
    Forms called "a text that counts" {
        /// For one.
        required one: Spanned<String>,
        /// For every other number.
        required other: Spanned<String>,
    }
}

impl Surface for Text {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        if matches!(node.value(), DeValue::Table(_)) {
            let Forms { one, other } = decode_table(node, problems);
            return Self { one: Some(one.value), other: other.value };
        }
        Self { one: None, other: String::decode(node, problems) }
    }

    fn encode(&self) -> Value {
        match &self.one {
            Some(one) => json!({ "one": one, "other": self.other }),
            None => json!(self.other),
        }
    }

    fn schema(definitions: &mut Map<String, Value>) -> Value {
        json!({ "anyOf": [{ "type": "string" }, Forms::schema(definitions)] })
    }
}

/// A number of things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(u64);

impl From<usize> for Count {
    fn from(count: usize) -> Self {
        Self(count as u64)
    }
}

impl From<u32> for Count {
    fn from(count: u32) -> Self {
        Self(u64::from(count))
    }
}

impl From<u64> for Count {
    fn from(count: u64) -> Self {
        Self(count)
    }
}

impl Display for Count {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

impl Text {
    /// It as it stands.
    pub(super) fn plain(&self) -> &str {
        &self.other
    }

    /// It with values in the places of their names.
    pub(super) fn filled(&self, values: &[(&str, &dyn Display)]) -> String {
        fill(&self.other, values)
    }

    /// The form for a number, with values in the places of their names.
    pub(super) fn counted(&self, count: Count, values: &[(&str, &dyn Display)]) -> String {
        let form = self.one.as_ref().filter(|_| count.0 == 1).unwrap_or(&self.other);
        fill(form, values)
    }

    /// Reports names that are not those of the key. The form for one may leave out the number.
    pub(super) fn check(&self, key: &str, counts: bool, names: &[&str], problems: &mut Problems) {
        if counts != self.one.is_some() {
            let wanted = if counts { "counts: it needs `one` and `other`" } else { "does not count: it is one text" };
            problems.error("wrong-forms", None, format!("`{key}` {wanted}"));
        }
        let told = if counts { names.get(1..).unwrap_or_default() } else { names };
        for (form, needed) in [(Some(&self.other), names), (self.one.as_ref(), told)] {
            let Some(form) = form else { continue };
            let found: Vec<&str> = names_in(form).collect();
            for name in needed.iter().filter(|name| !found.contains(name)) {
                problems.error("missing-name", None, format!("`{key}` does not say {{{name}}}"));
            }
            for name in found.iter().filter(|name| !names.contains(name)) {
                problems.error("unknown-name", None, format!("`{key}` says {{{name}}}, which it is not given"));
            }
        }
    }
}

/// The names in a text.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}

/// Puts values in the places of their names, from left to right: what was put in is not looked at again.
fn fill(text: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else { break };
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            out.push_str(&value.to_string());
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{Count, Text};

    #[test]
    fn what_is_put_in_is_not_read_again() {
        let text = Text { one: Some("one of {name}".to_owned()), other: "{n} of {name}".to_owned() };
        let said = |n: u32| text.counted(Count::from(n), &[("n", &n), ("name", &"{n}")]);
        assert_eq!(said(1), "one of {n}");
        assert_eq!(said(0), "0 of {n}");
    }
}
