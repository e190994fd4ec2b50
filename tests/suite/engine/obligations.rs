//! Obligations and the agenda: statuses that follow from fields, and what is asked next.

use elenchus::engine::edit;
use elenchus::engine::memory::Status;
use elenchus::engine::obligations::{agenda as draw_up, satisfaction_rate};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Talk, agenda, small, small_with};
use crate::support::scripted::ScriptedSession;

#[test]
fn an_obligation_is_satisfied_by_all_its_fields_partial_by_some_and_pending_by_none() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.chat("Hello.");
    assert_eq!(session.status("size_known"), Status::Pending);
    session.tell("We are 12.", &[("people.count", json!(12), 0.8, "we are 12")]);
    let state = session.memory.obligations.get("size_known").expect("it is there");
    assert_eq!((state.status, state.confidence), (Status::Partial, 0.4));
    session.tell("All nurses.", &[("people.role", json!("nurse"), 0.9, "nurses")]);
    let state = session.memory.obligations.get("size_known").expect("it is there");
    assert_eq!((state.status, (state.confidence * 100.0).round()), (Status::Satisfied, 85.0));
}

#[test]
fn a_candidate_makes_an_obligation_partial() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("They queue.", &[("purpose.problem", json!("queues"), 0.9, "bogus")]);
    assert_eq!(session.status("problem_known"), Status::Partial);
}

#[test]
fn a_condition_decides_over_an_obligation_whatever_its_fields_are() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Not agreed.", &[("closing.agreed", json!(false), 0.9, "not agreed")]);
    assert_eq!(session.status("agreed"), Status::Pending);
    session.tell("Agreed.", &[("closing.agreed", json!(true), 0.9, "agreed")]);
    assert_eq!(session.status("agreed"), Status::Satisfied);
}

#[test]
fn a_condition_over_other_obligations_sees_what_this_very_message_settled() {
    let engine = small_with(&[(
        "when = \"value('closing.agreed') == true\"",
        "when = \"known('closing.agreed') or satisfied('problem_known')\"",
    )]);
    let mut session = ScriptedSession::new(&engine);
    session.tell("Queues.", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    assert_eq!(session.status("agreed"), Status::Satisfied);
}

#[test]
fn the_agenda_ranks_by_weight_times_what_is_missing_in_confidence() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.memory.phase.current = "MIDDLE".to_owned();
    let found = [("purpose.problem", json!("queues"), 0.9, "queues"), ("people.count", json!(12), 1.0, "12 of us")];
    let turn = session.tell("Queues for 12 of us.", &found);
    assert_eq!(agenda(&turn), ["private_known", "size_known"]);
    let items = draw_up(&engine, &session.memory);
    let ranked: Vec<_> = items.iter().map(|item| (item.obligation.as_str(), item.priority)).collect();
    // What the answer asked has been asked once by now, which halves its priority of 1.5; among equals the file decides.
    assert_eq!(ranked, [("size_known", 1.0), ("tools_known", 1.0)]);
}

#[test]
fn what_comes_after_something_else_waits_until_that_is_settled_or_set_aside() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let turn = session.chat("Hello.");
    assert_eq!(agenda(&turn), ["problem_known", "mood_known"]);
    session.memory = edit::defer(&engine, &session.memory, "problem_known", "later").expect("it is open").memory;
    assert_eq!(agenda(&session.chat("Hm.")), ["trigger_known", "mood_known"]);
}

#[test]
fn at_most_as_many_questions_are_on_the_agenda_as_the_engine_allows() {
    for most in 1..=3usize {
        let engine = small_with(&[("max_questions = 2", &format!("max_questions = {most}"))]);
        let mut session = ScriptedSession::new(&engine);
        session.memory.phase.current = "MIDDLE".to_owned();
        let turn = session.tell("Queues.", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
        assert_eq!(agenda(&turn).len(), most);
    }
}

#[test]
fn when_a_phase_has_nothing_left_to_ask_those_already_passed_are_asked() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.memory.phase.current = "END".to_owned();
    let turn = session.tell("A deal.", &[("closing.agreed", json!(true), 0.9, "a deal")]);
    assert_eq!(agenda(&turn), ["problem_known", "size_known"]);
}

