//! Trust: an engine from outside the binary runs no program, calls no address, spends no money and lets no model use a
//! tool before the user has seen exactly which.
//!
//! A decision is remembered by a digest of the engine's own files, of everything that it would do, of every program that
//! it would run, and of all other files of its folder (`pin`). When one of them changes, the digest does, and the user is
//! asked again. Without a sandbox the same acts are another thing to agree to, and have another digest.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use super::code;
use super::handler::kind;
use super::pin::{self, Content, PinnedFile};
use crate::engine::Engine;
use crate::engine::config::{BackgroundTask, Definition, Tool};
use crate::sandbox::{Confinement, Grant, Sandbox};
use crate::store::{Digest, Doubt, canonical};

/// Where an engine comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Whether it is part of the binary.
    pub embedded: bool,
    /// Its folder, if it has one.
    pub folder: Option<PathBuf>,
}

/// What the user is asked to agree to. All of it is to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrustRequest {
    pub engine_id: String,
    pub folder: Option<PathBuf>,
    /// What the decision is remembered by.
    pub digest: Digest,
    /// Everything it would run, call or spend.
    pub acts: Vec<Act>,
    /// The files that its programs get: scripts, and what they use.
    pub files: Vec<PinnedFile>,
    /// What would hold its programs, where it has any.
    pub confinement: Option<Confinement>,
    /// Why it cannot be agreed to at all; most have none.
    pub obstacles: Vec<String>,
    /// Why a decision about it is asked for anew that is kept already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
}

impl TrustRequest {
    /// Whether there are programs that nothing would hold.
    pub fn is_unconfined(&self) -> bool {
        self.confinement == Some(Confinement::None)
    }
}

/// Something that an engine would do on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Act {
    /// The handler's name in the engine file.
    pub handler: String,
    pub tasks: Vec<String>,
    #[serde(flatten)]
    pub deed: Deed,
}

/// What a handler would do that needs the user's leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Deed {
    /// On one line, with nothing hidden.
    #[serde(skip)]
    pub words: String,
    /// What it may do besides.
    pub grant: Grant,
    /// Everything else that the leave depends on: when any of it changes, the user is asked again.
    #[serde(flatten)]
    pub exactly: Value,
    /// Files outside the engine's folder that would be run, with the texts of scripts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<PinnedFile>,
    /// Why it cannot be agreed to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
}

impl Act {
    /// What would happen, on one line, with nothing hidden.
    pub fn words(&self) -> String {
        self.deed.words.clone()
    }
}

/// What a deed depends on besides its handler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    /// The tasks that it is done for.
    pub tasks: &'a [&'a BackgroundTask],
    pub files: &'a [PinnedFile],
    pub sandbox: &'a Sandbox,
}

/// A word as it is, in quotes where its limits would not show. Control characters are written out.
pub(super) fn quoted(word: &str) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-:=?&%@+,~".contains(c));
    if plain { word.to_owned() } else { format!("{word:?}") }
}

/// What the user would have to agree to; `None` for an engine that does nothing of the kind.
pub fn request(engine: &Engine, from: &Provenance, sandbox: &Sandbox) -> Option<TrustRequest> {
    let files = match &from.folder {
        Some(folder) if has_programs(engine) => pin::look(folder),
        _ => Ok(Vec::new()),
    };
    request_with(engine, from, sandbox, files)
}

