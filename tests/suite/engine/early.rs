//! The answer that is begun before the analysis is in: kept if it still holds, discarded if not, and always told.

use elenchus::engine::figures::EarlyFigures;
use elenchus::engine::ports::{CallError, Pacing};
use elenchus::engine::step::{Step, StepDetails};
use elenchus::engine::turn::TurnError;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Talk, agenda, outcome, small, small_with};
use crate::support::scripted::{ScriptedSession, SeenRequest};

/// The small engine in which a part ends only with its last point.
fn patient() -> std::sync::Arc<elenchus::engine::Engine> {
    small_with(&[(
        "triggers = [{ type = \"obligation_satisfaction\", category = \"purpose\", threshold = 0.6 }]",
        "triggers = [{ type = \"obligation_satisfaction\", category = \"purpose\", threshold = 0.9 }]",
    )])
}

/// A session in which the problem has been asked for, with a model that takes its time.
fn asked_for_the_problem(engine: &elenchus::engine::Engine) -> ScriptedSession<'_> {
    let mut session = ScriptedSession::new(engine);
    session.chat("Hello.");
    assert_eq!(session.asked(), ["problem_known"]);
    session.ports.requests.clear();
    session.ports.events.clear();
    session.ports.pacing = Some(Pacing::Together);
    session
}

fn kinds(session: &ScriptedSession<'_>) -> Vec<&'static str> {
    let kind = |request: &SeenRequest| match request {
        SeenRequest::Analysis { .. } => "analysis",
        SeenRequest::Answer { .. } => "answer",
        SeenRequest::Summary(_) => "summary",
    };
    session.ports.requests.iter().map(kind).collect()
}

#[test]
fn an_answer_that_still_holds_is_kept_and_costs_no_further_call() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    let turn =
        session.tell("The queues are too long.", &[("purpose.problem", json!("queues too long"), 0.9, "queues")]);
    assert_eq!(kinds(&session), ["answer", "analysis"], "the answer does not wait");
    assert_eq!(turn.report.usage.calls, 2);
    let Some(EarlyFigures::Kept { saved_ms }) = turn.figures.early else { panic!("{:?}", turn.figures.early) };
    assert!(saved_ms > 0.0);
    assert!(outcome(&turn, "response generation").contains("begun early and kept"), "the trace says so");
    let steps: Vec<u8> = turn.report.trace.iter().map(|entry| entry.step.number()).collect();
    assert_eq!(steps, (1..=19).collect::<Vec<_>>(), "all steps stand in the trace, in order");
    assert_eq!(session.asked(), ["trigger_known"], "what was asked counts as answered");
    assert_eq!(session.ports.events.iter().filter(|event| event.starts_with("discarded")).count(), 0);
}

#[test]
fn an_answer_that_asks_for_what_was_just_said_is_replaced_and_paid_for() {
    let engine = patient();
    let mut session = asked_for_the_problem(&engine);
    session.ports.answers("Which event makes you start now?");
    let turn = session.tell(
        "The queues are too long since Ann left.",
        &[
            ("purpose.problem", json!("queues too long"), 0.9, "queues are too long"),
            ("purpose.trigger", json!("Ann left"), 0.9, "since Ann left"),
        ],
    );
    assert_eq!(kinds(&session), ["answer", "analysis", "answer"]);
    assert_eq!(turn.report.usage.calls, 3, "the answer that was thrown away was paid for");
    let why = "it asks about “Trigger”, which is settled".to_owned();
    assert_eq!(turn.figures.early, Some(EarlyFigures::Discarded { why: why.clone(), shown: true }));
    assert!(session.ports.events.contains(&format!("discarded: {why}")), "{:?}", session.ports.events);
    assert!(!turn.report.response.contains("Which event"), "{}", turn.report.response);
}

#[test]
fn an_answer_that_was_written_anew_is_not_sent_back_as_well() {
    let engine = patient();
    let mut session = asked_for_the_problem(&engine);
    session.ports.answers("Which event makes you start now?");
    session.ports.answers("Ann left? Since when? Who noticed?");
    let turn = session.tell(
        "The queues are too long since Ann left.",
        &[
            ("purpose.problem", json!("queues too long"), 0.9, "queues are too long"),
            ("purpose.trigger", json!("Ann left"), 0.9, "since Ann left"),
        ],
    );
    assert_eq!(kinds(&session), ["answer", "analysis", "answer"], "no revision after it");
    assert_eq!(turn.report.response, "Ann left? Since when?", "what is too much is left out");
}

