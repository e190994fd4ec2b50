//! From scenario files to cases that can run, or to everything that is wrong with them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::declare::{Model, Person, Scenario};
use super::expectation::Expectations;
use super::frame;
use crate::catalogue::{CaseFiles, is_frame, is_scenario};
use crate::decode::{Diagnostic, Problems, SourceText, Spanned, Surface, parse};
use crate::engine::Engine;
use crate::engine::context::SectionKind;
use crate::engine::handoff::Handoff;
use crate::files::inside::stays;

/// A scenario that can run.
#[derive(Clone, Debug)]
pub struct Case {
    /// What its file says.
    pub scenario: Arc<Scenario>,
    pub person: Option<Arc<Person>>,
    pub handoff: Option<Handoff>,
    pub source: Arc<SourceText>,
    /// The folder it stands in.
    pub folder: String,
    /// Whether that folder is one on disk, and not in the binary.
    pub on_disk: bool,
    /// Pictures of the app that stand there, by their path in it.
    pub frames: Arc<BTreeMap<String, String>>,
    /// The engine it is for, by name or path.
    pub engine: String,
}

impl Case {
    /// The line of a place in its file, from 1.
    pub fn line(&self, at: usize) -> usize {
        line_of(&self.source.text, at)
    }
}

/// The line of a byte, from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    let end = text.floor_char_boundary(at.min(text.len()));
    text[..end].matches('\n').count() + 1
}

/// The longest file of scenarios, in bytes: the largest real one is a tenth of it.
const MAX_FILE: usize = 512 * 1024;
/// The most turns that one scenario takes, in all its sessions together: a number in a file must not keep a machine busy
/// for a year.
const MAX_TURNS: u64 = 100_000;

/// Reads the scenarios of a folder. `engine` finds an engine by name or path, so that what they name can be checked.
pub fn load(
    files: &CaseFiles,
    engine: &mut dyn FnMut(&str) -> Result<Arc<Engine>, String>,
) -> (Vec<Case>, Vec<Diagnostic>) {
    let blank = Arc::new(SourceText::new(files.origin.clone(), String::new()));
    let mut problems = Problems::new(blank);
    let mut cases = Vec::new();
    for (name, why) in &files.refused {
        let message = format!("{name} is not read: {why}");
        problems.error("refused-file", None, message).help("put a copy in its place");
    }
    let pictures = files.files.iter().filter(|(name, _)| is_frame(name));
    let pictures = pictures.map(|(name, bytes)| (name.clone(), String::from_utf8_lossy(bytes).replace("\r\n", "\n")));
    let frames = Arc::new(pictures.collect::<BTreeMap<_, _>>());
    let tops = files.files.keys().filter(|name| !name.contains('/') && is_scenario(name));
    for name in tops.filter(|name| files.chosen.is_empty() || files.chosen.contains(name)) {
        let Some(source) = text(files, name, &mut problems) else { continue };
        let Some(scenario) = parse::<Scenario>(&source.text, "the scenario file", &mut problems) else {
            if source.text.is_empty() {
                problems.error("empty-text", None, "the scenario file is empty");
            }
            continue;
        };
        let person = scenario.person.as_ref().and_then(|path| person(files, path, &source, &mut problems));
        let (person, about) = person.unzip();
        problems.enter(source.clone());
        let handoff = scenario.handoff.as_ref().and_then(|given| {
            let read = serde_json::from_value(given.value.clone());
            read.map_err(|error| {
                problems.error("bad-handoff", given.span.clone(), format!("this is not a handoff: {error}"));
            })
            .ok()
        });
        let named = scenario.engine.as_ref().map(|name| name.value.clone()).or_else(|| files.engine.clone());
        let Some(named) = named else {
            problems.error("missing-key", 0..1, "the scenario names no `engine`, and stands in no engine's folder");
            continue;
        };
        match engine(&named) {
            Ok(engine) => {
                check(&scenario, person.as_deref(), &engine, &mut problems);
                if let (Some(person), Some(about)) = (&person, about) {
                    problems.enter(about);
                    check_person(person, &engine, &mut problems);
                }
            }
            Err(why) => {
                let span = scenario.engine.as_ref().map_or(0..1, |name| name.span.clone());
                problems.error("unknown-engine", span, why);
            }
        }
        let scenario = Arc::new(scenario);
        let (folder, on_disk, frames) = (files.origin.clone(), files.on_disk, Arc::clone(&frames));
        cases.push(Case { scenario, person, handoff, source, folder, on_disk, frames, engine: named });
    }
    (cases, problems.into_sorted())
}

