//! Every way between the shipped engines builds a valid handoff from a full memory, and arrives.

use elenchus::engine::config::{Kind, Shape};
use elenchus::engine::handoff::{Handoff, build, format_for_context, receive, validate};
use elenchus::engine::memory::{FieldState, WorkingMemory};
use elenchus::engine::{Engine, completeness, obligations, opening};
use pretty_assertions::assert_eq;
use serde_json::{Map, Value, json};

use crate::engine::support::shipped;

fn value(shape: &Shape, name: &str) -> Value {
    match shape.r#type {
        Kind::String => json!(format!("settled matters of {name}")),
        Kind::Number => json!(12),
        Kind::Boolean => json!(true),
        Kind::Enum => json!(shape.options[0]),
        Kind::Array => json!([value(shape.items.as_ref().expect("arrays have items"), name)]),
        Kind::Object => {
            let parts = shape.properties.iter().map(|(key, part)| (key.clone(), value(&part.value, name)));
            Value::Object(parts.collect::<Map<_, _>>())
        }
    }
}

/// A memory in which every field is known.
fn full(engine: &Engine) -> WorkingMemory {
    let mut memory = WorkingMemory::new(engine.definition());
    memory.turn = 20;
    for field in engine.definition().fields.iter() {
        let entry = memory.extraction.entry(&field.path);
        entry.state = FieldState::Known;
        entry.value = Some(value(&field.shape, &field.name.to_lowercase()));
        entry.confidence = 0.9;
        entry.touch(7);
    }
    obligations::refresh(engine, &mut memory);
    (memory.completeness, _) = completeness::evaluate(engine, &memory);
    memory
}

fn handoff(from: &str, to: &str) -> Handoff {
    let engine = shipped(from);
    let exit = engine.definition().exit_transitions.iter().find(|exit| *exit.to == *to).expect("there is a way");
    let (handoff, faults) = build(&engine, &full(&engine), exit);
    assert!(faults.is_empty(), "{from} to {to}: {faults:?}");
    handoff
}

#[test]
fn every_pair_builds_a_valid_handoff_that_its_target_takes_up() {
    let pairs = [
        ("exploration", "project-discovery"),
        ("project-discovery", "exploration"),
        ("ideation", "exploration"),
        ("business-profile", "ideation"),
        ("project-discovery", "feature-prioritization"),
    ];
    for (from, to) in pairs {
        let handed = handoff(from, to);
        assert_eq!(validate(&handed), [""; 0], "{from} to {to}");
        assert!(!handed.action_list.decisions_reached.is_empty(), "{from} to {to}");
        let text = format_for_context(&handed);
        let target = shipped(to);
        let opening =
            opening::begin(&target, Some(handed.clone()), None).expect("the opening can be written").first.text;
        for decision in &handed.action_list.decisions_reached {
            assert!(text.contains(&decision.decision), "{from} to {to}: {text}");
            assert!(opening.contains(&decision.decision), "{from} to {to}: {opening}");
        }
    }
}

#[test]
fn what_was_handed_over_is_known_with_its_source_and_not_asked_again() {
    let mut handed = handoff("exploration", "project-discovery");
    let limits = ["The budget is 5000 euros", "It has to run before the holidays"];
    handed.action_list.constraints_identified =
        limits.map(|limit| serde_json::from_value(json!({ "constraint": limit })).expect("a constraint")).to_vec();
    let target = shipped("project-discovery");
    let mut memory = WorkingMemory::new(target.definition());
    let log = receive(&target, &mut memory, handed);
    assert_eq!(memory.extraction.value("constraints.budget"), Some(&json!("The budget is 5000 euros")));
    assert_eq!(memory.extraction.value("constraints.deadline"), Some(&json!("It has to run before the holidays")));
    assert!(memory.extraction.is_known("constraints.fixed_decisions"));
    assert_eq!(memory.obligations.status("budget_known").word(), "satisfied");
    for (path, obligation) in [
        ("purpose_and_problem.summary", "project_summarised"),
        ("purpose_and_problem.core_problem", "core_problem_stated"),
        ("success_criteria.desired_outcome", "desired_outcome_known"),
    ] {
        assert!(memory.extraction.is_known(path), "{path}");
        assert_eq!(memory.obligations.status(obligation).word(), "satisfied", "{obligation}");
    }
    assert_eq!(log.len(), 6);
    assert!(log.iter().all(|entry| entry.reasoning == "handed over from exploration"), "{log:?}");
}

#[test]
fn limits_that_are_no_date_and_no_team_become_neither() {
    let mut handed = handoff("exploration", "project-discovery");
    let limits = ["It must be usable by people without training", "The board decides by Friday"];
    handed.action_list.constraints_identified =
        limits.map(|limit| serde_json::from_value(json!({ "constraint": limit })).expect("a constraint")).to_vec();
    let target = shipped("project-discovery");
    let mut memory = WorkingMemory::new(target.definition());
    receive(&target, &mut memory, handed);
    for path in ["constraints.deadline", "constraints.team", "constraints.budget"] {
        assert!(!memory.extraction.is_known(path), "{path}: {:?}", memory.extraction.value(path));
    }
}

#[test]
fn the_features_are_ordered_by_the_goal_people_and_date_of_the_project() {
    let mut handed = handoff("project-discovery", "feature-prioritization");
    let limits = ["Budget: 40,000 euros", "Deadline: before the autumn", "People: two developers"];
    handed.action_list.constraints_identified =
        limits.map(|limit| serde_json::from_value(json!({ "constraint": limit })).expect("a constraint")).to_vec();
    let target = shipped("feature-prioritization");
    let mut memory = WorkingMemory::new(target.definition());
    receive(&target, &mut memory, handed);
    assert_eq!(memory.extraction.value("frame.period"), Some(&json!("before the autumn")));
    assert_eq!(memory.extraction.value("effort.capacity"), Some(&json!("two developers")));
    assert!(memory.extraction.is_known("frame.goal") && memory.extraction.is_known("prioritization.not_now"));
}
