//! QA: each thing an answer must not be, and one revision at most.

use std::collections::BTreeMap;

use elenchus::engine::handoff::{Decision, Handoff};
use elenchus::engine::memory::{InboundHandoff, Status};
use elenchus::engine::ports::CallError;
use elenchus::engine::qa::{Said, check, questions};
use elenchus::engine::turn::TurnError;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Talk, outcome, shipped, small, small_with};
use crate::support::scripted::{ScriptedSession, SeenRequest};

/// The codes of what is found in an answer to a message.
fn found(session: &ScriptedSession<'_>, message: &str, note: &str, answer: &str) -> Vec<&'static str> {
    let said = Said { message, transcript: &session.transcript, note, asks_back: false };
    check(session.engine, &session.memory, &said, answer).into_iter().map(|finding| finding.code.word()).collect()
}

/// The codes of what is found in an answer of a session that knows the problem and was refused the mood.
fn codes(answer: &str) -> Vec<&'static str> {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Queues.", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    session.memory =
        elenchus::engine::edit::defer(&engine, &session.memory, "mood_known", "later").expect("open").memory;
    session.transcript = elenchus::engine::transcript::Transcript::default();
    found(&session, "Queues.", "", answer)
}

#[test]
fn a_good_answer_has_no_findings() {
    assert_eq!(codes("So it is the queues. Which event makes you start now?"), Vec::<&str>::new());
}

#[test]
fn an_empty_answer_is_found() {
    assert_eq!(codes(" \n"), ["empty"]);
}

#[test]
fn leaked_json_is_found() {
    assert_eq!(codes("```json\n{\"value\": 1}\n```"), ["leaked-json"]);
    assert_eq!(codes("Noted: \"fields\": []"), ["leaked-json"]);
    assert_eq!(codes("Use {braces} as you like."), Vec::<&str>::new());
}

#[test]
fn a_leaked_line_of_the_prompt_is_found() {
    let line = "You talk with one person about one small thing and you ask at most 2 questions in an answer.";
    assert_eq!(codes(line), ["leaked-prompt"]);
}

#[test]
fn too_many_questions_are_found_and_those_in_code_and_quotations_are_not_counted() {
    assert_eq!(codes("Who is it? Where is it? When is it?"), ["too-many-questions"]);
    assert_eq!(codes("> Who said that?\n```\nwhy? what?\n```\nWho is it? Where is it?"), Vec::<&str>::new());
    assert_eq!(questions("Fine. Who is it? Done!"), ["Who is it?"]);
}

#[test]
fn a_question_with_a_colon_is_one_question() {
    assert_eq!(questions("Noted. What decides: value or effort?"), ["What decides: value or effort?"]);
    assert_eq!(codes("One thing: what goes wrong today, at your place?"), ["re-asked"], "after the colon, too");
    let engine = small_with(&[(
        "question = \"Which event makes you start now?\"",
        "question = \"Which event makes you start now: a loss, or what?\"",
    )]);
    let mut session = ScriptedSession::new(&engine);
    session.tell("Queues.", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    let asked: Vec<&str> = session.memory.asked.iter().map(|asked| asked.obligation.as_str()).collect();
    assert_eq!(asked, ["trigger_known"], "it is known what was asked");
}

#[test]
fn a_question_that_asks_twice_leads_or_supposes_is_found() {
    assert_eq!(codes("Which event is it, and who saw it?"), ["faulty-question"]);
    assert_eq!(codes("Wouldn't it be better to wait?"), ["faulty-question"]);
    assert_eq!(codes("What if there were no event?"), ["faulty-question"]);
    // A nod before the comma asks for nothing.
    assert_eq!(codes("Certainly, and who saw it?"), Vec::<&str>::new());
    assert_eq!(codes("And what makes you start now?"), Vec::<&str>::new(), "it goes on, and asks for one thing");
}

#[test]
fn a_question_for_what_is_settled_or_set_aside_is_found() {
    assert_eq!(codes("What goes wrong today, at your place?"), ["re-asked"]);
    assert_eq!(codes("And how does the whole staff take the news?"), ["re-asked"]);
    assert_eq!(codes("Which event makes you start now?"), Vec::<&str>::new());
}

#[test]
fn a_question_for_what_is_settled_is_found_however_short_it_is() {
    assert_eq!(codes("And the problem?"), ["re-asked"]);
    assert_eq!(codes("What is the problem?"), ["re-asked"]);
    assert_eq!(codes("The queues are the problem, is that right?"), Vec::<&str>::new(), "it gives back what is known");
    assert_eq!(
        codes("Who outside the house feels the problem most?"),
        Vec::<&str>::new(),
        "it asks for something else"
    );
}

/// A conversation about a project of which budget, date, users and problem are known.
fn known_project(engine: &elenchus::engine::Engine) -> ScriptedSession<'_> {
    let mut session = ScriptedSession::new(engine);
    let message = "An app for our village library. People walk in for a book that is out. We can spend up to 4,000 euros, \
                   it has to be ready by June. About 300 members would use it.";
    let found = [
        ("purpose_and_problem.summary", "An app for our village library"),
        ("purpose_and_problem.core_problem", "People walk in for a book that is out"),
        ("constraints.budget", "up to 4,000 euros"),
        ("constraints.deadline", "ready by June"),
        ("users_and_personas.primary_user", "members"),
    ];
    let found: Vec<_> = found.iter().map(|(path, said)| (*path, json!(said), 0.9, *said)).collect();
    let users = ("users_and_personas.expected_users", json!("300"), 0.9, "About 300 members");
    session.tell(message, &found.into_iter().chain([users]).collect::<Vec<_>>());
    session.transcript = elenchus::engine::transcript::Transcript::default();
    session
}

