//! Every way between the shipped engines builds a valid handoff from a full memory, and arrives.

use elenchus::engine::config::{Kind, Shape};
use elenchus::engine::handoff::{Handoff, build, format_for_context, preview, receive, validate};
use elenchus::engine::memory::{FieldState, WorkingMemory};
use elenchus::engine::{Engine, completeness, obligations, opening};
use elenchus::words::english;
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

/// Every way between two of the shipped engines.
const PAIRS: [(&str, &str); 8] = [
    ("exploration", "project-discovery"),
    ("project-discovery", "exploration"),
    ("ideation", "exploration"),
    ("ideation", "project-discovery"),
    ("business-profile", "ideation"),
    ("project-discovery", "feature-prioritization"),
    ("feature-prioritization", "project-discovery"),
    ("feature-prioritization", "exploration"),
];

/// What arrives where something was said in one session.
fn arrives(from: &str, to: &str, said: &[(&str, Value)]) -> WorkingMemory {
    let engine = shipped(from);
    let mut memory = WorkingMemory::new(engine.definition());
    for (path, value) in said {
        let entry = memory.extraction.entry(path);
        (entry.state, entry.value, entry.confidence) = (FieldState::Known, Some(value.clone()), 0.9);
    }
    let exit = engine.definition().exit_transitions.iter().find(|exit| *exit.to == *to).expect("there is a way");
    let (handed, faults) = build(&engine, &memory, exit);
    assert!(faults.is_empty(), "{from} to {to}: {faults:?}");
    let target = shipped(to);
    let mut memory = WorkingMemory::new(target.definition());
    receive(&target, &mut memory, handed);
    memory
}

#[test]
fn a_choice_between_ways_becomes_a_project_with_all_that_was_said() {
    let said = [
        ("initial_state.topic", json!("How we get our parcels out")),
        ("initial_state.current_situation", json!("my brother drives them round in his own car")),
        ("initial_state.goals", json!(["less driving", "parcels out by noon"])),
        ("decision.choice", json!("a courier, if they come before ten")),
        ("decision.reasoning", json!("we have no time for it")),
        (
            "decision.constraints",
            json!(["max 600 a month all in", "we decide by the end of March", "usable by people without training"]),
        ),
    ];
    let memory = arrives("exploration", "project-discovery", &said);
    let value = |path: &str| memory.extraction.value(path).cloned().unwrap_or_default();
    assert_eq!(
        value("purpose_and_problem.summary"),
        json!("How we get our parcels out – a courier, if they come before ten")
    );
    assert_eq!(value("purpose_and_problem.current_solution"), json!("my brother drives them round in his own car"));
    assert_eq!(value("success_criteria.desired_outcome"), json!("less driving; parcels out by noon"));
    assert_eq!(value("constraints.budget"), json!("max 600 a month all in"));
    // The day of a decision is no deadline, and those who use it are no team.
    assert_eq!((value("constraints.deadline"), value("constraints.team")), (Value::Null, Value::Null));
    assert_eq!(memory.obligations.status("current_solution_known").word(), "satisfied");
}

#[test]
fn what_was_said_in_german_arrives_too() {
    let said = [
        ("decision.choice", json!("ein Kurier")),
        (
            "decision.constraints",
            json!(["höchstens 600 Euro", "wir entscheiden bis Ende März", "muss bis zum 1. Mai fertig sein"]),
        ),
    ];
    let memory = arrives("exploration", "project-discovery", &said);
    assert_eq!(memory.extraction.value("constraints.budget"), Some(&json!("höchstens 600 Euro")));
    assert_eq!(memory.extraction.value("constraints.deadline"), Some(&json!("muss bis zum 1. Mai fertig sein")));
}

#[test]
fn features_problems_and_attempts_find_their_fields() {
    let said = [
        ("success_criteria.first_version", json!(["search, by name", "a map"])),
        ("constraints.deadline", json!("before the autumn")),
        ("purpose_and_problem.current_solution", json!("a paper list")),
        ("purpose_and_problem.summary", json!("a shop for spare parts")),
        ("purpose_and_problem.core_problem", json!("parts are ordered twice")),
    ];
    let features = arrives("project-discovery", "feature-prioritization", &said);
    assert_eq!(features.extraction.value("features.names"), Some(&json!(["search, by name", "a map"])));
    assert_eq!(features.extraction.value("frame.period"), Some(&json!("before the autumn")));
    let ways = arrives("project-discovery", "exploration", &said);
    assert_eq!(ways.extraction.value("initial_state.current_situation"), Some(&json!("a paper list")));
    assert!(ways.extraction.is_known("initial_state.topic"));
    let said =
        [("prioritization.must_haves", json!(["search", "a map"])), ("effort.capacity", json!("two developers"))];
    let project = arrives("feature-prioritization", "project-discovery", &said);
    assert_eq!(project.extraction.value("success_criteria.first_version"), Some(&json!(["search", "a map"])));
    assert_eq!(project.extraction.value("constraints.team"), Some(&json!("two developers")));
    let said = [
        ("growth_and_scaling.attempts", json!("a stall at the market")),
        ("growth_and_scaling.goal", json!("a second shop")),
    ];
    let ideas = arrives("business-profile", "ideation", &said);
    assert_eq!(ideas.extraction.value("problem_space.existing_attempts"), Some(&json!(["a stall at the market"])));
    assert_eq!(ideas.extraction.value("problem_space.desired_change"), Some(&json!("a second shop")));
}

#[test]
fn people_read_a_preview_without_words_of_the_machine() {
    for (from, to) in PAIRS {
        let shown: Vec<String> =
            preview(&handoff(from, to), &english().handoff).into_iter().flat_map(|(_, items)| items).collect();
        let shown = shown.join("\n");
        for word in ["confidence", "0.9", "completeness", "technical level", "rapport", "Businesslike", "()"] {
            assert!(!shown.contains(word), "{from} to {to}: {word} in\n{shown}");
        }
        assert!(!shown.lines().any(|line| line.ends_with(':') || line.ends_with(": ")), "{from} to {to}:\n{shown}");
    }
}

#[test]
fn every_pair_builds_a_valid_handoff_that_its_target_takes_up() {
    for (from, to) in PAIRS {
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
        ("purpose_and_problem.current_solution", "current_solution_known"),
    ] {
        assert!(memory.extraction.is_known(path), "{path}");
        assert_eq!(memory.obligations.status(obligation).word(), "satisfied", "{obligation}");
    }
    assert_eq!(log.len(), 7);
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
