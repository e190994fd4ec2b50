//! Step 7: changes the phase.

use crate::engine::step::Outcome;
use crate::engine::strategy::mode_classifier::aim;
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    let Some(target) = turn.next_phase.take() else { return Outcome::said("nothing to do") };
    let from = turn.memory.phase.current.clone();
    let (number, completeness) = (turn.memory.turn, turn.memory.completeness.overall);
    turn.memory.phase.move_to(&target, number, completeness, false);
    let blend = turn.engine.target_blend(&turn.memory).clone();
    aim(&mut turn.memory.modes, &blend, turn.engine.definition().modes.drift_margin);
    let text = format!("{from} → {target}");
    turn.figures.transitioned_from = Some(from);
    Outcome::said(text)
}
