//! What the interviewer says: replies that fit, confirmations that show what they confirm, one language throughout.

use elenchus::engine::Engine;
use elenchus::engine::config::{Kind, Shape};
use elenchus::engine::edit::correct;
use elenchus::engine::memory::{Asked, WorkingMemory};
use elenchus::engine::reading::read;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::engine::support::{Talk, shipped};
use crate::support::program::{Program, session_of};
use crate::support::scripted::ScriptedSession;

const ENGINES: [&str; 5] =
    ["business-profile", "exploration", "feature-prioritization", "ideation", "project-discovery"];

fn response(turn: &Value) -> &str {
    turn["response"].as_str().unwrap()
}

fn said(turns: &[Value]) -> Vec<&str> {
    turns.iter().map(response).collect()
}

/// The values that a turn brought, by path.
fn taken(turn: &Value) -> Vec<(&str, &str, &Value)> {
    let changes = turn["extraction_changes"].as_array().unwrap();
    changes.iter().map(|c| (c["path"].as_str().unwrap(), c["kind"].as_str().unwrap(), &c["value"])).collect()
}

fn brief(program: &Program, turn: &Value) -> String {
    program.run(&["sessions", "export", &session_of(turn), "--format", "brief"]).data
}

#[test]
fn who_has_told_it_already_is_shown_what_was_heard_and_a_yes_takes_it() {
    let turns = Program::new().converse(
        "project-discovery",
        "A rota app for our bakery\nMy sister left in May\nNobody knows who is working on Sundays and we ring around for two hours\nI told you already\nyes\n",
    );
    let offer = response(&turns[3]);
    assert!(offer.contains("I have nothing yet on what the problem costs you. You said “"), "{:#?}", said(&turns));
    assert!(offer.contains("we ring around for two hours"), "{offer}");
    assert!(offer.ends_with("Shall I take that?"), "{offer}");
    assert_eq!(turns[3]["extraction_changes"], json!([]));
    let taken = taken(&turns[4]);
    assert_eq!((taken[0].0, taken[0].1), ("purpose_and_problem.cost_of_problem", "new"));
}

#[test]
fn a_guess_after_dunno_is_noted_and_is_not_said_to_stay_open() {
    let turns = Program::new().converse(
        "project-discovery",
        "A rota app for our bakery\nMy sister left in May\nNobody knows who is working on Sundays\ndunno, maybe 4 hours a week\n",
    );
    assert_eq!(taken(&turns[3])[0].0, "purpose_and_problem.cost_of_problem");
    assert!(!response(&turns[3]).contains("open"), "{:#?}", said(&turns));
}

#[test]
fn who_has_told_it_already_and_has_not_is_asked_once_more_and_then_left_alone() {
    let turns = Program::new().converse(
        "project-discovery",
        "A rota app.\nI told you already\nI told you already!\nOn Sundays nobody knows who is working.\n",
    );
    let answers = said(&turns);
    assert!(answers[1].contains("I have nothing yet on what set this off"), "{answers:#?}");
    assert!(answers[1].contains("“skip”"), "{answers:#?}");
    assert!(answers[2].contains("I leave that one open"), "{answers:#?}");
    assert!(answers[2].contains("What goes wrong today"), "another question: {answers:#?}");
    assert_ne!(answers[1], answers[2]);
}

#[test]
fn words_in_the_place_of_a_yes_to_what_was_only_guessed_are_the_answer() {
    let turns = Program::new().converse(
        "project-discovery",
        "A rota app for our bakery\nMy sister left in May\nNobody knows who is working on Sundays and we ring around for two hours\nI told you already\nabout 300 euros a month\n",
    );
    let change = taken(&turns[4]);
    assert_eq!(change[0], ("purpose_and_problem.cost_of_problem", "new", &json!("about 300 euros a month")));
}

#[test]
fn what_only_the_user_can_decide_is_said_with_an_example_and_may_stay_open() {
    for message in ["you tell me", "sort it for me please", "whatever you think", "surprise me"] {
        let turns = Program::new().converse("project-discovery", &format!("A rota app for our bakery.\n{message}\n"));
        let answer = response(&turns[1]);
        assert!(answer.contains("A sports club might say"), "{message}: {answer}");
        assert!(answer.contains("“skip”"), "{message}: {answer}");
        assert!(answer.ends_with("What happened that makes this a project now?"), "{message}: {answer}");
        assert_eq!(turns[1]["extraction_changes"], json!([]), "{message}");
    }
}

#[test]
fn who_wants_to_stop_is_not_asked_on_and_can_go_on_where_it_was() {
    let turns = Program::new()
        .converse("project-discovery", "A rota app for our bakery.\ncan we stop here?\nMy sister left in May\n");
    assert!(!response(&turns[1]).contains('?'), "{}", response(&turns[1]));
    let change = taken(&turns[2]);
    assert_eq!(change[0], ("purpose_and_problem.trigger_event", "new", &json!("My sister left in May")));
}

