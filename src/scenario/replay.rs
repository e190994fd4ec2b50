//! Runs the user's turns of a session that was kept through another version of its engine, and tells what would differ.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::outside::{BenchPorts, Script};
use crate::engine::memory::{Asked, WorkingMemory};
use crate::engine::transcript::{Message, Role, Transcript};
use crate::engine::turn::{TurnInput, run_turn};
use crate::engine::values::{brief_text, same};
use crate::engine::{Engine, opening};
use crate::runtime::Backend;

/// A turn of a session that was kept.
#[derive(Clone, Debug)]
pub struct StoredTurn {
    /// What the user said.
    pub message: String,
    /// What was answered.
    pub answer: String,
    /// What was found in it, as an analysis says it.
    pub readings: Vec<Value>,
    /// Intents that the analysis reported.
    pub intents: Vec<String>,
    /// Fields that the user set by hand after it.
    pub edited: Vec<String>,
    /// The memory after it.
    pub memory: WorkingMemory,
}

/// What would differ after a turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnDifference {
    /// The turn.
    pub turn: u32,
    /// What the user said.
    pub message: String,
    /// Each difference: what, how it was, how it would be.
    pub differences: Vec<(String, String, String)>,
}

/// Replays turns on an engine; an error names the turn that could not be run.
pub async fn replay(turns: &[StoredTurn], engine: &Arc<Engine>) -> Result<Vec<TurnDifference>, String> {
    let mut memory = WorkingMemory::new(engine.definition());
    let opened = opening::open(engine, &memory).map_err(|fault| format!("the opening cannot be written: {fault}"))?;
    for id in &opened.asks {
        if let Some(state) = memory.obligations.get_mut(id) {
            (state.times_asked, state.last_asked) = (1, Some(0));
        }
    }
    memory.asked = opened.asks.into_iter().map(|obligation| Asked { obligation, to_confirm: Vec::new() }).collect();
    let mut transcript = Transcript::from_messages([Message::new(0, Role::Assistant, opened.text)]);
    let mut found = Vec::new();
    for stored in turns {
        let signals = json!({ "intents": stored.intents });
        let analysis = json!({ "fields": stored.readings, "signals": signals }).to_string();
        let mut ports = BenchPorts::new(&Backend::Offline, &memory, Some(Script { analysis, answer: None }));
        let input = TurnInput::saying(stored.message.as_str());
        let outcome = run_turn(engine, &memory, &transcript, &input, &mut ports)
            .await
            .map_err(|error| format!("turn {}: {error}", stored.memory.turn))?;
        transcript.push(outcome.message.clone());
        transcript.push(outcome.answer.clone());
        memory = outcome.memory;
        found.push(TurnDifference {
            turn: stored.memory.turn,
            message: stored.message.clone(),
            differences: differences(&stored.memory, &memory),
        });
    }
    Ok(found)
}

/// How two memories of the same turn differ.
fn differences(was: &WorkingMemory, would: &WorkingMemory) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    let mut note = |what: String, was: String, would: String| {
        if was != would {
            found.push((what, was, would));
        }
    };
    note("phase".to_owned(), was.phase.current.clone(), would.phase.current.clone());
    let percent = |memory: &WorkingMemory| format!("{:.0} %", memory.completeness.overall * 100.0);
    note("completeness".to_owned(), percent(was), percent(would));
    let asks = |memory: &WorkingMemory| {
        let asked: Vec<&str> = memory.asked.iter().map(|asked| asked.obligation.as_str()).collect();
        asked.join(", ")
    };
    note("asks for".to_owned(), asks(was), asks(would));
    let offer = |memory: &WorkingMemory| memory.exit_offer.as_ref().map_or("none".to_owned(), |o| o.exit_id.clone());
    note("next step".to_owned(), offer(was), offer(would));
    let missing = "not there".to_owned();
    let mut ids: Vec<&str> = was.obligations.iter().chain(would.obligations.iter()).map(|(id, _)| id).collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        let status = |memory: &WorkingMemory| {
            memory.obligations.get(id).map_or(missing.clone(), |state| state.status.to_string())
        };
        note(format!("obligation {id}"), status(was), status(would));
    }
    let mut paths: Vec<&str> = was.extraction.iter().chain(would.extraction.iter()).map(|(path, _)| path).collect();
    paths.sort_unstable();
    paths.dedup();
    for path in paths {
        let (old, new) = (was.extraction.value(path), would.extraction.value(path));
        let alike = match (old, new) {
            (Some(old), Some(new)) => same(old, new),
            (None, None) => true,
            _ => false,
        };
        if !alike {
            let text = |value: Option<&Value>| value.map_or("unknown".to_owned(), brief_text);
            note(format!("field {path}"), text(old), text(new));
        }
    }
    found
}
