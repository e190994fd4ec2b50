//! Everything there is to tell about a turn, in the form that `converse` prints.

use indexmap::IndexMap;
use serde::Serialize;

use super::config::Mode;
use super::extraction::{Change, ChangeKind};
use super::handoff::Verification;
use super::memory::{CompletenessState, ExitOffer, Status};
use super::qa::Finding;
use super::sidebar::{SidebarState, SidebarTask};
use super::step::TraceEntry;
use super::turn::Turn;

/// A turn as scripts read it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnReport {
    /// Its number.
    pub turn: u32,
    /// The answer.
    pub response: String,
    /// Where the conversation stands.
    pub phase: PhaseReport,
    /// The checklist.
    pub obligations: Vec<ObligationReport>,
    /// How complete the picture is.
    pub completeness: CompletenessState,
    /// Fields that got, gathered or changed a value.
    pub extraction_changes: Vec<Change>,
    /// Values kept back, put in doubt, declined or taken back.
    pub extraction_notes: Vec<Change>,
    /// Techniques in use.
    pub techniques: Vec<String>,
    /// How it sounds.
    pub modes: ModesReport,
    /// What goes on in the background.
    pub tasks: Vec<SidebarTask>,
    /// What the user sees beside the conversation.
    pub sidebar: SidebarState,
    /// A next step on offer.
    pub handoff: Option<ExitOffer>,
    /// What an earlier session handed over, and how well it was taken up.
    pub inbound_handoff: Option<InboundReport>,
    /// What the turn cost.
    pub usage: UsageReport,
    /// What the answer was found wanting in after all.
    pub qa: Vec<Finding>,
    /// The nineteen steps.
    pub trace: Vec<TraceEntry>,
    /// What did not go as it should.
    pub warnings: Vec<String>,
}

/// Where the conversation stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PhaseReport {
    /// The phase.
    pub current: String,
    /// What people read.
    pub label: String,
    /// Turns completed in it.
    pub turns_in_phase: u32,
    /// The phase that this turn left.
    pub transitioned_from: Option<String>,
}

/// An obligation in the checklist.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObligationReport {
    /// The obligation.
    pub id: String,
    /// Its category.
    pub category: String,
    /// A few words for it.
    pub label: String,
    /// Its status.
    pub status: Status,
    /// How sure what is known of it is.
    pub confidence: f64,
}

/// How it sounds, in per cent by mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ModesReport {
    /// What the phase aims at.
    pub target: IndexMap<&'static str, u32>,
    /// What was observed.
    pub observed: IndexMap<&'static str, f64>,
}

/// What an earlier session handed over, and how well it was taken up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InboundReport {
    /// The engine it came from.
    pub source: String,
    /// How well the first answer took it up.
    pub verification: Option<Verification>,
    /// Items nobody has taken up yet.
    pub unacknowledged: Vec<String>,
}

/// What the turn cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct UsageReport {
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// In US dollars, where prices are known.
    pub cost_usd: f64,
    /// Calls made.
    pub calls: usize,
}

impl TurnReport {
    /// The report of a turn that is over: what nobody needs any more is taken, not copied.
    pub(super) fn of(turn: &mut Turn<'_>) -> Self {
        let (engine, memory) = (turn.engine, &turn.memory);
        let phase = engine.current_phase(memory);
        let (accepted, notes): (Vec<Change>, Vec<Change>) =
            std::mem::take(&mut turn.changes).into_iter().partition(|change| change.kind.is_accepted());
        let obligations = engine.definition().obligations.iter().map(|obligation| {
            let state = memory.obligations.get(&obligation.id);
            ObligationReport {
                id: obligation.id.to_string(),
                category: obligation.category.to_string(),
                label: obligation.name.clone(),
                status: state.map_or(Status::Pending, |state| state.status),
                confidence: state.map_or(0.0, |state| state.confidence),
            }
        });
        let observed = memory.modes.observed.iter().flat_map(|shares| {
            Mode::ALL.iter().map(|mode| (mode.word(), (shares[*mode as usize] * 10.0).round() / 10.0))
        });
        Self {
            turn: memory.turn,
            response: std::mem::take(&mut turn.answer),
            phase: PhaseReport {
                current: memory.phase.current.clone(),
                label: phase.name.clone(),
                turns_in_phase: memory.phase.turns_in_phase,
                transitioned_from: turn.transitioned_from.take(),
            },
            obligations: obligations.collect(),
            completeness: memory.completeness.clone(),
            extraction_changes: accepted,
            extraction_notes: notes,
            techniques: memory.techniques.active.clone(),
            modes: ModesReport {
                target: engine.target_modes(memory).map(|(mode, share)| (mode.word(), share)).collect(),
                observed: observed.collect(),
            },
            tasks: turn.sidebar.tasks.clone(),
            sidebar: std::mem::take(&mut turn.sidebar),
            handoff: memory.exit_offer.clone(),
            inbound_handoff: memory.inbound_handoff.as_ref().map(|inbound| InboundReport {
                source: inbound.handoff.metadata.source_engine_id.clone(),
                verification: inbound.verification.clone(),
                unacknowledged: inbound.unacknowledged.clone(),
            }),
            usage: UsageReport {
                input_tokens: turn.calls.iter().map(|call| call.input_tokens).sum(),
                output_tokens: turn.calls.iter().map(|call| call.output_tokens).sum(),
                // An empty sum of floats is -0.
                cost_usd: turn.calls.iter().fold(0.0, |sum, call| sum + call.cost_usd),
                calls: turn.calls.len(),
            },
            qa: std::mem::take(&mut turn.findings),
            trace: std::mem::take(&mut turn.trace),
            warnings: std::mem::take(&mut turn.warnings),
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
