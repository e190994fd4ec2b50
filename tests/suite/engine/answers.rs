//! Plain answers: yes, no, "I don't know", "I'd rather not say", and what becomes of the questions they answer.

use elenchus::engine::extraction::ChangeKind;
use elenchus::engine::memory::{Asked, FieldState, Status};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Talk, agenda, small};
use crate::support::scripted::ScriptedSession;

/// A session whose last answer asked for these obligations.
fn asked<'a>(engine: &'a elenchus::engine::Engine, obligation: &str, to_confirm: &[&str]) -> ScriptedSession<'a> {
    let mut session = ScriptedSession::new(engine);
    let to_confirm = to_confirm.iter().map(|path| (*path).to_owned()).collect();
    session.memory.asked = vec![Asked { obligation: obligation.to_owned(), to_confirm, ..Asked::default() }];
    session
}

#[test]
fn not_knowing_is_an_answer_and_the_question_is_never_asked_again() {
    let engine = small();
    let mut session = asked(&engine, "problem_known", &[]);
    let turn = session.chat("I don't know.");
    assert!(turn.report.changed("purpose.problem", ChangeKind::Unknown));
    assert_eq!(session.state("purpose.problem"), FieldState::Unknown);
    let state = session.memory.obligations.get("problem_known").expect("it is there").clone();
    assert_eq!((state.status, state.deferred.as_deref()), (Status::Deferred, Some("not known yet")));
    for _ in 0..6 {
        let turn = session.chat("Go on.");
        assert!(!agenda(&turn).contains(&"problem_known".to_owned()));
    }
}

#[test]
fn declining_is_an_answer_and_the_question_is_never_asked_again() {
    let engine = small();
    let mut session = asked(&engine, "problem_known", &[]);
    session.chat("I'd rather not say.");
    let state = session.memory.obligations.get("problem_known").expect("it is there").clone();
    assert_eq!((state.status, state.deferred.as_deref()), (Status::Deferred, Some("you would rather not say")));
    assert_eq!(session.state("purpose.problem"), FieldState::Declined);
    assert!(!agenda(&session.chat("Go on.")).contains(&"problem_known".to_owned()));
}

