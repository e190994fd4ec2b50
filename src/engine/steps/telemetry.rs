//! Step 15: gathers the figures of the turn for whoever wants to know why something did or did not happen.

use serde_json::json;

use crate::engine::step::Outcome;
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    turn.telemetry = json!({
        "turn": turn.memory.turn,
        "phase": turn.memory.phase.current,
        "transition": turn.evaluation,
        "techniques": turn.considered,
        "modes": { "observed": turn.memory.modes.observed, "drift": turn.memory.modes.drift },
        "context": turn.memory.context.sections,
        "calls": turn.calls,
        "saturation": turn.memory.saturation.level,
        "completeness": turn.memory.completeness.overall,
        "findings": turn.findings,
        "steps": turn.trace,
    });
    Outcome::said(format!("{} calls", turn.calls.len()))
}
