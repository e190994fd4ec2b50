//! The nineteen steps of a turn, and the trace they leave.

use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::extraction::ChangeKind;
use super::figures::EarlyFigures;
use super::memory::SectionUse;
use super::obligations::AgendaItem;
use super::phases::Evaluation;
use super::strategy::technique_scheduler::Considered;

/// The steps in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Checks the message and brings the memory up to date.
    PreProcessing,
    /// Finds out what was said, with proof.
    Extraction,
    /// Measures how much of it was new.
    Saturation,
    /// Follows rapport, trust and friction.
    SocioEmotional,
    /// Measures how complete the picture is.
    Completeness,
    /// Looks whether the phase should change.
    PhaseTransitionEvaluation,
    /// Changes it.
    PhaseTransitionExecution,
    /// Sets off background tasks.
    BackgroundTasks,
    /// Chooses techniques and draws up the agenda.
    TechniqueSelection,
    /// Puts together what the model gets to see.
    ContextAssembly,
    /// Makes room where that is too much.
    CompressionCheck,
    /// Has the answer written.
    ResponseGeneration,
    /// Checks the answer.
    QaCheck,
    /// Tells how the answer sounds.
    ModeClassification,
    /// Gathers figures.
    Telemetry,
    /// Draws the sidebar.
    Sidebar,
    /// Looks for a next step after this session.
    ExitTransitions,
    /// Commits the turn, whole.
    PersistState,
    /// Gives the result back.
    Return,
}

impl Step {
    pub const ALL: [Self; 19] = [
        Self::PreProcessing,
        Self::Extraction,
        Self::Saturation,
        Self::SocioEmotional,
        Self::Completeness,
        Self::PhaseTransitionEvaluation,
        Self::PhaseTransitionExecution,
        Self::BackgroundTasks,
        Self::TechniqueSelection,
        Self::ContextAssembly,
        Self::CompressionCheck,
        Self::ResponseGeneration,
        Self::QaCheck,
        Self::ModeClassification,
        Self::Telemetry,
        Self::Sidebar,
        Self::ExitTransitions,
        Self::PersistState,
        Self::Return,
    ];

    /// Its number, from 1.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// Its name in traces.
    pub fn name(self) -> &'static str {
        match self {
            Self::PreProcessing => "pre-processing",
            Self::Extraction => "extraction",
            Self::Saturation => "saturation",
            Self::SocioEmotional => "socio-emotional",
            Self::Completeness => "completeness",
            Self::PhaseTransitionEvaluation => "phase transition evaluation",
            Self::PhaseTransitionExecution => "phase transition execution",
            Self::BackgroundTasks => "background tasks",
            Self::TechniqueSelection => "technique selection",
            Self::ContextAssembly => "context assembly",
            Self::CompressionCheck => "compression check",
            Self::ResponseGeneration => "response generation",
            Self::QaCheck => "QA check",
            Self::ModeClassification => "mode classification",
            Self::Telemetry => "telemetry",
            Self::Sidebar => "sidebar",
            Self::ExitTransitions => "exit transitions",
            Self::PersistState => "persist state",
            Self::Return => "return",
        }
    }
}

/// What a step did: the outcome in a few words, and the reasons as data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub text: String,
    /// What it decided and why.
    pub details: StepDetails,
}

impl Outcome {
    /// An outcome without details.
    pub fn said(text: impl Into<String>) -> Self {
        Self { text: text.into(), details: StepDetails::None }
    }

    pub fn with(text: impl Into<String>, details: StepDetails) -> Self {
        Self { text: text.into(), details }
    }
}

/// What a step decided and why. What is read as data has a type; what is only shown is told as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StepDetails {
    #[default]
    None,
    /// What became of what was found (step 2).
    Extraction(ExtractionDetails),
    /// Every way out of the phase with its values (step 6).
    Transition(Evaluation),
    /// What came into question, and what is asked (step 9).
    Techniques(TechniqueDetails),
    /// What the model gets to see (step 10).
    Context(ContextDetails),
    /// How the answer came about (step 12).
    Response(ResponseDetails),
    /// How the answer sounds (step 14).
    Modes(ModeDetails),
    /// The exits that were looked at (step 17).
    Exits(Vec<ExitDetails>),
    /// Anything else.
    Told(Value),
}

