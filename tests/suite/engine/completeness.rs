//! Completeness: seven models, each with overall, parts, readiness and gaps in words.

use elenchus::engine::edit;
use elenchus::engine::memory::CompletenessState;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Found, Talk, small_with};
use crate::support::scripted::ScriptedSession;

const MODEL: &str = r#"model = "obligation"
ready_threshold = 0.8
heuristics = [
    { id = "purpose", category = "purpose", weight = 0.4 },
    { id = "people", category = "people", weight = 0.4 },
    { id = "closing", category = "closing", weight = 0.2 },
]
"#;

fn problem(confidence: f64) -> Found<'static> {
    ("purpose.problem", json!("queues"), confidence, "queues")
}

fn count() -> Found<'static> {
    ("people.count", json!(12), 0.8, "12 of us")
}

const MESSAGE: &str = "Queues for 12 of us.";

/// What a model makes of a message.
fn measured(model: &str, found: &[Found<'_>]) -> CompletenessState {
    let engine = small_with(&[(MODEL, model)]);
    let mut session = ScriptedSession::new(&engine);
    session.tell(MESSAGE, found).report.completeness
}

fn state(overall: f64, parts: &[(&str, f64)], is_ready: bool, gaps: &[&str]) -> CompletenessState {
    CompletenessState {
        overall,
        by_category: parts.iter().map(|(name, score)| ((*name).to_owned(), *score)).collect(),
        is_ready,
        gaps: gaps.iter().map(|gap| (*gap).to_owned()).collect(),
    }
}

#[test]
fn obligation_is_the_weighted_share_of_satisfied_obligations_and_optional_deferred_ones_leave_the_total() {
    let engine = small_with(&[("ready_threshold = 0.8", "ready_threshold = 0.2")]);
    let mut session = ScriptedSession::new(&engine);
    session.tell(MESSAGE, &[problem(0.9)]);
    assert_eq!(session.memory.completeness.by_category["purpose"], 1.0 / 3.0);
    assert!(!session.memory.completeness.is_ready);
    session.memory = edit::defer(&engine, &session.memory, "trigger_known", "later").expect("it is open").memory;
    assert_eq!(session.memory.completeness.by_category["purpose"], 0.5, "an optional one left the total");
    assert!(session.memory.completeness.is_ready, "0.4 × 0.5 reaches the threshold of 0.2");
    session.memory = edit::defer(&engine, &session.memory, "size_known", "later").expect("it is open").memory;
    assert_eq!(session.memory.completeness.by_category["people"], 0.0, "a required one stays in it");
    assert_eq!(session.memory.completeness.gaps, ["Mood", "Size", "Privacy", "Tools", "Team", "Agreement"]);
}

#[test]
fn decision_readiness_is_the_weighted_sum_of_evaluators() {
    let model = r#"model = "decision-readiness"
ready_threshold = 0.6
heuristics = [
    { id = "sure", evaluator = "sure", weight = 0.5, gap = "The problem is not sure" },
    { id = "found", evaluator = "found", weight = 0.5, gap = "The problem is lost" },
]
"#;
    let engine = small_with(&[
        (MODEL, model),
        (
            "problem_lost = ",
            "sure = \"confidence('purpose.problem') / 2\"\nfound = \"known('purpose.problem')\"\nproblem_lost = ",
        ),
    ]);
    let mut session = ScriptedSession::new(&engine);
    let turn = session.tell(MESSAGE, &[problem(0.9)]);
    assert_eq!(
        turn.report.completeness,
        state(0.725, &[("sure", 0.45), ("found", 1.0)], true, &["The problem is not sure"])
    );
}

#[test]
fn maturity_is_the_highest_level_reached_without_a_gap_below_it() {
    let model = r#"model = "maturity"
ready_threshold = 0.6
levels = [
    { id = "idea", name = "An idea", when = "known('purpose.problem')" },
    { id = "case", name = "A case", when = "known('purpose.trigger')" },
    { id = "plan", name = "A plan", when = "known('people.count')" },
]
"#;
    assert_eq!(
        measured(model, &[problem(0.9), count()]),
        state(1.0 / 3.0, &[("idea", 1.0), ("case", 0.0), ("plan", 0.0)], false, &["A case", "A plan"])
    );
}

#[test]
fn estimability_is_the_weighted_confidence_of_what_an_estimate_needs_and_names_the_unknown() {
    let model = r#"model = "estimability"
ready_threshold = 0.8
inputs = [{ field = "purpose.problem", weight = 0.5 }, { field = "people.count", weight = 0.25 }, { field = "people.role", weight = 0.25 }]
"#;
    assert_eq!(
        measured(model, &[problem(0.9), count()]),
        state(0.65, &[("purpose.problem", 0.9), ("people.count", 0.8), ("people.role", 0.0)], false, &["Role"])
    );
}

#[test]
fn coverage_is_the_share_of_topics_with_enough_known_fields() {
    let model = r#"model = "coverage"
ready_threshold = 0.5
topics = [
    { id = "why", name = "Why", fields = ["purpose.problem", "purpose.trigger"] },
    { id = "who", name = "Who", fields = ["people.count", "people.role"], min_known = 2 },
]
"#;
    assert_eq!(measured(model, &[problem(0.9), count()]), state(0.5, &[("why", 1.0), ("who", 0.5)], true, &["Who"]));
}

#[test]
fn profile_is_the_mean_over_dimensions_and_a_floor_holds_it_back() {
    let model = |floor: &str| {
        format!(
            "model = \"profile\"\nready_threshold = 0.7\n{floor}dimensions = [{{ id = \"purpose\", name = \"Why\" }}, {{ id = \"people\", name = \"Who\" }}]\n"
        )
    };
    let parts = [("purpose", 1.0), ("people", 0.5)];
    assert_eq!(measured(&model(""), &[problem(0.9), count()]), state(0.75, &parts, true, &["Who"]));
    assert_eq!(measured(&model("floor = 0.6\n"), &[problem(0.9), count()]), state(0.75, &parts, false, &["Who"]));
}

#[test]
fn saturation_is_how_little_the_last_turns_added_and_never_above_coverage() {
    let model = r#"model = "saturation"
ready_threshold = 0.45
topics = [
    { id = "why", name = "Why", fields = ["purpose.problem"] },
    { id = "who", name = "Who", fields = ["people.role"] },
]
"#;
    let engine = small_with(&[(MODEL, model)]);
    let mut session = ScriptedSession::new(&engine);
    session.tell(MESSAGE, &[problem(0.9)]);
    assert!(session.memory.completeness.overall < 0.2, "the first turn was all new");
    for _ in 0..8 {
        session.chat(MESSAGE);
    }
    assert_eq!(session.memory.saturation.level, 1.0);
    assert_eq!(session.memory.completeness, state(0.5, &[("why", 1.0), ("who", 0.0)], true, &["Who"]));
}

#[test]
fn a_stale_value_no_longer_counts() {
    let model =
        "model = \"estimability\"\nready_threshold = 0.5\ninputs = [{ field = \"purpose.trigger\", weight = 1.0 }]\n";
    let engine = small_with(&[(MODEL, model)]);
    let mut session = ScriptedSession::new(&engine);
    session.tell(MESSAGE, &[problem(0.9), ("purpose.trigger", json!("12 of us"), 0.9, "12 of us")]);
    assert_eq!(session.memory.completeness.overall, 0.9);
    session.tell("No, lost keys.", &[("purpose.problem", json!("lost keys"), 0.9, "lost keys")]);
    assert_eq!(session.memory.completeness, state(0.0, &[("purpose.trigger", 0.0)], false, &["Trigger"]));
}
