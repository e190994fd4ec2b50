//! The phase machine: whether a transition should happen, with every value it was judged by.

use serde::{Deserialize, Serialize};

use super::Engine;
use super::config::{Edge, Phase, Rule, TriggerMode, edges};
use super::memory::{Status, TaskStatus, WorkingMemory};
use super::rule::{Judge, RuleEvaluation};

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
    pub to: String,
    /// Its triggers, with values.
    pub triggers: Vec<RuleEvaluation>,
    pub fired: bool,
    /// What its target asks to be entered, with values; looked at once the triggers have fired.
    pub entry: Vec<RuleEvaluation>,
    /// What kept it from being taken although they did.
    pub blocked_by: Vec<String>,
}

/// Looks at every way out of the current phase; the first that is free is taken.
pub fn evaluate(engine: &Engine, memory: &WorkingMemory) -> Evaluation {
    let mut looker = Looker { engine, memory, judge: Judge::new(engine, memory), faults: Vec::new() };
    let phase = engine.current_phase(memory);
    let mut evaluation = Evaluation::default();
    for edge in edges(engine.definition(), phase) {
        let way = looker.way(&edge);
        let free = way.fired && way.blocked_by.is_empty();
        evaluation.ways.push(way);
        if free {
            evaluation.target = Some(edge.to.to_owned());
            break;
        }
    }
    evaluation.faults = looker.faults;
    evaluation
}

/// Looks at the ways out of a phase.
struct Looker<'a> {
    engine: &'a Engine,
    memory: &'a WorkingMemory,
    judge: Judge<'a>,
    faults: Vec<String>,
}

impl Looker<'_> {
    fn way(&mut self, edge: &Edge<'_>) -> WayEvaluation {
        let triggers: Vec<RuleEvaluation> = edge.triggers.iter().map(|trigger| self.rule(trigger)).collect();
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
        way.entry = target.entry_conditions.iter().map(|condition| self.rule(condition)).collect();
        for entry in way.entry.iter().filter(|entry| !entry.holds) {
            way.blocked_by.push(format!("{} is entered from {}, it is {:.2}", edge.to, entry.demand(), entry.value));
        }
    }

    /// Checkpoints that are still open. One that the user cannot or will not answer is reported as a gap and holds
    /// nothing up: it will not be asked again, so waiting for it would end the conversation.
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

    fn rule(&mut self, rule: &Rule) -> RuleEvaluation {
        let evaluation = self.judge.evaluate(rule);
        self.faults.extend(evaluation.fault.clone());
        evaluation
    }
}
