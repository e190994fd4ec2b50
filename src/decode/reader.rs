//! Reads the keys of one table, and reports those that the table does not have.

use toml::de::{DeTable, DeValue};

use super::{Entries, Node, Spanned, Surface, Table};
use super::{Problems, Span, nearest};

/// Reads the keys of one table and remembers which were asked for.
#[derive(Debug)]
pub struct TableReader<'a> {
    table: &'a DeTable<'a>,
    /// `None` for the whole file.
    span: Option<Span>,
    what: &'static str,
    known: Vec<&'static str>,
    missing: Vec<&'static str>,
    lenient: bool,
}

impl<'a> TableReader<'a> {
    /// Starts reading `table`, which a person would call `what`.
    pub fn new(table: &'a DeTable<'a>, span: Option<Span>, what: &'static str) -> Self {
        Self { table, span, what, known: Vec::new(), missing: Vec::new(), lenient: false }
    }

    /// The value of a key that must be there.
    pub fn required<T: Surface>(&mut self, key: &'static str, problems: &mut Problems) -> T {
        self.optional(key, problems).unwrap_or_else(|| {
            self.missing.push(key);
            T::default()
        })
    }

    /// The value of a key that may be absent.
    pub fn optional<T: Surface>(&mut self, key: &'static str, problems: &mut Problems) -> Option<T> {
        self.known.push(key);
        let value = self.table.get(key)?;
        let before = problems.unread_count();
        let decoded = problems.under(key, |problems| T::decode(Node::new(value), problems));
        if self.span.is_none() && problems.unread_count() > before {
            problems.mark_faulty(key);
        }
        Some(decoded)
    }

    /// The values of all keys, which the file chooses freely.
    pub fn entries<T: Surface>(&mut self, problems: &mut Problems) -> Entries<T> {
        self.lenient = true;
        Entries::read(self.table, problems)
    }

    /// Where the keys read so far stand.
    pub fn places(&self, problems: &Problems) -> Places {
        let place = |key: &&'static str| self.table.get(*key).map(|value| (*key, value.span()));
        Places {
            head: self.head(problems).unwrap_or_default(),
            keys: self.known.iter().filter_map(place).collect(),
            misspelt: self.table.keys().any(|key| !self.known.contains(&key.get_ref().as_ref())),
        }
    }

    /// Calls the table by another name, now that its form is known.
    pub fn rename(&mut self, what: &'static str) {
        self.what = what;
    }

    /// Takes every key as known: where the form of a table is unknown, so are its keys.
    pub(crate) fn accept_rest(&mut self) {
        self.lenient = true;
    }

    /// Reports unknown keys, and required keys that are missing. A key that is missing because it was misspelt is one
    /// mistake.
    pub fn finish(mut self, problems: &mut Problems) {
        for key in self.table.keys().filter(|key| !self.known.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref().as_ref();
            let meant = nearest(name, &self.missing).or_else(|| nearest(name, &self.known));
            let misspelt = meant.filter(|meant| self.missing.contains(meant));
            if self.lenient && misspelt.is_none() {
                continue;
            }
            self.missing.retain(|missing| Some(*missing) != misspelt);
            if let Some(key) = meant.filter(|_| self.span.is_none()) {
                problems.mark_faulty(key);
            }
            let message = problems.unknown_key(name, self.what);
            let noted = problems.error("unknown-key", key.span(), message);
            match meant {
                Some(meant) => noted.help(format!("did you mean `{meant}`?")),
                None => noted.suggest(name, self.known.iter().copied()),
            }
        }
        let head = self.head(problems);
        for key in &self.missing {
            if self.span.is_none() {
                problems.mark_faulty(key);
            }
            problems.error("missing-key", head.clone(), format!("{} has no `{key}`", self.what));
        }
    }

    /// The first line of the table.
    fn head(&self, problems: &Problems) -> Option<Span> {
        let span = self.span.as_ref()?;
        let rest = problems.text().get(span.start..).unwrap_or_default();
        let line = rest.find('\n').unwrap_or(rest.len()).min(span.len().max(1));
        Some(span.start..span.start + line.max(1))
    }
}

/// Where the keys of a table stand. Any two are equal: a place is no part of what a table says.
#[derive(Clone, Debug, Default)]
pub struct Places {
    head: Span,
    keys: Vec<(&'static str, Span)>,
    /// Whether there is an unknown key, so that one that is absent may only be misspelt.
    pub misspelt: bool,
}

impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Places {
    /// The place of a key's value; the head of the table where the key is absent.
    pub fn of(&self, key: &str) -> Span {
        self.given(key).unwrap_or_else(|| self.head.clone())
    }

    /// The place of a key's value, if the key is there.
    pub fn given(&self, key: &str) -> Option<Span> {
        self.keys.iter().find(|(name, _)| *name == key).map(|(_, span)| span.clone())
    }
}

/// Reads a whole table, refusing keys it does not have.
pub(crate) fn decode_table<T: Table>(node: Node<'_>, problems: &mut Problems) -> T {
    let DeValue::Table(table) = node.value else {
        node.wrong_type("a table", problems);
        return T::default();
    };
    let mut reader = TableReader::new(table, Some(node.span()), T::WHAT);
    let value = T::read(&mut reader, problems);
    reader.finish(problems);
    value
}

/// Reads the tag of a tagged table.
pub(crate) fn read_tag(
    reader: &mut TableReader<'_>,
    key: &'static str,
    problems: &mut Problems,
) -> Option<Spanned<String>> {
    let tag: Spanned<String> = reader.required(key, problems);
    (!tag.is_empty()).then_some(tag)
}