#[test]
fn a_short_question_for_what_is_known_is_found_by_what_its_answer_would_be_filed_under() {
    let engine = shipped("project-discovery");
    let session = known_project(&engine);
    for answer in [
        "Got it. Any deadline?",
        "Is there a deadline?",
        "When must it be finished?",
        "Which month does it have to be ready?",
        "When do you need it?",
        "What may it cost?",
        "And the budget?",
        "How much money is there?",
        "How much can you spend?",
        "Roughly how many users?",
        "How many people will use it?",
        "Who uses it?",
        "Who will use it?",
        "What goes wrong today?",
        "What would you like to build?",
        "And what goes wrong at present?",
        "What goes wrong these days?",
    ] {
        assert_eq!(found(&session, "Fine.", "", answer), ["re-asked"], "{answer}");
    }
    for answer in [
        "In which currency is the 4,000?",
        "June, then. Is that the deadline?",
        "So up to 4,000 euros. Is that the budget?",
        "What makes June the date?",
        "Why is that the deadline?",
        "Who set the deadline?",
        "What does the problem cost you in a month?",
        "What does it cost you?",
        "How often will they use it?",
        "How do people manage today, without it?",
        "Who else is affected?",
        "And who else?",
        "When?",
        "What happened that makes this a project now?",
        "Which books do they ask for most?",
        "What happens next with this?",
        "Who can work on it?",
        "Who decides whether it was worth the money?",
        "What would that change?",
        "Which of the members come on Saturdays?",
        "What should be different a year after it is in use?",
    ] {
        assert_eq!(found(&session, "Fine.", "", answer), Vec::<&str>::new(), "{answer}");
    }
}

#[test]
fn no_question_of_a_shipped_engine_is_taken_for_one_that_is_settled() {
    for id in ["project-discovery", "exploration", "business-profile", "feature-prioritization", "ideation"] {
        let engine = shipped(id);
        let session = ScriptedSession::new(&engine);
        let points: Vec<_> = engine.definition().obligations.iter().collect();
        for open in &points {
            let mut memory = session.memory.clone();
            for other in points.iter().filter(|other| other.id != open.id) {
                if let Ok(edited) = elenchus::engine::edit::defer(&engine, &memory, &other.id, "later") {
                    memory = edited.memory;
                }
            }
            // What holds from the start, or is not needed, is no open point.
            if !matches!(memory.obligations.status(&open.id), Status::Pending | Status::Partial) {
                continue;
            }
            let said = Said { message: "", transcript: &session.transcript, note: "", asks_back: false };
            let again = check(&engine, &memory, &said, &open.question);
            let codes: Vec<_> = again.iter().filter(|finding| finding.code.word() == "re-asked").collect();
            assert!(codes.is_empty(), "{id}: {} {codes:?}", open.question);
        }
    }
}

