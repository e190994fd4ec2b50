//! Finds names in expressions and templates that mean nothing, before a session depends on them.

use std::collections::HashSet;
use std::ops::Range;

use super::functions::{FUNCTIONS, Names as Argument};
use super::names::{Reference, references};
use super::view::NAMES;
use crate::engine::config::{Definition, Kind, Mode, Shape};
use crate::engine::handoff::SUMMARY;

/// What a template is for, which decides the names it may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemplateKind {
    /// The system prompt: the same in every turn, so it sees nothing of the memory.
    Prompt,
    /// What the engine says first.
    Opening,
    /// What the user takes away.
    Brief,
    /// What a background task asks a model.
    Handler,
}

const ENGINE: &[&str] = &["id", "name", "description", "outcome", "version", "duration_minutes", "type"];
const SESSION: &[&str] = &["title", "date", "turns", "project"];
const OBLIGATION: &[&str] = &["id", "category", "name", "status", "confidence"];
const TASK: &[&str] = &["id", "name", "status", "result", "rests_on"];

impl TemplateKind {
    /// Names besides those of the memory.
    pub(crate) fn extra_names(self) -> &'static [&'static str] {
        match self {
            Self::Prompt => &["engine", "information_ratio", "phases", "categories", "max_questions"],
            Self::Opening => &["engine", "first_question", "handoff"],
            Self::Brief => {
                &["engine", "session", "open_questions", "superseded", "provenance", "cite", "more", "shown", "word"]
            }
            Self::Handler => &["engine"],
        }
    }

    pub(crate) fn sees_memory(self) -> bool {
        matches!(self, Self::Brief | Self::Handler)
    }
}

/// A name that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameProblem {
    pub message: String,
    /// The bytes of the source.
    pub range: Option<Range<usize>>,
    pub wrong: String,
    /// Names that would have meant something.
    pub known: Vec<String>,
    /// The key of the engine file that gives these names, if one does.
    pub surface: Option<&'static str>,
}

/// The names that an engine gives a meaning to.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a>(pub &'a Definition);

/// Names in an expression that mean nothing.
pub(crate) fn check_expression(source: &str, names: Names<'_>) -> Vec<NameProblem> {
    names.problems(&references(source, false), true, &[])
}

/// Names in a template that mean nothing.
pub(crate) fn check_template(source: &str, kind: TemplateKind, names: Names<'_>) -> Vec<NameProblem> {
    names.problems(&references(source, true), kind.sees_memory(), kind.extra_names())
}

/// How many wrong names of one source are told.
const MAX_FOUND: usize = 100;

/// What is wrong with a reference: which of its parts, the message, the wrong name, the known names.
type Unknown = Option<(usize, String, String, Vec<String>)>;

