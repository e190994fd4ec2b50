//! Runs the user's turns of a session that was kept through another version of its engine, and tells what would differ.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::engine::memory::WorkingMemory;
use crate::engine::values::{brief_text, same};
use crate::host::export::StoredTurn;
use crate::host::{Backend, Rehearsed, Script, ScriptedModel, rehearse};

/// What would differ after a turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnDifference {
    pub turn: u32,
    pub message: String,
    /// Each difference: what, how it was, how it would be.
    pub differences: Vec<(String, String, String)>,
}

/// Replays turns on an engine; an error names the turn that could not be run.
pub async fn replay(turns: &[StoredTurn], engine: &Arc<Engine>) -> Result<Vec<TurnDifference>, String> {
    let model = Arc::new(ScriptedModel::default());
    let with = Rehearsed { backend: Backend::Scripted(Arc::clone(&model)), handoff: None, cap_usd: None };
    let (session, _) = rehearse(engine, with).map_err(|fault| format!("the opening cannot be written: {fault}"))?;
    let mut found = Vec::new();
    for stored in turns {
        let signals = json!({ "intents": stored.intents });
        let analysis = json!({ "fields": stored.readings, "signals": signals }).to_string();
        model.says(Script { analysis, answer: None });
        let turn = stored.memory.turn;
        let done = session.say(stored.message.as_str()).await.map_err(|error| format!("turn {turn}: {error}"))?;
        found.push(TurnDifference {
            turn,
            message: stored.message.clone(),
            differences: differences(&stored.memory, &done.memory),
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