#[test]
fn the_same_few_words_again_are_a_repetition_however_they_begin() {
    let engine = small();
    for (first, second, again) in [
        ("Got it. Any event?", "Got it. Any event?", true),
        ("Got it. Any event?", "Thank you for that. Any event?", true),
        ("Any event?", "Noted, any event?", true),
        ("Thank you for telling me that, it helps.", "Thank you for telling me that, it helps.", true),
        ("Any event?", "Which event was it?", false),
        ("Fine.", "Fine. Which event was it?", false),
    ] {
        let mut session = ScriptedSession::new(&engine);
        session.ports.answers(first);
        session.chat("It breaks.");
        let codes = found(&session, "Ann does.", "", second);
        assert_eq!(codes.contains(&"repeated"), again, "{first} – {second}: {codes:?}");
    }
}

#[test]
fn an_answer_that_speaks_about_the_user_or_for_them_is_found_and_a_label_goes() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    for leaked in [
        "The user has told us about the app. Open points: trigger event. I will ask for one of them. Since when?",
        "Fine. Open points: trigger event. Since when?",
        "Since when? [confidence 0.4] Technique: five whys",
        "I looked. What stands between the marks is material from earlier sessions.",
        "<found> [1] known from an earlier session. Since when?",
        "User: we want it soon.\nInterviewer: Since when?",
    ] {
        assert_eq!(found(&session, "Hello.", "", leaked), ["leaked-note"], "{leaked}");
    }
    for fine in ["What would the user see first?", "Who are the users: staff or guests?"] {
        assert!(!found(&session, "Hello.", "", fine).contains(&"leaked-note"), "{fine}");
    }
    session.ports.answers("You: Which event makes you start now?");
    assert_eq!(session.chat("Hello.").report.response, "Which event makes you start now?");
}

#[test]
fn the_question_that_stands_in_for_an_answer_is_a_question_and_never_the_same_again() {
    let engine = shipped("project-discovery");
    let mut session = ScriptedSession::new(&engine);
    session.ports.small = true;
    let mut put: Vec<String> = Vec::new();
    for turn in 0..10 {
        let message = format!("Well, it is number {turn} of what I wanted to say about all of these things here.");
        session.ports.answers(&message);
        let answer = session.chat(&message).report.response;
        assert!(answer.contains('?'), "{answer}");
        assert!(!put.iter().rev().take(6).any(|other| *other == answer), "{answer} {put:?}");
        put.push(answer);
    }
}

#[test]
fn an_answer_that_turns_the_user_away_gives_way_to_the_question_of_the_agenda() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    for refusal in ["I'm sorry, but I can’t help with that.", "As an AI language model, I do not know kegs."] {
        assert_eq!(found(&session, "Our kegs get lost.", "", refusal), ["refuses"], "{refusal}");
    }
    let told = "I can't help with that here, it comes later. Which event makes you start now?";
    assert!(!found(&session, "Our kegs get lost.", "", told).contains(&"refuses"), "who goes on asking does not");
    session.ports.answers("I'm sorry, but I can't help with that.");
    session.ports.answers("I am unable to assist with this request.");
    let turn = session.chat("Our kegs get lost.");
    assert!(
        turn.report.response.ends_with('?') && !turn.report.response.contains("unable"),
        "{}",
        turn.report.response
    );
}

#[test]
fn an_answer_that_gives_the_message_back_is_found_whoever_is_meant_by_it() {
    let engine = small();
    let session = ScriptedSession::new(&engine);
    let message = "We lose two hours a day because our phones ring all morning.";
    let parroted = "You lose two hours a day because your phones ring all morning. What goes wrong?";
    assert_eq!(found(&session, message, "", parroted), ["echo"]);
    assert_eq!(found(&session, message, "", "Two hours a day."), ["echo"], "nothing but words of the message");
    let taken_up = "Two hours a day on the phone. Who picks it up?";
    assert_eq!(found(&session, message, "", taken_up), Vec::<&str>::new());
    assert_eq!(found(&session, "The queues.", "", "The queues. Since when?"), Vec::<&str>::new(), "too short to tell");
}

