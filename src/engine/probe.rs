//! Memories made up to try an engine's expressions and templates on: one that knows nothing, one that knows everything.

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::brief::Heading;
use super::config::{Definition, Kind, Shape};
use super::handoff::{Constraint, Decision, Handoff};
use super::memory::{Evidence, FieldState, InboundHandoff, Status, Superseded, TaskRecord, TaskStatus, WorkingMemory};

/// A memory that knows nothing, and one that knows everything.
pub(crate) fn memories(definition: &Definition) -> (WorkingMemory, WorkingMemory) {
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
        full.background_tasks.put(TaskRecord {
            status: TaskStatus::Completed,
            attempts: 1,
            result: Some(Value::Object(result(definition, &task.handler))),
            ..TaskRecord::ordered(task, 2, String::new())
        });
    }
    full.intents = definition.intents.iter().map(|intent| (intent.id.to_string(), 4)).collect();
    full.completeness.overall = 1.0;
    full.completeness.is_ready = true;
    full.completeness.by_category =
        definition.categories.iter().map(|c| (c.id.to_string(), 1.0)).collect::<IndexMap<_, _>>();
    full.inbound_handoff = Some(inbound());
    (empty, full)
}

/// More memories that know everything, but other things: a condition that holds on none of them hardly ever holds.
pub fn further<'m>(
    definition: &'m Definition,
    full: &'m WorkingMemory,
) -> impl Iterator<Item = WorkingMemory> + use<'m> {
    (0..FURTHER).map(move |variant| {
        let mut memory = full.clone();
        memory.turn = 40;
        memory.phase.turns_in_phase = 20;
        if let Some(phase) = definition.phases.get(variant % definition.phases.len().max(1)) {
            memory.phase.current = phase.id.to_string();
        }
        for field in definition.fields.iter() {
            let entry = memory.extraction.entry(&field.path);
            entry.value = Some(sample_of(&field.shape, variant));
            entry.confidence = 1.0;
        }
        memory
    })
}

/// Memories that know a single one of these fields.
pub fn single<'m>(
    definition: &'m Definition,
    empty: &'m WorkingMemory,
    paths: &'m [String],
) -> impl Iterator<Item = WorkingMemory> + 'm {
    let fields = definition.fields.iter().filter(|field| paths.iter().any(|path| **path == *field.path));
    fields.flat_map(move |field| {
        (0..FURTHER).map(move |variant| {
            let mut memory = empty.clone();
            let entry = memory.extraction.entry(&field.path);
            entry.state = FieldState::Known;
            entry.value = Some(sample_of(&field.shape, variant));
            entry.confidence = 0.9;
            memory
        })
    })
}

/// How many memories are tried: more than any closed set in practice has options.
const FURTHER: usize = 16;

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
    InboundHandoff {
        handoff,
        verification: None,
        unacknowledged: Vec::new(),
        reminders_left: 0,
        by_field: std::collections::BTreeMap::new(),
    }
}

/// A made-up session for a brief.
pub fn session() -> Heading {
    Heading { title: "A trial".to_owned(), date: "2026-01-01".to_owned(), project: None }
}

fn result(definition: &Definition, handler: &str) -> serde_json::Map<String, Value> {
    let output = definition.handlers.get(handler).map(|handler| handler.value.declared().output());
    output.into_iter().flatten().map(|(name, shape)| (name.clone(), sample(&shape.value))).collect()
}

/// Some value of a shape.
pub fn sample(shape: &Shape) -> Value {
    sample_of(shape, 0)
}

/// One of several values of a shape.
fn sample_of(shape: &Shape, variant: usize) -> Value {
    value_of(shape, variant, false)
}

/// How many elements a made-up list has: enough for conditions that count them, and few in a list that is itself an
/// element, since lists in lists multiply.
fn elements(variant: usize, within_list: bool) -> usize {
    match (variant, within_list) {
        (0, _) => 1,
        (_, false) => 12,
        (_, true) => 2,
    }
}

/// How many single values the largest made-up value of a shape has.
pub(crate) fn filled(shape: &Shape) -> usize {
    fn count(shape: &Shape, within_list: bool) -> usize {
        match shape.r#type {
            Kind::String | Kind::Number | Kind::Boolean | Kind::Enum => 1,
            Kind::Array => {
                let item = shape.items.as_ref().map_or(1, |items| count(items, true));
                item.saturating_mul(elements(1, within_list)).saturating_add(1)
            }
            Kind::Object => {
                let parts = shape.properties.values().map(|part| count(part, within_list));
                parts.fold(1, usize::saturating_add)
            }
        }
    }
    count(shape, false)
}

fn value_of(shape: &Shape, variant: usize, within_list: bool) -> Value {
    match shape.r#type {
        Kind::String => json!("words"),
        Kind::Number => json!([3, 0, 1, 5, 10, 100, 10_000, 1_000_000][variant % 8]),
        Kind::Boolean => json!(variant.is_multiple_of(2)),
        Kind::Enum => {
            let option = shape.options.get(variant % shape.options.len().max(1));
            option.map_or(Value::Null, |option| json!(option))
        }
        Kind::Array => {
            let item = shape.items.as_ref().map_or(Value::Null, |items| value_of(items, variant, true));
            Value::Array(vec![item; elements(variant, within_list)])
        }
        Kind::Object => Value::Object(
            shape
                .properties
                .iter()
                .map(|(name, part)| (name.clone(), value_of(&part.value, variant, within_list)))
                .collect(),
        ),
    }
}
