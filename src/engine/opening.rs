//! What the engine says first: what this is, how long it takes, and the first question.

use std::sync::Arc;

use serde_json::json;

use super::brief::engine_name;
use super::config::Definition;
use super::expression::{Fault, MemoryView, Program, from_json};
use super::handoff::summary;
use super::memory::WorkingMemory;
use super::{Engine, obligations};

/// The first words of a session, and the obligations they ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The text.
    pub text: String,
    /// Obligations asked for.
    pub asks: Vec<String>,
}

/// Opens a session.
pub fn open(engine: &Engine, memory: &WorkingMemory) -> Result<Opening, Fault> {
    let text = render(engine.program(), engine.shared_definition(), memory)?;
    let asks = first(engine.definition(), memory).into_iter().map(|(id, _)| id).collect();
    Ok(Opening { text, asks })
}

/// Fills in the opening of an engine.
pub fn render(program: &Program, definition: &Arc<Definition>, memory: &WorkingMemory) -> Result<String, Fault> {
    let question = first(definition, memory).map_or(String::new(), |(_, question)| question);
    let handoff = memory.inbound_handoff.as_ref().map(|inbound| summary(&inbound.handoff));
    let mut names = engine_name(definition);
    names.insert("first_question", question.into());
    names.insert("handoff", from_json(&json!(handoff)));
    let view = MemoryView::with(definition, memory, names);
    program.render(&definition.opening.text, &view).map(|text| text.trim().to_owned())
}

fn first(definition: &Definition, memory: &WorkingMemory) -> Option<(String, String)> {
    let first = obligations::open_in_phase(definition, memory).into_iter().next()?;
    Some((first.id.to_string(), first.question.clone()))
}