#[test]
fn a_plain_yes_where_words_are_needed_is_answered() {
    let turns = Program::new().converse("project-discovery", "A rota app for our bakery.\nyes\nno\n");
    for turn in &turns[1..] {
        assert!(response(turn).starts_with("I need a few words here. The moment or the person"), "{}", response(turn));
    }
}

#[test]
fn a_pasted_mail_is_shown_as_it_was_understood_and_one_yes_confirms_all_of_it() {
    let mail = "We would like an app for our rota. We can spend up to 8,000 euros, and we need it by the end of June. \
                About 40 people would use it. It must work with our till. The two shift leaders would use it most.";
    let turns = Program::new().converse("project-discovery", &format!("{mail}\nwhat do you mean?\nyes\n"));
    let shown = response(&turns[0]);
    assert!(shown.contains("This is what I take from it:"), "{shown}");
    assert!(shown.contains("- Budget: up to 8,000 euros"), "{shown}");
    assert!(shown.ends_with("Is all of that right?"), "{shown}");
    assert!(response(&turns[1]).contains("the points that I took from your message"), "{}", response(&turns[1]));
    let paths: Vec<&str> = taken(&turns[2]).into_iter().map(|(path, ..)| path).collect();
    assert!(paths.contains(&"constraints.budget") && paths.contains(&"constraints.deadline"), "{paths:?}");
    let turns = Program::new().converse("project-discovery", &format!("{mail}\nno\n"));
    assert_eq!(turns[1]["extraction_changes"], json!([]));
    assert!(response(&turns[1]).contains("Which of these is not right?"), "{}", response(&turns[1]));
}

#[test]
fn a_reason_that_was_asked_for_is_kept_beside_the_answer_and_stands_in_the_brief() {
    let program = Program::new();
    let turns = program.converse(
        "feature-prioritization",
        "gift vouchers, seat maps, faster checkout\nFewer people should give up while they pay\nThe faster checkout\nmost people never come back\n",
    );
    assert!(
        response(&turns[2]).contains("What makes you say so?") || response(&turns[2]).contains("What is the reason")
    );
    let change = taken(&turns[3]);
    assert_eq!(change, [("value.user_favourites", "update", &json!(["faster checkout"]))]);
    let brief = brief(&program, &turns[3]);
    assert!(brief.contains("(“most people never come back”)"), "{brief}");
}

#[test]
fn the_rest_of_a_half_answered_question_is_asked_for_at_once() {
    let turns = Program::new().converse(
        "feature-prioritization",
        "gift vouchers, seat maps\nFewer people give up\nseat maps because people ask\nvouchers\nvouchers\nseat maps\ntwo developers\n",
    );
    assert!(response(&turns[6]).ends_with("Do you also know until when the round lasts?"), "{:#?}", said(&turns));
}

#[test]
fn a_list_is_shown_in_a_line_with_the_question_that_is_about_it() {
    let turns = Program::new().converse(
        "feature-prioritization",
        "gift vouchers, seat maps\nFewer people give up while they pay\nwhich list?\n",
    );
    assert!(response(&turns[1]).contains("On the list: gift vouchers, seat maps."), "{}", response(&turns[1]));
    let asked = response(&turns[2]);
    assert!(asked.contains("- gift vouchers\n- seat maps"), "{asked}");
    assert!(!asked.contains("Goal") && !asked.contains("On the list"), "only that list, and once: {asked}");
}

#[test]
fn what_was_offered_and_confirmed_is_proven_by_both_utterances() {
    let program = Program::new();
    let mail = "We would like an app for our rota. We can spend up to 8,000 euros, and we need it by the end of June. \
                About 40 people would use it. It must work with our till. The two shift leaders would use it most.";
    let turns = program.converse("project-discovery", &format!("{mail}\nyes\n"));
    let brief = brief(&program, &turns[1]);
    assert!(brief.contains("“We can spend up to 8,000 euros” (turn 1), confirmed by “yes” (turn 2)"), "{brief}");
}

#[test]
fn what_does_not_go_together_is_noticed_and_asked_about_once() {
    let engine = shipped("project-discovery");
    let mut session = ScriptedSession::new(&engine);
    let told = [
        ("constraints.rules", json!(["GDPR for the drivers"])),
        ("non_functional_screening.personal_data", json!(false)),
    ];
    for (path, value) in told {
        session.memory = correct(&engine, &session.memory, path, &value).unwrap().memory;
    }
    let turn = session.chat("And then there are the drivers.");
    assert!(turn.report.response.ends_with("Does it hold such things after all?"), "{}", turn.report.response);
    let turn = session.chat("Well, that is that.");
    assert!(!turn.report.response.contains("after all"), "once is enough: {}", turn.report.response);
    session.memory.asked = vec![Asked { obligation: "personal_data_screened".to_owned(), ..Asked::default() }];
    session.chat("yes");
    assert_eq!(session.memory.extraction.value("non_functional_screening.personal_data"), Some(&json!(true)));
}

/// Words that only English has, and that stand in nearly every English sentence of the interviewer.
const ENGLISH: [&str; 12] =
    ["the", "what", "you", "that", "this", "have", "with", "which", "would", "your", "is", "thanks"];

