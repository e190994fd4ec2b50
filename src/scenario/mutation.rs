//! Small faults, put into an engine one at a time: scenarios that are worth something notice them.

use std::sync::Arc;

use serde::Serialize;

use super::load::line_of;
use crate::decode::Fraction;
use crate::engine::Engine;
use crate::engine::config::{Definition, rules_mut};

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mutation {
    DropObligation,
    /// A trigger of a transition is gone.
    DropTrigger,
    /// A threshold is half of what it was.
    FlipThreshold,
    DropCheckpoint,
    DropEntryCondition,
    DropTask,
    DropExit,
}

#[derive(Clone, Debug)]
pub struct Mutant {
    pub mutation: Mutation,
    pub name: String,
    /// The line of engine.toml that it changes.
    pub line: usize,
    pub engine: Arc<Engine>,
}

/// Every engine that differs from this one by one fault. `text` is that of engine.toml, for the lines.
pub fn mutants(engine: &Engine, text: &str) -> Vec<Mutant> {
    let definition = engine.definition();
    let mut breeder = Breeder { engine, text, found: Vec::new() };
    for (at, obligation) in definition.obligations.iter().enumerate() {
        let id = obligation.id.as_str();
        breeder.add(Mutation::DropObligation, format!("obligation {id} dropped"), obligation.id.span.start, |d| {
            drop_obligation(d, at);
        });
    }
    for number in 0..definition.phases.len() {
        breeder.phase(number);
    }
    for (at, task) in definition.background_tasks.iter().enumerate() {
        let name = format!("background task {} dropped", task.id);
        breeder.add(Mutation::DropTask, name, task.id.span.start, |d| {
            d.background_tasks.remove(at);
        });
    }
    for (at, exit) in definition.exit_transitions.iter().enumerate() {
        let name = format!("exit {} dropped", exit.id);
        breeder.add(Mutation::DropExit, name, exit.id.span.start, |d| {
            d.exit_transitions.remove(at);
        });
    }
    let ready = definition.completeness.ready_threshold.0;
    let at = text.find("ready_threshold").unwrap_or_default();
    breeder.add(Mutation::FlipThreshold, format!("ready threshold {ready} halved"), at, |d| {
        d.completeness.ready_threshold = Fraction(ready / 2.0);
    });
    breeder.found
}

struct Breeder<'a> {
    engine: &'a Engine,
    text: &'a str,
    found: Vec<Mutant>,
}

impl Breeder<'_> {
    fn add(&mut self, mutation: Mutation, name: String, at: usize, change: impl FnOnce(&mut Definition)) {
        let mut definition = self.engine.definition().clone();
        change(&mut definition);
        let engine = self.engine.varied(definition);
        self.found.push(Mutant { mutation, name, line: line_of(self.text, at), engine });
    }

    fn phase(&mut self, number: usize) {
        let definition = self.engine.shared_definition().clone();
        let phase = &definition.phases[number];
        for (at, trigger) in phase.triggers.iter().enumerate() {
            let words = format!("{}: trigger {}", phase.id, trigger.words());
            self.add(Mutation::DropTrigger, format!("{words} dropped"), trigger.span.start, |d| {
                d.phases.value[number].triggers.remove(at);
            });
            if let Some(halved) = trigger.halved() {
                self.add(Mutation::FlipThreshold, format!("{words} halved"), trigger.span.start, |d| {
                    d.phases.value[number].triggers[at].value = halved;
                });
            }
        }
        for (way, transition) in phase.transitions.iter().enumerate() {
            for (at, trigger) in transition.triggers.iter().enumerate() {
                let words = format!("{} → {}: trigger {}", phase.id, transition.to, trigger.words());
                self.add(Mutation::DropTrigger, format!("{words} dropped"), trigger.span.start, |d| {
                    d.phases.value[number].transitions[way].triggers.remove(at);
                });
                if let Some(halved) = trigger.halved() {
                    self.add(Mutation::FlipThreshold, format!("{words} halved"), trigger.span.start, |d| {
                        d.phases.value[number].transitions[way].triggers[at].value = halved;
                    });
                }
            }
        }
        for (at, condition) in phase.entry_conditions.iter().enumerate() {
            let words = format!("into {}: {}", phase.id, condition.words());
            self.add(Mutation::DropEntryCondition, format!("{words} dropped"), condition.span.start, |d| {
                d.phases.value[number].entry_conditions.remove(at);
            });
        }
        for (at, id) in phase.checkpoints.iter().enumerate() {
            let name = format!("{}: checkpoint {id} dropped", phase.id);
            self.add(Mutation::DropCheckpoint, name, id.span.start, |d| {
                d.phases.value[number].checkpoints.remove(at);
            });
        }
    }
}

/// Takes an obligation out, and what waits for it or looks at it no longer does.
fn drop_obligation(definition: &mut Definition, at: usize) {
    let gone = definition.obligations.value.remove(at).id;
    for obligation in &mut definition.obligations.value {
        obligation.after.retain(|id| *id != gone);
    }
    for phase in &mut definition.phases.value {
        phase.checkpoints.retain(|id| *id != gone);
    }
    rules_mut(definition).for_each(|rule| rule.forget(&gone));
}
