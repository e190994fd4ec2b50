//! Trust: an engine from outside the binary runs nothing and calls nobody before the user has seen exactly what.
//!
//! A decision is remembered by a digest of the engine's files, of every program and address in it, and of the files in
//! its folder that it would run. When one of them changes, the digest does, and the user is asked again. Programs that
//! are found on the path belong to the system and count by their place, so that updates of the system ask nobody.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::handler::command::{arguments, resolve};
use super::sanitise;
use crate::engine::Engine;
use crate::engine::config::Handler;
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
    /// The engine.
    pub engine_id: String,
    /// Its folder.
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
    /// The tasks that use it.
    pub tasks: Vec<String>,
    /// What exactly.
    #[serde(flatten)]
    pub what: What,
}

/// What exactly an engine would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum What {
    /// Run a program.
    Command {
        /// As the engine file names it.
        program: String,
        /// The file that would run, or why there is none.
        file: Result<PathBuf, String>,
        /// Its arguments.
        args: Vec<String>,
        /// The digest of its file, and of files among its arguments, where they belong to the engine.
        content: Vec<Digest>,
    },
    /// Send what is known to an address.
    Http {
        /// The address.
        url: String,
    },
}

impl Act {
    /// What would happen, on one line, with nothing hidden.
    pub fn words(&self) -> String {
        match &self.what {
            What::Command { program, file, args, .. } => {
                let args = args.iter().fold(String::new(), |all, arg| all + " " + &quoted(arg));
                match file {
                    Ok(file) => format!("run {}{args}", quoted(&file.to_string_lossy())),
                    Err(why) => format!("run {}{args} ({})", quoted(program), sanitise::line(why, 200)),
                }
            }
            What::Http { url } => format!("send what is known of the conversation to {}", quoted(url)),
        }
    }
}

/// A word as it is, in quotes where its limits would not show. Control characters are written out.
fn quoted(word: &str) -> String {
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
            let what = match &handler.value {
                Handler::Llm(_) => return None,
                Handler::Command(command) => {
                    let file = resolve(&command.program, folder);
                    let args = arguments(&command.args, folder);
                    let content = contents(file.as_deref().ok(), &args, folder);
                    What::Command { program: command.program.clone(), file, args, content }
                }
                Handler::Http(http) => What::Http { url: http.url.value.clone() },
            };
            let tasks = definition.background_tasks.iter().filter(|task| *task.handler == **name);
            Some(Act { handler: name.clone(), tasks: tasks.map(|task| task.name.clone()).collect(), what })
        })
        .collect();
    if acts.is_empty() {
        return None;
    }
    let digest = canonical::digest(&(engine.hash(), &acts));
    Some(TrustRequest { engine_id: definition.id.to_string(), folder: provenance.folder.clone(), digest, acts })
}

/// The digests of the files of an engine that would run: its program, and what it hands to an interpreter. A program
/// named by its whole path counts by its content as well: nobody updates it behind the user's back.
fn contents(program: Option<&Path>, args: &[String], folder: Option<&Path>) -> Vec<Digest> {
    let own = |path: &Path| folder.and_then(|folder| folder.canonicalize().ok()).is_some_and(|f| path.starts_with(f));
    let files = program.into_iter().chain(args.iter().map(Path::new)).filter(|path| own(path) && path.is_file());
    files.filter_map(|path| std::fs::read(path).ok()).map(|bytes| Digest::of(&bytes)).collect()
}
