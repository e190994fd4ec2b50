//! One turn: nineteen steps on a copy of the memory, kept whole or not at all.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Engine;
use super::budget::OverBudget;
use super::config::{Act, Technique, Tool};
use super::context::AssembledContext;
use super::early_answer::EarlyAnswer;
use super::extraction::{Change, LogEntry, Signals};
use super::figures::TurnFigures;
use super::memory::{TaskRecord, WorkingMemory};
use super::obligations::AgendaItem;
use super::ports::{CallError, CallRecord, Checkpoint, PersistError, Ports, TurnEvent};
use super::reading::Heard;
use super::sensitive::SensitivePolicy;
use super::sidebar::SidebarState;
use super::step::{Outcome, Step, TraceEntry};
use super::steps::{
    background_tasks, completeness, compression_check, context_assembly, exit_transitions, extraction,
    mode_classification, persist_state, phase_transition_evaluation, phase_transition_execution, pre_processing,
    qa_check, response_generation, saturation, sidebar, socio_emotional, technique_selection, telemetry, tool_rounds,
};
use super::tools::ToolRound;
use super::transcript::{Message, Transcript};

/// The longest message that a turn takes in, in bytes. Front ends say so before they send a longer one.
pub const MAX_MESSAGE: usize = 1024 * 1024;

/// A step that reaches nothing outside.
type Decision = fn(&mut Turn<'_>) -> Outcome;

/// Steps 3 to 10: what follows from what was said. They reach nothing outside, so that they can be tried on a copy.
pub(super) const DECISIONS: &[(Step, Decision)] = &[
    (Step::Saturation, saturation::run),
    (Step::SocioEmotional, socio_emotional::run),
    (Step::Completeness, completeness::run),
    (Step::PhaseTransitionEvaluation, phase_transition_evaluation::run),
    (Step::PhaseTransitionExecution, phase_transition_execution::run),
    (Step::BackgroundTasks, background_tasks::run),
    (Step::TechniqueSelection, technique_selection::run),
    (Step::ContextAssembly, context_assembly::run),
];

/// Runs one turn. Nothing changes before step 18 has kept it; dropping the future before leaves all as it was.
///
/// Where a model takes its time, the answer is begun beside step 2, on what rules alone hear; step 12 keeps it if it
/// still holds after the analysis.
pub async fn run_turn<P: Ports>(
    engine: &Engine,
    memory: &WorkingMemory,
    transcript: &Transcript,
    input: &TurnInput,
    ports: &P,
) -> Result<TurnOutcome, TurnError> {
    let begun = Turn::begin(engine, memory, transcript, input);
    let (small, window) = (ports.model_is_small(), ports.window());
    let short = engine.tells_briefly(small, window);
    let report_room = window.map_or(0, |_| engine.report_room(short));
    let window_share = window_share(engine, window);
    let tools = tool_rounds::granted(&engine.definition().tools.r#use, short, ports);
    let mut turn = Turn { small, short, window, report_room, window_share, tools, ..begun };
    macro_rules! step {
        ($step:expr, $call:expr) => {{
            let started = ports.now_micros();
            let outcome = $call;
            turn.note($step, started, outcome, ports);
        }};
    }
    step!(Step::PreProcessing, pre_processing::run(&mut turn)?);
    let mut early = EarlyAnswer::begin(&mut turn, ports);
    step!(Step::Extraction, extraction::run(&mut turn, ports, early.as_mut()).await?);
    for (step, decide) in DECISIONS {
        step!(*step, decide(&mut turn));
    }
    step!(Step::CompressionCheck, compression_check::run(&mut turn, ports).await?);
    step!(Step::ResponseGeneration, response_generation::run(&mut turn, ports, early).await?);
    step!(Step::QaCheck, qa_check::run(&mut turn, ports).await?);
    step!(Step::ModeClassification, mode_classification::run(&mut turn));
    step!(Step::Telemetry, telemetry::run(&mut turn, ports));
    step!(Step::Sidebar, sidebar::run(&mut turn));
    step!(Step::ExitTransitions, exit_transitions::run(&mut turn));
    step!(Step::PersistState, persist_state::run(&mut turn, ports).await?);
    step!(Step::Return, {
        ports.dispatch().await;
        Outcome::said("done")
    });
    Ok(turn.finish())
}

/// How much of the window that an engine is made for its model has.
pub fn window_share(engine: &Engine, window: Option<u32>) -> f64 {
    let wanted = f64::from(*engine.definition().context.max_tokens);
    window.map_or(1.0, |window| (f64::from(window) / wanted).min(1.0))
}

/// What a turn is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnInput {
    pub message: String,
    /// News of background tasks since the last turn.
    pub task_updates: Vec<TaskRecord>,
    /// What the project has to say, the most fitting first.
    pub artifacts: Vec<Artifact>,
    pub sensitive: SensitivePolicy,
    pub cap_usd: Option<f64>,
}

impl TurnInput {
    /// A message and nothing else.
    pub fn saying(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }
}

/// Something of the project that may matter to a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    pub title: String,
    pub text: String,
}

