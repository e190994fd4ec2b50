//! Plays a scenario through the same turn as a real session.

use std::sync::Arc;

use serde_json::{Value, json};

use super::declare::{Model, TaskNews, Turn};
use super::expectation::Expectations;
use super::frame::{DrawnFrame, Scene, judge_frames};
use super::judge::{Failure, judge};
use super::load::Case;
use super::outside::{BenchPorts, Script};
use super::person::{Simulation, Utterance};
use crate::engine::config::FailureStrategy;
use crate::engine::handoff::receive;
use crate::engine::memory::{Asked, TaskRecord, TaskStatus, WorkingMemory};
use crate::engine::report::TurnReport;
use crate::engine::transcript::{Message, Role, Transcript};
use crate::engine::turn::{TurnError, TurnInput, TurnOutcome, run_turn};
use crate::engine::{Engine, opening};
use crate::runtime::Backend;

/// Who answers for the engine while a scenario is played.
#[derive(Clone, Debug)]
pub enum Voice {
    /// As the scenario says; recorded and live ones need a backend of their own.
    AsWritten,
    /// This backend, whatever the scenario says.
    Backend(Backend),
    /// Nobody can, for this reason: the scenario fails.
    Nobody(String),
}

/// A scenario that was played.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// What was not as expected.
    pub failures: Vec<Failure>,
    /// Turns that were run.
    pub turns: u32,
    /// Why it broke off, if it did.
    pub error: Option<String>,
    /// Whether it broke off because a model could not be reached.
    pub unreached: bool,
    /// Pictures of the app that were drawn.
    pub frames: Vec<DrawnFrame>,
}

impl Played {
    /// Whether all was as expected.
    pub fn passed(&self) -> bool {
        self.failures.is_empty() && self.error.is_none()
    }
}

/// What an expectation is held against.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The scenario.
    pub case: &'a Case,
    /// The memory after the turn.
    pub memory: &'a WorkingMemory,
    /// The report of the turn.
    pub report: &'a TurnReport,
}

/// Who watches the turns of a scenario: the phase before, and what the turn led to.
pub type OnTurn<'a> = &'a mut (dyn FnMut(&str, &TurnOutcome) + Send);

/// Plays a scenario. With `hasty` it stops at the first failure, which is all that a mutant has to show.
pub async fn play(case: &Case, engine: &Arc<Engine>, voice: &Voice, hasty: bool, on_turn: OnTurn<'_>) -> Played {
    let mut played = Played::default();
    if let Some(simulated) = &case.scenario.simulated {
        for number in 0..simulated.sessions.max(1) {
            let seed = u64::from(simulated.seed) + u64::from(number);
            simulate(case, engine, voice, seed, &mut played, on_turn).await;
            if hasty && !played.passed() {
                break;
            }
        }
        return played;
    }
    let Some(mut table) = Table::lay(case, engine, voice, &mut played) else { return played };
    let turns = case.scenario.turns.iter();
    let turns = turns.flat_map(|turn| std::iter::repeat_n(&turn.value, turn.times.max(1) as usize).enumerate());
    let mut last = None;
    for (nth, turn) in turns {
        let Some(report) = table.say(case, turn, on_turn, &mut played).await else { return played };
        // What is expected of a turn that happens several times is expected of its last.
        if nth + 1 == turn.times.max(1) as usize {
            table.judge(case, &turn.expect, &report, &mut played);
        }
        last = Some(report);
        if hasty && !played.passed() {
            return played;
        }
    }
    table.conclude(case, last.as_ref(), &mut played);
    played
}

