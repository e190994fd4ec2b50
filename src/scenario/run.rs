//! Plays a scenario through the same turn as a real session.

use std::sync::Arc;

use serde_json::{Value, json};

use super::declare::{Model, TaskNews, Turn};
use super::expectation::Expectations;
use super::frame::{DrawnFrame, Scene, judge_frames};
use super::judge::{Unmet, judge};
use super::load::Case;
use super::person::{Simulation, Utterance};
use crate::engine::Engine;
use crate::engine::config::FailureStrategy;
use crate::engine::figures::TurnFigures;
use crate::engine::memory::{TaskRecord, TaskStatus, WorkingMemory};
use crate::host::protocol::{TurnDone, TurnFailure};
use crate::host::{Backend, Refused, Rehearsal, Rehearsed, Script, ScriptedModel, Session, SessionHandle, rehearse};

/// Who answers for the engine while a scenario is played.
#[derive(Clone, Debug)]
pub enum Voice {
    /// As the scenario says; recorded and live ones need a backend of their own.
    AsWritten,
    /// This backend, whatever the scenario says.
    Backend(Backend),
    /// No model can answer, for this reason: the scenario fails.
    Missing(String),
}

#[derive(Clone, Debug, Default)]
pub struct Played {
    /// What was not as expected.
    pub failures: Vec<Unmet>,
    pub turns: u32,
    /// Why it broke off, if it did.
    pub error: Option<String>,
    /// Whether it broke off because a model could not be reached.
    pub unreached: bool,
    /// Pictures of the app that were drawn.
    pub frames: Vec<DrawnFrame>,
}

impl Played {
    pub fn passed(&self) -> bool {
        self.failures.is_empty() && self.error.is_none()
    }
}

/// What an expectation is held against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged<'a> {
    pub case: &'a Case,
    /// The memory after the turn.
    pub memory: &'a WorkingMemory,
    pub figures: &'a TurnFigures,
}

/// Is told of each turn of a scenario: the phase before, and what the turn led to.
pub(crate) type OnTurn<'a> = &'a mut (dyn FnMut(&str, &TurnDone) + Send);

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
    let Some(mut table) = Table::lay(case, engine, voice, &mut played).await else { return played };
    let turns = case.scenario.turns.iter();
    let turns = turns.flat_map(|turn| std::iter::repeat_n(&turn.value, turn.times.max(1) as usize).enumerate());
    let mut last = None;
    for (nth, turn) in turns {
        let Some(done) = table.say(case, turn, on_turn, &mut played).await else { return played };
        // What is expected of a turn that happens several times is expected of its last.
        if nth + 1 == turn.times.max(1) as usize {
            table.judge(case, &turn.expect, &done, &mut played).await;
        }
        last = Some(done);
        if hasty && !played.passed() {
            return played;
        }
    }
    table.conclude(case, last.as_deref(), &mut played).await;
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
    let Some(mut table) = Table::lay(case, engine, voice, played).await else { return };
    let mut simulation = Simulation::new(person, seed);
    let mut last = None;
    for _ in 0..simulated.turns {
        let utterance = simulation.next(engine, &table.memory);
        table.rehearsal.tell(failed(engine, table.rehearsal.take_orders()));
        if let Some(model) = &table.scripted {
            model.says(Script { analysis: analysis(&utterance, &[], &json!({})), answer: None });
        }
        let Some(done) = table.turn(utterance.message, on_turn, played).await else { return };
        last = Some(done);
    }
    table.conclude(case, last.as_deref(), played).await;
}

/// A conversation under way: a session that is kept nowhere, with a script for everything outside it.
struct Table {
    session: SessionHandle,
    rehearsal: Arc<Rehearsal>,
    scripted: Option<Arc<ScriptedModel>>,
    engine: Arc<Engine>,
    memory: Arc<WorkingMemory>,
}

