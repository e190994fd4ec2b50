//! Handoffs: offered, built, validated, formatted, verified, and put back until they are taken up.

use std::collections::BTreeMap;

use elenchus::engine::handoff::{
    ActionList, Concept, Constraint, Decision, EliminatedOption, Handoff, PhaseResult, critical_items,
    format_for_context, validate, verify,
};
use elenchus::engine::memory::InboundHandoff;
use elenchus::engine::opening::begin;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Talk, details, small, small_with};
use crate::support::scripted::ScriptedSession;

fn decision(decision: &str) -> Decision {
    Decision { decision: decision.to_owned(), confidence: 0.85, reasoning: "Full control over the product".to_owned() }
}

fn handoff() -> Handoff {
    let mut handoff = Handoff::default();
    handoff.metadata.source_engine_id = "other".to_owned();
    handoff.metadata.target_engine_id = "small".to_owned();
    handoff.metadata.turn_count = 15;
    handoff.metadata.completeness_score = 0.75;
    handoff.metadata.transition_reason = "The user has decided".to_owned();
    handoff.action_list.decisions_reached = vec![decision("Custom Web App")];
    handoff.action_list.constraints_identified =
        vec![Constraint { constraint: "Budget 50k".to_owned(), implication: String::new() }];
    handoff.situation_awareness.knowledge_gaps_revealed =
        vec!["Unclear hosting requirements".to_owned(), "SSO".to_owned()];
    handoff.situation_awareness.user_confidence_level = "high".to_owned();
    handoff.accumulated_context.technical_level = "intermediate".to_owned();
    handoff.relational_state.trust_level = "high".to_owned();
    handoff
}

#[test]
fn an_exit_is_offered_while_its_condition_holds_and_never_taken() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Queues.", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    assert_eq!(session.memory.exit_offer, None);
    let turn = session.chat("Let us take it further.");
    let offer = turn.report.handoff.clone().expect("it is offered");
    assert_eq!(
        (offer.exit_id.as_str(), offer.target.as_str(), offer.label.as_str(), offer.since_turn, offer.problems.len()),
        ("onwards", "other", "Go on", 2, 0)
    );
    assert_eq!(
        details(&turn, "exit transitions"),
        json!([{ "exit": "onwards", "when": "known('purpose.problem') and intent('wants_more')", "holds": true }])
    );
    assert_eq!(session.memory.engine_id, "small");
    session.chat("Hm.");
    assert_eq!(session.memory.exit_offer.as_ref().map(|offer| offer.since_turn), Some(2));
    session.tell("Forget the queues.", &[("purpose.problem", json!(null), 0.9, "forget the queues")]);
    assert_eq!(session.memory.exit_offer, None);
}

#[test]
fn a_handoff_is_built_by_the_expressions_of_the_exit() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Queues; take it further.", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    let built = session.memory.exit_offer.clone().expect("it is offered").handoff;
    let mut expected = Handoff::default();
    expected.metadata.source_engine_id = "small".to_owned();
    expected.metadata.target_engine_id = "other".to_owned();
    expected.metadata.turn_count = 1;
    expected.metadata.completeness_score = session.memory.completeness.overall;
    expected.metadata.transition_reason = "The problem is clear".to_owned();
    expected.phase_results = vec![PhaseResult {
        phase_name: "Start".to_owned(),
        completion_percentage: 13,
        key_outputs: "Problem: queues".to_owned(),
        remaining_gaps: vec!["Trigger".to_owned(), "Mood".to_owned()],
    }];
    expected.action_list.decisions_reached = vec![Decision {
        decision: "queues".to_owned(),
        confidence: 0.9,
        reasoning: "The user said so in so many words".to_owned(),
    }];
    expected.situation_awareness.user_confidence_level = "low".to_owned();
    expected.situation_awareness.knowledge_gaps_revealed =
        ["Trigger", "Mood", "Size", "Privacy", "Tools", "Team", "Agreement"].map(str::to_owned).to_vec();
    expected.accumulated_context.technical_level = "intermediate".to_owned();
    expected.relational_state.trust_level = "medium".to_owned();
    expected.relational_state.rapport = "Businesslike".to_owned();
    assert_eq!(built, expected);
}

