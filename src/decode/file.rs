//! From the text of a file to a declared table.

use toml::de::DeTable;

use super::{Problems, Table, TableReader, syntax};

/// Reads a TOML text into a declared table; `None` where it is not TOML. What is wrong goes to `problems`.
pub fn parse<T: Table>(text: &str, what: &'static str, problems: &mut Problems) -> Option<T> {
    if text.trim().is_empty() {
        return None;
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        syntax::report(&errors, text, problems);
        return None;
    }
    if table.get_ref().is_empty() {
        problems.error("empty-text", None, format!("{what} has nothing but comments in it"));
        return None;
    }
    Some(read(table.get_ref(), what, problems))
}

/// Reads what can be read of a text that may be broken in places or empty: a user's settings, theme or keys, of which
/// every line that is sound counts.
pub(crate) fn parse_what_there_is<T: Table>(text: &str, problems: &mut Problems) -> T {
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        syntax::report(&errors, text, problems);
    }
    read(table.get_ref(), T::WHAT, problems)
}

fn read<T: Table>(table: &DeTable<'_>, what: &'static str, problems: &mut Problems) -> T {
    problems.reading(true);
    let mut reader = TableReader::new(table, None, what);
    let value = T::read(&mut reader, problems);
    reader.finish(problems);
    problems.reading(false);
    value
}
