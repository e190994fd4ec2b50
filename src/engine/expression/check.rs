//! Finds names in expressions and templates that mean nothing, before a session depends on them.

use std::ops::Range;

use super::functions::{FUNCTIONS, Names as Argument};
use super::{Program, view};
use crate::engine::config::{Definition, Kind, Mode, Shape};

/// What a template is for, which decides the names it may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateKind {
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
const OBLIGATION: &[&str] = &["id", "category", "label", "status", "confidence"];
const TASK: &[&str] = &["id", "name", "status", "result"];

impl TemplateKind {
    /// Names besides those of the memory.
    pub fn extra_names(self) -> &'static [&'static str] {
        match self {
            Self::Prompt => &["engine", "information_ratio", "phases", "categories", "max_questions"],
            Self::Opening => &["engine", "first_question", "handoff"],
            Self::Brief => &["engine", "session", "open_questions", "superseded", "provenance", "cite"],
            Self::Handler => &["engine"],
        }
    }

    /// Whether it sees the memory.
    pub fn sees_memory(self) -> bool {
        matches!(self, Self::Brief | Self::Handler)
    }
}

/// A name that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameProblem {
    /// What is wrong.
    pub message: String,
    /// The bytes of the source.
    pub range: Option<Range<usize>>,
    /// The name that is wrong.
    pub wrong: String,
    /// Names that would have meant something.
    pub known: Vec<String>,
}

/// The names that an engine gives a meaning to.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a>(pub &'a Definition);

/// Names in a compiled expression that mean nothing.
pub fn check_expression(program: &Program, source: &str, names: Names<'_>) -> Vec<NameProblem> {
    check(source, &program.names_of_expression(source), names, view::NAMES, &[])
}

/// Names in a compiled template that mean nothing.
pub fn check_template(program: &Program, source: &str, kind: TemplateKind, names: Names<'_>) -> Vec<NameProblem> {
    let memory = if kind.sees_memory() { view::NAMES } else { &[] };
    check(source, &program.names_of_template(source), names, memory, kind.extra_names())
}

fn check(source: &str, read: &[String], names: Names<'_>, memory: &[&str], extra: &[&str]) -> Vec<NameProblem> {
    let mut found = Vec::new();
    for dotted in read {
        let mut parts = dotted.split('.');
        let root = parts.next().unwrap_or_default();
        let rest: Vec<&str> = parts.collect();
        let function = !memory.is_empty() && FUNCTIONS.iter().any(|(name, _)| *name == root);
        let problem = if function {
            None
        } else if memory.contains(&root) || extra.contains(&root) {
            names.attribute(root, &rest)
        } else {
            let known = memory.iter().chain(extra).map(ToString::to_string);
            let functions = FUNCTIONS.iter().filter(|_| !memory.is_empty()).map(|(name, _)| (*name).to_owned());
            Some((format!("`{root}` is not a name here"), root.to_owned(), known.chain(functions).collect()))
        };
        if let Some((message, wrong, known)) = problem {
            let range = locate(source, dotted).or_else(|| locate(source, root));
            found.push(NameProblem { message, range, wrong, known });
        }
    }
    if !memory.is_empty() {
        found.extend(literals(source).filter_map(|(argument, text, range)| names.literal(argument, text, range)));
    }
    found
}

/// Message, wrong name, known names.
type Unknown = Option<(String, String, Vec<String>)>;