#[test]
fn a_short_message_said_back_as_a_statement_is_an_echo_and_one_that_a_question_takes_up_is_not() {
    let engine = small();
    let session = ScriptedSession::new(&engine);
    let message = "People call us all day to book.";
    assert_eq!(found(&session, message, "", "People call you all day to book. Since when?"), ["echo"]);
    for fine in ["When do people call you all day to book?", "All day. Who takes the calls?"] {
        assert_eq!(found(&session, message, "", fine), Vec::<&str>::new(), "{fine}");
    }
}

#[test]
fn an_answer_in_the_words_of_the_contract_or_with_a_point_as_its_heading_is_found() {
    let engine = small();
    let session = ScriptedSession::new(&engine);
    for leaked in [
        "What a point is about stands under its heading. Since when?",
        "I will take the next one: Trigger.",
        "Ich frage jetzt nach dem, was noch offen ist: Trigger.",
    ] {
        assert_eq!(found(&session, "Hello.", "", leaked), ["leaked-prompt"], "{leaked}");
    }
    for fine in ["One thing is still open: what was the trigger?", "The points of that day are clear. Since when?"] {
        assert_eq!(found(&session, "Hello.", "", fine), Vec::<&str>::new(), "{fine}");
    }
}

#[test]
fn nothing_is_asked_after_a_wish_to_stop_or_to_read_or_an_offer_to_stop() {
    let engine = small();
    for (message, answer) in [
        ("Let me read that in peace, no question now.", "Scanners send a number."),
        ("Ich möchte das erst in Ruhe lesen, bitte jetzt keine Frage.", "Gern."),
        ("That is enough for today.", "Everything is kept."),
        ("It is the queues.", "That is a lot already. We can stop here with what there is."),
    ] {
        let mut session = ScriptedSession::new(&engine);
        session.ports.answers(answer);
        assert_eq!(session.chat(message).report.response, answer, "{message}");
        let told = session.last_system().concat().contains("The user wants no question now");
        assert_eq!(told, !message.contains("queues"), "{message}");
    }
    let mut session = ScriptedSession::new(&engine);
    let report = json!({ "fields": [], "signals": { "friction": 0.8, "intents": [] } }).to_string();
    session.ports.answers("That was a lot at once.");
    let turn = session.tell_raw("This takes ages.", &report);
    assert_eq!(turn.report.response, "That was a lot at once.", "impatience");
}

#[test]
fn an_answer_that_was_given_before_is_found() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("I see. Who notices it first when that happens?");
    session.chat("It breaks.");
    assert_eq!(found(&session, "Ann.", "", "I see. Who notices it first when that happens?"), ["repeated"]);
    assert_eq!(found(&session, "Ann.", "", "Ann, then. And who tells her?"), Vec::<&str>::new());
}

#[test]
fn an_answer_that_shows_its_note_is_found() {
    let engine = small();
    let session = ScriptedSession::new(&engine);
    let note = "<note>\nThis part: Start. Let them tell it in their own order and take up one thing.\n</note>";
    let leaked = "Let them tell it in their own order and take up one thing.";
    assert_eq!(found(&session, "Hello.", &note.replace("This part: Start. ", ""), leaked), ["leaked-note"]);
    assert_eq!(found(&session, "Hello.", "", "Fine. <note> Open points </note>"), ["leaked-note"]);
    let long = "This part: Start. Let them tell it in their own order. They have told this story many times before.\n\
                - Core problem: What goes wrong today at your place?";
    let part = "They have told this story many times before.";
    assert_eq!(found(&session, "Hello.", long, part), ["leaked-note"], "one sentence of a line is enough");
    let point = "Core problem: What goes wrong today at your place?";
    assert_eq!(found(&session, "Hello.", long, point), ["leaked-note"], "a point with its name");
    let question = "What goes wrong today at your place?";
    assert_eq!(found(&session, "Hello.", long, question), Vec::<&str>::new(), "the question itself is for the user");
    let order = "[Write that answer again, better: The answer repeats the note.] What goes wrong?";
    assert_eq!(found(&session, "Hello.", "", order), ["leaked-note"]);
}

#[test]
fn an_answer_that_cannot_be_mended_gives_way_to_the_question_of_the_agenda() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let message = "We lose two hours a day because our phones ring all morning.";
    session.ports.answers(message);
    session.ports.answers(&format!("So: {message}"));
    let turn = session.chat(message);
    assert_eq!(turn.report.response, "What goes wrong today at your place?", "nothing is added to an echo");
    assert_eq!((turn.report.usage.calls, answers(&session)), (3, vec![false, true]), "one revision at most");
    assert_eq!(outcome(&turn, "QA check"), "replaced by the question of the agenda: echo");
    assert_eq!(session.asked(), ["problem_known"]);
}