/// What became of what was found. Values and quotes stand in the extractions log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExtractionDetails {
    pub changes: Vec<NotedChange>,
    /// What was not believed.
    pub refused: Vec<RefusedReading>,
    /// Whether the model's answer had to be repaired.
    pub repaired: bool,
}

/// What happened to a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedChange {
    pub path: String,
    pub kind: ChangeKind,
    pub reason: String,
}

/// A reading that was not believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedReading {
    pub path: String,
    pub reason: String,
}

/// What came into question, and what is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TechniqueDetails {
    /// The techniques, the best first.
    pub considered: Vec<Considered>,
    pub agenda: Vec<AgendaItem>,
}

/// What the model gets to see.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContextDetails {
    pub sections: Vec<SectionUse>,
    pub history_overflow: bool,
}

/// How an answer came about. Turns of earlier versions have told less.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResponseDetails {
    pub model: String,
    pub latency_ms: u64,
    /// How often the model was asked with less context.
    pub shrinks: i32,
    /// What became of an answer that was begun before the analysis was in.
    pub early: Option<EarlyFigures>,
    /// The words of the answer, before it was checked.
    pub words: usize,
}

/// How an answer sounds, in per cent by the order of [`Mode::ALL`](super::config::Mode::ALL).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModeDetails {
    pub answer: [f64; 7],
    /// The average over answers.
    pub observed: Option<[f64; 7]>,
}

/// An exit that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitDetails {
    pub exit: String,
    /// Its condition.
    pub when: String,
    pub holds: bool,
    /// Whether the user has passed it over.
    #[serde(default, skip_serializing_if = "is_false")]
    pub declined: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl StepDetails {
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Reads what a step has told: on the wire only the step says which form it has.
    fn read(step: Step, details: Value) -> Result<Self, serde_json::Error> {
        use serde_json::from_value;
        Ok(match step {
            _ if details.is_null() => Self::None,
            Step::Extraction => Self::Extraction(from_value(details)?),
            Step::PhaseTransitionEvaluation => Self::Transition(from_value(details)?),
            Step::TechniqueSelection => Self::Techniques(from_value(details)?),
            Step::ContextAssembly => Self::Context(from_value(details)?),
            Step::ModeClassification => Self::Modes(from_value(details)?),
            Step::ExitTransitions => Self::Exits(from_value(details)?),
            Step::ResponseGeneration => Self::Response(from_value(details)?),
            Step::PreProcessing
            | Step::Saturation
            | Step::SocioEmotional
            | Step::Completeness
            | Step::PhaseTransitionExecution
            | Step::BackgroundTasks
            | Step::CompressionCheck
            | Step::QaCheck
            | Step::Telemetry
            | Step::Sidebar
            | Step::PersistState
            | Step::Return => Self::Told(details),
        })
    }
}

/// One line of the trace.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "WrittenEntry")]
pub struct TraceEntry {
    pub step: Step,
    pub ms: f64,
    pub outcome: String,
    pub details: StepDetails,
}

impl TraceEntry {
    /// The step by number and name, and what it did.
    pub fn in_words(&self) -> String {
        format!("{} {}: {}", self.step.number(), self.step.name(), self.outcome)
    }
}

impl Serialize for TraceEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entry = serializer.serialize_struct("TraceEntry", 5)?;
        entry.serialize_field("step", &self.step.number())?;
        entry.serialize_field("name", self.step.name())?;
        entry.serialize_field("ms", &self.ms)?;
        entry.serialize_field("outcome", &self.outcome)?;
        if self.details.is_none() {
            entry.skip_field("details")?;
        } else {
            entry.serialize_field("details", &self.details)?;
        }
        entry.end()
    }
}

/// A line of the trace as it is written: with the number of its step, and with details whose form follows from it.
#[derive(Deserialize)]
struct WrittenEntry {
    step: u8,
    ms: f64,
    outcome: String,
    #[serde(default)]
    details: Value,
}

impl TryFrom<WrittenEntry> for TraceEntry {
    type Error = String;

    fn try_from(written: WrittenEntry) -> Result<Self, String> {
        let WrittenEntry { step: number, ms, outcome, details } = written;
        let step = Step::ALL.into_iter().find(|step| step.number() == number);
        let step = step.ok_or_else(|| format!("there is no step {number}"))?;
        let details =
            StepDetails::read(step, details).map_err(|error| format!("the details of step {number}: {error}"))?;
        Ok(Self { step, ms, outcome, details })
    }
}
