//! The phase machine: whether a transition should happen, with every value it was judged by.

use std::cell::OnceCell;

use serde::{Deserialize, Serialize};

use super::Engine;
use super::config::{Condition, Edge, Phase, TriggerMode, edges};
use super::expression::MemoryView;
use super::memory::{Status, TaskStatus, WorkingMemory};
use super::obligations::satisfaction_rate;

/// Everything that was looked at to decide about a transition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The phase that will follow, if one does.
    pub target: Option<String>,
    /// Each way out that was tried.
    pub ways: Vec<WayEvaluation>,
    /// Expressions that failed.
    pub faults: Vec<String>,
}

/// One way out of a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WayEvaluation {
    /// Where it leads.
    pub to: String,
    /// Its triggers, with values.
    pub triggers: Vec<ConditionEvaluation>,
    /// Whether they fired.
    pub fired: bool,
    /// What its target asks to be entered, with values; looked at once the triggers have fired.
    pub entry: Vec<ConditionEvaluation>,
    /// What kept it from being taken although they did.
    pub blocked_by: Vec<String>,
}

/// One condition with the value it was judged by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionEvaluation {
    /// Its type, by the word of engine files.
    pub condition: String,
    /// The category or evaluator it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The value.
    pub value: f64,
    /// What the value has to reach.
    pub threshold: f64,
    /// Whether it does.
    pub holds: bool,
}

/// Looks at every way out of the current phase; the first that is free is taken.
pub fn evaluate(engine: &Engine, memory: &WorkingMemory) -> Evaluation {
    let mut judge = Judge { engine, memory, view: OnceCell::new(), faults: Vec::new() };
    let phase = engine.current_phase(memory);
    let mut evaluation = Evaluation::default();
    for edge in edges(engine.definition(), phase) {
        let way = judge.way(&edge);
        let free = way.fired && way.blocked_by.is_empty();
        evaluation.ways.push(way);
        if free {
            evaluation.target = Some(edge.to.to_owned());
            break;
        }
    }
    evaluation.faults = judge.faults;
    evaluation
}

struct Judge<'a> {
    engine: &'a Engine,
    memory: &'a WorkingMemory,
    /// Made when an evaluator first asks for it: most phases have none, and a view is a copy.
    view: OnceCell<MemoryView>,
    faults: Vec<String>,
}

impl Judge<'_> {
    fn way(&mut self, edge: &Edge<'_>) -> WayEvaluation {
        let triggers: Vec<ConditionEvaluation> = edge.triggers.iter().map(|trigger| self.condition(trigger)).collect();
        let fired = match edge.mode {
            TriggerMode::Any => triggers.iter().any(|trigger| trigger.holds),
            TriggerMode::All => !triggers.is_empty() && triggers.iter().all(|trigger| trigger.holds),
        };
        let mut way =
            WayEvaluation { to: edge.to.to_owned(), triggers, fired, entry: Vec::new(), blocked_by: Vec::new() };
        if fired {
            match self.engine.phase(edge.to) {
                Some(target) => self.guards(edge, target, &mut way),
                None => way.blocked_by.push(format!("there is no phase {}", edge.to)),
            }
        }
        way
    }

    /// What stands between triggers that have fired and the phase they lead to.
    fn guards(&mut self, edge: &Edge<'_>, target: &Phase, way: &mut WayEvaluation) {
        // Checkpoints guard the way forward; going back passes nothing over.
        if *target.order > *edge.from.order {
            way.blocked_by.extend(self.checkpoints(edge.from));
            way.blocked_by.extend(self.open_tasks());
        }
        way.entry = target.entry_conditions.iter().map(|condition| self.condition(&condition.value)).collect();
        for entry in way.entry.iter().filter(|entry| !entry.holds) {
            let about = entry.about.as_ref().map(|about| format!(" {about}")).unwrap_or_default();
            way.blocked_by.push(format!(
                "{} is entered from {}{about} ≥ {:.2}, it is {:.2}",
                edge.to, entry.condition, entry.threshold, entry.value
            ));
        }
    }

    /// Checkpoints that are still open. One that the user cannot or will not answer is a gap that is told, not a wall:
    /// nobody will be asked about it again, so waiting for it would end the conversation.
    fn checkpoints(&self, phase: &Phase) -> Vec<String> {
        let status = |id: &str| self.memory.obligations.status(id);
        let open = phase.checkpoints.iter().filter(|id| matches!(status(id), Status::Pending | Status::Partial));
        open.map(|id| format!("checkpoint {id} is {}", status(id))).collect()
    }

    fn open_tasks(&self) -> Vec<String> {
        let blocking = self.engine.definition().background_tasks.iter().filter(|task| task.block_phase_transition);
        let waits = |status: TaskStatus| status.is_open();
        blocking
            .filter(|task| self.memory.background_tasks.get(&task.id).is_some_and(|record| waits(record.status)))
            .map(|task| format!("background task {} is not done", task.id))
            .collect()
    }

    fn condition(&mut self, condition: &Condition) -> ConditionEvaluation {
        let (about, value, threshold) = match condition {
            Condition::ObligationSatisfaction(c) => {
                let rate = satisfaction_rate(self.engine.definition(), self.memory, &c.category);
                (Some(c.category.to_string()), rate, c.min_satisfaction_rate.0)
            }
            Condition::TurnCount(c) => (None, f64::from(self.memory.phase.turns_in_phase), f64::from(c.min_turns)),
            Condition::CompletenessScore(c) => (None, self.memory.completeness.overall, c.min_completeness.0),
            Condition::CustomEvaluator(c) => {
                (Some(c.evaluator.to_string()), self.evaluator(&c.evaluator), c.threshold.0)
            }
        };
        let holds = value + 1e-9 >= threshold;
        ConditionEvaluation { condition: condition.word().to_owned(), about, value, threshold, holds }
    }

    fn evaluator(&mut self, name: &str) -> f64 {
        let Some(expr) = self.engine.definition().evaluators.get(name) else { return 0.0 };
        let view = self.view.get_or_init(|| self.engine.view(self.memory));
        self.engine.program().score(&expr.0.text, view).unwrap_or_else(|fault| {
            self.faults.push(format!("evaluator `{name}`: {}", fault.message));
            0.0
        })
    }
}
