//! Step 8: decides which background tasks to set off. They start once the turn is kept, so that a turn that is
//! cancelled leaves none behind.

use serde_json::json;

use crate::engine::config::BackgroundTask;
use crate::engine::memory::{TaskRecord, TaskStatus};
use crate::engine::rule::{Judge, RuleEvaluation};
use crate::engine::step::{Outcome, StepDetails};
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    for (task, evaluation) in looked_at(turn) {
        if let Some(fault) = &evaluation.fault {
            turn.warn(format!("An expression of the engine failed: task `{}`: {fault}", task.id));
        }
        if evaluation.holds {
            let reason = task.when.reason(evaluation.about.as_deref(), evaluation.value);
            order(turn, task, reason);
        }
    }
    let ordered: Vec<&str> = turn.orders.iter().map(|order| order.id.as_str()).collect();
    let text = if ordered.is_empty() { "none set off".to_owned() } else { format!("set off {}", ordered.join(", ")) };
    Outcome::with(text, StepDetails::Told(json!(turn.orders)))
}

/// The tasks that may start in this phase and have not, each with its rule judged.
fn looked_at<'e>(turn: &Turn<'e>) -> Vec<(&'e BackgroundTask, RuleEvaluation)> {
    let judge = Judge::new(turn.engine, &turn.memory);
    let waits = |task: &&BackgroundTask| {
        let in_phase = task.phases.is_empty() || task.phases.iter().any(|id| **id == *turn.memory.phase.current);
        in_phase && turn.memory.background_tasks.get(&task.id).is_none()
    };
    let tasks = turn.engine.definition().background_tasks.iter().filter(waits);
    tasks.map(|task| (task, judge.evaluate(&task.when))).collect()
}

fn order(turn: &mut Turn<'_>, task: &BackgroundTask, reason: String) {
    let waits = task.after.iter().any(|other| {
        turn.memory.background_tasks.get(other).is_none_or(|record| record.status != TaskStatus::Completed)
    });
    let mut record = TaskRecord::ordered(task, turn.memory.turn, reason);
    if waits {
        record.status = TaskStatus::Waiting;
    }
    turn.memory.background_tasks.put(record.clone());
    turn.orders.push(record);
}
