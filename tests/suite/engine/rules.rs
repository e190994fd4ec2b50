//! Rules: every kind on every occasion, and the values they are decided on.

use crate::support::scripted::ScriptedSession;
use elenchus::engine::config::Rule;
use elenchus::engine::rule::Judge;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::support::{SMALL, Talk, details, small, small_with, try_engine};

/// A rule of each kind, as it stands in a file.
const KINDS: [&str; 9] = [
    r#"{ type = "obligation_satisfaction", category = "purpose", threshold = 0.3 }"#,
    r#"{ type = "turn_count", threshold = 2 }"#,
    r#"{ type = "session_turn_count", threshold = 2 }"#,
    r#"{ type = "completeness_score", threshold = 0.1 }"#,
    r#"{ type = "custom_evaluator", evaluator = "problem_lost", threshold = 0.5 }"#,
    r#"{ type = "low_confidence", threshold = 0.6, obligations = ["problem_known"] }"#,
    r#"{ type = "obligation_status", obligations = ["problem_known"], status = "satisfied" }"#,
    r#"{ type = "custom", expression = "turn >= 2" }"#,
    r#""turn >= 2""#,
];

/// The small engine with a rule on one occasion.
fn with(occasion: &str, rule: &str) -> Result<(), String> {
    let (find, replace) = match occasion {
        "trigger" => (
            r#"triggers = [{ type = "obligation_satisfaction", category = "purpose", threshold = 0.6 }]"#,
            format!("triggers = [{rule}]"),
        ),
        "entry" => ("order = 2\n", format!("order = 2\nentry_conditions = [{rule}]\n")),
        "section" => (r#"when = { type = "session_turn_count", threshold = 2 }"#, format!("when = {rule}")),
        "exit" => ("when = \"known('purpose.problem') and intent('wants_more')\"", format!("when = {rule}")),
        _ => (
            "[context]\n",
            format!(
                "[[background_tasks]]\nid = \"t\"\nname = \"T\"\ndescription = \"T.\"\nwhen = {rule}\nhandler = \"h\"\n\
                 failure_strategy = {{ type = \"stall\" }}\n[handlers.h]\ntype = \"command\"\nprogram = \"h\"\n\n[context]\n"
            ),
        ),
    };
    assert_eq!(SMALL.matches(find).count(), 1, "{find}");
    try_engine(&SMALL.replacen(find, &replace, 1)).map(|_| ())
}

#[test]
fn a_rule_of_any_kind_may_stand_on_any_occasion_but_one() {
    for occasion in ["trigger", "entry", "section", "task", "exit"] {
        for rule in KINDS {
            let refused = occasion == "entry" && rule.contains("\"turn_count\"");
            match with(occasion, rule) {
                Ok(()) => assert!(!refused, "{rule} as {occasion}"),
                Err(told) if refused => assert!(told.contains("a phase has no turns before it is entered"), "{told}"),
                Err(told) => panic!("{rule} as {occasion}: {told}"),
            }
        }
    }
}

#[test]
fn what_a_rule_names_is_looked_for_wherever_it_stands() {
    for occasion in ["trigger", "entry", "section", "task", "exit"] {
        for (rule, told) in [
            (r#"{ type = "obligation_satisfaction", category = "purpos", threshold = 0.3 }"#, "no category `purpos`"),
            (r#"{ type = "custom_evaluator", evaluator = "problem_los" }"#, "no evaluator `problem_los`"),
            (r#"{ type = "obligation_status", obligations = ["x"], status = "partial" }"#, "no obligation `x`"),
            (r#""known('purpose.problm')""#, "`purpose.problm` is not a field"),
        ] {
            let problems = with(occasion, rule).expect_err("it names nothing");
            assert!(problems.contains(told), "{rule} as {occasion}: {problems}");
        }
    }
}

/// What a turn records of the triggers of the first phase.
fn recorded(rule: &str) -> Value {
    let triggers = r#"triggers = [{ type = "obligation_satisfaction", category = "purpose", threshold = 0.6 }]"#;
    let engine = small_with(&[(triggers, &format!("triggers = [{rule}]"))]);
    let mut session = ScriptedSession::new(&engine);
    session.chat("Hello.");
    let turn = session.tell("Perhaps queues.", &[("purpose.problem", json!("queues"), 0.55, "queues")]);
    details(&turn, "phase transition evaluation")["ways"][0]["triggers"][0].clone()
}

#[test]
fn a_rule_is_recorded_with_the_value_and_the_threshold_it_was_decided_on() {
    for (rule, expected) in KINDS.into_iter().zip([
        json!({ "condition": "obligation_satisfaction", "about": "purpose", "value": 0.0, "threshold": 0.3, "holds": false }),
        json!({ "condition": "turn_count", "value": 2.0, "threshold": 2.0, "holds": true }),
        json!({ "condition": "session_turn_count", "value": 2.0, "threshold": 2.0, "holds": true }),
        json!({ "condition": "completeness_score", "value": 0.0, "threshold": 0.1, "holds": false }),
        json!({ "condition": "custom_evaluator", "about": "problem_lost", "value": 1.0, "threshold": 0.5, "holds": true }),
        json!({ "condition": "low_confidence", "about": "problem_known", "value": 0.55, "threshold": 0.6, "below": true, "holds": true }),
        json!({ "condition": "obligation_status", "about": "problem_known satisfied", "value": 0.0, "threshold": 1.0, "holds": false }),
        json!({ "condition": "custom", "about": "turn >= 2", "value": 1.0, "threshold": 1.0, "holds": true }),
        json!({ "condition": "custom", "about": "turn >= 2", "value": 1.0, "threshold": 1.0, "holds": true }),
    ]) {
        assert_eq!(recorded(rule), expected, "{rule}");
    }
}

#[test]
fn a_rule_judges_the_memory_it_is_given() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let rule = &engine.definition().sidebar.dynamic_sections[0].when;
    assert!(matches!(rule.value, Rule::SessionTurnCount(_)));
    assert!(!Judge::new(&engine, &session.memory).evaluate(rule).holds);
    session.chat("Hello.");
    session.chat("Hello again.");
    let evaluation = Judge::new(&engine, &session.memory).evaluate(rule);
    assert_eq!((evaluation.holds, evaluation.demand().as_str()), (true, "session_turn_count ≥ 2.00"));
}
