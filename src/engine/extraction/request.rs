//! What a model is asked when a message is analysed: which fields, with what instructions, and what was asked before.

use std::fmt::Write as _;

use super::slice::MAX_SLICE;
use crate::engine::Engine;
use crate::engine::config::{Field, Kind, Scheduler};
use crate::engine::context::preamble::catalogue;
use crate::engine::memory::WorkingMemory;

/// How much one analysis may be shown. Where an endpoint cannot take that much, it is tried with less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// Fields to look for.
    pub fields: usize,
    /// Tokens of the user's message.
    pub message: u32,
    /// The share of the window that the conversation before it may take.
    pub window: f64,
}

impl Room {
    /// All there is to show, or a share of it.
    pub fn share(share: f64) -> Self {
        Self { fields: ((MAX_SLICE as f64 * share) as usize).max(1), message: (6_000.0 * share) as u32, window: share }
    }
}

/// What the model is told; the same as long as the fields are. What each field is about stands in the preamble, unless
/// the engine has too many for one analysis.
pub fn instructions(engine: &Engine, fields: &[&Field]) -> String {
    let definition = engine.definition();
    let mut out = String::from(
        "Do not answer. Report as JSON only what the user's last message says.\n\
         `fields`: an entry for each field it says something new about or changes; none for a greeting, many for a \
         paste; one for each element of a list, all with its path. `quote`: the shortest words that prove it, letter by \
         letter. `value`: what they say, as text; numbers as digits, yes or no as true or false, options by name; null \
         if taken back. `confidence`: 1 said outright, 0.7 meant, 0.4 hinted at.\n",
    );
    if fields.iter().any(|field| is_record(field)) {
        out.push_str("For a field of records, `value` is `name: …; other part: …` with the parts that were said.\n");
    }
    out.push_str(
        "`signals`: trust, rapport, friction as the message shows them; most show nothing: 0.5, 0.5, 0. `intents`: \
         what the user says outright of these, else none:\n",
    );
    for intent in &definition.intents {
        let _ = writeln!(out, "- {}: {}", intent.id, intent.description.trim());
    }
    out.push_str("- does_not_know: they do not know what was asked\n");
    out.push_str("- declines_to_say: they do not want to answer it\n");
    if definition.techniques.scheduler == Scheduler::LlmDriven {
        out.push_str("Techniques, to be listed in `techniques_used` when your last answer used them:\n");
        for technique in engine.techniques() {
            let _ = writeln!(out, "- {}: {}", technique.id, technique.description.trim());
        }
    }
    if definition.fields.len() > MAX_SLICE {
        let _ = write!(out, "Fields:\n{}", catalogue(fields));
    }
    out
}

/// What a small model is told: one rule, its fields, one example.
pub(super) fn short_instructions(fields: &[&Field]) -> String {
    format!(
        "Do not answer. Write as JSON what the message above says about these fields; leave out every field that it says \
         nothing about.\n{}`quote` is copied from the message, `value` is what it says.\n\
         Example: for “We open at 8, my wife does the books.” and a field `hours.opening`: \
         {{\"fields\": [{{\"path\": \"hours.opening\", \"quote\": \"We open at 8\", \"value\": \"8\"}}]}}\n\
         Where it says nothing about them: {{\"fields\": []}}\n",
        catalogue(fields)
    )
}

/// Whether a field holds records.
fn is_record(field: &Field) -> bool {
    let shape = &field.shape;
    shape.r#type == Kind::Object || shape.items.as_ref().is_some_and(|items| items.r#type == Kind::Object)
}

/// What the model is told of this message beyond what it sees.
pub fn material(engine: &Engine, memory: &WorkingMemory) -> String {
    let mut out = String::new();
    let paths = memory.asked.iter().flat_map(|asked| engine.fields_of(&asked.obligation));
    let paths: Vec<&str> = paths.map(String::as_str).collect();
    if !paths.is_empty() {
        let _ = writeln!(out, "You had asked for: {}", paths.join(", "));
    }
    match memory.unread.map(|since| memory.turn.saturating_sub(since)) {
        None => {}
        Some(0 | 1) => {
            out.push_str("Their message before this one was not reported on yet: report what it says, too.\n");
        }
        Some(count) => {
            let _ = writeln!(
                out,
                "Their {count} messages before this one were not reported on yet: report what they say, too."
            );
        }
    }
    out.trim_end().to_owned()
}
