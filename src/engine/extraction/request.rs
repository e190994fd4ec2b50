//! What a model is asked when a message is analysed: which fields, with what instructions, on what material.

use std::fmt::Write as _;

use super::slice::MAX_SLICE;
use crate::engine::Engine;
use crate::engine::config::{Field, Scheduler};
use crate::engine::memory::{FieldState, WorkingMemory};
use crate::engine::tokens;
use crate::engine::transcript::{Role, Transcript};
use crate::engine::values::brief_text;

/// How much one analysis may be shown. Where an endpoint cannot take that much, it is tried with less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Fields to look for.
    pub fields: usize,
    /// Tokens of the user's message.
    pub message: u32,
    /// Tokens of the last answer.
    pub last_answer: u32,
    /// Tokens of each known value.
    pub value: u32,
}

impl Room {
    /// All there is to show, or a share of it.
    pub fn share(share: f64) -> Self {
        let part = |most: u32| (f64::from(most) * share) as u32;
        Self {
            fields: ((MAX_SLICE as f64 * share) as usize).max(1),
            message: part(6_000),
            last_answer: part(600),
            value: part(60),
        }
    }
}

/// What the model is told.
pub fn instructions(engine: &Engine, fields: &[&Field]) -> String {
    let definition = engine.definition();
    let mut out = String::from(
        "You read one message of a conversation and report what it says, as JSON. You do not take part in the \
         conversation and you do not guess.\n\
         For each field that the message says something about, add an entry to `fields`: its path, the value, your \
         confidence from 0 to 1, the shortest quote from the user's message that proves it (copied letter by letter), \
         and one sentence of reasoning. Leave out fields that the message says nothing about. When the user takes \
         something back without saying what holds instead, give null as the value and quote them.\n\
         In `signals`, rate trust, rapport and friction as the message shows them. Most messages show nothing: then \
         trust is 0.5, rapport 0.5, friction 0, and `intents` is []. List an intent only when the user says so \
         outright.\n\nFields:\n",
    );
    for field in fields {
        let _ = write!(out, "- {} ({}", field.path, field.shape.r#type);
        if !field.shape.options.is_empty() {
            let _ = write!(out, ": {}", field.shape.options.join(" | "));
        }
        let _ = writeln!(out, "): {}", field.description.trim());
    }
    out.push_str("\nIntents:\n");
    for intent in &definition.intents {
        let _ = writeln!(out, "- {}: {}", intent.id, intent.description.trim());
    }
    out.push_str("- does_not_know: the user says they do not know what was asked\n");
    out.push_str("- declines_to_say: the user does not want to answer what was asked\n");
    if definition.techniques.scheduler == Scheduler::LlmDriven {
        out.push_str("\nTechniques, to be listed in `techniques_used` when the last answer used them:\n");
        for technique in engine.techniques() {
            let _ = writeln!(out, "- {}: {}", technique.id, technique.description.trim());
        }
    }
    out
}

/// What the model is shown.
pub fn material(
    engine: &Engine,
    memory: &WorkingMemory,
    transcript: &Transcript,
    fields: &[&Field],
    message: &str,
    room: Room,
) -> String {
    let mut out = String::new();
    let known = fields.iter().filter_map(|field| Some((field, memory.extraction.get(&field.path)?)));
    for (at, (field, extracted)) in known.enumerate() {
        if at == 0 {
            out.push_str("Known so far:\n");
        }
        let value = match (extracted.state, &extracted.value, &extracted.candidate) {
            (FieldState::Known, Some(value), _) => brief_text(value),
            (FieldState::Stale, Some(value), _) => format!("{} (in doubt)", brief_text(value)),
            (_, _, Some(candidate)) => format!("{} (not sure)", brief_text(&candidate.value)),
            _ => continue,
        };
        let _ = writeln!(out, "- {}: {}", field.path, tokens::cut(&value, room.value));
    }
    let last = transcript.messages().iter().rev().find(|message| message.role == Role::Assistant);
    if let Some(last) = last {
        let _ = writeln!(out, "\nThe engine had said:\n{}", tokens::cut(&last.text, room.last_answer));
    }
    if !memory.asked.is_empty() {
        let paths = memory.asked.iter().flat_map(|asked| engine.fields_of(&asked.obligation));
        let paths: Vec<&str> = paths.map(String::as_str).collect();
        if !paths.is_empty() {
            let _ = writeln!(out, "\nIt had asked for: {}", paths.join(", "));
        }
    }
    let _ = write!(out, "\nThe user's message:\n{}", tokens::cut(message, room.message));
    out
}