#[test]
fn what_gives_the_message_back_in_several_sentences_is_an_echo_too() {
    let engine = small();
    let session = ScriptedSession::new(&engine);
    let message = "In March two crews turned up for the same boat and one of them missed the regatta.";
    let back = "Two crews turned up for the same boat in March. One of them missed the regatta. Why was that?";
    assert_eq!(found(&session, message, "", back), ["echo"]);
    for own in [
        "One of them missed the regatta. Why was that?",
        "That cost them a regatta they had trained for, and the club a boat for the day. Why was that?",
    ] {
        assert_eq!(found(&session, message, "", own), Vec::<&str>::new(), "{own}");
    }
}

#[test]
fn a_revision_that_only_repeats_what_was_wrong_is_not_shown() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("What is it? Where is it? When is it?");
    session.ports.answers("The answer asks 3 questions, at most 2 are allowed.");
    let turn = session.chat("Hello.");
    assert!(!turn.report.response.contains("allowed"), "{}", turn.report.response);
}

#[test]
fn an_answer_without_a_word_gives_way_to_the_question_of_the_agenda() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("]");
    session.ports.answers("...");
    assert_eq!(session.chat("Hello.").report.response, "What goes wrong today at your place?");
}

#[test]
fn an_answer_that_is_too_long_is_found() {
    assert_eq!(codes(&"word ".repeat(61)), ["too-long"]);
    assert_eq!(codes(&"word ".repeat(60)), Vec::<&str>::new());
}

fn inbound() -> InboundHandoff {
    let mut handoff = Handoff::default();
    handoff.metadata.target_engine_id = "small".to_owned();
    handoff.action_list.decisions_reached = vec![Decision {
        decision: "Custom Web App".to_owned(),
        confidence: 0.8,
        reasoning: "for many good reasons".to_owned(),
    }];
    InboundHandoff {
        handoff,
        verification: None,
        unacknowledged: vec![],
        reminders_left: 0,
        by_field: BTreeMap::default(),
    }
}

#[test]
fn a_first_answer_that_ignores_the_handoff_is_found_and_later_ones_are_not() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.memory.inbound_handoff = Some(inbound());
    let found = |session: &ScriptedSession<'_>, answer: &str| found(session, "Good day.", "", answer);
    assert_eq!(found(&session, "Hello!"), ["handoff-ignored"]);
    assert_eq!(found(&session, "A custom one, then."), Vec::<&str>::new());
    session.chat("Hello.");
    assert_eq!(found(&session, "Hello!"), Vec::<&str>::new());
}

fn answers(session: &ScriptedSession<'_>) -> Vec<bool> {
    let requests = session.ports.requests.iter();
    requests.filter_map(|r| if let SeenRequest::Answer { revision, .. } = r { Some(*revision) } else { None }).collect()
}

#[test]
fn a_faulty_answer_is_sent_back_once_and_the_better_one_is_kept() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("Who? Where is it? When is it? Why is it?");
    session.ports.answers("Where is it?");
    let turn = session.chat("Hello.");
    assert_eq!((turn.report.response.as_str(), turn.report.qa.len(), turn.report.usage.calls), ("Where is it?", 0, 3));
    assert_eq!(answers(&session), [false, true]);
    assert_eq!(outcome(&turn, "QA check"), "revised: too-many-questions");
    assert!(
        session.ports.events.contains(&"revising: 1".to_owned()),
        "watchers are told that the draft no longer counts"
    );
}

#[test]
fn questions_that_stay_too_many_after_one_revision_are_left_out_and_the_user_is_not_told_of_limits() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("What is it? Where is it? When is it?");
    session.ports.answers("Where is it? What is it? When is it? Why is it?");
    let turn = session.chat("Hello.");
    assert_eq!(turn.report.response, "What is it? Where is it?", "as many as the engine allows");
    assert_eq!(turn.report.qa.iter().map(|finding| finding.code.word()).collect::<Vec<_>>(), Vec::<&str>::new());
    assert_eq!(turn.report.warnings, Vec::<String>::new(), "it is a matter for the engine's author");
    assert_eq!(answers(&session), [false, true], "there is no second revision");
    assert_eq!(turn.report.usage.calls, 3, "the revision was paid for all the same");
}

