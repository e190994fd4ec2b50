//! Takes up a handoff at the beginning of a session: what it says is known, and is not asked again.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Handoff;
use crate::engine::Engine;
use crate::engine::extraction::{LogEntry, Merger};
use crate::engine::memory::{InboundHandoff, WorkingMemory};
use crate::engine::transcript::Transcript;
use crate::engine::{completeness, obligations};

/// The parts of a handoff that templates and expressions see.
pub const SUMMARY: &[&str] =
    &["source", "reason", "decisions", "eliminated", "constraints", "gaps", "goals", "pains", "by_field"];

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
    })
}

/// The constraints of a handoff by the field that each is about. What the cues of no field clearly lead to is about none:
/// "usable by people without training" is neither a date nor a team.
fn by_field(engine: &Engine, handoff: &Handoff) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for constraint in &handoff.action_list.constraints_identified {
        if let Some(path) = engine.reader().field_of(&constraint.constraint) {
            found.entry(path).or_default().push(constraint.constraint.clone());
        }
    }
    found
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
            merger.inherit(memory, field, &value, &source);
        }
    }
    let log = merger.changes.iter().map(|change| LogEntry::of(change, memory.turn)).collect();
    obligations::refresh(engine, memory);
    (memory.completeness, _) = completeness::evaluate(engine, memory);
    log
}
