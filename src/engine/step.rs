//! The nineteen steps of a turn, and the trace they leave.

use serde::Serialize;
use serde_json::Value;

/// The steps in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
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
    /// All of them, in order.
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
pub struct Outcome {
    /// In a few words.
    pub text: String,
    /// What it decided and why.
    pub details: Value,
}

impl Outcome {
    /// An outcome without details.
    pub fn said(text: impl Into<String>) -> Self {
        Self { text: text.into(), details: Value::Null }
    }

    /// An outcome with details.
    pub fn with(text: impl Into<String>, details: Value) -> Self {
        Self { text: text.into(), details }
    }
}

/// One line of the trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceEntry {
    /// The number of the step.
    pub step: u8,
    /// Its name.
    pub name: &'static str,
    /// How long it took.
    pub ms: f64,
    /// What it did.
    pub outcome: String,
    /// What it decided and why.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub details: Value,
}
