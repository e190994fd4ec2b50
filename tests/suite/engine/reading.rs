//! Reading by rules: whatever is said, every value comes from a span of it, and no correction joins two texts.

use std::sync::{Arc, LazyLock};

use elenchus::engine::memory::{Asked, WorkingMemory};
use elenchus::engine::reading::{Heard, Standing, read};
use elenchus::engine::{Engine, edit};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::support::shipped;

fn heard(engine: &Engine, asked: &str, known: &[(&str, Value)], message: &str) -> Heard {
    let mut memory = WorkingMemory::new(engine.definition());
    memory.turn = 1;
    for (path, value) in known {
        memory = edit::correct(engine, &memory, path, value).expect("it fits the field").memory;
    }
    if !asked.is_empty() {
        memory.asked = vec![Asked { obligation: asked.to_owned(), ..Asked::default() }];
    }
    read(engine, &memory, message)
}

#[test]
fn what_cannot_be_found_out_is_told_and_no_refusal() {
    let engine = shipped("project-discovery");
    let said =
        "People sign in on paper, the sheets get wet or lost, and at the end of the month we cannot tell who has paid.";
    let told = heard(&engine, "primary_user_known", &[], said);
    assert!(!told.has(elenchus::engine::config::Act::Refuse), "{:?}", told.clauses);
    assert!(told.tells(), "{:?}", told.clauses);
    let refused = heard(&engine, "budget_known", &[], "We cannot say what we can spend.");
    assert!(refused.has(elenchus::engine::config::Act::Refuse), "{:?}", refused.clauses);
}

/// The texts of a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(parts) => parts.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Pieces of talk that people mix: answers, corrections, questions, numbers, lists, other scripts.
const PIECES: &[&str] = &[
    "we lose kegs",
    "40",
    "not 14 but 40",
    "no wait,",
    "I said five employees, it's six",
    "up to 15k",
    "by the end of April",
    "what do you mean?",
    "hi",
    "thanks",
    "- one\n- two\n",
    "because it breaks",
    "and",
    ",",
    "…",
    "90 minutes",
    "a day or so",
    "10 to 15 people",
    "the budget is 20,000",
    "no idea",
    "maybe the nurses",
    "(or swap)",
    "予約が必要です。",
    "İstanbul’da",
    "  ",
    "Right now they call the office",
    "instead of a rental shop a repair shop",
    "no",
    "yes",
    "?",
    "\n",
    "€",
    "daily",
    "3.5 hours",
];

/// The reading of an earlier answer with a part of it put right.
const REWORDED: &str = "the earlier answer with what was put right, offered";

/// Read once: hundreds of messages are tried on it.
static DISCOVERY: LazyLock<Arc<Engine>> = LazyLock::new(|| shipped("project-discovery"));

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Every text that is read stands in the message, its quote too, and how it was read has a name.
    #[test]
    fn every_value_is_read_from_a_span_of_the_message(
        pieces in prop::collection::vec(select(PIECES), 1..8),
        asked in select(vec!["", "project_summarised", "budget_known", "deadline_known", "usage_known", "jobs_known", "personal_data_screened"]),
    ) {
        let engine = &*DISCOVERY;
        let message = pieces.join(" ");
        let known = [("users_and_personas.expected_users", json!(14)), ("constraints.team", json!("five employees"))];
        let heard = heard(engine, asked, &known, &message);
        for field in &heard.fields {
            prop_assert!(message.contains(&field.quote), "{message:?}: {field:?}");
            prop_assert!(!field.reading.is_empty());
            if field.reading == REWORDED {
                // It joins two messages, so it is only ever offered.
                prop_assert_eq!(field.status, Standing::Candidate);
                continue;
            }
            let choices = engine.field(&field.path).is_some_and(|field| !field.shape.options.is_empty());
            for text in texts(&field.value).into_iter().filter(|_| !choices) {
                let stands = |text: &str| message.to_lowercase().contains(&text.to_lowercase());
                // A figure that was put right stands apart from what it counts.
                let parts = text.split_once(' ').filter(|_| field.reading == "the new figure of what was counted");
                let stands = stands(text) || parts.is_some_and(|(figure, counted)| stands(figure) && stands(counted));
                prop_assert!(stands, "{message:?}: {text:?} of {field:?}");
            }
        }
        for clause in &heard.clauses {
            prop_assert_eq!(message.get(clause.start..clause.start + clause.text.len()), Some(clause.text.as_str()));
        }
    }

    /// What a correction leaves is what was said: in so many words, or the new figure of what was counted before.
    #[test]
    fn a_correction_never_joins_two_texts(
        old in select(vec!["a rental shop", "five employees", "It was 14 kegs", "40 kegs were gone"]),
        new in select(vec!["a repair shop for bikes", "six since Monday", "It was 40", "twelve people in two shifts"]),
        form in select(vec!["not {old} but {new}", "sorry, {new}, not {old}", "I said {old}, it's {new}"]),
    ) {
        let engine = &*DISCOVERY;
        let message = form.replace("{old}", old).replace("{new}", new);
        let path = "purpose_and_problem.core_problem";
        let heard = heard(engine, "primary_user_known", &[(path, json!(old))], &message);
        for field in heard.fields.iter().filter(|field| field.path == path && field.reading != REWORDED) {
            let value = field.value.as_str().unwrap_or_default();
            let counted_anew = || value.split_once(' ').is_some_and(|(figure, counted)| {
                new.contains(figure) && old.contains(&format!(" {counted}")) && !counted.contains(' ')
            });
            let said = message.contains(value) || counted_anew();
            prop_assert!(said && !value.contains(old), "{message:?} gave {value:?}");
        }
    }
}

