//! One question, one answer, one reading.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::Program;

const ENGINES: [&str; 5] =
    ["project-discovery", "exploration", "ideation", "feature-prioritization", "business-profile"];
/// Brings project discovery to "How do people manage today", "Who will use it most often" and so on.
const START: [&str; 4] = [
    "A booking app for our clinic.",
    "Our head receptionist resigned.",
    "Patients cannot get through.",
    "With a paper diary.",
];

/// Says these things after the start and returns the turns that answer them.
fn after_start(messages: &[&str]) -> Vec<Value> {
    let all: Vec<&str> = START.iter().chain(messages).copied().collect();
    Program::new().converse("project-discovery", &all.join("\n")).split_off(START.len())
}

/// The values a turn accepted, by the last part of their path.
fn values(turn: &Value) -> Vec<(String, Value)> {
    let changes = turn["extraction_changes"].as_array().unwrap();
    let name = |change: &Value| change["path"].as_str().unwrap().rsplit('.').next().unwrap().to_owned();
    changes.iter().map(|change| (name(change), change["value"].clone())).collect()
}

fn value(name: &str, value: impl Into<Value>) -> (String, Value) {
    (name.to_owned(), value.into())
}

fn response(turn: &Value) -> &str {
    turn["response"].as_str().unwrap()
}

#[test]
fn every_engine_greets_says_what_it_is_for_and_that_it_is_offline() {
    let program = Program::new();
    for engine in ENGINES {
        let turns = program.converse(engine, "A booking app for our clinic.\nI don't know.\nReception.\n");
        let opening = turns[0]["opening"].as_str().unwrap();
        assert!(opening.contains("minutes") && opening.contains('?'), "{engine}: {opening}");
        assert!(response(&turns[0]).starts_with("I work offline: no model is connected."), "{engine}");
        assert!(turns[1..].iter().all(|turn| !response(turn).contains("offline")), "{engine}: said once");
        assert!(turns.iter().all(|turn| turn["qa"] == json!([])), "{engine}: {}", turns[0]["qa"]);
        assert!(turns.iter().all(|turn| turn["warnings"] == json!([])), "{engine}");
    }
}

#[test]
fn who_does_not_know_or_will_not_say_is_not_asked_again() {
    let turns = after_start(&["I don't know yet.", "I'd rather not say."]);
    let status = |turn: &Value, id: &str| {
        let all = turn["obligations"].as_array().unwrap();
        all.iter().find(|obligation| obligation["id"] == id).unwrap()["status"].clone()
    };
    assert_eq!(status(&turns[0], "primary_user_known"), "deferred");
    assert!(response(&turns[0]).contains("open"), "{}", response(&turns[0]));
    assert!(response(&turns[1]).starts_with("That is your right. I will not ask again."), "{}", response(&turns[1]));
}

#[test]
fn a_guess_of_somebody_who_is_not_sure_is_taken() {
    let turns = after_start(&["Not sure, maybe the receptionists"]);
    assert_eq!(values(&turns[0]), [value("primary_user", "the receptionists")]);
}

#[test]
fn figures_and_choices_come_from_one_answer() {
    let usage = |answer: &str| values(&after_start(&["Reception.", "Book.", "The phone.", answer])[3]);
    assert_eq!(usage("10-15 people, daily"), [value("expected_users", 15), value("usage_frequency", "daily")]);
    assert_eq!(
        usage("about two and a half thousand patients, and not daily but monthly"),
        [value("expected_users", 2500), value("usage_frequency", "monthly")]
    );
}

/// Answers that lead through the whole interview; the one on the deadline leaves open how firm it is.
const ONWARD: [&str; 24] = [
    "Reception.",
    "Book.",
    "The phone.",
    "9 daily",
    "nobody",
    "Calm.",
    "Calls; under 10",
    "Book online",
    "The owner.",
    "In June",
    "Me",
    "Outlook",
    "GDPR",
    "Yes",
    "hours",
    "Mondays",
    "A mix-up",
    "Twins",
    "target",
    "A walk-in.",
    "Everything else.",
    "The deadline.",
    "Ask the board.",
    "yes",
];

#[test]
fn the_part_that_is_missing_is_asked_for_and_only_that_is_read() {
    let mut messages: Vec<&str> = ONWARD.to_vec();
    messages.insert(9, "40k");
    messages.extend(["Nobody comes.", "Twins.", "No payment.", "The date.", "I ask the owner."]);
    let turns = after_start(&messages);
    let asks = turns.iter().position(|turn| response(turn).contains("One part of “Deadline” is still open."));
    let asks = asks.unwrap_or_else(|| panic!("{:#?}", turns.iter().map(response).collect::<Vec<_>>()));
    assert!(response(&turns[asks]).ends_with("fixed, target or open?"), "{}", response(&turns[asks]));
    messages.truncate(asks + 1);
    messages.push("It is fixed.");
    assert_eq!(values(&after_start(&messages)[asks + 1]), [value("deadline_firmness", "fixed")]);
}

