//! Step 6: looks whether the phase should change, and records every value it looked at.

use serde_json::json;

use crate::engine::phases::evaluate;
use crate::engine::step::Outcome;
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    turn.evaluation = evaluate(turn.engine, &turn.memory);
    for fault in turn.evaluation.faults.clone() {
        turn.warn(format!("An expression of the engine failed and scored 0: {fault}"));
    }
    let evaluation = &turn.evaluation;
    let blocked = evaluation.ways.iter().find(|way| way.fired && !way.blocked_by.is_empty());
    let text = match (&evaluation.target, blocked) {
        (Some(target), _) => format!("to {target}"),
        (None, Some(way)) => format!("to {} blocked: {}", way.to, way.blocked_by.join("; ")),
        (None, None) => "stay".to_owned(),
    };
    Outcome::with(text, json!(evaluation))
}