#[test]
fn what_the_message_may_be_about_is_not_asked_for_early() {
    let engine = small_with(&[
        (
            "triggers = [{ type = \"obligation_satisfaction\", category = \"purpose\", threshold = 0.6 }]",
            "triggers = [{ type = \"obligation_satisfaction\", category = \"purpose\", threshold = 0.9 }]",
        ),
        ("depends_on = [\"purpose.problem\"]", "depends_on = [\"purpose.problem\"]\ncues = [\"left us\"]"),
    ]);
    let mut session = asked_for_the_problem(&engine);
    let turn = session.tell(
        "The queues are too long since Ann left us.",
        &[
            ("purpose.problem", json!("queues too long"), 0.9, "queues are too long"),
            ("purpose.trigger", json!("Ann left us"), 0.9, "since Ann left us"),
        ],
    );
    assert!(matches!(turn.figures.early, Some(EarlyFigures::Kept { .. })), "{:?}", turn.figures.early);
    assert_eq!(session.asked(), ["mood_known"], "the trigger may have been told");
}

#[test]
fn an_answer_for_a_phase_that_has_ended_is_replaced_whatever_it_says() {
    let engine = patient();
    let mut session = asked_for_the_problem(&engine);
    let all = [
        ("purpose.problem", json!("queues"), 0.9, "queues"),
        ("purpose.trigger", json!("Ann left"), 0.9, "Ann left"),
        ("purpose.mood", json!("angry"), 0.9, "angry"),
    ];
    let turn = session.tell("The queues; Ann left; all are angry.", &all);
    assert_eq!(turn.report.phase.transitioned_from.as_deref(), Some("START"));
    let Some(EarlyFigures::Discarded { why, .. }) = &turn.figures.early else { panic!("{:?}", turn.figures.early) };
    assert!(why.starts_with("it was begun for “Start”"), "{why}");
}

#[test]
fn an_answer_that_goes_by_a_value_that_was_replaced_is_written_anew() {
    let engine = patient();
    let mut session = asked_for_the_problem(&engine);
    session.tell("The queues are too long.", &[("purpose.problem", json!("queues too long"), 0.9, "queues")]);
    session.ports.answers("Queues too long, you say. How does the whole staff take that news?");
    let corrected = [("purpose.problem", json!("lost letters"), 0.9, "lost letters")];
    let turn = session.tell("No, it is really about lost letters.", &corrected);
    let why = "it goes by what `purpose.problem` was before".to_owned();
    assert_eq!(turn.figures.early, Some(EarlyFigures::Discarded { why, shown: true }));
}

#[test]
fn what_is_recorded_is_what_was_sent() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    let turn = session.tell("The queues are too long.", &[]);
    assert!(matches!(turn.figures.early, Some(EarlyFigures::Kept { .. })), "{:?}", turn.figures.early);
    assert_eq!(agenda(&turn)[0], "trigger_known", "the analysis found nothing, but that was what the model was shown");
    assert_eq!(session.memory.techniques.active, turn.report.techniques);
    for (id, used) in &session.memory.techniques.last_used {
        assert!(*used < 2 || session.memory.techniques.active.contains(id), "{id} was not sent");
    }
}

#[test]
fn a_refusal_waits_for_the_analysis() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    let turn = session.chat("I'd rather not say.");
    assert_eq!(kinds(&session), ["analysis", "answer"]);
    let why = "something was declined or put off".to_owned();
    assert_eq!(turn.figures.early, Some(EarlyFigures::NotBegun { why }));
}

#[test]
fn a_history_that_must_be_compressed_first_waits_too() {
    let engine = small_with(&[("max_tokens = 12000", "max_tokens = 8000")]);
    let mut session = ScriptedSession::new(&engine);
    for words in [800, 800, 800, 800, 800, 4_000] {
        session.chat(&"word ".repeat(words));
    }
    session.ports.requests.clear();
    session.ports.pacing = Some(Pacing::Together);
    session.ports.summaries.push_back(Ok("They talked.".to_owned()));
    let turn = session.chat("It is the queues.");
    assert_eq!(kinds(&session), ["analysis", "summary", "answer"]);
    assert!(matches!(turn.figures.early, Some(EarlyFigures::NotBegun { .. })), "{:?}", turn.figures.early);
}