#[test]
fn after_three_questions_without_an_answer_an_obligation_is_left_alone() {
    let engine = small_with(&[("max_questions = 2", "max_questions = 1")]);
    let mut session = ScriptedSession::new(&engine);
    let mut asked = Vec::new();
    for time in 0..12 {
        let lead = format!("This is the question that I have asked you {time} times before now.");
        session.ports.answers(&format!("{lead} What goes wrong today at your place?"));
        asked.extend(agenda(&session.chat("It rains.")));
    }
    assert_eq!(asked.iter().filter(|id| *id == "problem_known").count(), 3);
    let state = session.memory.obligations.get("problem_known").expect("it is there");
    assert_eq!((state.status, state.deferred.as_deref()), (Status::Deferred, Some("asked 3 times without an answer")));
}

#[test]
fn an_answer_starts_the_count_of_questions_anew() {
    let engine = small_with(&[("max_questions = 2", "max_questions = 1")]);
    let mut session = ScriptedSession::new(&engine);
    session.memory.phase.current = "MIDDLE".to_owned();
    let problem = ("purpose.problem", json!("queues"), 0.9, "queues");
    session.tell("Queues.", std::slice::from_ref(&problem));
    session.memory.obligations.get_mut("size_known").expect("it is there").times_asked = 3;
    session.tell("We are 12.", &[("people.count", json!(12), 0.9, "12")]);
    assert_eq!(session.status("size_known"), Status::Partial);
    session.chat("Hm.");
    assert_eq!(session.status("size_known"), Status::Partial, "it is not set aside a turn later");
}

#[test]
fn a_value_put_in_doubt_is_asked_again_however_often_it_was_asked_before() {
    let engine = small_with(&[("max_questions = 2", "max_questions = 1")]);
    let mut session = ScriptedSession::new(&engine);
    session.memory.obligations.get_mut("trigger_known").expect("it is there").times_asked = 3;
    let found =
        [("purpose.problem", json!("queues"), 0.9, "queues"), ("purpose.trigger", json!("the flu"), 0.9, "the flu")];
    session.tell("Queues, since the flu.", &found);
    session.memory.phase.current = "START".to_owned();
    session.tell("No, lost keys.", &[("purpose.problem", json!("lost keys"), 0.9, "lost keys")]);
    assert_eq!(session.status("trigger_known"), Status::Partial);
}

#[test]
fn what_a_person_sets_aside_stays_aside_until_something_new_is_said_about_it() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("They queue.", &[("purpose.problem", json!("queues"), 0.9, "bogus")]);
    session.memory =
        edit::defer(&engine, &session.memory, "problem_known", "let us come back to it").expect("it is open").memory;
    assert_eq!(session.status("problem_known"), Status::Deferred, "although something was said in the last turn");
    session.memory = edit::correct(&engine, &session.memory, "people.count", &json!(3)).expect("a field").memory;
    assert_eq!(session.status("problem_known"), Status::Deferred, "another edit does not lift it");
    session.chat("Go on.");
    assert_eq!(session.status("problem_known"), Status::Deferred);
    session.tell("Perhaps queues.", &[("purpose.problem", json!("queues"), 0.5, "queues")]);
    assert_eq!(session.status("problem_known"), Status::Partial);
}

#[test]
fn what_is_settled_cannot_be_set_aside() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Queues.", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    let refused = edit::defer(&engine, &session.memory, "problem_known", "later").unwrap_err();
    assert_eq!(refused.to_string(), "that is settled already");
}

#[test]
fn deferred_obligations_leave_the_rate_of_their_category() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Queues.", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    let rate = |session: &ScriptedSession<'_>| satisfaction_rate(engine.definition(), &session.memory, "purpose");
    assert_eq!(rate(&session), 1.0 / 3.0);
    session.memory = edit::defer(&engine, &session.memory, "trigger_known", "later").expect("it is open").memory;
    assert_eq!(rate(&session), 0.5);
}
