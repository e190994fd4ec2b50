//! A model that says what it was told to say, and an outside that remembers what reached it. Engines are tested on it.

use std::collections::VecDeque;
use std::future::{Future, ready};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use elenchus::engine::config::Tool;
use elenchus::engine::extraction::LogEntry;
use elenchus::engine::figures::TurnFigures;
use elenchus::engine::memory::{TaskRecord, WorkingMemory};
use elenchus::engine::outline::EngineOutline;
use elenchus::engine::ports::{
    AnalysisReply, AnalysisRequest, CallError, CallRecord, Checkpoint, Pacing, PersistError, Ports, ResponseReply,
    ResponseRequest, SummaryReply, SummaryRequest, TurnEvent, TurnToKeep,
};
use elenchus::engine::report::TurnReport;
use elenchus::engine::sidebar::SidebarState;
use elenchus::engine::tools::{ToolCall, ToolFinding, ToolRound};
use elenchus::engine::transcript::{Message, Role, Transcript};
use elenchus::engine::turn::{TurnError, TurnInput, TurnOutcome, run_turn};
use elenchus::engine::{Engine, tokens};

/// The outside of a scripted conversation.
#[derive(Debug, Default)]
pub struct ScriptedPorts {
    /// Analyses to come; when there are none left, nothing is found.
    pub analyses: VecDeque<Result<String, CallError>>,
    /// Answers to come; when there are none left, the agenda's first question is asked.
    pub answers: VecDeque<Result<String, CallError>>,
    /// Whether there is something to search.
    pub search: Searching,
    /// Tools that the answers to come call, where they may; when there are none left, none.
    pub calls: VecDeque<Vec<ToolCall>>,
    /// What searches bring; when there is nothing left, they fail.
    pub found: VecDeque<ToolFinding>,
    /// What the answers say they ask for; `None` where that is left to be recognised.
    pub asked: Option<Vec<String>>,
    /// Summaries to come; when there are none left, summarising fails.
    pub summaries: VecDeque<Result<String, CallError>>,
    /// Why the next turns cannot be kept.
    pub persist_error: Option<String>,
    /// What was kept.
    pub kept: Vec<KeptTurn>,
    /// What was asked of the model.
    pub requests: Vec<SeenRequest>,
    /// Background work that was started.
    pub dispatched: Vec<TaskRecord>,
    /// Background work that was kept and waits to be started.
    ordered: Vec<TaskRecord>,
    /// Events in a few words.
    pub events: Vec<String>,
    /// In which order analysis and answer are asked for.
    pub pacing: Option<Pacing>,
    /// Whether the model is a small one.
    pub small: bool,
    /// How many tokens the model takes.
    pub window: Option<u32>,
    /// Whether words of the answer have been shown.
    pub shown: bool,
    /// Whether words of the answer are kept back, and whether some are.
    pub held: Option<bool>,
    clock: u64,
}

/// Whether there is something to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Searching {
    #[default]
    Nothing,
    Something,
    /// There is, but too little is left to spend for it.
    TooDear,
}

/// A turn that was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptTurn {
    /// What the user said.
    pub message: Message,
    /// The answer.
    pub answer: Message,
    /// The memory after it.
    pub memory: WorkingMemory,
    /// The extractions log's new entries.
    pub log: Vec<LogEntry>,
    /// A state to return to.
    pub checkpoint: Option<Checkpoint>,
    /// Its figures, as they are kept.
    pub figures: TurnFigures,
}

/// What was asked of the model.
#[derive(Clone, Debug, PartialEq)]
pub enum SeenRequest {
    /// An analysis: instructions, material, schema.
    Analysis {
        /// What the model was told.
        instructions: String,
        /// What it was told of the message.
        material: String,
        /// What stood before the messages.
        system: Vec<String>,
        /// History and the user's message.
        messages: Vec<(Role, String)>,
        /// The shape of its answer.
        schema: Value,
    },
    /// An answer: what stood before the messages, and the messages.
    Answer {
        /// System prompt and first sections.
        system: Vec<String>,
        /// History and the user's message.
        messages: Vec<(Role, String)>,
        /// Whether it was a revision.
        revision: bool,
        /// Whether rules were to write it.
        by_rules: bool,
        /// Tools that it had, and whether it might call them.
        tools: (Vec<Tool>, bool),
        /// What tools had brought by then.
        rounds: Vec<ToolRound>,
    },
    /// A summary of this many messages.
    Summary(usize),
}

impl ScriptedPorts {
    /// Queues an analysis that finds these readings: path, value, confidence, quote.
    pub fn finds(&mut self, readings: &[(&str, Value, f64, &str)]) {
        let fields: Vec<Value> = readings
            .iter()
            .map(|(path, value, confidence, quote)| {
                json!({ "path": path, "value": value, "confidence": confidence, "quote": quote, "reasoning": "scripted" })
            })
            .collect();
        self.analyses.push_back(Ok(json!({ "fields": fields, "signals": {} }).to_string()));
    }

