//! Takes up a handoff at the beginning of a session: what it says is known, and is not asked again.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Handoff;
use crate::engine::Engine;
use crate::engine::config::{Field, Kind};
use crate::engine::extraction::{LogEntry, Merger};
use crate::engine::memory::{InboundHandoff, WorkingMemory};
use crate::engine::transcript::Transcript;
use crate::engine::{completeness, obligations};

/// The parts of a handoff that templates and expressions see.
pub const SUMMARY: &[&str] =
    &["source", "reason", "decisions", "eliminated", "constraints", "gaps", "goals", "pains", "experience", "by_field"];

/// A handoff as templates and expressions see it: lists of texts.
pub fn summary(handoff: &Handoff) -> Value {
    let (actions, situation) = (&handoff.action_list, &handoff.situation_awareness);
    json!({
        "source": handoff.metadata.source_engine_id,
        "reason": handoff.metadata.transition_reason,
        "decisions": actions.decisions_reached.iter().map(|d| &d.decision).collect::<Vec<_>>(),
        "eliminated": actions.options_eliminated.iter().map(|o| &o.option).collect::<Vec<_>>(),
        "constraints": actions.constraints_identified.iter().map(|c| &c.constraint).collect::<Vec<_>>(),
        "gaps": situation.knowledge_gaps_revealed,
        "goals": situation.user_goals,
        "pains": situation.key_pain_points,
        "experience": handoff.accumulated_context.prior_experience,
    })
}

/// The constraints of a handoff by the field that each is about. What the cues of no field clearly lead to is about none:
/// "usable by people without training" is neither a date nor a team.
fn by_field(engine: &Engine, handoff: &Handoff) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for constraint in &handoff.action_list.constraints_identified {
        if let Some(path) = engine.reader().field_of(&constraint.constraint) {
            found.entry(path).or_default().push(unlabelled(&constraint.constraint).to_owned());
        }
    }
    found
}

/// A text without the word that says what it is: "Budget: 5,000" is 5,000 under the name of the field.
fn unlabelled(text: &str) -> &str {
    match text.split_once(": ") {
        Some((label, rest)) if !label.contains(' ') && !rest.trim().is_empty() => rest.trim(),
        _ => text,
    }
}

/// What a list takes from a text: its parts, which stand between semicolons.
fn as_list(field: &Field, value: Value) -> Value {
    match &value {
        Value::String(text) if field.shape.r#type == Kind::Array => {
            text.split(';').map(str::trim).filter(|part| !part.is_empty()).collect()
        }
        _ => value,
    }
}

/// Puts a handoff at the top of a fresh memory, and fills the fields that the engine takes from it. Returns the
/// extractions log's first entries.
pub fn receive(engine: &Engine, memory: &mut WorkingMemory, handoff: Handoff) -> Vec<LogEntry> {
    let source = handoff.metadata.source_engine_id.clone();
    memory.inbound_handoff = Some(InboundHandoff {
        by_field: by_field(engine, &handoff),
        handoff,
        verification: None,
        unacknowledged: Vec::new(),
        reminders_left: 0,
    });
    let view = engine.view(memory);
    let transcript = Transcript::default();
    let mut merger = Merger::new(engine, &transcript, "", memory.turn);
    for field in engine.definition().fields.iter() {
        let Some(expr) = &field.from_handoff else { continue };
        // An expression that fails leaves its field to be asked for, like any other.
        let Ok(value) = engine.program().evaluate(&expr.0.text, &view) else { continue };
        if value.is_true()
            && let Ok(value) = serde_json::to_value(&value)
        {
            merger.inherit(memory, field, &as_list(field, value), &source);
        }
    }
    let log = merger.changes.iter().map(|change| LogEntry::of(change, memory.turn)).collect();
    obligations::refresh(engine, memory);
    (memory.completeness, _) = completeness::evaluate(engine, memory);
    log
}
