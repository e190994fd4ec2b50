//! What can be chosen in answer to a question: only where it is sure what was asked, and only what is understood.

use elenchus::engine::answer_card::{AnswerCard, CardKind, answer_card};
use elenchus::engine::config::{Act, Kind};
use elenchus::engine::memory::{Asked, LanguageState, WorkingMemory};
use elenchus::engine::reading::read;
use elenchus::engine::{Engine, edit};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::support::shipped;
use crate::support::scripted::ScriptedSession;

const ENGINES: [&str; 5] =
    ["project-discovery", "exploration", "ideation", "feature-prioritization", "business-profile"];

fn memory(engine: &Engine, language: &str) -> WorkingMemory {
    let mut memory = WorkingMemory::new(engine.definition());
    (memory.turn, memory.language) = (1, LanguageState::begun_in(language.to_owned(), true));
    memory
}

fn asked(obligation: &str) -> Asked {
    Asked { obligation: obligation.to_owned(), sure: true, ..Asked::default() }
}

fn after(engine: &Engine, obligation: &str, known: &[(&str, Value)]) -> Option<AnswerCard> {
    let mut memory = memory(engine, "en");
    for (path, value) in known {
        memory = edit::correct(engine, &memory, path, value).expect("it fits the field").memory;
    }
    memory.asked = vec![asked(obligation)];
    answer_card(engine, &memory)
}

/// Some value of a field.
fn some_value(engine: &Engine, path: &str) -> Value {
    let shape = &engine.field(path).expect("a field").shape;
    match shape.r#type {
        Kind::String => json!("in the spring"),
        Kind::Number => json!(3),
        Kind::Boolean => json!(true),
        Kind::Enum => json!(shape.options[0]),
        Kind::Array | Kind::Object => Value::Null,
    }
}

#[test]
fn every_choice_of_every_shipped_engine_is_understood_as_what_it_says() {
    let mut told = Vec::new();
    for (id, language) in ENGINES.into_iter().flat_map(|id| [(id, "en"), (id, "de")]) {
        let engine = shipped(id);
        for obligation in engine.definition().obligations.iter() {
            let mut memory = memory(&engine, language);
            for path in engine.fields_of(&obligation.id) {
                memory.asked = vec![asked(&obligation.id)];
                let own = answer_card(&engine, &memory).filter(|card| card.field.as_ref() == Some(path));
                for (at, choice) in own.iter().flat_map(|card| card.choices.iter().enumerate()) {
                    let card = own.as_ref().expect("there is one");
                    let heard = read(&engine, &memory, choice);
                    let read = heard.fields.iter().find(|read| read.path == *path).map(|read| read.value.clone());
                    let understood = match card.kind {
                        CardKind::YesNo => {
                            heard.has(if at == 0 { Act::Confirm } else { Act::Deny }) || read == Some(json!(at == 0))
                        }
                        CardKind::Choice => read == Some(json!(engine.field(path).expect("a field").shape.options[at])),
                        CardKind::Date | CardKind::Number | CardKind::Confirmation => read.is_some(),
                    };
                    if !understood {
                        told.push(format!("{id} {language} {path}: {choice:?} is read as {read:?}"));
                    }
                }
                match edit::correct(&engine, &memory, path, &some_value(&engine, path)) {
                    Ok(edited) => memory = edited.memory,
                    Err(_) => break,
                }
            }
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn the_kind_of_the_field_says_what_can_be_chosen() {
    let engine = shipped("project-discovery");
    let outage = after(&engine, "outage_screened", &[]).expect("a choice");
    assert_eq!(
        (outage.kind, &outage.choices[..]),
        (CardKind::Choice, &["minutes", "hours", "days", "weeks"].map(str::to_owned)[..])
    );
    let private = after(&engine, "personal_data_screened", &[]).expect("a yes or no");
    assert_eq!((private.kind, &private.choices[..]), (CardKind::YesNo, &["yes", "no"].map(str::to_owned)[..]));
    let deadline = after(&engine, "deadline_known", &[]).expect("a date");
    assert_eq!((deadline.kind, deadline.choices.len()), (CardKind::Date, 4));
    let users = after(&engine, "usage_known", &[]).expect("a number");
    assert_eq!(
        (users.kind, users.unit.as_deref(), users.min, users.choices.len()),
        (CardKind::Number, Some("people"), Some(0.0), 0)
    );
    assert_eq!(after(&engine, "core_problem_stated", &[]), None, "any words may be the answer");
    // What a part is known of is asked for by its next part.
    let known = [("users_and_personas.expected_users", json!(40))];
    let often = after(&engine, "usage_known", &known).expect("a choice");
    assert_eq!((often.kind, often.about.as_str()), (CardKind::Choice, "How often"));
}

#[test]
fn what_was_settled_or_is_not_sure_has_no_card() {
    let engine = shipped("project-discovery");
    let mut memory = memory(&engine, "en");
    assert_eq!(answer_card(&engine, &memory), None, "nothing was asked");
    memory.asked = vec![asked("outage_screened"), asked("personal_data_screened")];
    assert_eq!(answer_card(&engine, &memory), None, "two questions");
    memory.asked = vec![Asked { sure: false, ..asked("outage_screened") }];
    assert_eq!(answer_card(&engine, &memory), None, "perhaps something else was asked");
    memory.asked = vec![Asked { follows_up: true, ..asked("outage_screened") }];
    assert_eq!(answer_card(&engine, &memory), None, "it asks for more of what is known");
    memory.asked = vec![asked("outage_screened")];
    let path = "non_functional_screening.outage_tolerance";
    let known = edit::correct(&engine, &memory, path, &json!("days")).expect("an option").memory;
    assert_eq!(answer_card(&engine, &known), None, "it was answered by hand");
    let later = edit::defer(&engine, &memory, "outage_screened", "not now").expect("it is open").memory;
    assert_eq!(answer_card(&engine, &later), None, "it was set aside by hand");
}

/// A turn with a model that has found nothing and answers so, where one question is left.
fn answered(answer: &str, asks: Option<Vec<String>>) -> Option<AnswerCard> {
    let engine = shipped("project-discovery");
    let definition = engine.definition();
    let mut session = ScriptedSession::new(&engine);
    for other in definition.obligations.iter().filter(|point| *point.id != *"outage_screened") {
        session.memory = edit::defer(&engine, &session.memory, &other.id, "not in this test").expect("open").memory;
    }
    let category = &engine.obligation("outage_screened").expect("a point").category;
    let phase = definition.phases.iter().find(|phase| phase.covers.contains(category)).expect("a phase");
    session.memory = edit::force_phase(&engine, &session.memory, &phase.id).expect("another").memory;
    session.ports.answers(answer);
    session.ports.asked = asks;
    let turn = pollster::block_on(session.say("It is for our clinics.")).expect("a turn");
    answer_card(&engine, &turn.memory)
}

#[test]
fn a_model_s_question_has_a_card_only_where_it_surely_asks_for_the_field() {
    let plain = "Noted. How long can people do without it when it is down: minutes, hours, days or weeks?";
    let card = answered(plain, None).expect("it is the engine's own question");
    assert_eq!((card.obligation.as_str(), card.kind), ("outage_screened", CardKind::Choice));
    assert_eq!(answered("What would happen if the whole thing were down for hours one day?", None), None);
    assert_eq!(answered("Thank you.", Some(Vec::new())), None);
    let said = answered("And when it fails?", Some(vec!["outage_screened".to_owned()]));
    assert!(said.is_some(), "its writer says what it asks for");
}
