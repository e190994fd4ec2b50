//! The names that an engine defines, and which of them are used.

use std::collections::HashSet;
use std::ops::Deref;

use crate::decode::{Id, Problems, nearest};
use crate::engine::config::definition::Definition;

/// Names in the order in which they are defined, found at once among thousands.
#[derive(Debug, Default)]
pub struct NameList<'a> {
    names: Vec<&'a str>,
    index: HashSet<&'a str>,
}

impl NameList<'_> {
    pub fn has(&self, name: &str) -> bool {
        self.index.contains(name)
    }
}

impl<'a> FromIterator<&'a str> for NameList<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        let names: Vec<&str> = names.into_iter().collect();
        let index = names.iter().copied().collect();
        Self { names, index }
    }
}

impl<'a> Deref for NameList<'a> {
    type Target = [&'a str];
    fn deref(&self) -> &Self::Target {
        &self.names
    }
}

/// Names by what they name. An empty one stands for names that could not be read: whatever refers to something unknown
/// may mean one of those.
#[derive(Debug)]
pub struct Known<'a> {
    pub fields: NameList<'a>,
    pub categories: NameList<'a>,
    pub obligations: NameList<'a>,
    pub phases: NameList<'a>,
    pub evaluators: NameList<'a>,
    pub handlers: NameList<'a>,
    pub tasks: NameList<'a>,
}

impl<'a> Known<'a> {
    pub fn new(definition: &'a Definition, problems: &Problems) -> Self {
        let list = |key: &str, names: Vec<&'a str>| -> NameList<'a> {
            // That an engine has no fields, no obligations or no phases is told by itself.
            let told = ["fields", "obligations", "phases"].contains(&key);
            let unread = names.is_empty() && (told || problems.faulty(key));
            names.into_iter().chain(unread.then_some("")).collect()
        };
        Self {
            fields: list("fields", definition.fields.iter().map(|field| field.path.as_str()).collect()),
            categories: list("categories", definition.categories.iter().map(|c| c.id.as_str()).collect()),
            obligations: list("obligations", definition.obligations.iter().map(|o| o.id.as_str()).collect()),
            phases: list("phases", definition.phases.iter().map(|phase| phase.id.as_str()).collect()),
            evaluators: list("evaluators", definition.evaluators.keys().map(String::as_str).collect()),
            handlers: list("handlers", definition.handlers.keys().map(String::as_str).collect()),
            tasks: list("background_tasks", definition.background_tasks.iter().map(|t| t.id.as_str()).collect()),
        }
    }
}

/// The known names that something refers to, misspelt ones taken for what they were meant to be. Where that cannot be
/// told, every name may be meant.
#[derive(Debug, Default)]
pub(crate) struct Uses<'a> {
    names: HashSet<&'a str>,
    /// How many references were misspelt.
    guessed: usize,
    all: bool,
}

/// So many misspelt references are looked up; after that, what they mean cannot be told.
const MAX_GUESSES: usize = 200;

impl<'a> Uses<'a> {
    pub fn of<'i>(references: impl IntoIterator<Item = &'i Id>, known: &NameList<'a>) -> Self {
        let mut uses = Self::default();
        for reference in references {
            uses.add(reference, known);
        }
        uses
    }

    /// Adds a reference; an empty one could not be read.
    pub fn add(&mut self, reference: &str, known: &NameList<'a>) {
        let exact = known.index.get(reference).copied().filter(|name| !name.is_empty());
        self.guessed += usize::from(exact.is_none());
        let meant =
            exact.or_else(|| if self.all || self.guessed > MAX_GUESSES { None } else { nearest(reference, known) });
        match meant {
            Some(name) => {
                self.names.insert(name);
            }
            None => self.all = true,
        }
    }

    /// Takes every name as used.
    pub fn add_all(&mut self) {
        self.all = true;
    }

    pub fn has(&self, name: &str) -> bool {
        self.all || self.names.contains(name)
    }
}
