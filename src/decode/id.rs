//! Names: what one definition is called and by which others refer to it.

use std::ops::Deref;

use serde_json::{Map, Value, json};
use toml::de::DeValue;

use super::{Node, Surface};
use super::{Problems, Span};

/// A name by which one definition refers to another.
#[derive(Clone, Debug, Default)]
pub struct Id {
    name: String,
    pub span: Span,
}

impl Id {
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

impl Deref for Id {
    type Target = str;
    fn deref(&self) -> &str {
        &self.name
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

/// What a name looks like.
pub(super) const NAME_RULE: &str = "a name starts with a letter and has letters, digits, `_`, `-` and `.`, at most 80";

/// What keeps a text from being a name.
pub(super) fn name_fault(text: &str) -> Option<String> {
    let wrong = text.chars().find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.'));
    match text.chars().next() {
        None => Some("this name is empty".to_owned()),
        _ if text.len() > 80 => Some(format!("this name has {} bytes", text.len())),
        _ if let Some(wrong) = wrong => Some(if wrong.is_whitespace() {
            "a name has no spaces in it".to_owned()
        } else {
            format!("a name has no `{wrong}` in it")
        }),
        Some(first) if !first.is_ascii_alphabetic() => Some(format!("a name does not start with `{first}`")),
        Some(_) => None,
    }
}

/// The same as a regular expression.
pub(super) const NAME_PATTERN: &str = "^[A-Za-z][A-Za-z0-9_.-]{0,79}$";

impl Surface for Id {
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self {
        let DeValue::String(text) = node.value else {
            node.wrong_type("a name in quotes", problems);
            return Self::default();
        };
        match name_fault(text) {
            None => Self { name: text.to_string(), span: node.span() },
            Some(fault) => {
                problems.error("bad-name", node.span(), fault).help(NAME_RULE);
                Self::default()
            }
        }
    }
    fn encode(&self) -> Value {
        self.name.clone().into()
    }
    fn schema(_: &mut Map<String, Value>) -> Value {
        json!({ "type": "string", "pattern": NAME_PATTERN })
    }
}
