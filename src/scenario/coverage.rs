//! What of an engine its scenarios have reached, and where the rest stands.

use serde::Serialize;

use super::load::line_of;
use crate::engine::Engine;
use crate::engine::config::{Definition, Rule, edges};
use crate::engine::memory::{Status, TaskStatus};
use crate::engine::phases::WayEvaluation;
use crate::host::protocol::TurnDone;

/// The kinds of parts that can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CoverageKind {
    /// A phase was entered.
    Phase,
    /// A trigger of a transition held.
    Trigger,
    /// A condition of entry was looked at and held.
    EntryCondition,
    /// A checkpoint held a transition up.
    Checkpoint,
    /// An obligation was settled.
    Obligation,
    /// A technique was used.
    Technique,
    /// A background task was set off.
    Task,
    /// A background task failed, as its strategy provides for.
    FailureStrategy,
    /// An exit was offered.
    Exit,
}

impl CoverageKind {
    pub const ALL: [Self; 9] = [
        Self::Phase,
        Self::Trigger,
        Self::EntryCondition,
        Self::Checkpoint,
        Self::Obligation,
        Self::Technique,
        Self::Task,
        Self::FailureStrategy,
        Self::Exit,
    ];

    /// What people read, for several.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Phase => "phases",
            Self::Trigger => "triggers",
            Self::EntryCondition => "entry conditions",
            Self::Checkpoint => "checkpoints",
            Self::Obligation => "obligations",
            Self::Technique => "techniques",
            Self::Task => "background tasks",
            Self::FailureStrategy => "failure strategies",
            Self::Exit => "exits",
        }
    }
}

/// A part of an engine, and whether it was reached.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoverageItem {
    pub kind: CoverageKind,
    pub name: String,
    /// Its line in engine.toml.
    pub line: usize,
    pub reached: bool,
    #[serde(skip)]
    key: (String, usize, usize),
}

/// All parts of an engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Coverage {
    pub file: String,
    /// Its parts, in the order of the kinds.
    pub items: Vec<CoverageItem>,
}

impl Coverage {
    /// Nothing reached yet. `text` is that of engine.toml, for the lines.
    pub fn new(engine: &Engine, file: &str, text: &str) -> Self {
        let mut coverage = Self { file: file.to_owned(), items: Vec::new() };
        let definition = engine.definition();
        let mut add = |kind: CoverageKind, key: (&str, usize, usize), name: String, at: usize| {
            let key = (key.0.to_owned(), key.1, key.2);
            coverage.items.push(CoverageItem { kind, name, line: line_of(text, at), reached: false, key });
        };
        for phase in definition.phases.iter() {
            add(CoverageKind::Phase, (&phase.id, 0, 0), phase.id.to_string(), phase.id.span.start);
            for (way, trigger, to, condition, at) in triggers(definition, &phase.id) {
                let name = format!("{} → {to}: {}", phase.id, condition.words());
                add(CoverageKind::Trigger, (&phase.id, way, trigger), name, at);
            }
            for (number, condition) in phase.entry_conditions.iter().enumerate() {
                let name = format!("into {}: {}", phase.id, condition.words());
                add(CoverageKind::EntryCondition, (&phase.id, number, 0), name, condition.span.start);
            }
            for id in &phase.checkpoints {
                let name = format!("{id} in {}", phase.id);
                add(CoverageKind::Checkpoint, (&format!("{} {id}", phase.id), 0, 0), name, id.span.start);
            }
        }
        for obligation in definition.obligations.iter() {
            let id = &obligation.id;
            add(CoverageKind::Obligation, (id, 0, 0), id.to_string(), id.span.start);
        }
        for id in &definition.techniques.available {
            add(CoverageKind::Technique, (id, 0, 0), id.to_string(), id.span.start);
        }
        for task in &definition.background_tasks {
            add(CoverageKind::Task, (&task.id, 0, 0), task.id.to_string(), task.when.span.start);
            let name = format!("{} of {}", task.failure_strategy.word(), task.id);
            add(CoverageKind::FailureStrategy, (&task.id, 0, 0), name, task.failure_strategy.span.start);
        }
        for exit in &definition.exit_transitions {
            add(CoverageKind::Exit, (&exit.id, 0, 0), exit.id.to_string(), exit.id.span.start);
        }
        coverage.items.sort_by_key(|item| item.kind);
        coverage.reach(CoverageKind::Phase, &definition.initial_phase, 0, 0);
        coverage
    }