/// The text of a file; none where it is too large, which is reported.
fn text(files: &CaseFiles, name: &str, problems: &mut Problems) -> Option<Arc<SourceText>> {
    let bytes = files.files.get(name).map(Vec::as_slice).unwrap_or_default();
    let shown = if files.origin.is_empty() { name.to_owned() } else { format!("{}/{name}", files.origin) };
    if bytes.len() > MAX_FILE {
        problems.enter(Arc::new(SourceText::new(shown, "")));
        problems.error("too-large", None, format!("{name} is larger than {} KiB", MAX_FILE / 1024));
        return None;
    }
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let source = Arc::new(SourceText::new(shown, text));
    problems.enter(source.clone());
    Some(source)
}

fn person(
    files: &CaseFiles,
    path: &Spanned<String>,
    scenario: &Arc<SourceText>,
    problems: &mut Problems,
) -> Option<(Arc<Person>, Arc<SourceText>)> {
    if !files.files.contains_key(path.as_str()) {
        problems.enter(scenario.clone());
        let known = files.files.keys().map(String::as_str).filter(|name| name.contains('/'));
        problems
            .error("missing-file", path.span.clone(), format!("there is no {} beside this file", path.value))
            .suggest(path, known);
        return None;
    }
    let source = text(files, path, problems)?;
    parse::<Person>(&source.text, "the person's file", problems).map(|person| (Arc::new(person), source))
}

/// Finds facts about fields that the engine does not have: they could never be heard.
fn check_person(person: &Person, engine: &Engine, problems: &mut Problems) {
    let paths: Vec<&str> = engine.definition().fields.iter().map(|field| field.path.as_str()).collect();
    for path in person.facts.iter().flat_map(|fact| [&fact.path].into_iter().chain(&fact.also)) {
        if !paths.contains(&path.as_str()) {
            let message = format!("the engine has no field `{}`", path.value);
            problems.error("unknown-name", path.span.clone(), message).suggest(path, paths.clone());
        }
    }
}

