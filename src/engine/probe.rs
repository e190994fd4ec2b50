//! Memories made up to try an engine's expressions and templates on: one that knows nothing, one that knows everything.

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::brief::Session;
use super::config::{Definition, Kind, Shape};
use super::handoff::{Constraint, Decision, Handoff};
use super::memory::{Evidence, FieldState, InboundHandoff, Status, Superseded, TaskRecord, TaskStatus, WorkingMemory};

/// A memory that knows nothing, and one that knows everything.
pub fn memories(definition: &Definition) -> (WorkingMemory, WorkingMemory) {
    let empty = WorkingMemory::new(definition);
    let mut full = empty.clone();
    full.turn = 9;
    for field in definition.fields.iter() {
        let entry = full.extraction.entry(&field.path);
        entry.state = FieldState::Known;
        entry.value = Some(sample(&field.shape));
        entry.confidence = 0.9;
        entry.touch(3);
        entry.evidence = Some(Evidence { turn: 3, start: 0, end: 5, quote: "words".to_owned() });
        entry.superseded =
            vec![Superseded { value: sample(&field.shape), from_turn: 1, at_turn: 3, reason: "changed".to_owned() }];
    }
    for obligation in definition.obligations.iter() {
        if let Some(state) = full.obligations.get_mut(&obligation.id) {
            state.status = Status::Satisfied;
            state.confidence = 0.9;
        }
    }
    for task in &definition.background_tasks {
        let record = TaskRecord {
            status: TaskStatus::Completed,
            since_turn: 2,
            attempts: 1,
            result: Some(Value::Object(result(definition, &task.handler))),
            note: None,
        };
        full.background_tasks.put(&task.id, record);
    }
    full.intents = definition.intents.iter().map(|intent| (intent.id.to_string(), 4)).collect();
    full.completeness.overall = 1.0;
    full.completeness.is_ready = true;
    full.completeness.by_category =
        definition.categories.iter().map(|c| (c.id.to_string(), 1.0)).collect::<IndexMap<_, _>>();
    full.inbound_handoff = Some(inbound());
    (empty, full)
}

fn inbound() -> InboundHandoff {
    let text = |text: &str| text.to_owned();
    let mut handoff = Handoff::default();
    handoff.metadata.source_engine_id = text("another");
    handoff.metadata.transition_reason = text("the groundwork is done");
    handoff.action_list.decisions_reached =
        vec![Decision { decision: text("a decision"), confidence: 0.8, reasoning: text("for a good reason") }];
    handoff.action_list.constraints_identified =
        vec![Constraint { constraint: text("a constraint"), implication: text("what follows") }];
    handoff.situation_awareness.knowledge_gaps_revealed = vec![text("a gap")];
    InboundHandoff { handoff, verification: None, unacknowledged: Vec::new(), reminders_left: 0 }
}

/// A made-up session for a brief.
pub fn session() -> Session {
    Session { title: "A trial".to_owned(), date: "2026-01-01".to_owned(), project: None }
}

fn result(definition: &Definition, handler: &str) -> serde_json::Map<String, Value> {
    match definition.handlers.get(handler).map(|handler| &handler.value) {
        Some(super::config::Handler::Llm(llm)) => {
            llm.output.iter().map(|(name, shape)| (name.clone(), sample(&shape.value))).collect()
        }
        _ => serde_json::Map::new(),
    }
}

/// Some value of a shape.
pub fn sample(shape: &Shape) -> Value {
    match shape.r#type {
        Kind::String => json!("words"),
        Kind::Number => json!(3),
        Kind::Boolean => json!(true),
        Kind::Enum => shape.options.first().map_or(Value::Null, |option| json!(option)),
        Kind::Array => json!([shape.items.as_ref().map_or(Value::Null, |items| sample(items))]),
        Kind::Object => {
            Value::Object(shape.properties.iter().map(|(name, part)| (name.clone(), sample(&part.value))).collect())
        }
    }
}