#[test]
fn a_german_conversation_has_no_english_words_in_any_engine() {
    let talk = "was meinen Sie damit?\nwarum fragen Sie das?\nhaben Sie ein Beispiel?\nwie viele Fragen kommen noch?\n\
                entscheiden Sie das\nkeine Ahnung\nFlyer verteilt\nzeigen Sie mir, was Sie haben\nüberspringen\n\
                das habe ich doch schon gesagt\nja\nweiß nicht\nnur Bargeld\nmeine Schwester und ich\n\
                bis Ostern muss es laufen, und es darf 12.000 Euro kosten\nnein\nkann ich nicht sagen\ngehen wir zurück\n";
    for engine in ENGINES {
        let start = "Guten Tag, wir möchten mit unserer kleinen Bäckerei etwas Neues anfangen und wissen noch nicht genau, wie.";
        let turns = Program::new().converse(engine, &format!("{start}\n{talk}"));
        for turn in &turns {
            let words = response(turn).to_lowercase();
            let words: Vec<&str> = words.split(|c: char| !c.is_alphabetic()).collect();
            let found: Vec<&str> = ENGLISH.into_iter().filter(|english| words.contains(english)).collect();
            assert_eq!(found, Vec::<&str>::new(), "{engine}: {}", response(turn));
        }
    }
}

#[test]
fn short_german_messages_make_a_german_conversation_and_one_english_word_does_not_end_it() {
    let turns = Program::new().converse("ideation", "Zu uns in die Bücherei kommt freitags niemand\nFlyer\nok\n");
    assert!(said(&turns).iter().all(|answer| !answer.contains("What")), "{:#?}", said(&turns));
    let turns = Program::new().converse("business-profile", "bakery\nrye bread\noven man\n");
    assert!(
        said(&turns).iter().all(|answer| ["Wh", "You said"].iter().any(|words| answer.contains(words))),
        "{:#?}",
        said(&turns)
    );
}

#[test]
fn engines_have_all_their_words_in_german() {
    fn choices(shape: &Shape, missing: &mut Vec<String>, place: &str) {
        let said = shape.options_in.get("de");
        let lacks = |option: &&String| said.is_none_or(|words| !words.value.contains_key(option.as_str()));
        missing.extend(shape.options.iter().filter(lacks).map(|option| format!("{place}: {option}")));
        for (name, part) in &shape.properties {
            choices(&part.shape, missing, &format!("{place}.{name}"));
            if part.name_in.get("de").is_none() {
                missing.push(format!("{place}.{name}"));
            }
        }
        if let Some(items) = &shape.items {
            choices(items, missing, place);
        }
    }
    for id in ENGINES {
        let engine = shipped(id);
        let mut missing: Vec<String> = Vec::new();
        for o in engine.definition().obligations.iter() {
            let told = [&o.name_in, &o.question_in, &o.meaning_in, &o.why_in, &o.example_in];
            if told.iter().any(|words| words.get("de").is_none()) {
                missing.push(o.id.to_string());
            }
        }
        for field in engine.definition().fields.iter() {
            if field.asked_as.is_none() || field.asked_as_in.get("de").is_none() {
                missing.push(field.path.to_string());
            }
            choices(&field.shape, &mut missing, &field.path);
        }
        let phases = engine.definition().phases.iter();
        missing.extend(phases.filter(|phase| phase.name_in.get("de").is_none()).map(|phase| phase.id.to_string()));
        assert_eq!(missing, Vec::<String>::new(), "{id}");
    }
}

fn in_german(engine: &Engine, obligation: &str) -> WorkingMemory {
    let mut memory = WorkingMemory::new(engine.definition());
    memory.asked = vec![Asked { obligation: obligation.to_owned(), ..Asked::default() }];
    memory.language.current = Some("de".to_owned());
    memory
}

#[test]
fn the_choices_that_german_questions_name_are_understood() {
    for id in ENGINES {
        let engine = shipped(id);
        let definition = engine.definition();
        for field in definition.fields.iter().filter(|field| field.shape.r#type == Kind::Enum) {
            let asked = definition.obligations.iter().find(|o| o.satisfied_by.contains(&field.path));
            let Some(asked) = asked.filter(|o| *o.satisfied_by[0] == *field.path) else { continue };
            for (option, word) in field.shape.options_in["de"].value.iter() {
                let heard = read(&engine, &in_german(&engine, &asked.id), &word.value);
                let found = heard.fields.iter().find(|found| *found.path == *field.path).map(|found| &found.value);
                assert_eq!(found, Some(&json!(option)), "{id}, {}: {}", field.path, word.value);
            }
        }
    }
}

#[test]
fn what_is_put_off_does_not_come_again_at_once() {
    let told = "We need a tool to track our kegs.\nskip\nskip\nskip\n";
    let questions: Vec<String> = said(&Program::new().converse("project-discovery", told))
        .iter()
        .filter_map(|answer| answer.lines().last())
        .map(str::to_owned)
        .collect();
    for pair in questions.windows(2) {
        assert_ne!(pair[0], pair[1], "{questions:#?}");
    }
}
