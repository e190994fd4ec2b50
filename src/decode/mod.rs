//! Reads typed definitions out of TOML: engines, techniques, scenarios, settings, themes and keys. One declaration of a
//! table gives its Rust type, its reader, its JSON form and its JSON Schema, so that the four cannot disagree.
//!
//! Reading never stops at a problem: what is faulty is reported and takes its blank value, so that one run over a file
//! tells everything that is wrong with it.

mod declare;
mod diagnostic;
mod file;
mod id;
mod keys;
mod nearest;
mod place;
mod problems;
mod reader;
mod syntax;
mod values;

pub(crate) use declare::{table, tagged, words};
pub use diagnostic::{Diagnostic, Severity, render_all};
pub use file::parse;
pub(crate) use file::parse_what_there_is;
pub use id::Id;
pub use keys::Keys;
pub(crate) use keys::table_schema;
pub use nearest::nearest;
pub(crate) use place::Span;
pub use place::{Place, SourceText};
pub use problems::{Noted, Problems};
pub use reader::{Places, TableReader};
pub(crate) use reader::{decode_table, read_tag};
pub(crate) use values::Named;
pub use values::{Entries, Fraction, Spanned};

use serde_json::{Map, Value};
use toml::Spanned as TomlSpanned;
use toml::de::{DeTable, DeValue};

/// A place in the parsed tree.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    value: &'a DeValue<'a>,
    start: usize,
    end: usize,
}

impl<'a> Node<'a> {
    /// The node of a value with its span.
    pub fn new(spanned: &'a TomlSpanned<DeValue<'a>>) -> Self {
        let span = spanned.span();
        Self { value: spanned.get_ref(), start: span.start, end: span.end }
    }

    pub fn span(&self) -> Span {
        self.start..self.end
    }

    /// The value as the parser gives it.
    pub fn value(&self) -> &'a DeValue<'a> {
        self.value
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    /// The keys of a table, each with its place and its value, in the order of the file; none where it is no table,
    /// which is reported.
    pub fn entries(&self, problems: &mut Problems) -> Vec<(&'a str, Span, Node<'a>)> {
        let DeValue::Table(table) = self.value else {
            self.wrong_type("a table", problems);
            return Vec::new();
        };
        entries(table)
    }

    /// Reports that something else was expected here.
    pub(crate) fn wrong_type(&self, expected: &str, problems: &mut Problems) {
        let message = match problems.key() {
            Some(key) => format!("`{key}` must be {expected}"),
            None => format!("expected {expected}, found {}", kind(self.value)),
        };
        problems.error("wrong-type", self.span(), message);
    }
}

fn entries<'a>(table: &'a DeTable<'a>) -> Vec<(&'a str, Span, Node<'a>)> {
    let mut entries: Vec<_> =
        table.iter().map(|(key, value)| (key.get_ref().as_ref(), key.span(), Node::new(value))).collect();
    entries.sort_by_key(|(_, span, _)| span.start);
    entries
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a decimal number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// Something a file can contain.
pub trait Surface: Sized + Default {
    /// Reads the value, reporting what is wrong and going on with blanks.
    fn decode(node: Node<'_>, problems: &mut Problems) -> Self;
    /// Its JSON form, as `engines show --json` prints it.
    fn encode(&self) -> Value;
    /// Its JSON Schema; named types go to `definitions` once.
    fn schema(definitions: &mut Map<String, Value>) -> Value;
}

/// A surface that is a table, and so can also be read as a part of a larger table.
pub trait Table: Surface {
    /// What a person calls it, such as "a phase".
    const WHAT: &'static str;
    /// Reads its keys from a table that may have others.
    fn read(reader: &mut TableReader<'_>, problems: &mut Problems) -> Self;
    /// Writes its keys into a JSON object.
    fn write(&self, object: &mut Map<String, Value>);
    /// Describes its keys.
    fn properties(keys: &mut Keys<'_>);
}

/// A form of a tagged table that may be written as a text alone.
pub(crate) trait Textual: Sized {
    fn from_text(node: Node<'_>, problems: &mut Problems) -> Self;
    fn to_text(&self) -> Value;
}

/// The key of a field: its Rust name without the mark that keywords need.
pub fn key(field: &'static str) -> &'static str {
    field.strip_prefix("r#").unwrap_or(field)
}