/// Finds names that the engine does not have: an expectation about nothing would hold for ever, or never.
fn check(scenario: &Scenario, person: Option<&Person>, engine: &Engine, problems: &mut Problems) {
    let definition = engine.definition();
    let paths: Vec<&str> = definition.fields.iter().map(|field| field.path.as_str()).collect();
    let phases: Vec<&str> = definition.phases.iter().map(|phase| phase.id.as_str()).collect();
    let obligations: Vec<&str> = definition.obligations.iter().map(|o| o.id.as_str()).collect();
    let tasks: Vec<&str> = definition.background_tasks.iter().map(|task| task.id.as_str()).collect();
    let exits: Vec<&str> = definition.exit_transitions.iter().map(|exit| exit.id.as_str()).collect();
    let mut known = |what: &str, name: &str, span: std::ops::Range<usize>, all: &[&str]| {
        if !all.contains(&name) {
            problems
                .error("unknown-name", span, format!("the engine has no {what} `{name}`"))
                .suggest(name, all.to_vec());
        }
    };
    let expectations = scenario.turns.iter().map(|turn| &turn.expect).chain([&scenario.expect]);
    for Expectations { fields, obligations: statuses, phase, left, handoff, tasks: states, .. } in expectations {
        for field in fields {
            known("field", &field.path, field.path.span.clone(), &paths);
        }
        for (id, status) in statuses {
            known("obligation", id, status.span.clone(), &obligations);
        }
        for phase in phase.iter().chain(left) {
            known("phase", phase, phase.span.clone(), &phases);
        }
        for (id, state) in states {
            known("background task", id, state.span.clone(), &tasks);
        }
        if let Some(offer) = handoff {
            known("exit transition", &offer.exit, offer.exit.span.clone(), &exits);
        }
    }
    let sections: Vec<&str> = SectionKind::ALL.iter().map(|section| section.name()).collect();
    let expected = scenario.turns.iter().map(|turn| &turn.expect).chain([&scenario.expect]);
    for context in expected.filter_map(|expect| expect.context.as_ref()) {
        for section in context.sections.iter().chain(&context.empty) {
            known("section of the context", section, context.span.clone(), &sections);
        }
    }
    let told: Vec<&str> = person.iter().flat_map(|person| &person.facts).map(|fact| fact.path.as_str()).collect();
    for turn in &scenario.turns {
        for reading in &turn.readings {
            known("field", &reading.path, reading.path.span.clone(), &paths);
        }
        for news in &turn.tasks {
            known("background task", &news.task, news.task.span.clone(), &tasks);
        }
    }
    for path in scenario.turns.iter().flat_map(|turn| &turn.tells).filter(|path| !told.contains(&path.as_str())) {
        let message = format!("the person knows nothing of `{}`", path.value);
        problems.error("unknown-name", path.span.clone(), message).suggest(path, told.clone());
    }
    if let Model::Recorded(recorded) = &scenario.model
        && !stays(&recorded.file)
    {
        let message = "a recording stands beside the scenario or in a folder there";
        problems.error("bad-path", recorded.file.span.clone(), message);
    }
    form(scenario, problems);
    for expect in scenario.turns.iter().map(|turn| &turn.expect).chain([&scenario.expect]) {
        frame::check(expect, problems);
    }
    let several = scenario.simulated.as_ref().is_some_and(|simulated| simulated.sessions > 1);
    if let Some(frame) = scenario.expect.frames.first().filter(|_| several) {
        problems.error("bad-frame", frame.span.clone(), "several simulated sessions do not look like one frame");
    }
}

/// A scenario is a script or a simulation, with an end in sight.
fn form(scenario: &Scenario, problems: &mut Problems) {
    for turn in scenario.turns.iter().filter(|turn| turn.says.is_none() && turn.tells.is_empty()) {
        problems.error("missing-key", turn.span.clone(), "a turn has neither `says` nor `tells`");
    }
    let repeated = scenario.turns.iter().map(|turn| u64::from(turn.times)).sum::<u64>();
    let simulated = scenario.simulated.as_ref().map_or(0, |s| u64::from(s.turns) * u64::from(s.sessions));
    let turns = repeated.saturating_add(simulated);
    if turns > MAX_TURNS {
        problems
            .error("too-large", 0..1, format!("this scenario takes {turns} turns"))
            .help(format!("at most {MAX_TURNS} in all; lower `times`, `turns` or `sessions`"));
    }
    if scenario.turns.is_empty() == scenario.simulated.is_none() {
        problems.error("missing-key", 0..1, "a scenario has either `turns` or `simulated`");
    }
    if scenario.simulated.is_some() && scenario.person.is_none() {
        problems.error("missing-key", 0..1, "a simulated conversation needs a `person`");
    }
}

/// The JSON Schema of scenario files, and of the files of persons, for editors.
pub fn json_schema() -> Value {
    let mut definitions = Map::new();
    let root = Scenario::schema(&mut definitions);
    Person::schema(&mut definitions);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Elenchus scenario",
        "$ref": root["$ref"],
        "$defs": definitions,
    })
}
