//! A small model gets short prompts and one question at a time, and rules help it to listen.

use elenchus::engine::memory::FieldState;
use elenchus::engine::ports::Pacing;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Talk, outcome, shipped, small};
use crate::support::scripted::{ScriptedSession, SeenRequest};

/// A session with a small model in which the problem has been asked for.
fn asked_for_the_problem(engine: &elenchus::engine::Engine) -> ScriptedSession<'_> {
    let mut session = ScriptedSession::new(engine);
    session.ports.small = true;
    session.chat("Hello.");
    assert_eq!(session.asked(), ["problem_known"]);
    session.ports.requests.clear();
    session
}

#[test]
fn it_is_told_who_it_is_shown_one_example_and_asked_for_one_thing() {
    let engine = shipped("project-discovery");
    let mut session = ScriptedSession::new(&engine);
    session.ports.small = true;
    session.chat("We want a booking app for our clinic.");
    let (long, short) = (engine.preamble(), engine.short_preamble());
    assert!(short.tokens * 4 < long.tokens, "{} of {}", short.tokens, long.tokens);
    assert!(short.text.contains("# Example\n\nUser: "), "{}", short.text);
    assert_eq!(session.last_system()[0], short.text);
    let (_, last) = session.last_messages().last().expect("a message");
    assert_eq!(last.matches('?').count(), 1, "one question: {last}");
    let Some(SeenRequest::Analysis { schema, instructions, system, .. }) = session.ports.requests.first() else {
        panic!("{:?}", session.ports.requests)
    };
    assert_eq!(system[0], short.text, "both requests begin alike");
    let paths = &schema["properties"]["fields"]["items"]["properties"]["path"]["enum"];
    assert!((1..=8).contains(&paths.as_array().expect("paths").len()), "{paths}");
    assert_eq!(schema["properties"].get("signals"), None);
    assert!(instructions.contains("Example: "), "{instructions}");
}

#[test]
fn what_it_misses_rules_still_find() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    session.chat("The queues are too long.");
    assert_eq!(session.state("purpose.problem"), FieldState::Known);
    assert_eq!(session.field("purpose.problem").value, Some(json!("The queues are too long")));
}

#[test]
fn words_that_were_not_said_or_were_said_about_something_else_are_not_taken_from_it() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    let found = [
        ("purpose.trigger", json!("queues"), 1.0, "queues"),
        ("purpose.mood", json!("angry"), 1.0, "they are all angry"),
    ];
    session.tell("The queues are too long.", &found);
    assert_eq!(session.state("purpose.problem"), FieldState::Known);
    for path in ["purpose.trigger", "purpose.mood"] {
        assert!(session.memory.extraction.get(path).is_none(), "{path}");
    }
}

#[test]
fn where_rules_know_that_nothing_is_told_it_is_not_asked() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    session.chat("What do you mean by that?");
    let analyses = session.ports.requests.iter().filter(|request| matches!(request, SeenRequest::Analysis { .. }));
    assert_eq!(analyses.count(), 0);
}

#[test]
fn where_it_disagrees_with_the_rules_it_is_asked() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    let said = "The queues are too long; letters get lost.";
    session.tell(said, &[("purpose.problem", json!("nothing of the kind is known"), 1.0, "letters")]);
    assert!(session.memory.extraction.value("purpose.problem").is_none());
    assert!(session.field("purpose.problem").candidate.is_some());
}

#[test]
fn what_it_only_puts_in_another_order_is_no_other_reading() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    let said = "Every single Monday the queues at our counter are far too long.";
    let put = "The queues at the counter are far too long on a Monday";
    session.tell(said, &[("purpose.problem", json!(put), 1.0, "the queues at our counter are far too long")]);
    assert_eq!(session.state("purpose.problem"), FieldState::Known);
    assert_eq!(session.field("purpose.problem").value, Some(json!(said.trim_end_matches('.'))));
}

#[test]
fn the_same_words_for_several_fields_confirm_nothing_that_was_not_asked() {
    let engine = shipped("project-discovery");
    let mut session = ScriptedSession::new(&engine);
    session.ports.small = true;
    session.chat("We want an app so that our shops can order bread for the next day.");
    session.chat("Last month we baked 200 rolls too few, since then my wife says it can't go on like that.");
    let said = "The orders come by phone at all hours and I type them into Excel at midnight, every morning something is \
                missing and the driver goes twice.";
    let quote = "every morning something is missing and the driver goes twice";
    let paths = ["purpose_and_problem.current_solution", "users_and_personas.usage_frequency"];
    session.tell(said, &paths.map(|path| (path, json!(quote), 1.0, quote)));
    for path in paths {
        assert_eq!(session.memory.extraction.value(path), None, "{path}");
    }
}

#[test]
fn what_it_makes_up_casts_no_doubt_on_what_rules_hear() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    let found =
        [("purpose.problem", json!("We need a better way to manage member shifts"), 1.0, "queues are too long")];
    session.tell("The queues are too long.", &found);
    assert_eq!(session.state("purpose.problem"), FieldState::Known);
    assert_eq!(session.field("purpose.problem").value, Some(json!("The queues are too long")));
}

