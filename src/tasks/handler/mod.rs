//! Handlers: who does the work of a task. A model, a program, an address.

pub mod command;
mod http;
mod llm;
pub mod process;

pub use http::address;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::failure::Failure;
use super::result::Found;
use crate::engine::Engine;
use crate::engine::config::Handler;
use crate::engine::memory::WorkingMemory;
use crate::llm::Models;
use crate::store::BackgroundTask;

/// Where a handler says how far it has come.
pub type Progress<'a> = &'a (dyn Fn(&str) + Sync);

/// One attempt at a task.
#[derive(Debug)]
pub struct Job<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The memory it was ordered with, and the results of tasks before it.
    pub memory: &'a WorkingMemory,
    /// The task as it is kept.
    pub row: &'a BackgroundTask,
    /// Tasks whose results it needs.
    pub after: Vec<String>,
    /// How long it may take.
    pub time: Duration,
    /// What a program may use besides.
    pub limits: &'a process::Limits,
    /// Where a program may work.
    pub work_folder: &'a Path,
    /// Where the engine's own files are, if it has a folder.
    pub engine_folder: Option<&'a Path>,
    /// The models, where there are any.
    pub models: Option<Arc<Models>>,
}

impl Job<'_> {
    /// What a program or an address gets to read.
    pub fn material(&self) -> Value {
        let known = self.memory.extraction.iter().filter_map(|(path, _)| {
            let value = self.memory.extraction.value(path)?;
            Some((path.to_owned(), value.clone()))
        });
        let results = self.after.iter().filter_map(|id| {
            let result = self.memory.background_tasks.get(id)?.result.clone()?;
            Some((id.clone(), result))
        });
        json!({
            "task": self.row.name,
            "engine": self.memory.engine_id,
            "turn": self.row.turn,
            "phase": self.memory.phase.current,
            "fields": known.collect::<Map<_, _>>(),
            "results": results.collect::<Map<_, _>>(),
        })
    }
}

/// Makes one attempt.
pub async fn run(handler: &Handler, job: &Job<'_>, progress: Progress<'_>) -> Result<Found, Failure> {
    match handler {
        Handler::Llm(handler) => llm::run(handler, job, progress).await,
        Handler::Command(handler) => command::run(handler, job, progress).await,
        Handler::Http(handler) => http::run(handler, job, progress).await,
    }
}