#[test]
fn a_part_of_the_wrong_shape_stays_blank_and_is_told() {
    let engine = small_with(&[(
        "knowledge_gaps_revealed = \"completeness.gaps\"",
        "knowledge_gaps_revealed = \"completeness.gaps if not known('people.count') or known('people.role') else 7\"",
    )]);
    let mut session = ScriptedSession::new(&engine);
    let found = [("purpose.problem", json!("queues"), 0.9, "queues"), ("people.count", json!(12), 0.9, "12")];
    let turn = session.tell("Queues for 12; take it further.", &found);
    assert_eq!(turn.report.warnings.len(), 1);
    assert!(
        turn.report.warnings[0].starts_with("A part of the handoff to other stayed blank: "),
        "{:?}",
        turn.report.warnings
    );
}

#[test]
fn a_sound_handoff_is_valid() {
    assert_eq!(validate(&handoff()), Vec::<String>::new());
}

#[test]
fn each_rule_of_validation_is_told_and_all_at_once() {
    let mut wrong = handoff();
    wrong.metadata.target_engine_id = "other".to_owned();
    wrong.metadata.transition_reason = " ".to_owned();
    wrong.action_list.decisions_reached =
        vec![Decision { decision: "App".to_owned(), confidence: 1.2, reasoning: "because it is so nic".to_owned() }];
    wrong.situation_awareness.user_confidence_level = "huge".to_owned();
    wrong.accumulated_context.concepts_taught =
        vec![Concept { concept: "API".to_owned(), understanding_level: "some".to_owned() }];
    assert_eq!(
        validate(&wrong),
        [
            "other cannot hand over to itself",
            "the reason of the transition is missing",
            "the reasoning of “App” is too short to be one",
            "the confidence of “App” is not between 0 and 1",
            "user_confidence_level is “huge”, not one of low, medium, high",
            "understanding_level is “some”, not one of basic, solid, expert",
        ]
    );
    let mut empty = handoff();
    empty.action_list = ActionList::default();
    empty.situation_awareness.knowledge_gaps_revealed.clear();
    assert_eq!(validate(&empty), ["there is no decision, constraint or gap to hand over"]);
    empty.metadata.source_engine_id.clear();
    assert_eq!(validate(&empty)[0], "the source or the target engine is not named");
}

#[test]
fn the_handoff_is_formatted_with_what_is_settled_first_and_the_person_last() {
    let mut handoff = handoff();
    handoff.action_list.options_eliminated =
        vec![EliminatedOption { option: "WordPress".to_owned(), reasons: vec!["not flexible".to_owned()] }];
    assert_eq!(
        format_for_context(&handoff),
        "HANDED OVER FROM other TO small\n\
         After 15 turns, completeness 0.75. Reason: The user has decided\n\
         Settled already; take it up in your first answer and do not ask for it again.\n\
         Decided:\n- Custom Web App (confidence 0.85): Full control over the product\n\
         Ruled out:\n- WordPress: not flexible\n\
         Constraints:\n- Budget 50k\n\
         Not known yet:\n- Unclear hosting requirements\n- SSO\n\
         The person: confidence high, technical level intermediate, trust high.\n"
    );
}

#[test]
fn an_item_is_acknowledged_by_half_of_its_keywords_and_one_without_keywords_as_it_stands() {
    let check = |answer: &str| verify(&handoff(), "small", answer);
    let all = check("A custom web app within the budget; hosting and SSO we come to.");
    assert_eq!(all.missing, ["Unclear hosting requirements"], "one of three keywords is not half");
    assert_eq!((all.verified, all.score), (true, 0.75));
    assert_eq!((all.decisions_acknowledged, all.constraints_acknowledged, all.gaps_acknowledged), (1.0, 1.0, 0.5));
    let half = check("Custom it is, hosting is unclear.");
    assert_eq!((half.verified, half.score), (false, 0.5), "more than half is needed");
    let none = check("Hello! What would you like to build?");
    assert_eq!((none.verified, none.score, none.missing), (false, 0.0, critical_items(&handoff())));
    assert!(all.jaccard > none.jaccard);
}

