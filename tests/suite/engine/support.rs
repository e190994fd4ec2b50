//! A small engine to bend, and short ways to hold a conversation with it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use elenchus::catalogue::Catalogue;
use elenchus::decode::render_all;
use elenchus::engine::Engine;
use elenchus::engine::config::{EngineFiles, load};
use elenchus::engine::memory::{ExtractedField, FieldState, Status};
use elenchus::engine::transcript::Role;
use elenchus::engine::turn::TurnInput;
use serde_json::Value;

use crate::support::scripted::{ScriptedSession, ScriptedTurn, SeenRequest};

/// The small engine of these tests.
pub const SMALL: &str = include_str!("../../fixtures/core/engine.toml");
const PROMPT: &str = include_str!("../../fixtures/core/prompt.md");

/// The engines in the binary.
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> =
        LazyLock::new(|| Catalogue::open(Path::new("/nonexistent")).expect("a folder that does not exist is empty"));
    &CATALOGUE
}

/// One of the engines in the binary.
pub fn shipped(id: &str) -> Arc<Engine> {
    let (loaded, _) = catalogue().load(id).expect("it is in the binary");
    loaded.engine.unwrap_or_else(|| panic!("{}", render_all(&loaded.diagnostics, false)))
}

/// The small engine as it is.
pub fn small() -> Arc<Engine> {
    static ENGINE: LazyLock<Arc<Engine>> = LazyLock::new(|| small_with(&[]));
    ENGINE.clone()
}

/// The small engine with texts of its file replaced, each of which occurs exactly once.
pub fn small_with(edits: &[(&str, &str)]) -> Arc<Engine> {
    let mut text = SMALL.to_owned();
    for (find, replace) in edits {
        assert_eq!(text.matches(find).count(), 1, "{find:?} occurs once");
        text = text.replacen(find, replace, 1);
    }
    try_engine(&text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// An engine from the text of its file, or what is wrong with it.
pub fn try_engine(text: &str) -> Result<Arc<Engine>, String> {
    let files = BTreeMap::from([
        ("engine.toml".to_owned(), text.as_bytes().to_vec()),
        ("prompt.md".to_owned(), PROMPT.as_bytes().to_vec()),
        ("brief.md".to_owned(), b"# {{ session.title }}\n".to_vec()),
    ]);
    let files = EngineFiles { origin: "small".to_owned(), folder: "small".to_owned(), files, ..EngineFiles::default() };
    let loaded = load(&files, catalogue().library(), &["small".to_owned(), "other".to_owned()]);
    loaded.engine.ok_or_else(|| render_all(&loaded.diagnostics, false))
}

/// What a scripted analysis finds: path, value, confidence, quote.
pub type Found<'a> = (&'a str, Value, f64, &'a str);

/// Short ways to hold a conversation.
pub trait Talk {
    /// Says something of which the analysis finds this.
    fn tell(&mut self, message: &str, found: &[Found<'_>]) -> ScriptedTurn;
    /// Says something of which the analysis answers this.
    fn tell_raw(&mut self, message: &str, analysis: &str) -> ScriptedTurn;
    /// Says something of which the analysis finds nothing.
    fn chat(&mut self, message: &str) -> ScriptedTurn;
    /// Runs a turn that must succeed.
    fn run(&mut self, input: TurnInput) -> ScriptedTurn;
    /// A field that must exist.
    fn field(&self, path: &str) -> &ExtractedField<Value>;
    /// The state of a field that must exist.
    fn state(&self, path: &str) -> FieldState;
    /// The status of an obligation.
    fn status(&self, id: &str) -> Status;
    /// The obligations on the agenda of the last answer.
    fn asked(&self) -> Vec<&str>;
    /// What the model saw before the messages, in the last request for an answer.
    fn last_system(&self) -> Vec<String>;
    /// The messages the model saw in the last request for an answer.
    fn last_messages(&self) -> &[(Role, String)];
}

impl Talk for ScriptedSession<'_> {
    fn tell(&mut self, message: &str, found: &[Found<'_>]) -> ScriptedTurn {
        self.ports.finds(found);
        self.chat(message)
    }

    fn tell_raw(&mut self, message: &str, analysis: &str) -> ScriptedTurn {
        self.ports.analyses.push_back(Ok(analysis.to_owned()));
        self.chat(message)
    }

    fn chat(&mut self, message: &str) -> ScriptedTurn {
        self.run(TurnInput::saying(message))
    }

    fn run(&mut self, input: TurnInput) -> ScriptedTurn {
        pollster::block_on(self.take(input)).expect("the turn is completed")
    }

    fn field(&self, path: &str) -> &ExtractedField<Value> {
        self.memory.extraction.get(path).unwrap_or_else(|| panic!("something is known of {path}"))
    }

    fn state(&self, path: &str) -> FieldState {
        self.field(path).state
    }

    fn status(&self, id: &str) -> Status {
        self.memory.obligations.status(id)
    }

    fn asked(&self) -> Vec<&str> {
        self.memory.asked.iter().map(|asked| asked.obligation.as_str()).collect()
    }

    fn last_system(&self) -> Vec<String> {
        let answers = self.ports.requests.iter().rev();
        let mut systems = answers.filter_map(|request| match request {
            SeenRequest::Answer { system, messages, .. } => Some((system, messages)),
            _ => None,
        });
        let (system, messages) = systems.next().expect("an answer was asked for");
        system.iter().chain(messages.last().map(|(_, text)| text)).cloned().collect()
    }

    fn last_messages(&self) -> &[(Role, String)] {
        let answers = self.ports.requests.iter().rev();
        let mut messages = answers.filter_map(|request| match request {
            SeenRequest::Answer { messages, .. } => Some(messages.as_slice()),
            _ => None,
        });
        messages.next().expect("an answer was asked for")
    }
}

/// The outcome of a step in the trace of a turn.
pub fn outcome<'a>(turn: &'a ScriptedTurn, step: &str) -> &'a str {
    &entry(turn, step).outcome
}

/// The details of a step in the trace of a turn.
pub fn details(turn: &ScriptedTurn, step: &str) -> Value {
    serde_json::to_value(&entry(turn, step).details).expect("details are JSON")
}

fn entry<'a>(turn: &'a ScriptedTurn, step: &str) -> &'a elenchus::engine::step::TraceEntry {
    let found = turn.report.trace.iter().find(|entry| entry.step.name() == step);
    found.unwrap_or_else(|| panic!("{step} is in the trace"))
}

/// The ids on the agenda of a turn.
pub fn agenda(turn: &ScriptedTurn) -> Vec<String> {
    turn.figures.agenda().iter().map(|item| item.obligation.clone()).collect()
}
