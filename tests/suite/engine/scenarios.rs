//! The test scenarios of the source document, on the engines and the runner as they are.

use std::collections::BTreeMap;

use elenchus::engine::config::EngineType;
use elenchus::engine::extraction::ChangeKind;
use elenchus::engine::handoff::{Decision, Handoff, verify};
use elenchus::engine::memory::{InboundHandoff, Status};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{SMALL, Talk, outcome, shipped, small, small_with, try_engine};
use crate::support::scripted::ScriptedSession;

#[test]
fn config_validation_rejects_an_orphaned_phase_by_its_name() {
    let text = SMALL.replacen("order = 1\n", "order = 1\nnext = \"END\"\n", 1);
    let problems = try_engine(&text).expect_err("nothing leads to MIDDLE");
    assert!(problems.contains("error") && problems.contains("MIDDLE"), "{problems}");
}

#[test]
fn phase_transition_is_blocked_while_a_mandatory_checkpoint_is_not_met() {
    let engine = small_with(&[("threshold = 0.6", "threshold = 0.3")]);
    let mut session = ScriptedSession::new(&engine);
    let turn = session.tell("They are angry.", &[("purpose.mood", json!("angry"), 0.9, "angry")]);
    assert_eq!((session.status("problem_known"), session.memory.phase.current.as_str()), (Status::Pending, "START"));
    assert_eq!(outcome(&turn, "phase transition evaluation"), "to MIDDLE blocked: checkpoint problem_known is pending");
}

#[test]
fn extraction_detects_supersession_when_a_value_changes() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Need a website", &[("purpose.problem", json!("Need a website"), 0.7, "Need a website")]);
    let message = "Actually, I need a mobile app, not a website";
    let turn = session.tell(message, &[("purpose.problem", json!("Need a mobile app"), 0.9, "I need a mobile app")]);
    let [change] = turn.report.extraction_changes.as_slice() else { panic!("one field was superseded") };
    assert_eq!((change.path.as_str(), change.kind), ("purpose.problem", ChangeKind::Supersede));
    assert_eq!((&change.previous, &change.value), (&Some(json!("Need a website")), &json!("Need a mobile app")));
}

#[test]
fn handoff_is_verified_when_the_response_acknowledges_key_decisions() {
    let mut handoff = Handoff::default();
    handoff.metadata.target_engine_id = "project-discovery".to_owned();
    handoff.action_list.decisions_reached =
        vec![Decision { decision: "Custom Web App".to_owned(), confidence: 0.85, reasoning: "...".to_owned() }];
    let response = "Great! You decided on a Custom Web App. Let's define the requirements...";
    let verification = verify(&handoff, "project-discovery", response);
    assert!(verification.verified);
    assert_eq!(verification.decisions_acknowledged, 1.0);
}

#[test]
fn the_same_runner_handles_an_extract_dominant_and_an_inform_dominant_engine() {
    let mut results = Vec::new();
    for (id, message) in [
        ("project-discovery", "I need a project management tool"),
        ("exploration", "Tell me about project management approaches"),
    ] {
        let engine = shipped(id);
        let mut session = ScriptedSession::new(&engine);
        let turn = session.chat(message);
        let modes: Vec<&str> = turn.report.modes.target.keys().map(|mode| mode.word()).collect();
        results.push((
            session.memory.engine_id.clone(),
            engine.definition().engine_type,
            modes,
            turn.report.trace.len(),
        ));
    }
    assert_eq!(results[0].1, EngineType::ExtractDominant);
    assert_eq!(results[1].1, EngineType::InformDominant);
    assert_eq!((results[0].0.as_str(), results[1].0.as_str()), ("project-discovery", "exploration"));
    assert_eq!((results[0].3, results[1].3), (19, 19));
    assert_ne!(results[0].2, results[1].2, "same runner, another blend");
}

#[test]
fn a_session_is_continued_from_the_state_that_the_last_turn_left() {
    let engine = shipped("project-discovery");
    let mut session = ScriptedSession::new(&engine);
    let first = "I need help building a project management tool for my team.";
    let summary = "building a project management tool for my team";
    session.tell(first, &[("purpose_and_problem.summary", json!(summary), 0.9, summary)]);
    let second = "We have about 20 people on the team and need task tracking, deadlines, and notifications.";
    let turn = session.tell(second, &[("users_and_personas.expected_users", json!(20), 0.9, "about 20 people")]);
    assert_eq!((turn.report.turn, session.transcript.messages().len()), (2, 4));
    assert!(session.memory.extraction.is_known("purpose_and_problem.summary"));
    assert_eq!(session.field("users_and_personas.expected_users").value, Some(json!(20)));
}

/// A handoff that really was produced by one engine is taken up by the other.
#[test]
fn an_exploration_hands_over_to_a_project_discovery() {
    let source = shipped("exploration");
    let mut exploring = ScriptedSession::new(&source);
    let said = "We decided on a custom web app because it gives us full control and costs less in the long run.";
    let paths: Vec<String> = source.definition().fields.iter().map(|field| field.path.to_string()).collect();
    let choice = paths.iter().find(|path| path.ends_with("choice")).expect("it asks for a choice").clone();
    let reasoning = paths.iter().find(|path| path.ends_with("reasoning")).expect("it asks for the reasons").clone();
    let exit = source.definition().exit_transitions.iter().find(|exit| exit.to.as_str() == "project-discovery");
    let exit = exit.expect("it leads to project discovery");
    exploring.tell(
        said,
        &[
            (&choice, json!("custom web app"), 0.9, "a custom web app"),
            (&reasoning, json!("gives us full control and costs less in the long run"), 0.9, "gives us full control"),
        ],
    );
    let (handoff, faults) = elenchus::engine::handoff::build(&source, &exploring.memory, exit);
    assert_eq!(faults, []);
    assert_eq!(elenchus::engine::handoff::validate(&handoff), Vec::<String>::new());
    assert!(handoff.action_list.decisions_reached.iter().any(|d| d.decision.contains("custom web app")), "{handoff:?}");

    let target = shipped("project-discovery");
    let mut defining = ScriptedSession::new(&target);
    let critical = elenchus::engine::handoff::critical_items(&handoff).join("; ");
    defining.memory.inbound_handoff = Some(InboundHandoff {
        handoff,
        verification: None,
        unacknowledged: vec![],
        reminders_left: 0,
        by_field: BTreeMap::default(),
    });
    defining.ports.answers(&format!("I have your notes: {critical}. What would you like to build or change?"));
    defining.chat("Yes, let's define it.");
    let verification =
        defining.memory.inbound_handoff.and_then(|inbound| inbound.verification).expect("it was verified");
    assert_eq!((verification.verified, verification.score), (true, 1.0));
}