impl Table {
    async fn lay(case: &Case, engine: &Arc<Engine>, voice: &Voice, played: &mut Played) -> Option<Self> {
        let mut scripted = None;
        let backend = match (voice, &case.scenario.model) {
            (Voice::Backend(backend), _) => backend.clone(),
            (Voice::Missing(why), _) => {
                played.error = Some(why.clone());
                return None;
            }
            (Voice::AsWritten, Model::Offline(_)) => Backend::Offline,
            (Voice::AsWritten, Model::Scripted(_)) => {
                Backend::Scripted(Arc::clone(scripted.insert(Arc::new(ScriptedModel::default()))))
            }
            (Voice::AsWritten, Model::Recorded(_) | Model::Live(_)) => {
                played.error = Some("this scenario needs an endpoint or a recording".to_owned());
                return None;
            }
        };
        let with = Rehearsed { backend, handoff: case.handoff.clone(), cap_usd: case.scenario.cap_usd };
        let (session, rehearsal) = match rehearse(engine, with) {
            Ok(opened) => opened,
            Err(fault) => {
                played.error = Some(format!("the opening cannot be written: {fault}"));
                return None;
            }
        };
        let memory = session.read(Session::memory_now).await.ok()?;
        Some(Self { session, rehearsal, scripted, engine: Arc::clone(engine), memory })
    }

    /// Plays a turn that is written out.
    async fn say(
        &mut self,
        case: &Case,
        turn: &Turn,
        on_turn: OnTurn<'_>,
        played: &mut Played,
    ) -> Option<Arc<TurnDone>> {
        let utterance = spoken(case, turn);
        if let Some(model) = &self.scripted {
            model.says(script(turn, &utterance));
        }
        let reported = turn.tasks.iter().map(|news| reported(news, &self.engine, &self.memory));
        self.rehearsal.tell(reported.collect());
        self.turn(utterance.message, on_turn, played).await
    }

    async fn turn(&mut self, message: String, on_turn: OnTurn<'_>, played: &mut Played) -> Option<Arc<TurnDone>> {
        match self.session.say(message).await {
            Ok(done) => {
                played.turns += 1;
                on_turn(&self.memory.phase.current, &done);
                self.memory = Arc::clone(&done.memory);
                Some(done)
            }
            Err(refused) => {
                played.error = Some(format!("turn {}: {refused}", self.memory.turn + 1));
                played.unreached = matches!(refused, Refused::Turn(TurnFailure::Endpoint(_)));
                None
            }
        }
    }

    /// Holds the end against what is expected of it.
    async fn conclude(&self, case: &Case, last: Option<&TurnDone>, played: &mut Played) {
        if let Some(done) = last {
            self.judge(case, &case.scenario.expect, done, played).await;
        }
    }

    /// Holds what the last turn led to against what is expected of it.
    async fn judge(&self, case: &Case, expect: &Expectations, done: &TurnDone, played: &mut Played) {
        let judged = Judged { case, memory: &done.memory, figures: &done.figures };
        played.failures.extend(judge(expect, &judged));
        if expect.frames.is_empty() {
            return;
        }
        let Ok(snapshot) = self.session.read(Session::snapshot).await else { return };
        let (drawn, failures) = judge_frames(expect, &Scene { case, snapshot, figures: &done.figures });
        played.frames.extend(drawn);
        played.failures.extend(failures);
    }
}

/// What the scripted model says in a turn that is written out.
fn script(turn: &Turn, utterance: &Utterance) -> Script {
    let signals = json!({
        "trust": turn.signals.trust,
        "rapport": turn.signals.rapport,
        "friction": turn.signals.friction,
        "intents": turn.signals.intents,
        "techniques_used": turn.signals.techniques_used,
    });
    let readings = turn.readings.iter().map(|reading| {
        let quote = reading.quote.as_deref().unwrap_or(&utterance.message);
        found(&reading.path, &reading.value, reading.confidence, quote)
    });
    let readings: Vec<Value> = readings.collect();
    Script { analysis: analysis(utterance, &readings, &signals), answer: turn.answer.clone() }
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
pub(super) fn failed(engine: &Engine, orders: Vec<TaskRecord>) -> Vec<TaskRecord> {
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
