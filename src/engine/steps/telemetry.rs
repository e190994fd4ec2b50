//! Step 15: gathers the figures of the turn, which explain why something did or did not happen. Calls, findings,
//! warnings and the steps themselves were added as they came.

use crate::engine::figures::ModeFigures;
use crate::engine::ports::Ports;
use crate::engine::step::Outcome;
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>, ports: &impl Ports) -> Outcome {
    let (memory, figures) = (&turn.memory, &mut turn.figures);
    figures.turn = memory.turn;
    figures.phase.clone_from(&memory.phase.current);
    figures.modes = ModeFigures {
        observed: memory.modes.observed,
        drift: memory.modes.drift,
        target: Some(turn.engine.target_modes(memory).collect()),
    };
    figures.context.clone_from(&memory.context.sections);
    figures.saturation = memory.saturation.level;
    figures.completeness = memory.completeness.overall;
    figures.warnings.extend(ports.notices());
    Outcome::said(format!("{} calls", figures.calls.len()))
}
