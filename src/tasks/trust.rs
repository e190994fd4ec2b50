//! Trust: an engine from outside the binary runs no program and calls no address before the user has seen exactly
//! which.
//!
//! A decision is remembered by a digest of the engine's files, of every program and address in it, and of the files in
//! its folder that it would run. When one of them changes, the digest does, and the user is asked again. Programs that
//! are found on the path belong to the system and count by their place, so that an update of the system does not ask
//! the user again.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use super::handler::kind;
use crate::engine::Engine;
use crate::store::{Digest, canonical};

/// Where an engine comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Whether it is part of the binary.
    pub embedded: bool,
    /// Its folder, if it has one.
    pub folder: Option<PathBuf>,
}

/// What the user is asked to agree to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrustRequest {
    pub engine_id: String,
    pub folder: Option<PathBuf>,
    /// What the decision is remembered by.
    pub digest: Digest,
    /// Everything it would run or call.
    pub acts: Vec<Act>,
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
    /// Everything that the leave depends on: when any of it changes, the user is asked again.
    #[serde(flatten)]
    pub exactly: Value,
}

impl Deed {
    pub(super) fn new(words: String, exactly: Value) -> Self {
        Self { words, exactly }
    }
}

impl Act {
    /// What would happen, on one line, with nothing hidden.
    pub fn words(&self) -> String {
        self.deed.words.clone()
    }
}

/// A word as it is, in quotes where its limits would not show. Control characters are written out.
pub(super) fn quoted(word: &str) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "/._-:=?&%@+,~".contains(c));
    if plain { word.to_owned() } else { format!("{word:?}") }
}

/// What the user would have to agree to; `None` for an engine that does nothing of the kind.
pub fn request(engine: &Engine, provenance: &Provenance) -> Option<TrustRequest> {
    let definition = engine.definition();
    let folder = provenance.folder.as_deref();
    let acts: Vec<Act> = definition
        .handlers
        .iter()
        .filter_map(|(name, handler)| {
            let deed = kind(&handler.value).deed(folder)?;
            let tasks = definition.background_tasks.iter().filter(|task| *task.handler == **name);
            Some(Act { handler: name.clone(), tasks: tasks.map(|task| task.name.clone()).collect(), deed })
        })
        .collect();
    if acts.is_empty() {
        return None;
    }
    let digest = canonical::digest(&(engine.hash(), &acts));
    Some(TrustRequest { engine_id: definition.id.to_string(), folder: provenance.folder.clone(), digest, acts })
}
