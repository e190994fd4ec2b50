//! Reads TOML section by section: wrong types and unknown keys become problems with their line, and reading goes on.

use std::cell::RefCell;
use std::ops::Range;

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::origin::{Origin, Resolved};
use super::problem::Problem;

/// A value of the file and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// The value.
    pub value: T,
    /// The file's name.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

impl<T> Found<T> {
    /// Where it stands, for problems.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// Where it stands, as an origin.
    pub fn origin(&self) -> Origin {
        Origin::File { file: self.file.clone(), line: self.line }
    }

    /// Keeps the place and changes the value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Found<U> {
        Found { value: change(self.value), file: self.file, line: self.line }
    }
}

impl<T: Clone> Found<T> {
    /// The value with its origin.
    pub fn resolved(&self) -> Resolved<T> {
        Resolved::new(self.value.clone(), self.origin())
    }
}

/// A parsed file and the problems found in it so far.
pub struct Reader<'a> {
    file: String,
    text: &'a str,
    table: DeTable<'a>,
    /// With the place of each, by which they are sorted.
    problems: RefCell<Vec<(usize, Problem)>>,
}

impl<'a> Reader<'a> {
    /// Parses a file; syntax errors become problems, and what could be read is read.
    pub fn new(file: &str, text: &'a str) -> Self {
        let (table, errors) = DeTable::parse_recoverable(text);
        let reader = Self { file: file.to_owned(), text, table: table.into_inner(), problems: RefCell::default() };
        for error in errors {
            reader.report(error.span().unwrap_or_default(), error.message().trim_end_matches('.'));
        }
        reader
    }

    /// The file's top level.
    pub fn root(&self) -> Section<'_> {
        Section { reader: self, name: String::new(), table: &self.table, asked: RefCell::default() }
    }

    /// The problems found, in the order of the file.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = self.problems.borrow().clone();
        problems.sort_by_key(|(place, _)| *place);
        problems.into_iter().map(|(_, problem)| problem).collect()
    }

    fn line(&self, span: &Range<usize>) -> usize {
        self.text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1
    }

    fn problem(&self, span: &Range<usize>, message: impl Into<String>) -> Problem {
        Problem::new(format!("{}:{}", self.file, self.line(span)), message)
    }

    fn report(&self, span: Range<usize>, message: impl Into<String>) {
        let problem = self.problem(&span, message);
        self.problems.borrow_mut().push((span.start, problem));
    }
}