#[test]
fn what_is_said_of_something_else_never_counts_at_once() {
    let engine = shipped("project-discovery");
    let heard = heard(&engine, "core_problem_stated", &[], "Orders get lost. We can spend up to 15,000 euros.");
    let budget = heard.fields.iter().find(|field| field.path == "constraints.budget").expect("it is heard");
    assert_eq!(budget.status, Standing::Candidate);
    assert!(!budget.cues.is_empty());
}

#[test]
fn several_things_told_in_clear_words_count_at_once() {
    let engine = shipped("business-profile");
    let status = |message: &str, path: &str| {
        let heard = heard(&engine, "praise_known", &[], message);
        heard.fields.into_iter().find(|field| field.path == path).map(|field| field.status)
    };
    let rules = "regulatory_and_compliance.rules";
    let told = "We follow the rules for batteries and waste oil. In two years I want a second shop.";
    assert_eq!(status(told, rules), Some(Standing::Known));
    // A single sentence is most likely an answer that sounds like something else.
    assert_eq!(status("We follow the rules for batteries and waste oil.", rules), Some(Standing::Candidate));
    // A guess is asked back, and so is what is said in anger.
    let guessed = "Maybe we follow the rules for batteries and waste oil. In two years I want a second shop.";
    assert_ne!(status(guessed, rules), Some(Standing::Known));
    let upset =
        "We follow the rules for batteries and waste oil. In two years I want a second shop. What a silly question.";
    assert_eq!(status(upset, rules), Some(Standing::Candidate));
}

#[test]
fn after_an_announced_correction_what_is_alike_is_given_anew() {
    let engine = shipped("business-profile");
    let known = [("team_composition.people", json!("Three mechanics work here"))];
    let message = "I have to correct myself. Four mechanics and two students work here.";
    let heard = heard(&engine, "praise_known", &known, message);
    let found: Vec<(&str, &Value, Standing)> =
        heard.fields.iter().map(|field| (field.path.as_str(), &field.value, field.status)).collect();
    let people = json!("Four mechanics and two students work here");
    assert_eq!(found, [("team_composition.people", &people, Standing::Known)]);
}

#[test]
fn an_announcement_or_talk_alone_is_no_value() {
    let engine = shipped("business-profile");
    for message in ["I have to correct myself.", "what else", "Oh, and", "small correction", "where was I"] {
        assert_eq!(heard(&engine, "praise_known", &[], message).fields, [], "{message}");
    }
}

#[test]
fn not_one_takes_nothing_back_of_one_of_something_else() {
    let engine = shipped("ideation");
    let known = [("refinement.first_test", json!("We try one evening in April and count who comes"))];
    let heard = heard(&engine, "challenge_stated", &known, "Last Friday not one person under twenty was here.");
    assert!(heard.fields.iter().all(|field| field.path != "refinement.first_test"), "{:?}", heard.fields);
}

#[test]
fn a_condition_and_what_follows_from_it_are_one_clause_and_so_are_two_that_do_one_thing() {
    let engine = shipped("business-profile");
    for message in ["If they fail, we drive to the next city.", "Reception and the nurses see the same calendar."] {
        assert_eq!(heard(&engine, "", &[], message).clauses.len(), 1, "{message}");
    }
    assert_eq!(heard(&engine, "", &[], "A booking app and our budget is 15k.").clauses.len(), 2);
}

#[test]
fn something_else_is_no_answer_to_an_offer() {
    let engine = shipped("business-profile");
    let mut memory = WorkingMemory::new(engine.definition());
    memory.turn = 1;
    let to_confirm = vec!["customer_experience.praise".to_owned()];
    memory.asked = vec![Asked { obligation: "praise_known".to_owned(), to_confirm, ..Asked::default() }];
    let other = read(&engine, &memory, "The lake was lovely on Sunday.");
    assert!(other.fields.iter().all(|field| field.status == Standing::Candidate), "{:?}", other.fields);
    let denied = read(&engine, &memory, "No, it is the coffee.");
    assert_eq!(denied.fields.first().map(|field| &field.value), Some(&json!("it is the coffee")));
}

#[test]
fn two_thousand_words_are_read_in_time_that_grows_with_their_number() {
    let engine = shipped("project-discovery");
    let sentence =
        "Right now they all call the office, and half of them don't get through, so we lose about 40 orders. ";
    let heard = heard(&engine, "core_problem_stated", &[], &sentence.repeat(100));
    assert!(heard.clauses.len() >= 300);
    assert!(!heard.fields.is_empty());
}