impl Names<'_> {
    fn problems(self, references: &[Reference<'_>], memory: bool, extra: &[&str]) -> Vec<NameProblem> {
        let mut found: Vec<NameProblem> = Vec::new();
        let mut seen = HashSet::new();
        for reference in references {
            let parts: Vec<&str> = reference.parts.iter().map(|(part, _)| *part).collect();
            let new = seen.insert((parts, reference.argument.as_ref().map(|(text, _)| *text), reference.call));
            if !new || found.len() >= MAX_FOUND {
                continue;
            }
            let root = reference.root();
            let function = FUNCTIONS.iter().find(|(name, _)| memory && *name == root);
            let unknown = if function.is_some() {
                None
            } else if extra.contains(&root) || (memory && NAMES.contains(&root)) {
                let rest: Vec<&str> = reference.parts[1..].iter().map(|(part, _)| *part).collect();
                self.attribute(root, &rest)
            } else {
                let own = NAMES.iter().copied().chain(FUNCTIONS.iter().map(|(name, _)| *name));
                let known = extra.iter().copied().chain(own.filter(|_| memory)).map(ToOwned::to_owned);
                Some((0, format!("`{root}` is not a name here"), root.to_owned(), known.collect()))
            };
            let problem = unknown.map(|(part, message, wrong, known)| {
                // The rest of a path is wrong as a whole; a single part is wrong by itself.
                let parts = if wrong.contains('.') { &reference.parts[part..] } else { &reference.parts[part..=part] };
                let end = parts.last().map_or(0, |(_, range)| range.end);
                let surface = ["fields", "obligations", "background_tasks"]
                    .into_iter()
                    .zip(["extraction", "obligations", "tasks"])
                    .find_map(|(key, name)| (name == root && part > 0 && !known.is_empty()).then_some(key));
                NameProblem { message, range: Some(parts[0].1.start..end), wrong, known, surface }
            });
            let argument = reference.argument.as_ref().filter(|_| reference.call && reference.parts.len() == 1);
            let named = match function {
                Some((_, named)) => *named,
                None if ["cite", "more", "shown"].contains(&root) && extra.contains(&root) => Argument::Field,
                None => Argument::Nothing,
            };
            let literal = argument.and_then(|(text, range)| self.literal(named, text, range.clone()));
            for problem in problem.into_iter().chain(literal) {
                // A name that is wrong in ten places is one mistake.
                if !found.iter().any(|earlier| earlier.message == problem.message) {
                    found.push(problem);
                }
            }
        }
        found
    }

    fn attribute(self, root: &str, rest: &[&str]) -> Unknown {
        let definition = self.0;
        let part = |at: usize, what: &str, known: &[&str]| {
            rest.get(at)
                .and_then(|name| one_of(what, name, known))
                .map(|(message, wrong, known)| (at + 1, message, wrong, known))
        };
        match root {
            "extraction" => self.extraction(rest),
            "obligations" => {
                let known: Vec<&str> = definition.obligations.iter().map(|o| o.id.as_str()).collect();
                part(0, "an obligation", &known).or_else(|| part(1, "a part of an obligation", OBLIGATION))
            }
            "tasks" => {
                let known: Vec<&str> = definition.background_tasks.iter().map(|t| t.id.as_str()).collect();
                part(0, "a background task", &known).or_else(|| part(1, "a part of a task", TASK))
            }
            "phase" => part(0, "a part of `phase`", &["id", "name", "turns", "visited"]),
            "completeness" => part(0, "a part of `completeness`", &["overall", "ready", "by_category", "gaps"]),
            "rapport" => part(0, "a part of `rapport`", &["level", "trust", "friction"]),
            "modes" => {
                let modes: Vec<&str> = Mode::ALL.iter().map(|mode| mode.word()).collect();
                part(0, "a part of `modes`", &["target", "observed"]).or_else(|| part(1, "a mode", &modes))
            }
            "handoff" => part(0, "a part of `handoff`", SUMMARY),
            "engine" => part(0, "a part of `engine`", ENGINE),
            "session" => part(0, "a part of `session`", SESSION),
            "information_ratio" => part(0, "a part of `information_ratio`", &["user", "system"]),
            _ => None,
        }
    }

    /// A path may name a group of fields, a field, or a part of a field that is a record.
    fn extraction(self, path: &[&str]) -> Unknown {
        if path.is_empty() {
            return None;
        }
        let dotted = path.join(".");
        for field in self.0.fields.iter() {
            if *field.path == *dotted || lies_below(&field.path, &dotted) {
                return None;
            }
            if lies_below(&dotted, &field.path) {
                return property(&field.shape, path, field.path.split('.').count());
            }
        }
        let fields: Vec<&str> = self.0.fields.iter().map(|f| f.path.as_str()).collect();
        one_of("a field", &dotted, &fields).map(|(message, wrong, known)| (1, message, wrong, known))
    }

    fn literal(self, argument: Argument, text: &str, range: Range<usize>) -> Option<NameProblem> {
        let definition = self.0;
        let (surface, what, known): (_, &str, Vec<&str>) = match argument {
            Argument::Field => ("fields", "a field", definition.fields.iter().map(|f| f.path.as_str()).collect()),
            Argument::Prefix => {
                let paths = definition.fields.iter().map(|f| f.path.as_str());
                let known = paths.flat_map(|path| path.match_indices('.').map(|(at, _)| &path[..at]));
                ("fields", "the beginning of field paths", known.collect())
            }
            Argument::Obligation => {
                ("obligations", "an obligation", definition.obligations.iter().map(|o| o.id.as_str()).collect())
            }
            Argument::Category => {
                ("categories", "a category", definition.categories.iter().map(|c| c.id.as_str()).collect())
            }
            Argument::Task => (
                "background_tasks",
                "a background task",
                definition.background_tasks.iter().map(|t| t.id.as_str()).collect(),
            ),
            Argument::Intent => ("intents", "an intent", definition.intents.iter().map(|i| i.id.as_str()).collect()),
            Argument::Nothing => return None,
        };
        let (message, wrong, known) = one_of(what, text, &known)?;
        Some(NameProblem { message, range: Some(range), wrong, known, surface: Some(surface) })
    }
}