#[test]
fn an_answer_that_stays_empty_fails_the_turn() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("");
    session.ports.answers("  ");
    let error = pollster::block_on(session.say("Hello.")).expect_err("there is no answer");
    assert!(matches!(error, TurnError::EmptyAnswer));
    assert_eq!(session.ports.kept, []);
}

#[test]
fn a_draft_is_kept_when_its_revision_cannot_be_had_and_an_empty_one_is_not() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("What is it? Where is it? When is it?");
    session.ports.answers.push_back(Err(CallError::failed("the line is dead")));
    let turn = session.chat("Hello.");
    assert_eq!(turn.report.response, "What is it? Where is it?");
    assert_eq!(turn.report.warnings[0], "The answer could not be revised: the line is dead");
    session.ports.answers("");
    session.ports.answers.push_back(Err(CallError::failed("the line is dead")));
    let error = pollster::block_on(session.say("Hello.")).expect_err("there is no answer");
    assert_eq!(error.to_string(), "the line is dead");
}

#[test]
fn what_an_answer_asks_is_recognised_in_other_words_and_counted() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("Tell me, how does your staff take it?");
    session.chat("Hello.");
    assert_eq!(session.asked(), ["mood_known"]);
    session.ports.answers("And apart from that?");
    session.chat("Badly.");
    assert_eq!(session.asked(), Vec::<&str>::new(), "a question like none of them asks for none of them");
    session.ports.answers("I see.");
    session.ports.asked = Some(Vec::new());
    session.chat("Well.");
    assert_eq!(session.asked(), Vec::<&str>::new());
    let times = |id: &str| session.memory.obligations.get(id).map(|state| (state.times_asked, state.last_asked));
    assert_eq!((times("mood_known"), times("problem_known")), (Some((1, Some(1))), Some((0, None))));
}

#[test]
fn an_answer_that_asks_nothing_gets_the_first_question_of_the_agenda_without_another_call() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.ports.answers("Thank you for that.");
    let turn = session.chat("Hello.");
    assert_eq!(turn.report.response, "Thank you for that.\n\nWhat goes wrong today at your place?");
    assert_eq!(session.asked(), ["problem_known"]);
    assert_eq!((turn.report.usage.calls, turn.report.warnings.len()), (2, 0));
    assert!(outcome(&turn, "QA check").ends_with("the first question of the agenda was added"));
}

#[test]
fn an_answer_that_asks_in_its_own_way_is_left_alone() {
    for answer in ["Tell me what goes wrong.", "Noted. Please describe the queue", "今日は何が問題ですか？", "And why?"]
    {
        let engine = small();
        let mut session = ScriptedSession::new(&engine);
        session.ports.answers(answer);
        assert_eq!(session.chat("Hello.").report.response, answer);
    }
}

#[test]
fn an_answer_asks_nothing_when_nothing_is_left_to_ask() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    for obligation in engine.definition().obligations.iter() {
        let edited =
            elenchus::engine::edit::defer(&engine, &session.memory, obligation.id.as_str(), "later").expect("open");
        session.memory = edited.memory;
    }
    session.ports.answers("That is all.");
    assert_eq!(session.chat("Hello.").report.response, "That is all.");
}

#[test]
fn an_answer_in_another_language_than_the_conversation_is_found() {
    let engine = shipped("project-discovery");
    let mut session = ScriptedSession::new(&engine);
    session.memory.language.current = Some("de".to_owned());
    let english = "That is good to know, thank you. What happened that makes this a project for you right now?";
    let german = "Das ist gut zu wissen. Was ist passiert, dass gerade jetzt ein Projekt daraus wird?";
    let message = "Wir möchten eine App für unsere Bücherei, damit man sieht, was gerade ausgeliehen ist.";
    assert_eq!(found(&session, message, "", english), ["other-language"]);
    assert_eq!(found(&session, message, "", german), Vec::<&str>::new());
    assert_eq!(found(&session, message, "", "Okay, super. Und was fehlt?"), Vec::<&str>::new(), "too short to be sure");
}