/// Why a turn was not completed. The session is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// The message cannot be answered.
    #[error("{0}")]
    Input(String),
    /// A model could not be reached, or brought nothing.
    #[error(transparent)]
    Call(CallError),
    /// A call could cost more than may be spent. The user decides: raise the cap, go on offline, or stop.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    #[error("the model gave no answer; try again, or choose another model")]
    EmptyAnswer,
    /// The turn could not be kept.
    #[error(transparent)]
    Persist(#[from] PersistError),
}

impl From<CallError> for TurnError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::OverBudget(reached) => Self::OverBudget(reached),
            other => Self::Call(other),
        }
    }
}

/// What a completed turn leaves.
#[derive(Clone, Debug)]
pub struct TurnOutcome {
    pub memory: Arc<WorkingMemory>,
    /// What the user said, as it was kept.
    pub message: Message,
    pub answer: Message,
    pub sidebar: SidebarState,
    /// What there is to know about it.
    pub figures: TurnFigures,
}

/// How much there is of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Cut {
    #[default]
    Whole,
    /// The model had to stop; what was whole of it is there.
    Shortened,
    /// The model had to stop within its first sentence.
    Broken,
}

/// A turn under way: the copy of the memory, and what the steps hand on to each other.
#[derive(Clone, Debug)]
// Each is found out or decided by itself; together they are no state that an enum could name.
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Turn<'a> {
    pub engine: &'a Engine,
    pub before: &'a WorkingMemory,
    pub transcript: &'a Transcript,
    pub input: &'a TurnInput,
    pub memory: WorkingMemory,
    /// Whether a small model answers, which needs help.
    pub small: bool,
    /// Whether the model gets the short instructions, and rules help it to listen.
    pub short: bool,
    /// How many tokens fit into a request, where that is known.
    pub window: Option<u32>,
    /// What a report needs after the conversation, in tokens; 0 where the window is not known.
    pub report_room: u32,
    /// How much of the window that the engine is made for the model has.
    pub window_share: f64,
    /// Tools that the model may call.
    pub tools: Vec<Tool>,
    /// What it has called, with what that brought.
    pub rounds: Vec<ToolRound>,
    /// The user's message as it may be sent and stored.
    pub message: String,
    /// What rules alone make of it.
    pub heard: Heard,
    pub signals: Signals,
    pub changes: Vec<Change>,
    pub log: Vec<LogEntry>,
    /// The phase that step 7 moves to.
    pub next_phase: Option<String>,
    pub orders: Vec<TaskRecord>,
    pub agenda: Vec<AgendaItem>,
    /// What may be asked next, the agenda first: a model takes what follows from what was said.
    pub candidates: Vec<AgendaItem>,
    /// Whether it is a copy on which something is tried before the message is analysed.
    pub guessing: bool,
    /// Of such a copy: points that the message may have settled, for which others are asked first.
    pub perhaps_said: BTreeSet<String>,
    /// Whether a reply could have answered several questions, so that only one is asked next.
    pub one_at_a_time: bool,
    pub techniques: Vec<&'a Technique>,
    pub context: Option<AssembledContext<'a>>,
    pub checkpoint: Option<Checkpoint>,
    pub answer: String,
    /// Whether the answer is all that the model meant to say.
    pub cut: Cut,
    /// Obligations the answer asks for, where its writer said so.
    pub asked: Option<Vec<String>>,
    pub sidebar: SidebarState,
    pub figures: TurnFigures,
    /// The two messages of the turn, once they are final.
    pub kept: Option<(Message, Message)>,
}