#[test]
fn near_a_cap_nothing_is_begun_that_may_be_thrown_away() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    session.ports.pacing = Some(Pacing::AnalysisFirst("a cap is near"));
    let turn = session.chat("The queues.");
    assert_eq!(kinds(&session), ["analysis", "answer"]);
    assert!(outcome(&turn, "response generation").ends_with("written after the analysis: a cap is near"));
}

#[test]
fn where_one_request_is_served_at_a_time_the_answer_goes_first_and_nothing_is_analysed_without_one() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    session.ports.pacing = Some(Pacing::AnswerFirst);
    session.chat("The queues.");
    assert_eq!(kinds(&session), ["answer", "analysis"]);
    session.ports.requests.clear();
    session.ports.answers.push_back(Err(CallError::failed("the line is dead")));
    let error = pollster::block_on(session.say("And the phones.")).expect_err("there is no answer");
    assert!(matches!(error, TurnError::Call(_)), "{error}");
    assert_eq!(kinds(&session), ["answer"]);
}

#[test]
fn an_early_answer_that_was_too_much_is_written_with_less() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    session.ports.answers.push_back(Err(CallError::ContextOverflow("too much".to_owned())));
    let turn = session.chat(&"word ".repeat(900));
    assert_eq!(kinds(&session), ["answer", "analysis", "answer"]);
    assert_eq!(turn.report.warnings, ["The model could not take the whole context; older turns were left out of it."]);
}

#[test]
fn an_answer_is_kept_when_the_analysis_fails_and_the_message_is_looked_at_again() {
    for pacing in [Pacing::Together, Pacing::AnswerFirst] {
        let engine = small();
        let mut session = asked_for_the_problem(&engine);
        session.ports.pacing = Some(pacing);
        session.ports.answers("Too long, then. Which event makes you start now?");
        session.ports.analyses.push_back(Err(CallError::failed("The endpoint is in trouble.")));
        let turn = session.chat("The queues are too long.");
        assert_eq!(turn.report.response, "Too long, then. Which event makes you start now?");
        let warned = &turn.report.warnings[0];
        assert!(warned.contains("in trouble") && warned.contains("looked at again with your next one"), "{warned}");
        assert!(outcome(&turn, "extraction").starts_with("not analysed"), "{}", outcome(&turn, "extraction"));
        session.ports.requests.clear();
        session.chat("Since Ann left.");
        let again = session.ports.requests.iter().find_map(|request| match request {
            SeenRequest::Analysis { material, .. } => Some(material.clone()),
            _ => None,
        });
        assert!(again.is_some_and(|material| material.contains("not reported on yet")));
    }
}

#[test]
fn an_answer_that_asks_for_what_was_only_mentioned_is_replaced() {
    let engine = patient();
    let mut session = asked_for_the_problem(&engine);
    session.ports.answers("Which event makes you start now?");
    let turn = session.tell(
        "The queues are too long since Ann left.",
        &[
            ("purpose.problem", json!("queues too long"), 0.9, "queues are too long"),
            ("purpose.trigger", json!("Ann left"), 0.3, "since Ann left"),
        ],
    );
    let Some(EarlyFigures::Discarded { why, .. }) = &turn.figures.early else { panic!("{:?}", turn.figures.early) };
    assert!(why.contains("Something was just said about “Trigger”"), "{why}");
}

#[test]
fn an_early_answer_that_qa_replaces_is_told_as_such() {
    let engine = patient();
    let mut session = asked_for_the_problem(&engine);
    let message = "The queues are much too long on every single morning of the week.";
    session.ports.answers(message);
    session.ports.answers(message);
    let turn = session.tell(message, &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    assert_eq!(turn.figures.early, Some(EarlyFigures::Replaced { why: "echo".to_owned() }));
    let written = outcome(&turn, "response generation");
    assert!(written.contains("begun early and replaced after QA: echo"), "{written}");
    let answered = turn.figures.step(Step::ResponseGeneration).map(|entry| entry.details.clone());
    let Some(StepDetails::Response(answered)) = answered else { panic!("{answered:?}") };
    assert_eq!(answered.early, turn.figures.early, "the data of the step say the same as its words");
}
