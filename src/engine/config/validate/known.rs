//! The names that an engine defines, and which of them are used.

use std::collections::HashSet;

use crate::decode::{Id, Problems, nearest};
use crate::engine::config::definition::Definition;

/// Names by what they name. An empty one stands for names that could not be read: whatever refers to something unknown
/// may mean one of those.
#[derive(Debug)]
pub struct Known<'a> {
    pub fields: Vec<&'a str>,
    pub categories: Vec<&'a str>,
    pub obligations: Vec<&'a str>,
    pub phases: Vec<&'a str>,
    pub evaluators: Vec<&'a str>,
    pub handlers: Vec<&'a str>,
    pub tasks: Vec<&'a str>,
}

impl<'a> Known<'a> {
    pub fn new(definition: &'a Definition, problems: &Problems) -> Self {
        let list = |key: &str, names: Vec<&'a str>| {
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
    all: bool,
}

impl<'a> Uses<'a> {
    pub fn of<'i>(references: impl IntoIterator<Item = &'i Id>, known: &[&'a str]) -> Self {
        let mut uses = Self::default();
        for reference in references {
            uses.add(reference, known);
        }
        uses
    }

    /// Adds a reference; an empty one could not be read.
    pub fn add(&mut self, reference: &str, known: &[&'a str]) {
        let exact = known.iter().copied().find(|name| !name.is_empty() && *name == reference);
        match exact.or_else(|| nearest(reference, known)) {
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