async fn simulate(
    case: &Case,
    engine: &Arc<Engine>,
    voice: &Voice,
    seed: u64,
    played: &mut Played,
    on_turn: OnTurn<'_>,
) {
    let (Some(person), Some(simulated)) = (&case.person, &case.scenario.simulated) else { return };
    let Some(mut table) = Table::lay(case, engine, voice, played) else { return };
    let mut simulation = Simulation::new(person, seed);
    let mut last = None;
    for _ in 0..simulated.turns {
        let utterance = simulation.next(engine, &table.memory);
        let updates = failed(engine, std::mem::take(&mut table.orders));
        let script = table.scripted.then(|| Script { analysis: analysis(&utterance, &[], &json!({})), answer: None });
        let Some(report) = table.turn(utterance.message, updates, script, on_turn, played).await else { return };
        last = Some(report);
    }
    table.conclude(case, last.as_ref(), played);
}

/// A conversation under way.
struct Table<'e> {
    engine: &'e Arc<Engine>,
    backend: Backend,
    scripted: bool,
    memory: WorkingMemory,
    transcript: Transcript,
    cap_usd: Option<f64>,
    orders: Vec<TaskRecord>,
}

impl<'e> Table<'e> {
    /// Opens a session as a host does.
    fn lay(case: &Case, engine: &'e Arc<Engine>, voice: &Voice, played: &mut Played) -> Option<Self> {
        let (backend, scripted) = match (voice, &case.scenario.model) {
            (Voice::Backend(backend), _) => (backend.clone(), false),
            (Voice::Nobody(why), _) => {
                played.error = Some(why.clone());
                return None;
            }
            (Voice::AsWritten, Model::Offline(_)) => (Backend::Offline, false),
            (Voice::AsWritten, Model::Scripted(_)) => (Backend::Offline, true),
            (Voice::AsWritten, Model::Recorded(_) | Model::Live(_)) => {
                played.error = Some("this scenario needs an endpoint or a recording".to_owned());
                return None;
            }
        };
        let mut memory = WorkingMemory::new(engine.definition());
        if let Some(handoff) = case.handoff.clone() {
            receive(engine, &mut memory, handoff);
        }
        let opened = match opening::open(engine, &memory) {
            Ok(opened) => opened,
            Err(fault) => {
                played.error = Some(format!("the opening cannot be written: {fault}"));
                return None;
            }
        };
        for id in &opened.asks {
            if let Some(state) = memory.obligations.get_mut(id) {
                state.times_asked = 1;
                state.last_asked = Some(0);
            }
        }
        memory.asked = opened.asks.into_iter().map(|obligation| Asked { obligation, to_confirm: Vec::new() }).collect();
        let transcript = Transcript::from_messages([Message::new(0, Role::Assistant, opened.text)]);
        let cap_usd = case.scenario.cap_usd;
        Some(Self { engine, backend, scripted, memory, transcript, cap_usd, orders: Vec::new() })
    }

    /// Plays a turn that is written out.
    async fn say(&mut self, case: &Case, turn: &Turn, on_turn: OnTurn<'_>, played: &mut Played) -> Option<TurnReport> {
        let utterance = spoken(case, turn);
        let script = self.scripted.then(|| {
            let signals = serde_json::json!({
                "trust": turn.signals.trust,
                "rapport": turn.signals.rapport,
                "friction": turn.signals.friction,
                "intents": turn.signals.intents,
                "techniques_used": turn.signals.techniques_used,
            });
            let readings: Vec<Value> = turn
                .readings
                .iter()
                .map(|reading| {
                    let quote = reading.quote.as_deref().unwrap_or(&utterance.message);
                    found(&reading.path, &reading.value, reading.confidence, quote)
                })
                .collect();
            Script { analysis: analysis(&utterance, &readings, &signals), answer: turn.answer.clone() }
        });
        let updates = turn.tasks.iter().map(|news| reported(news, self.engine, &self.memory)).collect();
        self.turn(utterance.message, updates, script, on_turn, played).await
    }

