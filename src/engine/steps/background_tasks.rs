//! Step 8: decides which background tasks to set off. They start once the turn is kept, so that a turn that is
//! cancelled leaves none behind.

use std::cell::OnceCell;

use serde_json::json;

use crate::engine::config::{BackgroundTask, TaskTrigger};
use crate::engine::expression::MemoryView;
use crate::engine::memory::{Status, TaskRecord, TaskStatus};
use crate::engine::step::{Outcome, StepDetails};
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    let engine = turn.engine;
    // Made when a trigger first asks for it: once all tasks are set off nobody does, and a view is a copy.
    let view = OnceCell::new();
    for task in &engine.definition().background_tasks {
        let started = turn.memory.background_tasks.get(&task.id).is_some();
        let in_phase = task.phases.is_empty() || task.phases.iter().any(|id| **id == *turn.memory.phase.current);
        if started || !in_phase {
            continue;
        }
        if let Some(reason) = triggered(turn, task, &view) {
            order(turn, task, reason);
        }
    }
    let ordered: Vec<&str> = turn.orders.iter().map(|order| order.id.as_str()).collect();
    let text = if ordered.is_empty() { "none set off".to_owned() } else { format!("set off {}", ordered.join(", ")) };
    Outcome::with(text, StepDetails::Told(json!(turn.orders)))
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

/// Why a task should start now, if it should.
fn triggered(turn: &mut Turn<'_>, task: &BackgroundTask, view: &OnceCell<MemoryView>) -> Option<String> {
    match &task.trigger.value {
        TaskTrigger::LowConfidence(trigger) => {
            let looked_at = |id: &str| trigger.obligations.is_empty() || trigger.obligations.iter().any(|o| **o == *id);
            let shaky = turn.memory.obligations.iter().find(|(id, state)| {
                looked_at(id) && state.status == Status::Partial && state.confidence < trigger.threshold.0
            });
            shaky.map(|(id, state)| format!("{id} has confidence {:.2}", state.confidence))
        }
        TaskTrigger::ObligationStatus(trigger) => {
            let all = trigger.obligations.iter().all(|id| turn.memory.obligations.status(id) == trigger.status);
            all.then(|| format!("the obligations it waits for are {}", trigger.status))
        }
        TaskTrigger::Custom(trigger) => {
            let view = view.get_or_init(|| turn.engine.view(&turn.memory));
            match turn.engine.program().holds(&trigger.when.0.text, view) {
                Ok(holds) => holds.then(|| format!("`{}`", trigger.when.0.text)),
                Err(fault) => {
                    turn.warn(format!("An expression of the engine failed: task `{}`: {}", task.id, fault.message));
                    None
                }
            }
        }
    }
}
