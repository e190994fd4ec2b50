//! What a model is asked when a message is analysed: which fields, with what instructions, on what material.

use std::fmt::Write as _;

use crate::engine::Engine;
use crate::engine::config::{Field, Scheduler};
use crate::engine::memory::{FieldState, WorkingMemory};
use crate::engine::transcript::{Role, Transcript};
use crate::engine::values::brief_text;
use crate::engine::{tokens, words};

/// The most fields one analysis looks for: more in one call, and every model starts to fail.
pub const MAX_SLICE: usize = 40;
/// Tokens of the message that are shown to the model.
const MAX_MESSAGE: u32 = 6_000;

/// The fields to look for: all, when they are few; else those asked for, those of this phase, those already known
/// (they may be corrected), and those of the next phases, as far as there is room.
pub fn slice<'a>(engine: &'a Engine, memory: &WorkingMemory) -> Vec<&'a Field> {
    let definition = engine.definition();
    if definition.fields.len() <= MAX_SLICE {
        return definition.fields.iter().collect();
    }
    let phase = engine.current_phase(memory);
    let rank = |field: &Field| -> u32 {
        let about = |id: &str| engine.fields_of(id).iter().any(|path| **path == *field.path);
        let obligations = || definition.obligations.iter().filter(|o| about(&o.id));
        if obligations().any(|o| memory.asked.iter().any(|asked| *asked.obligation == *o.id)) {
            return 0;
        }
        if obligations().any(|o| phase.covers.contains(&o.category)) {
            return 1;
        }
        if memory.extraction.get(&field.path).is_some() {
            return 2;
        }
        let later = definition.phases.iter().filter(|other| *other.order > *phase.order);
        let next = later.filter(|other| obligations().any(|o| other.covers.contains(&o.category)));
        next.map(|other| 2 + *other.order - *phase.order).min().unwrap_or(100)
    };
    let mut ranked: Vec<(u32, usize, &Field)> =
        definition.fields.iter().enumerate().map(|(at, field)| (rank(field), at, field)).collect();
    ranked.sort_by_key(|(rank, at, _)| (*rank, *at));
    ranked.truncate(MAX_SLICE);
    // In the order of the file, so that the instructions stay the same as long as the set does.
    ranked.sort_by_key(|(_, at, _)| *at);
    ranked.into_iter().map(|(.., field)| field).collect()
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
        let _ = writeln!(out, "- {}: {}", field.path, tokens::cut(&value, 60));
    }
    let last = transcript.messages().iter().rev().find(|message| message.role == Role::Assistant);
    if let Some(last) = last {
        let _ = writeln!(out, "\nThe engine had said:\n{}", tokens::cut(&last.text, 600));
    }
    if !memory.asked.is_empty() {
        let paths = memory.asked.iter().flat_map(|asked| engine.fields_of(&asked.obligation));
        let paths: Vec<&str> = paths.map(String::as_str).collect();
        if !paths.is_empty() {
            let _ = writeln!(out, "\nIt had asked for: {}", paths.join(", "));
        }
    }
    let _ = write!(out, "\nThe user's message:\n{}", tokens::cut(message, MAX_MESSAGE));
    out
}

/// Whether a text shows an intent, by the phrases its engine gives.
pub fn shows_phrase(message: &str, phrases: &[String]) -> bool {
    let folded = words::Folded::new(message);
    phrases.iter().any(|phrase| folded.find(&words::Folded::new(phrase)).is_some())
}
