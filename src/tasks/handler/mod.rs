//! Handlers: who does the work of a task, a file per kind.
//!
//! The kinds are listed where they are declared, in `engine::config::handlers`; each has a module of its own here.

mod disk_use;
pub mod process;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::failure::AttemptFailure;
use super::pin::PinnedFile;
use super::result::HandlerResult;
use super::search::Search;
use super::trust::{Deed, Scene};
use super::workplace::Workplace;
use crate::engine::Engine;
use crate::engine::config::handlers::{Handler, handler_kinds};
use crate::engine::memory::WorkingMemory;
use crate::llm::Models;
use crate::sandbox::Sandbox;
use crate::store::TaskRow;

/// One attempt under way.
pub(super) type Attempt<'a> = Pin<Box<dyn Future<Output = Result<HandlerResult, AttemptFailure>> + Send + 'a>>;

/// How handlers of one kind work.
pub(super) trait HandlerKind {
    /// What it would do on this machine or elsewhere, which the user has to agree to first.
    fn deed(&self, scene: Scene<'_>) -> Deed;

    /// Whether it runs a program on this machine, with files that the engine brings.
    fn is_program(&self) -> bool {
        false
    }

    /// Whether it ends by itself when its time is over; then it gets some more to do so.
    fn keeps_time(&self) -> bool;

    fn run<'a>(&'a self, job: &'a Job<'a>, progress: Progress<'a>) -> Attempt<'a>;
}

// The modules are declared by the list as well, so that nothing here changes with a new kind.
macro_rules! kinds {
    ($( #[doc = $doc:literal] $kind:ident($table:ident) = $word:literal in $module:ident, )*) => {
        $( mod $module; )*

        /// How a handler works.
        pub(super) fn kind(handler: &Handler) -> &dyn HandlerKind {
            match handler { $( Handler::$kind(table) => table, )* }
        }
    };
}
handler_kinds!(kinds);

/// Where a handler says how far it has come.
pub(crate) type Progress<'a> = &'a (dyn Fn(&str) + Sync);

/// One attempt at a task.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub engine: &'a Engine,
    /// The memory it was ordered with, and the results of tasks before it.
    pub memory: &'a WorkingMemory,
    /// The task as it is kept.
    pub row: &'a TaskRow,
    /// Tasks whose results it needs.
    pub after: Vec<String>,
    pub time: Duration,
    /// What a program may use besides.
    pub limits: &'a process::Limits,
    pub sandbox: &'a Sandbox,
    /// Where a program works; others have none.
    pub workplace: Option<&'a Workplace>,
    /// What is in there of the engine's files.
    pub files: &'a [PinnedFile],
    /// What the user has agreed to; `None` where no leave is needed.
    pub agreed: Option<&'a Deed>,
    /// The models, where there are any.
    pub models: Option<Arc<Models>>,
    /// Where it may look things up.
    pub search: Search,
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
            "task": self.row.record.id,
            "engine": self.memory.engine_id,
            "turn": self.row.record.since_turn,
            "phase": self.memory.phase.current,
            "fields": known.collect::<Map<_, _>>(),
            "results": results.collect::<Map<_, _>>(),
        })
    }
}