#[test]
fn the_analysis_may_tell_that_the_user_does_not_know() {
    let engine = small();
    let mut session = asked(&engine, "problem_known", &[]);
    session.tell_raw("Good grief, ask somebody else.", r#"{"fields": [], "signals": {"intents": ["does_not_know"]}}"#);
    assert_eq!(session.status("problem_known"), Status::Deferred);
}

#[test]
fn rules_alone_settle_nothing_as_unknown_beside_a_whole_report_unless_nothing_else_is_said() {
    let engine = small();
    let none = r#"{"fields": [], "signals": {"intents": []}}"#;
    let told = r#"{"fields": [], "signals": {"intents": ["does_not_know"]}}"#;
    let mixed = "Please explain how scanners talk to a system. Not decided.";
    for (message, report, settled) in [
        (mixed, none, false),
        (mixed, told, true),
        (mixed, r#"{"fields": []}"#, true),
        ("I don't know.", none, true),
        ("Sorry, no idea.", none, true),
    ] {
        let mut session = asked(&engine, "problem_known", &[]);
        session.tell_raw(message, report);
        assert_eq!(session.status("problem_known") == Status::Deferred, settled, "{message} {report}");
    }
}

#[test]
fn a_guess_without_proof_does_not_stand_in_the_way_of_not_knowing() {
    let engine = small();
    let mut session = asked(&engine, "problem_known", &[]);
    session.tell("No idea.", &[("purpose.problem", json!("Long queues"), 0.9, "queues")]);
    assert_eq!(
        (session.state("purpose.problem"), session.status("problem_known")),
        (FieldState::Unknown, Status::Deferred)
    );
}

#[test]
fn that_nothing_is_known_is_never_a_value_whatever_a_model_makes_of_it() {
    let engine = small();
    for said in ["I don't know.", "I'd rather not say."] {
        let mut session = asked(&engine, "trigger_known", &[]);
        session.tell(said, &[("purpose.problem", json!(said), 0.9, said)]);
        assert!(session.memory.extraction.value("purpose.problem").is_none(), "{said}");
    }
}

#[test]
fn a_doubtful_value_with_proof_outweighs_not_knowing() {
    let engine = small();
    let mut session = asked(&engine, "problem_known", &[]);
    session.tell("Not sure, maybe the calls.", &[("purpose.problem", json!("the calls"), 0.4, "maybe the calls")]);
    assert_eq!(
        (session.state("purpose.problem"), session.status("problem_known")),
        (FieldState::Candidate, Status::Partial)
    );
}

#[test]
fn a_guess_without_proof_does_not_reopen_what_was_declined() {
    let engine = small();
    let mut session = asked(&engine, "problem_known", &[]);
    session.chat("I'd rather not say.");
    session.tell("Go on.", &[("purpose.problem", json!("Long queues"), 0.9, "queues")]);
    assert_eq!(
        (session.state("purpose.problem"), session.status("problem_known")),
        (FieldState::Declined, Status::Deferred)
    );
}

#[test]
fn an_answer_given_after_all_settles_what_was_deferred() {
    let engine = small();
    let mut session = asked(&engine, "problem_known", &[]);
    session.chat("I don't know.");
    session.tell("It is the calls.", &[("purpose.problem", json!("the calls"), 0.9, "the calls")]);
    assert_eq!(
        (session.state("purpose.problem"), session.status("problem_known")),
        (FieldState::Known, Status::Satisfied)
    );
}

#[test]
fn a_yes_accepts_what_was_offered_for_confirmation() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let turn = session.tell("They queue up.", &[("purpose.problem", json!("Long queues"), 0.9, "long queues")]);
    assert_eq!(agenda(&turn)[0], "problem_known");
    assert!(session.last_system().concat().contains("Not sure yet, ask to confirm: Long queues"));
    assert_eq!(session.memory.asked[0].to_confirm, ["purpose.problem"]);
    session.chat("Yes, that's right.");
    let field = session.field("purpose.problem");
    assert_eq!((field.state, &field.value, field.confidence), (FieldState::Known, &Some(json!("Long queues")), 0.9));
    assert_eq!(field.evidence.as_ref().map(|e| (e.turn, e.quote.as_str())), Some((2, "Yes, that's right")));
}

/// A session that has offered a problem and a trigger for confirmation, in one answer.
fn offered_two(engine: &elenchus::engine::Engine) -> ScriptedSession<'_> {
    let mut session = ScriptedSession::new(engine);
    let guesses =
        [("purpose.problem", json!("Long queues"), 0.9, "a"), ("purpose.trigger", json!("A new director"), 0.9, "b")];
    session.tell("They queue up since the director came.", &guesses);
    let question = |obligation: &str, path: &str| Asked {
        obligation: obligation.to_owned(),
        to_confirm: vec![path.to_owned()],
        ..Asked::default()
    };
    session.memory.asked =
        vec![question("problem_known", "purpose.problem"), question("trigger_known", "purpose.trigger")];
    session
}

#[test]
fn a_bare_yes_to_several_questions_confirms_none_and_they_are_asked_one_at_a_time() {
    let engine = small();
    let mut session = offered_two(&engine);
    let turn = session.chat("Yes.");
    assert_eq!(session.state("purpose.problem"), FieldState::Candidate);
    assert_eq!(session.state("purpose.trigger"), FieldState::Candidate);
    assert_eq!(agenda(&turn), ["problem_known"]);
    session.chat("Yes.");
    assert_eq!(session.field("purpose.problem").value, Some(json!("Long queues")));
    assert_eq!(session.state("purpose.trigger"), FieldState::Candidate);
}

#[test]
fn a_yes_that_takes_up_one_of_several_questions_confirms_that_one() {
    let engine = small();
    let mut session = offered_two(&engine);
    session.chat("Yes, the director.");
    assert_eq!(session.field("purpose.trigger").value, Some(json!("A new director")));
    assert_eq!(session.state("purpose.problem"), FieldState::Candidate);
}

#[test]
fn a_yes_confirms_the_only_one_of_several_questions_that_it_can_answer() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.memory.asked =
        ["size_known", "private_known"].map(|id| Asked { obligation: id.to_owned(), ..Asked::default() }).to_vec();
    session.chat("Yes.");
    assert_eq!(session.field("people.private").value, Some(json!(true)));
}

#[test]
fn a_yes_accepts_what_was_offered_and_not_what_a_model_guessed_since() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("They queue up.", &[("purpose.problem", json!("Long queues"), 0.9, "long queues")]);
    session.tell("Yes.", &[("purpose.problem", json!("Lost keys"), 0.9, "keys")]);
    assert_eq!(session.field("purpose.problem").value, Some(json!("Long queues")));
}

