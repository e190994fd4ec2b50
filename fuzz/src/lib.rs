//! What is tried on each input, a file for each target, and what several of them need: the engine that they try things
//! on, and an outside that answers what it is told. The tests compile it too.

pub mod analysis;
pub mod answer;
pub mod documents;
pub mod engine_file;
pub mod expression;
pub mod key_command;
pub mod markdown;
pub mod mcp;
pub mod readings;
pub mod scenario_file;
pub mod settings;
pub mod sse;
pub mod store_delta;
pub mod terminal_text;

use std::collections::BTreeMap;
use std::future::{Future, ready};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use elenchus::catalogue::Catalogue;
use elenchus::decode::Diagnostic;
use elenchus::engine::Engine;
use elenchus::engine::config::{EngineFiles, Library, Loaded, load};
use elenchus::engine::memory::WorkingMemory;
use elenchus::engine::ports::{
    AnalysisReply, AnalysisRequest, CallError, PersistError, Ports, ResponseReply, ResponseRequest, SummaryReply,
    SummaryRequest, TurnEvent, TurnToKeep,
};
use elenchus::engine::transcript::Transcript;
use elenchus::engine::turn::{TurnInput, run_turn};
use elenchus::llm::offline;

/// The files of a small sound engine with a field of every kind.
pub const ENGINE: &str = include_str!("../../tests/fixtures/base/engine.toml");
pub const PROMPT: &str = include_str!("../../tests/fixtures/base/prompt.md");
pub const BRIEF: &str = include_str!("../../tests/fixtures/base/brief.md");

/// The techniques and languages that every engine has.
pub static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::open(Path::new("/nonexistent")).expect("a folder that is not there is empty"));

/// The engine of those files.
pub static BASE: LazyLock<Arc<Engine>> = LazyLock::new(|| {
    check(
        [("engine.toml", ENGINE), ("prompt.md", PROMPT), ("brief.md", BRIEF)]
            .map(|(name, text)| (name, text.as_bytes())),
    )
    .engine
    .expect("the base engine is sound")
});

/// A shipped engine, with hundreds of cues.
pub static SHIPPED: LazyLock<Arc<Engine>> = LazyLock::new(|| {
    let (loaded, _) = CATALOGUE.load("project-discovery").expect("it is in the binary");
    loaded.engine.expect("it is sound")
});

/// Reads and checks an engine, and renders whatever is wrong with it.
pub fn check<'b>(files: impl IntoIterator<Item = (&'b str, &'b [u8])>) -> Loaded {
    check_with(files, CATALOGUE.library())
}

/// The same with techniques and languages of one's own.
pub fn check_with<'b>(files: impl IntoIterator<Item = (&'b str, &'b [u8])>, library: &Library) -> Loaded {
    let files: BTreeMap<String, Vec<u8>> =
        files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).collect();
    let files = EngineFiles { origin: "base".into(), folder: "base".into(), files, refused: BTreeMap::new() };
    let loaded = load(&files, library, &["base".into(), "other".into()]);
    let errors = loaded.diagnostics.iter().any(|diagnostic| diagnostic.severity.word() == "error");
    assert_eq!(loaded.engine.is_none(), errors, "an engine is refused with a reason, and only then");
    told(&loaded.diagnostics);
    loaded
}

/// What is wrong can be told in every form.
pub fn told(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        assert!(!diagnostic.render(false).is_empty() && !diagnostic.to_string().is_empty());
        diagnostic.to_json();
    }
}

/// An outside that answers with this analysis, or with what the offline interviewer makes of the message.
#[derive(Default)]
pub struct Outside<'a> {
    pub analysis: Option<&'a str>,
    pub answer: Option<&'a str>,
}

impl Ports for Outside<'_> {
    fn now_micros(&self) -> u64 {
        0
    }

    fn analyse(&self, request: &AnalysisRequest<'_>) -> impl Future<Output = Result<AnalysisReply, CallError>> + Send {
        let scripted = |text: &str| AnalysisReply { text: text.to_owned(), ..AnalysisReply::default() };
        ready(Ok(self.analysis.map_or_else(|| offline::analyse(request), scripted)))
    }

    fn respond(&self, request: &ResponseRequest<'_>) -> impl Future<Output = Result<ResponseReply, CallError>> + Send {
        let scripted = |text: &str| ResponseReply { text: text.to_owned(), ..ResponseReply::default() };
        ready(Ok(self.answer.map_or_else(|| offline::respond(request), scripted)))
    }

    fn summarise(&self, _: &SummaryRequest<'_>) -> impl Future<Output = Result<SummaryReply, CallError>> + Send {
        ready(Err(CallError::failed("there are no summaries here")))
    }

    fn persist(&self, _: &TurnToKeep<'_>) -> impl Future<Output = Result<(), PersistError>> + Send {
        ready(Ok(()))
    }

    fn dispatch(&self) -> impl Future<Output = ()> + Send {
        ready(())
    }

    fn emit(&self, _: TurnEvent<'_>) {}
}

/// A conversation that is kept nowhere.
pub struct Talk {
    pub memory: WorkingMemory,
    pub transcript: Transcript,
}

impl Talk {
    pub fn new() -> Self {
        Self { memory: WorkingMemory::new(BASE.definition()), transcript: Transcript::default() }
    }

    /// Holds a turn; one that is refused leaves all as it was. The state survives being written and read.
    pub fn say(&mut self, message: &str, outside: &Outside<'_>) {
        let input = TurnInput::saying(message);
        let Ok(outcome) = pollster::block_on(run_turn(&BASE, &self.memory, &self.transcript, &input, outside)) else {
            return;
        };
        self.memory = (*outcome.memory).clone();
        self.transcript.push(outcome.message);
        self.transcript.push(outcome.answer);
        let written = serde_json::to_string(&self.memory).expect("a memory can be written");
        let read: WorkingMemory = serde_json::from_str(&written).expect("and read");
        assert_eq!(read, self.memory, "a memory is the same after it was kept");
    }
}

impl Default for Talk {
    fn default() -> Self {
        Self::new()
    }
}
