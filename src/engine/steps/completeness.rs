//! Step 5: brings obligations up to date and measures how complete the picture is.

use serde_json::json;

use crate::engine::completeness::evaluate;
use crate::engine::obligations::refresh;
use crate::engine::step::{Outcome, StepDetails};
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    let (changed, mut faults) = refresh(turn.engine, &mut turn.memory);
    let (completeness, more) = evaluate(turn.engine, &turn.memory);
    faults.extend(more);
    for fault in faults {
        turn.warn(format!("An expression of the engine failed and scored 0: {}", fault.message));
    }
    let before = turn.before.completeness.overall;
    turn.memory.completeness = completeness;
    let now = &turn.memory.completeness;
    Outcome::with(
        format!("{:.2}{}", now.overall, if now.is_ready { ", ready" } else { "" }),
        StepDetails::Told(json!({
            "before": before,
            "by_category": now.by_category,
            "obligations": changed.iter().map(|(id, status)| json!({ "id": id, "status": status })).collect::<Vec<_>>(),
        })),
    )
}
