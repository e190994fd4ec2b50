//! Step 15: gathers the figures of the turn for whoever wants to know why something did or did not happen. The trace joins
//! them when the turn is kept, so that the steps after this one are in it too.

use serde_json::{Map, Value, json};

use crate::engine::step::Outcome;
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    let target: Map<String, Value> =
        turn.engine.target_modes(&turn.memory).map(|(mode, share)| (mode.word().to_owned(), share.into())).collect();
    turn.telemetry = json!({
        "turn": turn.memory.turn,
        "phase": turn.memory.phase.current,
        "transition": turn.evaluation,
        "techniques": turn.considered,
        "modes": { "observed": turn.memory.modes.observed, "drift": turn.memory.modes.drift },
        "target": target,
        "context": turn.memory.context.sections,
        "calls": turn.calls,
        "saturation": turn.memory.saturation.level,
        "completeness": turn.memory.completeness.overall,
        "findings": turn.findings,
        "warnings": turn.warnings,
    });
    Outcome::said(format!("{} calls", turn.calls.len()))
}
