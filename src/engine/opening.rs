//! What the engine says first: what this is, how long it takes, and the first question.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use super::brief::engine_name;
use super::config::Definition;
use super::expression::{Fault, MemoryView, Program, from_json};
use super::extraction::LogEntry;
use super::handoff::{Handoff, receive, summary};
use super::memory::{Asked, LanguageState, WorkingMemory};
use super::qa::{questions, shared};
use super::transcript::{Message, Role};
use super::words::content_words;
use super::{Engine, obligations};
use crate::words::Language;

/// How much of the first question must stand in the opening for it to be asked.
const ASKED: f64 = 0.5;

/// A session before the user has said anything.
#[derive(Clone, Debug, PartialEq)]
pub struct Begun {
    /// What it knows: what was handed over, and what the first words ask for.
    pub memory: WorkingMemory,
    pub first: Message,
    /// What the handoff brought, for the extractions log.
    pub log: Vec<LogEntry>,
}

/// Begins a session, with what an earlier one hands over if there is one, and in a language if one is given. A language
/// that nothing is known of is none.
pub fn begin(engine: &Engine, handoff: Option<Handoff>, language: Option<&Language>) -> Result<Begun, Fault> {
    let definition = engine.definition();
    let mut memory = WorkingMemory::new(definition);
    let known = |language: &&Language| engine.reader().languages().any(|known| known == language.code);
    if let Some(Language { code, chosen }) = language.filter(known) {
        memory.language = LanguageState::begun_in(code.clone(), *chosen);
    }
    let log = handoff.map(|handoff| receive(engine, &mut memory, handoff)).unwrap_or_default();
    let text = render(engine.program(), engine.shared_definition(), &memory)?;
    // An opening that asks nothing has asked for nothing.
    let plain = |question: &str| text.contains(question);
    let put = |(_, question): &(String, String)| {
        let wanted: BTreeSet<String> = content_words(question).collect();
        questions(&text).iter().any(|asked| shared(&wanted, &content_words(asked).collect()) >= ASKED)
            || plain(question)
    };
    if let Some((obligation, question)) = first(definition, &memory).filter(put) {
        if let Some(state) = memory.obligations.get_mut(&obligation) {
            (state.times_asked, state.last_asked) = (1, Some(0));
        }
        memory.asked = vec![Asked { obligation, sure: plain(&question), ..Asked::default() }];
    }
    Ok(Begun { memory, first: Message::new(0, Role::Assistant, text), log })
}

/// Fills in the opening of an engine.
pub fn render(program: &Program, definition: &Arc<Definition>, memory: &WorkingMemory) -> Result<String, Fault> {
    let question = first(definition, memory).map_or(String::new(), |(_, question)| question);
    let handoff = memory.inbound_handoff.as_ref().map(|inbound| summary(&inbound.handoff));
    let mut names = engine_name(definition, memory.language.current.as_deref());
    names.insert("first_question", question.into());
    names.insert("handoff", from_json(&json!(handoff)));
    let view = MemoryView::with(definition, memory, names);
    let language = memory.language.current.as_deref();
    let other = language.and_then(|id| definition.opening_in.get(id)).map(|opening| &opening.value);
    let opening = other.unwrap_or(&definition.opening);
    program.render(&opening.text, &view).map(|text| text.trim().to_owned())
}

/// The first question, in the language of the session where the engine has it.
fn first(definition: &Definition, memory: &WorkingMemory) -> Option<(String, String)> {
    let first = obligations::open_in_phase(definition, memory).into_iter().next()?;
    let other = memory.language.current.as_deref().and_then(|id| first.question_in.get(id));
    let question = other.map_or(&first.question, |question| &question.value);
    Some((first.id.to_string(), question.clone()))
}