impl Names<'_> {
    fn attribute(self, root: &str, rest: &[&str]) -> Unknown {
        let definition = self.0;
        match (root, rest) {
            (_, []) => None,
            ("extraction", path) => self.extraction(path),
            ("obligations", [id, more @ ..]) => {
                one_of("an obligation", id, &definition.obligations.iter().map(|o| o.id.as_str()).collect::<Vec<_>>())
                    .or_else(|| more.first().and_then(|name| one_of("a part of an obligation", name, OBLIGATION)))
            }
            ("tasks", [id, more @ ..]) => one_of(
                "a background task",
                id,
                &definition.background_tasks.iter().map(|t| t.id.as_str()).collect::<Vec<_>>(),
            )
            .or_else(|| more.first().and_then(|name| one_of("a part of a task", name, TASK))),
            ("phase", [name, ..]) => one_of("a part of `phase`", name, &["id", "name", "turns", "visited"]),
            ("completeness", [name, ..]) => {
                one_of("a part of `completeness`", name, &["overall", "ready", "by_category", "gaps"])
            }
            ("rapport", [name, ..]) => one_of("a part of `rapport`", name, &["level", "trust", "friction"]),
            ("modes", [name, more @ ..]) => one_of("a part of `modes`", name, &["target", "observed"]).or_else(|| {
                let modes: Vec<&str> = Mode::ALL.iter().map(|mode| mode.word()).collect();
                more.first().and_then(|name| one_of("a mode", name, &modes))
            }),
            ("engine", [name, ..]) => one_of("a part of `engine`", name, ENGINE),
            ("session", [name, ..]) => one_of("a part of `session`", name, SESSION),
            ("information_ratio", [name, ..]) => one_of("a part of `information_ratio`", name, &["user", "system"]),
            _ => None,
        }
    }

    fn extraction(self, path: &[&str]) -> Unknown {
        let dotted = path.join(".");
        for field in self.0.fields.iter() {
            if *field.path == *dotted || field.path.strip_prefix(dotted.as_str()).is_some_and(|r| r.starts_with('.')) {
                return None;
            }
            let inside = dotted.strip_prefix(field.path.as_str()).and_then(|rest| rest.strip_prefix('.'));
            if let Some(inside) = inside {
                return property(&field.shape, inside);
            }
        }
        let fields: Vec<&str> = self.0.fields.iter().map(|f| f.path.as_str()).collect();
        one_of("a field", &dotted, &fields)
    }

    fn literal(self, argument: Argument, text: &str, range: Range<usize>) -> Option<NameProblem> {
        let definition = self.0;
        let (what, known): (&str, Vec<&str>) = match argument {
            Argument::Field => ("a field", definition.fields.iter().map(|f| f.path.as_str()).collect()),
            Argument::Prefix => {
                let known = definition.fields.iter().filter_map(|f| f.path.rsplit_once('.')).map(|(head, _)| head);
                ("the beginning of field paths", known.collect())
            }
            Argument::Obligation => ("an obligation", definition.obligations.iter().map(|o| o.id.as_str()).collect()),
            Argument::Category => ("a category", definition.categories.iter().map(|c| c.id.as_str()).collect()),
            Argument::Task => {
                ("a background task", definition.background_tasks.iter().map(|t| t.id.as_str()).collect())
            }
            Argument::Intent => ("an intent", definition.intents.iter().map(|i| i.id.as_str()).collect()),
            Argument::Nothing => return None,
        };
        let (message, wrong, known) = one_of(what, text, &known)?;
        Some(NameProblem { message, range: Some(range), wrong, known })
    }
}

fn property(shape: &Shape, path: &str) -> Unknown {
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let known: Vec<&str> = shape.properties.keys().map(String::as_str).collect();
    match shape.r#type {
        Kind::Object if shape.properties.contains_key(name) && !rest.is_empty() => {
            property(&shape.properties[name], rest)
        }
        Kind::Object => one_of("a property of this field", name, &known),
        _ => Some((format!("a {} has no part `{name}`", shape.r#type), name.to_owned(), Vec::new())),
    }
}

fn one_of(what: &str, name: &str, known: &[&str]) -> Unknown {
    if known.contains(&name) {
        return None;
    }
    Some((format!("`{name}` is not {what}"), name.to_owned(), known.iter().map(ToString::to_string).collect()))
}

/// The first place where `name` stands as a word of its own.
fn locate(source: &str, name: &str) -> Option<Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    source.match_indices(name).map(|(at, _)| at..at + name.len()).find(|range| {
        !source[..range.start].ends_with(|c| is_part(c) || c == '.') && !source[range.end..].starts_with(is_part)
    })
}

/// Texts given as the first argument to a domain function, as in `known('purpose.core_problem')`.
fn literals(source: &str) -> impl Iterator<Item = (Argument, &str, Range<usize>)> {
    FUNCTIONS.iter().flat_map(move |(function, argument)| {
        source.match_indices(function).filter_map(move |(at, _)| {
            locate(&source[at..], function).filter(|range| range.start == 0)?;
            if source[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.')) {
                return None;
            }
            let open = source[at + function.len()..].trim_start().strip_prefix('(')?.trim_start();
            let quote = open.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
            let text = open[1..].split(quote).next()?;
            let start = source.len() - open.len() + 1;
            Some((*argument, text, start..start + text.len()))
        })
    })
}

/// The fields that an expression names outright, in the order in which it does.
pub fn fields_read(source: &str, definition: &Definition) -> Vec<String> {
    let named = literals(source).filter(|(argument, ..)| *argument == Argument::Field);
    let named = named.map(|(_, text, range)| (range.start, text));
    let dotted = definition.fields.iter().filter_map(|field| {
        let place = locate(source, &format!("extraction.{}", field.path))?;
        Some((place.start, field.path.as_str()))
    });
    let mut found: Vec<(usize, &str)> = named.chain(dotted).collect();
    found.sort_unstable();
    let mut paths: Vec<String> = Vec::new();
    for (_, path) in found {
        let exists = definition.fields.iter().any(|field| *field.path == *path);
        if exists && !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}