/// The same with the files of the folder as they were found.
pub(super) fn request_with(
    engine: &Engine,
    from: &Provenance,
    sandbox: &Sandbox,
    files: Result<Vec<PinnedFile>, String>,
) -> Option<TrustRequest> {
    let definition = engine.definition();
    let (files, unpinned) = match files {
        Ok(files) => (files, None),
        Err(why) => (Vec::new(), Some(format!("what it would run cannot be held on to: {why}"))),
    };
    let acts: Vec<Act> = definition
        .handlers
        .iter()
        .map(|(name, handler)| {
            let tasks: Vec<&BackgroundTask> =
                definition.background_tasks.iter().filter(|task| *task.handler == **name).collect();
            let mut deed = kind(&handler.value).deed(Scene { tasks: &tasks, files: &files, sandbox });
            if let Some(source) = passed_on(definition, &tasks) {
                let source = quoted(source);
                deed.words = format!("{}; with words of other sessions in it, which {source} looks up", deed.words);
            }
            Act { handler: name.clone(), tasks: tasks.iter().map(|task| task.name.clone()).collect(), deed }
        })
        .collect();
    let acts: Vec<Act> = acts.into_iter().chain(tools(definition)).collect();
    if acts.is_empty() {
        return None;
    }
    let confinement = has_programs(engine).then(|| sandbox.confinement());
    let pinned: Vec<_> = files.iter().map(|file| (&file.path, file.executable, file.digest)).collect();
    let unconfined = confinement == Some(Confinement::None);
    let digest = canonical::digest(&(engine.hash(), &acts, pinned, unconfined));
    // A file that no act names may be drawn in by one that is named.
    let unseen = files.iter().filter(|file| matches!(file.content, Content::TooLong | Content::Opaque));
    let unseen = unseen.map(|file| code::unshown(&file.path, &file.content));
    let refused = acts.iter().filter_map(|act| act.deed.obstacle.clone());
    let obstacles = unpinned.into_iter().chain(refused).chain(nested(&acts)).chain(unseen).collect();
    let engine_id = definition.id.to_string();
    let folder = from.folder.clone();
    Some(TrustRequest { engine_id, folder, digest, acts, files, confinement, obstacles, doubt: None })
}

/// The task before some tasks, directly or not, that looks up what other sessions have: its result is given to them.
fn passed_on<'d>(definition: &'d Definition, tasks: &[&'d BackgroundTask]) -> Option<&'d str> {
    let mut before: Vec<&BackgroundTask> = tasks.to_vec();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    while let Some(task) = before.pop() {
        for earlier in definition.background_tasks.iter().filter(|other| task.after.contains(&other.id)) {
            let handler = definition.handlers.iter().find(|(name, _)| **name == *earlier.handler);
            if handler.is_some_and(|(_, handler)| handler.value.declared().looks_up()) {
                return Some(&earlier.name);
            }
            if seen.insert(&earlier.id) {
                before.push(earlier);
            }
        }
    }
    None
}

/// What the model of an engine may do besides writing.
fn tools(definition: &Definition) -> impl Iterator<Item = Act> {
    let tools: BTreeSet<Tool> = definition.tools.r#use.iter().copied().collect();
    tools.into_iter().map(|tool| {
        let grant = Grant { tools: vec![tool.word().to_owned()], ..Grant::default() };
        let exactly = json!({ "type": "tool", "tool": tool.word() });
        let deed = Deed { words: tool.deed().to_owned(), grant, exactly, outside: Vec::new(), obstacle: None };
        Act { handler: "tools".to_owned(), tasks: vec!["the conversation itself".to_owned()], deed }
    })
}

/// Grants that lie inside another one that may be changed: one program could put something else in the place of what
/// another was granted.
fn nested(acts: &[Act]) -> Vec<String> {
    let written: Vec<&PathBuf> = acts.iter().flat_map(|act| &act.deed.grant.write).collect();
    let all = acts.iter().flat_map(|act| act.deed.grant.read.iter().chain(&act.deed.grant.write));
    let around = |path: &PathBuf| written.iter().find(|outer| **outer != path && path.starts_with(outer)).copied();
    all.filter_map(|path| {
        let (outer, path) = (around(path)?.display(), path.display());
        Some(format!("{path} lies inside {outer}, which it may change: let it ask for the outer folder alone"))
    })
    .collect()
}

/// Whether an engine would run a program.
pub(super) fn has_programs(engine: &Engine) -> bool {
    engine.definition().handlers.values().any(|handler| kind(&handler.value).is_program())
}
