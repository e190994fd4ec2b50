//! The figures of a turn: one record of what its steps decided, what was learned and what it cost. The outcome of a turn
//! carries it, the store keeps it, the inspector shows it and scenarios are judged by it.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::config::Mode;
use super::extraction::Change;
use super::memory::SectionUse;
use super::obligations::AgendaItem;
use super::phases::Evaluation;
use super::ports::CallRecord;
use super::qa::Finding;
use super::step::{ExtractionDetails, Outcome, ResponseDetails, Step, StepDetails, TraceEntry};
use super::strategy::technique_scheduler::Considered;
use super::tools::ToolUse;
use crate::words::english;

/// What there is to know about a turn. It grows with every step, so that a turn under way has figures too.
///
/// What is told by a step as data stands in that step and nowhere else: see [`transition`](Self::transition),
/// [`techniques`](Self::techniques), [`agenda`](Self::agenda) and [`extraction`](Self::extraction).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnFigures {
    pub turn: u32,
    /// The phase it ended in.
    pub phase: String,
    /// The phase that it left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transitioned_from: Option<String>,
    pub modes: ModeFigures,
    /// What the model was shown in the end, by section. Step 10 tells what was put together first; it is less where the
    /// history was compressed or the model could not take it.
    pub context: Vec<SectionUse>,
    /// What became of an answer that was begun before the analysis was in; `None` where no model takes its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early: Option<EarlyFigures>,
    /// Calls of models, as they ended.
    pub calls: Vec<CallRecord>,
    /// Tools that the model called: what its answer rests on besides the conversation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolUse>,
    /// How little is still new.
    pub saturation: f64,
    pub completeness: f64,
    /// What the answer was found wanting in after all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What did not go as it should.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The steps so far; all nineteen in the outcome, those before step 18 in the store.
    pub steps: Vec<TraceEntry>,
    /// What was learned, with values and quotes. The store has these in its extractions log already, so they are not
    /// there while a turn is kept: the outcome gets them from the turn, and figures that are read get them from the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

/// What became of an answer that was begun before the analysis was in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum EarlyFigures {
    /// It waited for the analysis.
    NotBegun { why: String },
    /// It was begun so much sooner than after the analysis, and holds.
    Kept { saved_ms: f64 },
    /// It was begun, and another was written after the analysis.
    Discarded {
        why: String,
        /// Whether the user had seen words of it.
        shown: bool,
    },
    /// It was begun early and held after the analysis, but was found wanting: another stands in its place.
    Replaced { why: String },
}

impl EarlyFigures {
    /// For the trace.
    pub fn in_words(&self) -> String {
        match self {
            Self::NotBegun { why } => format!("written after the analysis: {why}"),
            Self::Kept { saved_ms } => format!("begun early and kept, {:.1} s saved", saved_ms / 1000.0),
            Self::Discarded { why, shown } => {
                let seen = if *shown { "words of it were replaced" } else { "none of it was shown" };
                let why = why.trim_end_matches('.');
                format!("begun early and discarded: {why}; {seen}")
            }
            Self::Replaced { why } => format!("begun early and replaced after QA: {why}"),
        }
    }
}

/// How an answer came about, in one line of the trace.
pub(super) fn in_short(answer: &ResponseDetails, tools: &[ToolUse]) -> String {
    let early = answer.early.iter().map(EarlyFigures::in_words);
    let tools = tools.iter().map(|used| used.in_words(english()));
    std::iter::once(format!("{} words", answer.words)).chain(early).chain(tools).collect::<Vec<_>>().join(", ")
}

/// How a turn sounds, in per cent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModeFigures {
    /// Shares by the order of [`Mode::ALL`]; `None` before the first answer.
    pub observed: Option<[f64; 7]>,
    /// The mode that has strayed furthest beyond the margin, and by how much.
    pub drift: Option<(Mode, f64)>,
    /// What the phase aims at; `None` before step 15.
    pub target: Option<IndexMap<Mode, u32>>,
}

impl TurnFigures {
    /// Takes in a step that is done, with what it tells beyond itself.
    pub fn note(&mut self, entry: TraceEntry) {
        match &entry.details {
            StepDetails::Context(context) => self.context.clone_from(&context.sections),
            StepDetails::Modes(heard) => self.modes.observed = heard.observed,
            _ => {}
        }
        self.steps.push(entry);
    }

    /// Has a step tell what was really sent, where that is not what would have been.
    pub(super) fn replace(&mut self, step: Step, outcome: Outcome) {
        let Outcome { text, details } = outcome;
        if let Some(entry) = self.steps.iter_mut().find(|entry| entry.step == step) {
            if let StepDetails::Context(context) = &details {
                self.context.clone_from(&context.sections);
            }
            (entry.outcome, entry.details) = (text, details);
        }
    }

    /// Has the trace say what became of an answer that was begun early, where that is another now.
    pub(super) fn early_became(&mut self, early: EarlyFigures) {
        let answered = self.steps.iter_mut().find(|entry| entry.step == Step::ResponseGeneration);
        if let Some(TraceEntry { outcome, details: StepDetails::Response(details), .. }) = answered {
            details.early = Some(early.clone());
            *outcome = in_short(details, &self.tools);
        }
        self.early = Some(early);
    }

    /// What a step did, if it is done.
    pub fn step(&self, step: Step) -> Option<&TraceEntry> {
        self.steps.iter().find(|entry| entry.step == step)
    }

    fn details(&self, step: Step) -> &StepDetails {
        self.step(step).map_or(&StepDetails::None, |entry| &entry.details)
    }

    /// What was looked at to decide about the phase, once it was.
    pub fn transition(&self) -> Option<&Evaluation> {
        match self.details(Step::PhaseTransitionEvaluation) {
            StepDetails::Transition(evaluation) => Some(evaluation),
            _ => None,
        }
    }

    /// The techniques that came into question, the best first.
    pub fn techniques(&self) -> &[Considered] {
        match self.details(Step::TechniqueSelection) {
            StepDetails::Techniques(details) => &details.considered,
            _ => &[],
        }
    }

    /// What was to be asked.
    pub fn agenda(&self) -> &[AgendaItem] {
        match self.details(Step::TechniqueSelection) {
            StepDetails::Techniques(details) => &details.agenda,
            _ => &[],
        }
    }

    /// What the extraction accepted, noted and refused, without values.
    pub fn extraction(&self) -> Option<&ExtractionDetails> {
        match self.details(Step::Extraction) {
            StepDetails::Extraction(details) => Some(details),
            _ => None,
        }
    }

    /// Whether the figures are all there, those of the last two steps apart.
    pub fn are_measured(&self) -> bool {
        self.step(Step::Telemetry).is_some()
    }
}
