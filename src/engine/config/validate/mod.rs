//! Every check of an engine that needs more than one value. Each reports all it finds; none stops another.

pub(super) mod address;
mod completeness;
mod evaluators;
mod exits;
mod expressions;
mod fields;
mod handoffs;
mod identity;
mod known;
pub(super) mod language;
mod limits;
pub(super) mod listening;
mod obligations;
mod phases;
mod rules;
mod settings;
pub(super) mod shapes;
mod sidebar;
mod tasks;
pub(super) mod techniques;
mod ways;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use known::{Known, NameList};

use super::definition::Definition;
use super::load::{EngineFiles, Library};
use crate::decode::{Id, Places, Problems, SourceText, nearest};
use crate::engine::expression::Program;

/// What an engine is checked against besides itself.
#[derive(Debug)]
pub struct Surroundings<'a> {
    /// The folder it came from.
    pub files: &'a EngineFiles,
    /// The engine file.
    pub main: Arc<SourceText>,
    /// The system prompt template.
    pub prompt: &'a Arc<SourceText>,
    /// The template of the brief.
    pub brief: &'a Arc<SourceText>,
    pub library: &'a Library,
    /// Engines that exits may lead to.
    pub engines: &'a [String],
}

/// Runs every check and compiles what is to be compiled.
pub fn validate(definition: &Definition, around: &Surroundings<'_>, program: &mut Program, problems: &mut Problems) {
    // What is beyond all measure is told by itself: every other check would take its time over it.
    if !limits::check(definition, problems) {
        return;
    }
    let known = Known::new(definition, problems);
    identity::check(definition, around, problems);
    let before = problems.count();
    fields::check(definition, &known, problems);
    if problems.count() == before {
        limits::filled(definition, problems);
    }
    for (name, handler) in &definition.handlers {
        handler.value.declared().check(name, &handler.span, problems);
    }
    let surfaces = ["fields", "obligations", "categories", "phases", "background_tasks", "handlers", "intents"];
    let sound = problems.count() == before && !surfaces.iter().any(|key| problems.faulty(key));
    obligations::check(definition, &known, problems);
    let ordered = phases::check(definition, &known, problems);
    rules::check(definition, &known, ordered, problems);
    completeness::check(definition, &known, problems);
    evaluators::check(definition, &known, problems);
    techniques::check(definition, &around.library.techniques, problems);
    tasks::check(definition, &known, problems);
    listening::check(definition, around.library, problems);
    settings::check(definition, problems);
    sidebar::check(definition, &known, problems);
    exits::check(definition, around, problems);
    expressions::check(definition, around, sound, program, problems);
    // Last, because it leans on expressions that compile.
    fields::used(definition, &known, problems);
}

/// Reports names that are given twice.
fn unique<'a>(what: &str, ids: impl IntoIterator<Item = &'a Id>, problems: &mut Problems) {
    let mut seen: HashMap<&str, &Id> = HashMap::new();
    for id in ids.into_iter().filter(|id| !id.is_empty()) {
        if let Some(first) = seen.get(id.as_str()) {
            let line = problems.line(&first.span);
            problems
                .error("duplicate-id", id.span.clone(), format!("there is another {what} called `{id}`"))
                .help(format!("the first is in line {line}; names are given once"));
        } else {
            seen.insert(id, id);
        }
    }
}

/// Reports what a list names twice: harmless, but hardly meant.
fn once(ids: &[Id], problems: &mut Problems) {
    let mut seen = HashSet::new();
    for id in ids {
        if !seen.insert(id.as_str()) {
            problems.warning("duplicate-id", id.span.clone(), format!("`{id}` is named twice in this list"));
        }
    }
}

/// Reports a reference that leads nowhere; tells whether it leads somewhere.
fn refers(id: &Id, what: &str, known: &NameList<'_>, problems: &mut Problems) -> bool {
    if id.is_empty() || known.has(id) {
        return !id.is_empty();
    }
    // Where a name could not be read, this one may be meant.
    if !known.has("") || nearest(id, known).is_some() {
        problems
            .error("bad-reference", id.span.clone(), format!("there is no {what} `{id}`"))
            .suggest(id, known.iter().copied());
    }
    false
}

/// Reports the first member of each circle among `after`-like references.
fn acyclic<'a>(what: &str, links: &[(&'a Id, &'a [Id])], problems: &mut Problems) {
    let index: HashMap<&str, usize> = links.iter().enumerate().map(|(at, (id, _))| (id.as_str(), at)).collect();
    // 0: not seen, 1: on the way, 2: done.
    let mut marks = vec![0u8; links.len()];
    for start in 0..links.len() {
        let mut way = vec![(start, 0usize)];
        while let Some((at, next)) = way.last_mut() {
            let (at, next_link) = (*at, *next);
            *next += 1;
            if next_link == 0 {
                if marks[at] == 2 {
                    way.pop();
                    continue;
                }
                marks[at] = 1;
            }
            let Some(target) = links[at].1.get(next_link) else {
                marks[at] = 2;
                way.pop();
                continue;
            };
            let Some(&to) = index.get(target.as_str()).filter(|_| !target.is_empty()) else { continue };
            match marks[to] {
                0 => way.push((to, 0)),
                1 => {
                    let names: Vec<&str> =
                        way.iter().map(|(n, _)| *n).skip_while(|n| *n != to).map(|n| links[n].0.as_str()).collect();
                    problems
                        .error("cycle", target.span.clone(), format!("{what} wait for each other in a circle"))
                        .help(circle(&names));
                }
                _ => {}
            }
        }
    }
}

/// The members of a circle; of a long one its beginning and its end.
fn circle(names: &[&str]) -> String {
    let first = names.first().copied().unwrap_or_default();
    if names.len() <= 8 {
        return format!("{} → {first}", names.join(" → "));
    }
    let (head, tail) = (names[..4].join(" → "), names[names.len() - 2..].join(" → "));
    format!("{head} → … {} more … → {tail} → {first}", names.len() - 6)
}

/// Reports a number of nothing.
fn at_least_one(key: &str, at: &Places, problems: &mut Problems) {
    let place = at.of(key);
    if !problems.within(&place) {
        problems.error("out-of-range", place, format!("`{key}` is at least 1"));
    }
}

/// Whether weights sum to 1, within what decimal fractions allow.
fn sums_to_one(weights: impl IntoIterator<Item = f64>) -> Result<(), f64> {
    let sum: f64 = weights.into_iter().sum();
    if (sum - 1.0).abs() < 0.001 { Ok(()) } else { Err(sum) }
}