impl<'a> Turn<'a> {
    fn begin(engine: &'a Engine, before: &'a WorkingMemory, transcript: &'a Transcript, input: &'a TurnInput) -> Self {
        Self {
            engine,
            before,
            transcript,
            input,
            memory: before.clone(),
            small: false,
            short: false,
            window: None,
            report_room: 0,
            window_share: 1.0,
            tools: Vec::new(),
            rounds: Vec::new(),
            message: String::new(),
            heard: Heard::default(),
            signals: Signals::default(),
            changes: Vec::new(),
            log: Vec::new(),
            next_phase: None,
            orders: Vec::new(),
            agenda: Vec::new(),
            candidates: Vec::new(),
            guessing: false,
            perhaps_said: BTreeSet::new(),
            one_at_a_time: false,
            techniques: Vec::new(),
            context: None,
            checkpoint: None,
            answer: String::new(),
            cut: Cut::default(),
            asked: None,
            sidebar: SidebarState::default(),
            figures: TurnFigures { steps: Vec::with_capacity(Step::ALL.len()), ..TurnFigures::default() },
            kept: None,
        }
    }

    fn note(&mut self, step: Step, started: u64, outcome: Outcome, ports: &impl Ports) {
        let micros = ports.now_micros().saturating_sub(started);
        let Outcome { text, details } = outcome;
        let entry = TraceEntry { step, ms: micros as f64 / 1000.0, outcome: text, details };
        ports.emit(TurnEvent::StepDone(&entry));
        self.figures.note(entry);
    }

    /// Counts what a call cost; where no model was asked, nothing was spent.
    pub fn spend(&mut self, call: CallRecord) {
        if call.model.is_empty() {
            return;
        }
        self.memory.usage.add(&call);
        self.figures.calls.push(call);
    }

    /// Counts the calls that no reply speaks for: tried again, refused, dropped.
    pub fn account(&mut self, ports: &impl Ports) {
        for call in ports.other_calls() {
            self.spend(call);
        }
    }

    /// Whether a small model answers and the message only asks back, greets, declines or puts something right that rules
    /// know of: they know what to make of it, and it does not.
    pub fn is_for_rules(&self) -> bool {
        let heard = &self.heard;
        let tells = heard.has(Act::Answer) || heard.has(Act::Volunteered);
        let puts_right = heard.has(Act::Correction) && !tells && !heard.fields.is_empty();
        self.small && !heard.clauses.is_empty() && (!heard.tells() || puts_right)
    }

    /// Whether rules write the answer: also where a small model would have to give something back to be confirmed, or to
    /// say what everything comes to.
    pub fn is_answered_by_rules(&self) -> bool {
        let asks_for_more = self.candidates.first().is_some_and(|item| item.to_confirm.is_empty());
        self.is_for_rules() || (self.small && !asks_for_more)
    }

    /// Tells the user about something that did not go as it should.
    pub fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        if !self.figures.warnings.contains(&warning) {
            self.figures.warnings.push(warning);
        }
    }

    fn finish(mut self) -> TurnOutcome {
        let (message, answer) = self.kept.take().unwrap_or_else(|| self.messages());
        let figures = TurnFigures { changes: self.changes, ..self.figures };
        TurnOutcome { memory: Arc::new(self.memory), message, answer, sidebar: self.sidebar, figures }
    }

    /// The two messages of the turn.
    pub fn messages(&self) -> (Message, Message) {
        use super::transcript::Role;
        let turn = self.memory.turn;
        (
            Message::new(turn, Role::User, self.message.as_str()),
            Message::new(turn, Role::Assistant, self.answer.as_str()),
        )
    }
}
