//! Everything there is to tell about a turn, in the form that `converse` prints.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::answer_card::AnswerCard;
use super::config::Mode;
use super::extraction::{Change, ChangeKind};
use super::figures::TurnFigures;
use super::handoff::Verification;
use super::memory::{CompletenessState, ExitOffer, Status, TaskRecord, UsageTotals, WorkingMemory};
use super::outline::EngineOutline;
use super::ports::CallRecord;
use super::qa::Finding;
use super::sidebar::SidebarState;
use super::step::TraceEntry;
use super::tools::ToolUse;
use super::transcript::Message;

/// A turn as scripts read it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnReport {
    pub turn: u32,
    pub response: String,
    pub phase: PhaseReport,
    pub obligations: Vec<ObligationReport>,
    pub completeness: CompletenessState,
    /// Fields that got, gathered or changed a value.
    pub extraction_changes: Vec<Change>,
    /// Values kept back, put in doubt, declined or taken back.
    pub extraction_notes: Vec<Change>,
    pub techniques: Vec<String>,
    pub modes: ModesReport,
    pub tasks: Vec<TaskRecord>,
    /// What the user sees beside the conversation.
    pub sidebar: SidebarState,
    /// What can be chosen in answer to what was asked; none where any words may be the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<AnswerCard>,
    /// A next step on offer.
    pub handoff: Option<ExitOffer>,
    /// What an earlier session handed over, and how well it was taken up.
    pub inbound_handoff: Option<InboundReport>,
    pub usage: UsageReport,
    /// Tools that the model called: what the answer rests on besides the conversation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolUse>,
    /// What the answer was found wanting in after all.
    pub qa: Vec<Finding>,
    /// The nineteen steps.
    pub trace: Vec<TraceEntry>,
    pub warnings: Vec<String>,
}

/// Where the conversation stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseReport {
    pub current: String,
    pub label: String,
    pub turns_in_phase: u32,
    pub transitioned_from: Option<String>,
}

/// An obligation in the checklist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObligationReport {
    pub id: String,
    pub category: String,
    pub label: String,
    pub status: Status,
    /// How sure what is known of it is.
    pub confidence: f64,
}

/// How it sounds, in per cent by mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModesReport {
    /// What the phase aims at.
    pub target: IndexMap<Mode, u32>,
    pub observed: IndexMap<Mode, f64>,
}

/// What an earlier session handed over, and how well it was taken up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InboundReport {
    /// The engine it came from.
    pub source: String,
    /// How well the first answer took it up.
    pub verification: Option<Verification>,
    /// Items that no answer has taken up yet.
    pub unacknowledged: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageReport {
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// In US dollars, where prices are known.
    pub cost_usd: f64,
    pub calls: usize,
}

impl TurnReport {
    /// The report of a turn: what its figures and sidebar have is moved over, not copied. The card is the host's to add.
    pub fn of(
        engine: &EngineOutline,
        memory: &WorkingMemory,
        answer: &Message,
        sidebar: SidebarState,
        figures: TurnFigures,
    ) -> Self {
        let (accepted, notes): (Vec<Change>, Vec<Change>) =
            figures.changes.into_iter().partition(|change| change.kind.is_accepted());
        let observed =
            memory.modes.observed.iter().flat_map(|shares| {
                Mode::ALL.iter().map(|mode| (*mode, (shares[*mode as usize] * 10.0).round() / 10.0))
            });
        let phase = &memory.phase;
        Self {
            turn: memory.turn,
            response: answer.text.to_string(),
            phase: PhaseReport {
                label: engine.phase(&phase.current).map_or_else(String::new, |phase| phase.name.clone()),
                turns_in_phase: phase.turns_in_phase,
                transitioned_from: figures.transitioned_from,
                current: phase.current.clone(),
            },
            obligations: obligations(engine, memory),
            extraction_changes: accepted,
            extraction_notes: notes,
            modes: ModesReport { target: figures.modes.target.unwrap_or_default(), observed: observed.collect() },
            tasks: sidebar.tasks.clone(),
            sidebar,
            card: None,
            usage: UsageReport::of(&figures.calls),
            tools: figures.tools,
            qa: figures.findings,
            trace: figures.steps,
            warnings: figures.warnings,
            completeness: memory.completeness.clone(),
            techniques: memory.techniques.active.clone(),
            handoff: memory.exit_offer.clone(),
            inbound_handoff: memory.inbound_handoff.as_ref().map(|inbound| InboundReport {
                source: inbound.handoff.metadata.source_engine_id.clone(),
                verification: inbound.verification.clone(),
                unacknowledged: inbound.unacknowledged.clone(),
            }),
        }
    }

    /// Whether a field changed in a certain way in this turn.
    pub fn changed(&self, path: &str, kind: ChangeKind) -> bool {
        self.extraction_changes
            .iter()
            .chain(&self.extraction_notes)
            .any(|change| change.path == path && change.kind == kind)
    }
}

impl UsageReport {
    fn of(calls: &[CallRecord]) -> Self {
        let mut sum = UsageTotals::default();
        for call in calls {
            sum.add(call);
        }
        Self {
            input_tokens: sum.input_tokens,
            output_tokens: sum.output_tokens,
            cost_usd: sum.cost_usd,
            calls: calls.len(),
        }
    }
}

fn obligations(engine: &EngineOutline, memory: &WorkingMemory) -> Vec<ObligationReport> {
    let all = engine.obligations.iter().map(|obligation| {
        let state = memory.obligations.get(&obligation.id);
        ObligationReport {
            id: obligation.id.clone(),
            category: obligation.category.clone(),
            label: obligation.name.clone(),
            status: state.map_or(Status::Pending, |state| state.status),
            confidence: state.map_or(0.0, |state| state.confidence),
        }
    });
    all.collect()
}