#[test]
fn lists_are_taken_apart_and_nothing_is_none() {
    let turns = after_start(&["Reception.", "Book, move (or swap), and cancel", "The phone.", "9 daily", "nobody"]);
    assert_eq!(values(&turns[1]), [value("jobs_to_be_done", json!(["Book", "move (or swap)", "cancel"]))]);
    assert_eq!(values(&turns[4]), [value("other_groups", json!(["nobody"]))]);
}

#[test]
fn a_correction_changes_what_was_said_and_nothing_else() {
    let turns =
        after_start(&["Actually, not an app but a website.", "The receptionists.", "Not receptionists but nurses."]);
    assert_eq!(turns[0]["extraction_changes"][0]["kind"], "supersede", "{}", turns[0]["extraction_changes"]);
    assert!(response(&turns[0]).starts_with("I have changed that: “"), "{}", response(&turns[0]));
    assert_eq!(values(&turns[2]), [value("primary_user", "The nurses.")]);
    let turns = after_start(&["The receptionists.", "Sorry, I meant the nurses."]);
    assert_eq!(values(&turns[1]), [value("primary_user", "the nurses.")]);
    let turns = after_start(&["The receptionists.", "Call, cancel", "Actually, not cancel but move."]);
    assert_eq!(turns[2]["extraction_changes"].as_array().unwrap().last().unwrap()["value"], json!(["Call", "move"]));
}

#[test]
fn preferring_one_thing_to_another_is_no_correction() {
    let turns = after_start(&["Reception rather than patients, with a diary rather than a phone."]);
    assert_eq!(values(&turns[0]).len(), 1);
    assert_eq!(turns[0]["extraction_changes"][0]["kind"], "new");
}

#[test]
fn a_question_back_is_answered_and_the_question_stays() {
    let turns = after_start(&["Sorry, what do you mean by most often?", "Reception. Why do you ask?"]);
    assert_eq!(values(&turns[0]), []);
    assert!(response(&turns[0]).contains("What I am after here:"), "{}", response(&turns[0]));
    assert!(response(&turns[0]).ends_with("Who will use it most often?"), "{}", response(&turns[0]));
    assert_eq!(values(&turns[1]), [value("primary_user", "Reception.")]);
    assert!(response(&turns[1]).contains("I have nothing to teach"), "{}", response(&turns[1]));
}

#[test]
fn a_word_is_an_answer_and_a_bare_yes_to_an_open_question_is_none() {
    let turns = after_start(&["Me", "Yes.", "Прием пациентов", "受付"]);
    assert_eq!(values(&turns[0]), [value("primary_user", "Me")]);
    assert_eq!(values(&turns[1]), []);
    assert_eq!(values(&turns[2]).len(), 1);
    assert!(turns[3]["turn"] == 8);
}

#[test]
fn what_is_said_in_passing_is_checked_back_and_a_yes_confirms_it() {
    let talk = |more: &[&str]| {
        let start = ["A booking app for our clinic. The budget is 40k euros."];
        let all: Vec<&str> = start.iter().chain(&START[1..]).chain(more).copied().collect();
        Program::new().converse("project-discovery", &all.join("\n")).split_off(START.len())
    };
    let turns = talk(&ONWARD);
    let asks = turns.iter().position(|turn| response(turn).contains("On “Budget”, I understood:"));
    let asks = asks.unwrap_or_else(|| panic!("{:#?}", turns.iter().map(response).collect::<Vec<_>>()));
    let confirmed = &talk(&[&ONWARD[..=asks], &["Yes, that's right."]].concat())[asks + 1];
    assert_eq!(values(confirmed), [value("budget", "The budget is 40k euros.")]);
    let denied = &talk(&[&ONWARD[..=asks], &["No, it is 50k."]].concat())[asks + 1];
    assert_eq!(values(denied), [value("budget", "it is 50k.")]);
}

#[test]
fn a_very_long_answer_is_said_back_briefly() {
    let long = "reception answers the phone and writes the name down and looks for a free slot ".repeat(200);
    let turns = after_start(&[&long]);
    assert!(response(&turns[0]).split_whitespace().count() < 150, "{}", response(&turns[0]));
    assert!(values(&turns[0])[0].1.as_str().unwrap().len() <= 600);
}