#[test]
fn a_handoff_meant_for_another_engine_is_never_verified() {
    let result = verify(
        &handoff(),
        "third",
        "A custom web app within the budget of 50k; hosting requirements are unclear; SSO.",
    );
    assert_eq!((result.verified, result.identity_match, result.score), (false, false, 1.0));
}

fn receiving(engine: &elenchus::engine::Engine) -> ScriptedSession<'_> {
    let mut session = ScriptedSession::new(engine);
    session.memory.inbound_handoff = Some(InboundHandoff {
        handoff: handoff(),
        verification: None,
        unacknowledged: vec![],
        reminders_left: 0,
        by_field: BTreeMap::default(),
    });
    session
}

const REMINDER: &str = "You have not yet taken up:";

#[test]
fn a_new_session_starts_with_the_handoff_at_the_top_of_its_context() {
    let engine = small();
    let mut session = receiving(&engine);
    session.ports.answers("A custom web app within 50k. Hosting requirements and SSO come later.");
    session.chat("Let us go on.");
    assert!(session.last_system()[1].starts_with("HANDED OVER FROM other TO small"));
    let inbound = session.memory.inbound_handoff.as_ref().expect("it is there");
    assert!(inbound.verification.as_ref().is_some_and(|v| v.verified && v.missing.is_empty()));
    session.chat("Hm.");
    assert!(!session.last_system().concat().contains(REMINDER));
}

#[test]
fn what_nobody_took_up_is_put_back_for_three_turns_at_most() {
    let engine = small();
    let mut session = receiving(&engine);
    session.chat("Let us go on.");
    let inbound = session.memory.inbound_handoff.clone().expect("it is there");
    assert_eq!(inbound.verification.map(|v| v.verified), Some(false));
    assert_eq!(inbound.unacknowledged, critical_items(&handoff()));
    let reminded: Vec<bool> = (0..5)
        .map(|_| {
            session.chat("Hm.");
            session.last_system().concat().contains(REMINDER)
        })
        .collect();
    assert_eq!(reminded, [true, true, true, false, false], "it never blocks, and it never nags for good");
}

#[test]
fn what_is_taken_up_later_is_no_longer_put_back() {
    let engine = small();
    let mut session = receiving(&engine);
    session.ports.answers("Custom web app, then.");
    session.ports.answers("Custom web app, then.");
    session.chat("Let us go on.");
    session.ports.answers("And 50k is the budget.");
    session.chat("Hm.");
    session.chat("Hm.");
    let note = session.last_system().concat();
    assert!(note.contains(&format!("{REMINDER}\n- Unclear hosting requirements\n- SSO\nHow to ask")), "{note}");
}

#[test]
fn the_opening_asks_the_first_question_and_knows_of_a_handoff() {
    let engine = small_with(&[(
        "opening = \"Hello. {{ first_question }}\"",
        "opening = \"{% if handoff %}From {{ handoff.source }}: {{ handoff.decisions | join(', ') }}. {% endif %}{{ first_question }}\"",
    )]);
    let fresh = begin(&engine, None, None).expect("it opens");
    let asks: Vec<&str> = fresh.memory.asked.iter().map(|asked| asked.obligation.as_str()).collect();
    assert_eq!((&*fresh.first.text, asks), ("What goes wrong today at your place?", vec!["problem_known"]));
    let with = begin(&engine, Some(handoff()), None).expect("it opens");
    assert_eq!(&*with.first.text, "From other: Custom Web App. What goes wrong today at your place?");
}