/// A table of the file. It learns its keys from what is asked of it; whatever else it holds is reported by `close`.
pub struct Section<'a> {
    reader: &'a Reader<'a>,
    name: String,
    table: &'a DeTable<'a>,
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Section<'a> {
    /// A string.
    pub fn string(&self, key: &'static str) -> Option<Found<String>> {
        self.read(key, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// A number that is not negative.
    pub fn number(&self, key: &'static str) -> Option<Found<f64>> {
        self.read(key, "a number of zero or more", |value| number(value).filter(|number| *number >= 0.0))
    }

    /// A whole number above zero.
    pub fn count(&self, key: &'static str) -> Option<Found<u64>> {
        self.read(key, "a whole number above zero", |value| integer(value).filter(|number| *number > 0))
    }

    /// A list of percentages.
    pub fn percentages(&self, key: &'static str) -> Option<Found<Vec<u8>>> {
        self.read(key, "a list of whole numbers from 1 to 100", |value| {
            let percent = |item| integer(item).filter(|number| (1..=100).contains(number)).map(|number| number as u8);
            value.as_array()?.iter().map(|item| percent(item.get_ref())).collect()
        })
    }

    /// A table of strings.
    pub fn strings(&self, key: &'static str) -> Option<Found<Vec<(String, String)>>> {
        self.read(key, "a table of strings", |value| {
            let pair = |key: &str, value: &DeValue<'_>| Some((key.to_owned(), value.as_str()?.to_owned()));
            value.as_table()?.iter().map(|(key, value)| pair(key.get_ref(), value.get_ref())).collect()
        })
    }

    /// A table of anything, as JSON.
    pub fn json(&self, key: &'static str) -> Option<Found<Map<String, Value>>> {
        self.read(key, "a table", |value| match json(value)? {
            Value::Object(fields) => Some(fields),
            _ => None,
        })
    }

    /// A table with keys of its own. Whoever asks for it closes it.
    pub fn section(&self, key: &'static str) -> Option<Section<'a>> {
        self.asked.borrow_mut().push(key);
        let (_, value) = self.table.get_key_value(key)?;
        self.nested(key, value.get_ref(), &value.span())
    }

    /// The tables inside a table whose keys are names that people choose.
    pub fn named_sections(&self, key: &'static str) -> Vec<(Found<String>, Section<'a>)> {
        let Some(outer) = self.section(key) else { return Vec::new() };
        let inner = outer.table.iter().filter_map(|(name, value)| {
            let section = outer.nested(name.get_ref(), value.get_ref(), &value.span())?;
            let line = self.reader.line(&name.span());
            Some((Found { value: name.get_ref().to_string(), file: self.reader.file.clone(), line }, section))
        });
        inner.collect()
    }

    /// Reports every key that nobody asked for.
    pub fn close(self) {
        let asked = self.asked.borrow();
        for (key, _) in self.table {
            let key_name: &str = key.get_ref();
            if !asked.contains(&key_name) {
                let place = if self.name.is_empty() { String::new() } else { format!(" in [{}]", self.name) };
                let problem = self.reader.problem(&key.span(), format!("unknown key `{key_name}`{place}"));
                let problem = problem.suggesting(key_name, asked.iter().copied());
                self.reader.problems.borrow_mut().push((key.span().start, problem));
            }
        }
    }

    fn nested(&self, key: &str, value: &'a DeValue<'a>, span: &Range<usize>) -> Option<Section<'a>> {
        let name = if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) };
        let Some(table) = value.as_table() else {
            self.reader.report(span.clone(), format!("`{name}` must be a table"));
            return None;
        };
        Some(Section { reader: self.reader, name, table, asked: RefCell::default() })
    }

    fn read<T>(
        &self,
        key: &'static str,
        expected: &str,
        read: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> Option<Found<T>> {
        self.asked.borrow_mut().push(key);
        let value = self.table.get(key)?;
        let Some(read) = read(value.get_ref()) else {
            self.reader.report(value.span(), format!("`{key}` must be {expected}"));
            return None;
        };
        Some(Found { value: read, file: self.reader.file.clone(), line: self.reader.line(&value.span()) })
    }
}

fn integer(value: &DeValue<'_>) -> Option<u64> {
    let integer = value.as_integer()?;
    u64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    let float = value.as_float().and_then(|float| float.as_str().parse::<f64>().ok());
    float.or_else(|| integer(value).map(|number| number as f64)).filter(|number| number.is_finite())
}

fn json(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Boolean(truth) => Value::from(*truth),
        DeValue::Integer(integer) => Value::from(i64::from_str_radix(integer.as_str(), integer.radix()).ok()?),
        DeValue::Float(float) => Value::from(float.as_str().parse::<f64>().ok()?),
        DeValue::Datetime(date) => Value::from(date.to_string()),
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref())).collect::<Option<Vec<_>>>()?.into(),
        DeValue::Table(fields) => {
            let field = |(key, value): (&toml::Spanned<_>, &toml::Spanned<_>)| field(key, value);
            Value::Object(fields.iter().map(field).collect::<Option<_>>()?)
        }
    })
}

fn field(key: &toml::Spanned<toml::de::DeString<'_>>, value: &toml::Spanned<DeValue<'_>>) -> Option<(String, Value)> {
    Some((key.get_ref().to_string(), json(value.get_ref())?))
}