/// What is wrong with a path that goes on inside a field, from its part `at`.
fn property(shape: &Shape, path: &[&str], at: usize) -> Unknown {
    let name = *path.get(at)?;
    let kind = shape.r#type;
    match shape.properties.get(name) {
        Some(part) if kind == Kind::Object => property(part, path, at + 1),
        _ if kind == Kind::Object => {
            let known: Vec<&str> = shape.properties.keys().map(String::as_str).collect();
            let (message, wrong, known) = one_of("a property of this field", name, &known)?;
            Some((at + 1, message, wrong, known))
        }
        _ => Some((at + 1, format!("{} has no part `{name}`", kind.with_article()), name.to_owned(), Vec::new())),
    }
}

/// Whether a path lies inside a group or a field.
pub(in crate::engine) fn lies_below(path: &str, group: &str) -> bool {
    path.strip_prefix(group).is_some_and(|rest| rest.starts_with('.'))
}

fn one_of(what: &str, name: &str, known: &[&str]) -> Option<(String, String, Vec<String>)> {
    if known.contains(&name) {
        return None;
    }
    Some((format!("`{name}` is not {what}"), name.to_owned(), known.iter().map(ToString::to_string).collect()))
}

/// The fields that an expression names outright, in the order in which it does.
pub(crate) fn fields_read(source: &str, definition: &Definition) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for reference in references(source, false) {
        let takes_field = FUNCTIONS.iter().any(|(name, names)| *name == reference.root() && *names == Argument::Field);
        let named = match &reference.argument {
            Some((path, _)) if takes_field && reference.call => (*path).to_owned(),
            _ if reference.root() == "extraction" => reference.rest(),
            _ => continue,
        };
        let field = definition.fields.iter().find(|field| *field.path == *named || lies_below(&named, &field.path));
        if let Some(field) = field.filter(|field| !paths.iter().any(|known| **known == *field.path)) {
            paths.push(field.path.to_string());
        }
    }
    paths
}

/// What an expression reads of the fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::engine) enum Reads {
    /// This one.
    Field(String),
    /// Those whose paths lie in this group.
    Below(String),
    /// What stands at this path: a group, a field, or a part of a field; everything, if it is empty.
    Path(String),
}

impl Reads {
    /// What a reference reads of the fields, if it reads any.
    pub fn of(reference: &Reference<'_>) -> Option<Self> {
        let function = FUNCTIONS.iter().find(|(name, _)| *name == reference.root()).map(|(_, names)| *names);
        match (&reference.argument, function) {
            (Some((text, _)), Some(Argument::Field)) => Some(Self::Field((*text).to_owned())),
            (Some((text, _)), Some(Argument::Prefix)) => Some(Self::Below((*text).to_owned())),
            _ if reference.root() == "extraction" => Some(Self::Path(reference.rest())),
            _ => None,
        }
    }

    /// Whether the field is among what is read, by itself or with others of its group.
    pub fn has(&self, path: &str) -> bool {
        match self {
            Self::Field(read) => read == path,
            Self::Below(group) => lies_below(path, group),
            Self::Path(read) => read.is_empty() || read == path || lies_below(path, read) || lies_below(read, path),
        }
    }
}