    /// Queues an answer.
    pub fn answers(&mut self, answer: &str) {
        self.answers.push_back(Ok(answer.to_owned()));
    }

    fn record(role: &str, text: &str) -> CallRecord {
        let output_tokens = u64::from(tokens::estimate(text));
        CallRecord {
            role: role.to_owned(),
            model: "scripted".to_owned(),
            output_tokens,
            estimated: true,
            ..CallRecord::default()
        }
    }
}

/// Scripted ports as a turn takes them: both calls may be under way, so they are shared.
#[derive(Debug, Default)]
pub struct Shared(Mutex<ScriptedPorts>);

impl Shared {
    pub fn new(ports: ScriptedPorts) -> Self {
        Self(Mutex::new(ports))
    }

    pub fn ports(&self) -> MutexGuard<'_, ScriptedPorts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many turns were kept.
    pub fn kept(&self) -> usize {
        self.ports().kept.len()
    }

    /// How much background work was started.
    pub fn dispatched(&self) -> usize {
        self.ports().dispatched.len()
    }

    pub fn into_inner(self) -> ScriptedPorts {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ports for Shared {
    /// Every look at the clock moves it on by a tenth of a millisecond, so that traces are the same in every run.
    fn now_micros(&self) -> u64 {
        let mut ports = self.ports();
        ports.clock += 100;
        ports.clock
    }

    fn pacing(&self) -> Pacing {
        self.ports().pacing.unwrap_or(Pacing::AtOnce)
    }

    fn model_is_small(&self) -> bool {
        self.ports().small
    }

    fn window(&self) -> Option<u32> {
        self.ports().window
    }

    fn has_shown(&self) -> bool {
        self.ports().shown
    }

    fn hold(&self) {
        let mut ports = self.ports();
        ports.events.push("held".to_owned());
        ports.held.get_or_insert(false);
    }

    fn release(&self, holds: bool) {
        let mut ports = self.ports();
        let some = ports.held.take() == Some(true);
        ports.shown |= holds && some;
    }

    fn analyse(&self, request: &AnalysisRequest<'_>) -> impl Future<Output = Result<AnalysisReply, CallError>> + Send {
        let mut ports = self.ports();
        ports.requests.push(SeenRequest::Analysis {
            instructions: request.instructions.to_string(),
            material: request.material.clone(),
            system: request.context.system_parts().into_iter().map(ToOwned::to_owned).collect(),
            messages: request.context.report_messages(&request.report()),
            schema: (*request.schema).clone(),
        });
        let nothing = || Ok(json!({ "fields": [], "signals": {} }).to_string());
        let text = ports.analyses.pop_front().unwrap_or_else(nothing);
        ready(text.map(|text| {
            let call = ScriptedPorts::record("analyse", &text);
            AnalysisReply { call, text, ..AnalysisReply::default() }
        }))
    }

    fn respond(&self, request: &ResponseRequest<'_>) -> impl Future<Output = Result<ResponseReply, CallError>> + Send {
        let mut ports = self.ports();
        ports.requests.push(SeenRequest::Answer {
            system: request.context.system_parts().into_iter().map(ToOwned::to_owned).collect(),
            messages: request.context.chat_messages(),
            revision: request.revision.is_some(),
            by_rules: request.by_rules,
            tools: (request.tools.to_vec(), request.may_call),
            rounds: request.rounds.to_vec(),
        });
        let plain = || {
            let first = request.agenda.first();
            let question = first.map_or("That is all I need.", |item| item.question.as_str());
            // What is to be confirmed is shown, as the prompt asks for.
            let offered = first.into_iter().flat_map(|item| &item.to_confirm);
            let shown: Vec<String> =
                offered.map(|(_, value)| format!("I understood: {}. ", value.to_string().trim_matches('"'))).collect();
            let shown = shown.concat();
            // No answer is said twice in the same words.
            let noted = match request.memory.turn {
                1 => "Noted.".to_owned(),
                turn => format!("Noted ({turn}):"),
            };
            Ok(format!("{noted} {shown}{question}"))
        };
        let text = ports.answers.pop_front().unwrap_or_else(plain);
        match (&mut ports.held, text.is_ok()) {
            (Some(held), true) => *held = true,
            (None, true) => ports.shown = true,
            (_, false) => {}
        }
        let (asked, role) = (ports.asked.clone(), "respond");
        let calls = if request.may_call { ports.calls.pop_front().unwrap_or_default() } else { Vec::new() };
        ready(text.map(|text| ResponseReply {
            call: ScriptedPorts::record(role, &text),
            text,
            asked,
            calls,
            ..ResponseReply::default()
        }))
    }

    fn tools(&self) -> &[Tool] {
        if self.ports().search == Searching::Nothing { &[] } else { &[Tool::Search] }
    }

    fn may_use_tools(&self) -> bool {
        self.ports().search != Searching::TooDear
    }

    fn use_tool(&self, tool: Tool, query: &str) -> impl Future<Output = Result<ToolFinding, String>> + Send {
        let mut ports = self.ports();
        ports.events.push(tool.doing(query, elenchus::words::english()));
        ready(ports.found.pop_front().ok_or_else(|| "the search failed".to_owned()))
    }

    fn summarise(&self, request: &SummaryRequest<'_>) -> impl Future<Output = Result<SummaryReply, CallError>> + Send {
        let mut ports = self.ports();
        ports.requests.push(SeenRequest::Summary(request.messages.len()));
        let text = ports.summaries.pop_front().unwrap_or_else(|| Err(CallError::failed("no summary was scripted")));
        ready(text.map(|text| SummaryReply { call: ScriptedPorts::record("summarise", &text), text }))
    }

    fn persist(&self, commit: &TurnToKeep<'_>) -> impl Future<Output = Result<(), PersistError>> + Send {
        let mut ports = self.ports();
        if let Some(why) = &ports.persist_error {
            return ready(Err(PersistError::Failed(why.clone())));
        }
        ports.kept.push(KeptTurn {
            message: commit.message.clone(),
            answer: commit.answer.clone(),
            memory: commit.memory.clone(),
            log: commit.log.to_vec(),
            checkpoint: commit.checkpoint.cloned(),
            figures: commit.figures.clone(),
        });
        ports.ordered = commit.orders.to_vec();
        ready(Ok(()))
    }

    fn dispatch(&self) -> impl Future<Output = ()> + Send {
        let mut ports = self.ports();
        let mut ordered = std::mem::take(&mut ports.ordered);
        ports.dispatched.append(&mut ordered);
        ready(())
    }

    fn emit(&self, event: TurnEvent<'_>) {
        let mut ports = self.ports();
        if matches!(event, TurnEvent::Discarded(_) | TurnEvent::Revising(_)) {
            ports.shown = false;
        }
        ports.events.push(match event {
            TurnEvent::StepDone(entry) => format!("{} {}", entry.step.number(), entry.step.name()),
            TurnEvent::Compressed(strategy) => format!("compressed: {strategy}"),
            TurnEvent::Revising(findings) => format!("revising: {}", findings.len()),
            TurnEvent::Discarded(why) => format!("discarded: {why}"),
        });
    }
}

/// What a turn led to, and what `converse` would print of it.
#[derive(Clone, Debug)]
pub struct ScriptedTurn {
    /// The memory after it.
    pub memory: WorkingMemory,
    /// What the user said, as it was kept.
    pub message: Message,
    /// The answer.
    pub answer: Message,
    /// What the user sees beside the conversation.
    pub sidebar: SidebarState,
    /// What there is to know about it.
    pub figures: TurnFigures,
    /// What `converse` would print of it.
    pub report: TurnReport,
}

/// A conversation held against a script.
#[derive(Debug)]
pub struct ScriptedSession<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The memory after the last turn.
    pub memory: WorkingMemory,
    /// What was said.
    pub transcript: Transcript,
    /// The outside.
    pub ports: ScriptedPorts,
}

impl<'a> ScriptedSession<'a> {
    /// A session that has just been opened.
    pub fn new(engine: &'a Engine) -> Self {
        let memory = WorkingMemory::new(engine.definition());
        Self { engine, memory, transcript: Transcript::default(), ports: ScriptedPorts::default() }
    }

    /// Says something and takes the turn in.
    pub async fn say(&mut self, message: &str) -> Result<ScriptedTurn, TurnError> {
        Box::pin(self.take(TurnInput::saying(message))).await
    }

    /// Runs a turn and takes it in.
    pub async fn take(&mut self, input: TurnInput) -> Result<ScriptedTurn, TurnError> {
        let ports = Shared::new(ScriptedPorts { shown: false, ..std::mem::take(&mut self.ports) });
        let outcome = Box::pin(run_turn(self.engine, &self.memory, &self.transcript, &input, &ports)).await;
        self.ports = ports.into_inner();
        let outcome = outcome?;
        self.memory = (*outcome.memory).clone();
        self.transcript.push(outcome.message.clone());
        self.transcript.push(outcome.answer.clone());
        let TurnOutcome { memory, message, answer, sidebar, figures } = outcome;
        let outline = EngineOutline::of(self.engine);
        let report = TurnReport::of(&outline, &memory, &answer, sidebar.clone(), figures.clone());
        Ok(ScriptedTurn { memory: (*memory).clone(), message, answer, sidebar, figures, report })
    }
}