    async fn turn(
        &mut self,
        message: String,
        task_updates: Vec<TaskRecord>,
        script: Option<Script>,
        on_turn: OnTurn<'_>,
        played: &mut Played,
    ) -> Option<TurnReport> {
        let input = TurnInput { message, task_updates, cap_usd: self.cap_usd, ..TurnInput::default() };
        let mut ports = BenchPorts::new(&self.backend, &self.memory, script);
        let outcome = match run_turn(self.engine, &self.memory, &self.transcript, &input, &mut ports).await {
            Ok(outcome) => outcome,
            Err(error) => {
                played.error = Some(format!("turn {}: {error}", self.memory.turn + 1));
                played.unreached = matches!(error, TurnError::Call(_));
                return None;
            }
        };
        self.orders.append(&mut ports.orders);
        played.turns += 1;
        on_turn(&self.memory.phase.current, &outcome);
        let TurnOutcome { memory, message, answer, report } = outcome;
        self.memory = memory;
        self.transcript.push(message);
        self.transcript.push(answer);
        Some(report)
    }

    /// Holds the end against what is expected of it.
    fn conclude(&self, case: &Case, last: Option<&TurnReport>, played: &mut Played) {
        if let Some(report) = last {
            self.judge(case, &case.scenario.expect, report, played);
        }
    }

    /// Holds what the last turn led to against what is expected of it.
    fn judge(&self, case: &Case, expect: &Expectations, report: &TurnReport, played: &mut Played) {
        let judged = Judged { case, memory: &self.memory, report };
        played.failures.extend(judge(expect, &judged));
        let scene = Scene { case, engine: self.engine, memory: &self.memory, transcript: &self.transcript, report };
        let (drawn, failures) = judge_frames(expect, &scene);
        played.frames.extend(drawn);
        played.failures.extend(failures);
    }
}

/// The words of a turn, and the facts in them.
fn spoken(case: &Case, turn: &Turn) -> Utterance {
    let paths = turn.tells.iter().map(|path| path.as_str());
    match &case.person {
        Some(person) => person.telling(turn.says.as_deref(), paths),
        None => Utterance { message: turn.says.clone().unwrap_or_default(), found: Vec::new() },
    }
}

fn found(path: &str, value: &Value, confidence: f64, quote: &str) -> Value {
    json!({ "path": path, "value": value, "confidence": confidence, "quote": quote, "reasoning": "scripted" })
}

/// An analysis as a model would send it.
fn analysis(utterance: &Utterance, readings: &[Value], signals: &Value) -> String {
    let told = utterance.found.iter().map(|(path, value, quote)| found(path, value, 0.9, quote));
    let fields: Vec<Value> = told.chain(readings.iter().cloned()).collect();
    json!({ "fields": fields, "signals": signals }).to_string()
}

/// A task as a scenario says it stands before a turn.
fn reported(news: &TaskNews, engine: &Engine, memory: &WorkingMemory) -> TaskRecord {
    let known = memory.background_tasks.get(&news.task).cloned();
    let record = known.or_else(|| {
        let task = engine.definition().background_tasks.iter().find(|task| *task.id == *news.task.value)?;
        Some(TaskRecord::ordered(task, memory.turn, String::new()))
    });
    let result = (!news.result.is_null()).then(|| news.result.clone());
    TaskRecord { status: news.status, attempts: 1, result, note: news.note.clone(), ..record.unwrap_or_default() }
}

/// Nothing runs in the background of a simulation: each task fails as its strategy says.
fn failed(engine: &Engine, orders: Vec<TaskRecord>) -> Vec<TaskRecord> {
    let tasks = &engine.definition().background_tasks;
    let failed = orders.into_iter().filter_map(|order| {
        let task = tasks.iter().find(|task| *task.id == *order.id)?;
        let note = match &task.failure_strategy.value {
            FailureStrategy::Degrade(degrade) => Some(degrade.degraded_behavior.clone()),
            _ => None,
        };
        Some(TaskRecord { status: TaskStatus::Failed, attempts: 1, note, ..order })
    });
    failed.collect()
}