    fn reach(&mut self, kind: CoverageKind, id: &str, first: usize, second: usize) {
        let wanted = |item: &&mut CoverageItem| {
            item.kind == kind && item.key.0 == id && item.key.1 == first && item.key.2 == second
        };
        if let Some(item) = self.items.iter_mut().find(wanted) {
            item.reached = true;
        }
    }

    /// Notes what a turn reached, which began in the phase `before`.
    pub(crate) fn observe(&mut self, before: &str, turn: &TurnDone) {
        let (memory, figures) = (&turn.memory, &turn.figures);
        self.reach(CoverageKind::Phase, &memory.phase.current, 0, 0);
        for (number, way) in figures.transition().iter().flat_map(|evaluation| &evaluation.ways).enumerate() {
            self.observe_way(before, number, way);
        }
        for (id, state) in memory.obligations.iter() {
            if matches!(state.status, Status::Satisfied | Status::Deferred) {
                self.reach(CoverageKind::Obligation, id, 0, 0);
            }
        }
        for id in &memory.techniques.active {
            self.reach(CoverageKind::Technique, id, 0, 0);
        }
        for record in memory.background_tasks.iter() {
            self.reach(CoverageKind::Task, &record.id, 0, 0);
            if record.status == TaskStatus::Failed {
                self.reach(CoverageKind::FailureStrategy, &record.id, 0, 0);
            }
        }
        if let Some(offer) = &memory.exit_offer {
            self.reach(CoverageKind::Exit, &offer.exit_id, 0, 0);
        }
    }

    fn observe_way(&mut self, before: &str, number: usize, way: &WayEvaluation) {
        for (at, _) in way.triggers.iter().enumerate().filter(|(_, trigger)| trigger.holds) {
            self.reach(CoverageKind::Trigger, before, number, at);
        }
        for (at, _) in way.entry.iter().enumerate().filter(|(_, entry)| entry.holds) {
            self.reach(CoverageKind::EntryCondition, &way.to, at, 0);
        }
        for reason in &way.blocked_by {
            let id = reason.strip_prefix("checkpoint ").and_then(|rest| rest.split(' ').next());
            if let Some(id) = id {
                self.reach(CoverageKind::Checkpoint, &format!("{before} {id}"), 0, 0);
            }
        }
    }

    /// How many of a kind were reached, and how many there are.
    pub fn of(&self, kind: CoverageKind) -> (usize, usize) {
        let own = self.items.iter().filter(|item| item.kind == kind);
        (own.clone().filter(|item| item.reached).count(), own.count())
    }

    /// What was not reached.
    pub fn missing(&self) -> impl Iterator<Item = &CoverageItem> {
        self.items.iter().filter(|item| !item.reached)
    }
}

/// The triggers of a phase in the order in which they are evaluated: way, place in it, target, condition, place in file.
fn triggers<'a>(definition: &'a Definition, id: &str) -> Vec<(usize, usize, &'a str, &'a Rule, usize)> {
    let Some(phase) = definition.phases.iter().find(|phase| *phase.id == *id) else { return Vec::new() };
    let explicit = phase.transitions.iter().map(|transition| &transition.triggers);
    let places = explicit.chain([&phase.triggers]);
    let ways = edges(definition, phase).into_iter().zip(places).enumerate();
    ways.flat_map(|(way, (edge, written))| {
        written
            .iter()
            .enumerate()
            .map(|(at, trigger)| (way, at, edge.to, &trigger.value, trigger.span.start))
            .collect::<Vec<_>>()
    })
    .collect()
}
