//! Every check of an engine that needs more than one value. Each reports all it finds; none stops another.

mod completeness;
mod exits;
mod expressions;
mod fields;
mod identity;
mod obligations;
mod phases;
mod settings;
mod sidebar;
mod tasks;
pub(super) mod techniques;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::decode::Id;
use super::definition::Definition;
use super::diagnostic::{Problems, SourceText};
use super::load::EngineFiles;
use super::techniques::Technique;
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
    /// The library of techniques.
    pub techniques: &'a [Technique],
    /// Engines that exits may lead to.
    pub engines: &'a [String],
}

/// Runs every check and compiles what is to be compiled.
pub fn validate(definition: &Definition, around: &Surroundings<'_>, program: &mut Program, problems: &mut Problems) {
    identity::check(definition, around, problems);
    fields::check(definition, problems);
    obligations::check(definition, problems);
    phases::check(definition, problems);
    completeness::check(definition, problems);
    techniques::check(definition, around.techniques, problems);
    tasks::check(definition, problems);
    settings::check(definition, problems);
    sidebar::check(definition, problems);
    exits::check(definition, around, problems);
    expressions::check(definition, around, program, problems);
}

/// Reports names that are given twice.
fn unique<'a>(what: &str, ids: impl IntoIterator<Item = &'a Id>, problems: &mut Problems) {
    let mut seen: HashSet<&str> = HashSet::new();
    for id in ids.into_iter().filter(|id| !id.is_empty()) {
        if !seen.insert(id) {
            problems
                .error("duplicate-id", id.span.clone(), format!("there is another {what} called `{id}`"))
                .help("names are given once");
        }
    }
}

/// Reports a reference that leads nowhere; tells whether it leads somewhere.
fn refers<'k>(id: &Id, what: &str, known: impl IntoIterator<Item = &'k str>, problems: &mut Problems) -> bool {
    let known: Vec<&str> = known.into_iter().collect();
    if id.is_empty() || known.contains(&id.as_str()) {
        return !id.is_empty();
    }
    problems
        .error("bad-reference", id.span.clone(), format!("there is no {what} `{id}`"))
        .suggest(id, known.iter().copied());
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
            let Some(&to) = index.get(target.as_str()) else { continue };
            match marks[to] {
                0 => way.push((to, 0)),
                1 => {
                    let names: Vec<&str> =
                        way.iter().map(|(n, _)| *n).skip_while(|n| *n != to).map(|n| links[n].0.as_str()).collect();
                    problems
                        .error("cycle", target.span.clone(), format!("{what} wait for each other in a circle"))
                        .help(format!("{} → {}", names.join(" → "), links[to].0));
                }
                _ => {}
            }
        }
    }
}

/// Whether weights sum to 1, within what decimal fractions allow.
fn sums_to_one(weights: impl IntoIterator<Item = f64>) -> Result<(), f64> {
    let sum: f64 = weights.into_iter().sum();
    if (sum - 1.0).abs() < 0.001 { Ok(()) } else { Err(sum) }
}
