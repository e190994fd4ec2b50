//! Step 6: looks whether the phase should change, and records every value it looked at.

use crate::engine::phases::evaluate;
use crate::engine::step::{Outcome, StepDetails};
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    let evaluation = evaluate(turn.engine, &turn.memory);
    for fault in &evaluation.faults {
        turn.warn(format!("An expression of the engine failed and scored 0: {fault}"));
    }
    turn.next_phase.clone_from(&evaluation.target);
    let blocked = evaluation.ways.iter().find(|way| way.fired && !way.blocked_by.is_empty());
    let text = match (&evaluation.target, blocked) {
        (Some(target), _) => format!("to {target}"),
        (None, Some(way)) => format!("to {} blocked: {}", way.to, way.blocked_by.join("; ")),
        (None, None) => "stay".to_owned(),
    };
    Outcome::with(text, StepDetails::Transition(evaluation))
}