#[test]
fn a_report_that_cannot_be_read_leaves_what_rules_hear() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    let turn = session.tell_raw("The queues are too long.", "I think that they have a problem!");
    assert_eq!(session.state("purpose.problem"), FieldState::Known);
    assert_eq!(session.memory.unread, None, "there is nothing to look at again");
    assert!(turn.report.warnings[0].contains("what rules hear in it is kept"), "{:?}", turn.report.warnings);
}

#[test]
fn an_answer_that_gives_the_message_back_is_replaced_without_another_try() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    let said = "The queues at our counter are too long on every single Monday morning.";
    session.ports.answers(said);
    let turn = session.chat(said);
    let answers = session.ports.requests.iter().filter(|request| matches!(request, SeenRequest::Answer { .. }));
    assert_eq!(answers.count(), 1);
    assert!(outcome(&turn, "QA check").starts_with("replaced by the question of the agenda"));
    assert!(!turn.report.response.contains("Monday"), "{}", turn.report.response);
}

/// Whether rules were to write the last answer, and how many were written.
fn by_rules(session: &ScriptedSession<'_>) -> (bool, usize) {
    let answers = session.ports.requests.iter().filter_map(|request| match request {
        SeenRequest::Answer { by_rules, .. } => Some(*by_rules),
        _ => None,
    });
    let answers: Vec<bool> = answers.collect();
    (answers.last().copied().unwrap_or(false), answers.len())
}

#[test]
fn what_is_asked_back_is_answered_by_rules_at_once_whatever_the_pace() {
    let engine = small();
    for pacing in [Pacing::Together, Pacing::AnswerFirst] {
        for message in ["What do you mean by that?", "Why do you want to know?", "I don't know."] {
            let mut session = asked_for_the_problem(&engine);
            session.ports.pacing = Some(pacing);
            session.chat(message);
            assert_eq!(by_rules(&session), (true, 1), "{message}");
        }
        let mut session = asked_for_the_problem(&engine);
        session.ports.pacing = Some(pacing);
        session.chat("The queues are too long.");
        assert_eq!(by_rules(&session), (false, 1), "a model answers what was told");
    }
}

#[test]
fn a_large_model_answers_what_is_asked_back_itself() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.chat("Hello.");
    session.chat("What do you mean by that?");
    assert!(!by_rules(&session).0);
}

#[test]
fn an_answer_that_asks_too_much_is_replaced_and_not_sent_back() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    session.ports.answers("Why is that so? Who says so? What is done about it?");
    let turn = session.chat("The queues are too long.");
    assert_eq!(by_rules(&session), (false, 1), "there is no revision");
    assert!(outcome(&turn, "QA check").starts_with("replaced by the question of the agenda"));
    assert_eq!(turn.report.response.matches('?').count(), 1, "{}", turn.report.response);
}

#[test]
fn it_is_not_told_to_put_a_question_again_that_it_has_just_put() {
    let engine = shipped("project-discovery");
    let mut session = ScriptedSession::new(&engine);
    session.ports.small = true;
    session.chat("We want a booking app for our clinic.");
    let first = session.asked()[0].to_owned();
    session.chat("The weather has been like this since Monday, and the cat is still at my sister's place.");
    let (_, last) = session.last_messages().last().expect("a message").clone();
    let question = engine.obligation(&first).expect("it was asked").question.clone();
    assert!(!last.contains(&question), "{last}");
}

#[test]
fn a_correction_that_rules_understand_is_not_put_in_doubt_by_what_it_makes_of_it() {
    let engine = shipped("project-discovery");
    let mut session = ScriptedSession::new(&engine);
    session.ports.small = true;
    session.chat("We want a booking tool for our club. It has to be ready by 12 April.");
    let found = [("constraints.deadline", json!("The committee moved it."), 1.0, "The committee moved it")];
    session.tell("Sorry, I said 12 April, it is 19 April.", &found);
    let known = session.memory.extraction.value("constraints.deadline").map(ToString::to_string);
    assert!(known.is_some_and(|known| known.contains("19 April")), "{:?}", session.field("constraints.deadline"));
}

#[test]
fn what_is_to_be_confirmed_is_given_back_by_rules() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    let said = "The queues are too long; letters get lost.";
    session.tell(said, &[("purpose.problem", json!("nothing of the kind is known"), 1.0, "letters")]);
    assert!(session.field("purpose.problem").candidate.is_some());
    let told = ["Since Ann left in May.", "Everybody is annoyed by it.", "It is worst on Mondays."];
    let turns: Vec<(bool, bool)> = told
        .iter()
        .map(|said| {
            let gives_back = session.chat(said).report.response.contains("I understood");
            (gives_back, by_rules(&session).0)
        })
        .collect();
    assert!(turns.iter().any(|(gives_back, _)| *gives_back), "{turns:?}");
    assert!(turns.iter().all(|(gives_back, by_rules)| !gives_back || *by_rules), "{turns:?}");
}

#[test]
fn an_answer_that_asks_nothing_gives_way_to_the_question_of_the_agenda() {
    let engine = small();
    let mut session = asked_for_the_problem(&engine);
    session.ports.answers("People stand in line or call the office.");
    let turn = session.chat("The queues are too long.");
    assert!(turn.report.response.ends_with('?') && !turn.report.response.contains("line"), "{}", turn.report.response);
}
