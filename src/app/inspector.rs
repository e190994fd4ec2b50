//! The inspector: why a turn went as it did, for whoever designs engines.

use serde_json::{Value, json};

use super::effect::Effect;
use super::keymap::Motion;
use super::model::Model;
use super::overlay::{Overlay, scrolled};
use crate::engine::report::TurnReport;

/// The pages of the inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// The nineteen steps.
    #[default]
    Steps,
    /// The transition triggers.
    Triggers,
    /// The techniques with their cooldowns.
    Techniques,
    /// The mode blend.
    Modes,
    /// The context by section.
    Context,
    /// What was learned.
    Extraction,
    /// The calls.
    Calls,
}

impl Page {
    /// All of them, in order.
    pub const ALL: [Self; 7] =
        [Self::Steps, Self::Triggers, Self::Techniques, Self::Modes, Self::Context, Self::Extraction, Self::Calls];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Steps => "Steps",
            Self::Triggers => "Triggers",
            Self::Techniques => "Techniques",
            Self::Modes => "Modes",
            Self::Context => "Context",
            Self::Extraction => "Extraction",
            Self::Calls => "Calls",
        }
    }

    fn step(self, forward: bool) -> Self {
        let count = Self::ALL.len();
        let at = self as usize + if forward { 1 } else { count - 1 };
        Self::ALL[at % count]
    }
}

/// An open inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inspector {
    /// The turn that is looked at.
    pub turn: u32,
    /// The page.
    pub page: Page,
    /// The first row in view.
    pub top: usize,
}

/// Opens the inspector on the last turn.
pub fn open(model: &mut Model) -> Vec<Effect> {
    let turn = model.session.as_ref().map_or(0, |session| session.memory.turn);
    model.overlays.push(Overlay::Inspector(Inspector { turn, ..Inspector::default() }));
    wanted(model, turn)
}

/// Walks through pages and turns.
pub fn motion(model: &mut Model, motion: Motion, page: usize) -> Option<Vec<Effect>> {
    let last = model.session.as_ref().map_or(0, |session| session.memory.turn);
    let Some(Overlay::Inspector(inspector)) = model.overlays.last_mut() else { return None };
    match motion {
        Motion::Left => inspector.turn = inspector.turn.saturating_sub(1).max(last.min(1)),
        Motion::Right => inspector.turn = (inspector.turn + 1).min(last),
        Motion::FocusNext | Motion::Open => (inspector.page, inspector.top) = (inspector.page.step(true), 0),
        Motion::FocusPrevious => (inspector.page, inspector.top) = (inspector.page.step(false), 0),
        _ => inspector.top = scrolled(inspector.top, motion, page)?,
    }
    let turn = inspector.turn;
    Some(wanted(model, turn))
}

/// Asks for the figures of a turn that are not here.
fn wanted(model: &Model, turn: u32) -> Vec<Effect> {
    if turn == 0 || model.turns.contains_key(&turn) { Vec::new() } else { vec![Effect::LoadTurn(turn)] }
}

/// Adds to a turn's figures what only its report has: the steps after the figures were gathered, what was learned, the
/// target of the modes.
pub fn enrich(telemetry: &mut Value, report: &TurnReport) {
    if !telemetry.is_object() {
        *telemetry = json!({ "turn": report.turn, "phase": report.phase.current });
    }
    telemetry["steps"] = json!(report.trace);
    telemetry["changes"] = json!(report.extraction_changes);
    telemetry["notes"] = json!(report.extraction_notes);
    telemetry["target"] = json!(report.modes.target);
    telemetry["warnings"] = json!(report.warnings);
}