#[test]
fn a_no_drops_what_was_offered_for_confirmation() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("They queue up.", &[("purpose.problem", json!("Long queues"), 0.9, "long queues")]);
    let turn = session.chat("No.");
    assert!(turn.report.changed("purpose.problem", ChangeKind::Cleared));
    assert_eq!(
        (session.field("purpose.problem").candidate.clone(), session.status("problem_known")),
        (None, Status::Pending)
    );
}

#[test]
fn a_yes_confirms_a_stale_value_and_a_no_clears_it() {
    for (reply, expected) in [("Yes.", Some(json!("the flu"))), ("No.", None)] {
        let engine = small();
        let mut session = ScriptedSession::new(&engine);
        let found = [
            ("purpose.problem", json!("queues"), 0.9, "queues"),
            ("purpose.trigger", json!("the flu"), 0.9, "the flu"),
        ];
        session.tell("Queues, since the flu.", &found);
        session.memory.phase.current = "START".to_owned();
        session.tell("No, lost keys.", &[("purpose.problem", json!("lost keys"), 0.9, "lost keys")]);
        assert!(
            session.memory.asked.iter().any(|asked| asked.to_confirm == ["purpose.trigger"]),
            "{:?}",
            session.memory.asked
        );
        session.chat(reply);
        assert_eq!(session.memory.extraction.value("purpose.trigger").cloned(), expected, "{reply}");
    }
}

#[test]
fn a_plain_yes_or_no_answers_the_boolean_that_was_asked_for() {
    for (reply, value) in [("Yes", json!(true)), ("Nope", json!(false))] {
        let engine = small();
        let mut session = asked(&engine, "private_known", &[]);
        session.chat(reply);
        assert_eq!(session.field("people.private").value, Some(value), "{reply}");
    }
}

#[test]
fn a_plain_yes_answers_the_boolean_that_a_condition_is_about() {
    let engine = small();
    let mut session = asked(&engine, "agreed", &[]);
    session.chat("Yes");
    assert_eq!(session.status("agreed"), Status::Satisfied);
}

#[test]
fn a_doubted_boolean_is_asked_afresh_so_that_yes_means_yes() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.memory.phase.current = "MIDDLE".to_owned();
    session.tell(
        "The ward. Private, or not?",
        &[
            ("purpose.problem", json!("The ward"), 0.9, "the ward"),
            ("people.private", json!(false), 0.9, "nothing private"),
        ],
    );
    assert_eq!(session.state("people.private"), FieldState::Candidate);
    session.memory.asked = vec![Asked { obligation: "private_known".to_owned(), ..Asked::default() }];
    let turn = session.chat("Yes");
    assert_eq!(session.field("people.private").value, Some(json!(true)), "{:?}", turn.report.extraction_changes);
}

#[test]
fn a_message_that_merely_begins_like_a_yes_answers_nothing() {
    for message in
        ["We do everything on paper", "Right now it is chaos", "No one knows the code", "It is the records office"]
    {
        let engine = small();
        let mut session = asked(&engine, "private_known", &[]);
        session.chat(message);
        assert_eq!(session.memory.extraction.get("people.private"), None, "{message}");
    }
}

#[test]
fn a_yes_and_a_choice_need_words_that_have_to_do_with_them() {
    let engine = small();
    for (path, value, quote, state) in [
        ("people.private", json!(true), "we can", FieldState::Candidate),
        ("people.private", json!(true), "private letters too", FieldState::Known),
        ("people.role", json!("nurse"), "we can", FieldState::Candidate),
        ("people.role", json!("nurse"), "the nurses", FieldState::Known),
    ] {
        let mut session = ScriptedSession::new(&engine);
        session.tell("We can start, the nurses first, private letters too.", &[(path, value, 0.95, quote)]);
        assert_eq!(session.state(path), state, "{path} from “{quote}”");
    }
    let mut session = asked(&engine, "private_known", &[]);
    session.tell("We can say that.", &[("people.private", json!(true), 0.95, "we can say that")]);
    assert_eq!(session.state("people.private"), FieldState::Known, "to the question, other words may say yes");
}

#[test]
fn the_same_words_prove_one_field() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let all = "the queues are long since Ann left";
    session.tell(
        "The queues are long since Ann left.",
        &[("purpose.problem", json!(all), 0.9, all), ("purpose.trigger", json!(all), 0.9, all)],
    );
    assert_eq!(
        (session.state("purpose.problem"), session.state("purpose.trigger")),
        (FieldState::Known, FieldState::Candidate)
    );
}
