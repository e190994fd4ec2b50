//! Corrections and removals keep to what they are about, and talk is no value. Each rule is tried with several wordings, in
//! English and in German.

use elenchus::engine::config::{Act, Doing};
use elenchus::engine::edit::correct;
use elenchus::engine::memory::{Asked, WorkingMemory};
use elenchus::engine::reading::{Heard, Standing, read};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::engine::support::shipped;
use crate::support::program::Program;

const PROJECT: &str = "project-discovery";
const BUSINESS: &str = "business-profile";
const FEATURES: &str = "feature-prioritization";
const PEOPLE: &str = "team_composition.people";
const NAMES: &str = "features.names";
const USERS: &str = "users_and_personas.expected_users";
const DEADLINE: &str = "constraints.deadline";

/// What is heard in a message: the engine, the language, the question that was asked, and what is known.
fn heard((engine, language, asked): (&str, &str, &str), known: &Value, message: &str) -> Heard {
    let engine = shipped(engine);
    let mut memory = WorkingMemory::new(engine.definition());
    memory.turn = 1;
    for (path, value) in known.as_object().unwrap() {
        memory = correct(&engine, &memory, path, value).unwrap().memory;
    }
    (memory.language.current, memory.language.chosen) = (Some(language.to_owned()), true);
    memory.asked = vec![Asked { obligation: asked.to_owned(), ..Asked::default() }];
    read(&engine, &memory, message)
}

/// What is read: path, value and standing.
fn fields(heard: &Heard) -> Vec<(&str, &Value, Standing)> {
    heard.fields.iter().map(|field| (field.path.as_str(), &field.value, field.status)).collect()
}

#[test]
fn a_figure_takes_the_place_of_a_figure_and_moves_nothing_elsewhere() {
    let known = json!({ (PEOPLE): "wir sind 11 Leut, 4 in der Backstube und der Rest Verkauf" });
    let right = json!("wir sind 12 Leut, 4 in der Backstube und der Rest Verkauf");
    for message in [
        "wir sind 12 Leute, nicht 11",
        "Moment, ich hab vorhin was Falsches gesagt: wir sind 12 Leute, nicht 11",
        "nicht 11, sondern 12 Leute",
        "Korrektur: 12 Leute, nicht 11",
    ] {
        for asked in ["people_known", "channels_known"] {
            let heard = heard((BUSINESS, "de", asked), &known, message);
            assert_eq!(fields(&heard), [(PEOPLE, &right, Standing::Candidate)], "{message}");
        }
    }
}

#[test]
fn a_correction_that_cannot_stand_for_all_of_it_is_offered_and_joins_nothing() {
    let known = json!({ (PEOPLE): "it's 4 of us, Moritz, Ed, Ana and me" });
    let heard_of_people = heard((BUSINESS, "en", "people_known"), &known, "we're 5 people, not 4");
    let [(path, value, standing)] = fields(&heard_of_people)[..] else { panic!("{:?}", heard_of_people.fields) };
    assert_eq!((path, standing), (PEOPLE, Standing::Candidate));
    assert!(!value.as_str().unwrap().contains("of us"), "{value}");
    let topic = "initial_state.topic";
    let known = json!({ (topic): "move or stay. lease ends in june 2026" });
    let said = "Oh and the lease is actually december 2026 not june";
    let heard = heard(("exploration", "en", "experience_known"), &known, said);
    let right = json!("move or stay. lease ends in december 2026");
    assert_eq!(fields(&heard), [(topic, &right, Standing::Candidate)]);
}

#[test]
fn a_figure_that_counts_something_else_is_taken_back() {
    let known = json!({ (USERS): 22 });
    for message in ["it's 22 percent noshow, not 22 people!!", "that 22 was percent, not people"] {
        let heard = heard((PROJECT, "en", "usage_known"), &known, message);
        assert_eq!(fields(&heard), [(USERS, &Value::Null, Standing::Known)], "{message}");
    }
    let heard = heard((PROJECT, "de", "core_problem_stated"), &known, "22 sind Prozent, nicht Leute");
    assert_eq!(fields(&heard), [(USERS, &Value::Null, Standing::Known)]);
}

#[test]
fn who_says_what_was_wrong_puts_that_right() {
    for (language, old, message, new) in [
        ("en", "2 April", "by the way I gave you the wrong date earlier, it's the 12th of April", "the 12th of April"),
        ("en", "2 April", "sorry, wrong date, it's 12 April", "12 April"),
        ("en", "2 April", "the date I gave you was wrong, it's the 12th of April", "the 12th of April"),
    ] {
        let known = json!({ (DEADLINE): old });
        let heard = heard((PROJECT, language, "core_problem_stated"), &known, message);
        assert_eq!(fields(&heard), [(DEADLINE, &json!(new), Standing::Known)], "{message}");
    }
}

#[test]
fn elements_are_taken_out_one_after_the_other_and_nothing_else_is() {
    let known = json!({
        "effort.capacity": "two developers",
        (NAMES): ["SSO", "audit log", "like I said", "in the office"],
    });
    let left = json!(["SSO", "audit log"]);
    for message in [
        "take out \"like I said\" and \"in the office\"",
        "take out “like I said” and “in the office”",
        "remove the last two",
        "like I said and in the office are not features",
    ] {
        let heard = heard((FEATURES, "en", "must_haves_known"), &known, message);
        let last = heard.fields.last().map(|field| (field.path.as_str(), &field.value));
        assert_eq!(last, Some((NAMES, &left)), "{message}");
        assert!(heard.fields.iter().all(|field| field.path == NAMES) && heard.except.is_empty(), "{message}");
    }
    // Which two is not clear: nothing is touched, and it is asked.
    for message in ["no, delete those two", "delete those two", "both of them can go"] {
        let heard = heard((FEATURES, "en", "must_haves_known"), &known, message);
        assert!(heard.fields.is_empty() && heard.except.is_empty(), "{message}: {heard:?}");
        assert!(heard.does.contains(&Doing::Wrong), "{message}: {heard:?}");
    }
}

#[test]
fn forget_it_takes_nothing_out() {
    let known = json!({ "effort.dependencies": ["the login needs the database"] });
    let must = "prioritization.must_haves";
    let said = "forget it. must have is SSO and audit log";
    let heard_of_it = heard((FEATURES, "en", "must_haves_known"), &known, said);
    assert_eq!(fields(&heard_of_it), [(must, &json!(["SSO", "audit log"]), Standing::Known)]);
    assert!(heard_of_it.except.is_empty());
    for (language, message) in [("en", "forget it"), ("en", "forget about it"), ("de", "vergiss es")] {
        let heard = heard((FEATURES, language, "must_haves_known"), &known, message);
        assert!(heard.except.is_empty() && heard.fields.is_empty(), "{message}: {heard:?}");
        assert!(heard.does.contains(&Doing::Skip), "{message}: {heard:?}");
    }
}

#[test]
fn talk_is_no_value() {
    let none = json!({});
    for (engine, language, asked, message) in [
        (PROJECT, "de", "personal_data_screened", "Jein"),
        (PROJECT, "en", "core_problem_stated", "Sorry, kids. Where were we?"),
        (PROJECT, "en", "desired_outcome_known", "Do you have the rest of my notes? budget and deadline were in there"),
        (PROJECT, "de", "desired_outcome_known", "Ja, gern weiter"),
        (PROJECT, "de", "desired_outcome_known", "gern weiter"),
        (PROJECT, "en", "budget_known", "not sure yet, maybe Anna knows"),
        (PROJECT, "en", "core_problem_stated", "do I need to rank them now?"),
        (PROJECT, "en", "core_problem_stated", "what would you pick?"),
        (PROJECT, "en", "core_problem_stated", "is a loyalty card worth it in your opinion?"),
        (PROJECT, "en", "core_problem_stated", "not an answer"),
        (PROJECT, "de", "core_problem_stated", "keine Antwort"),
        (PROJECT, "de", "core_problem_stated", "zurück zur letzten Frage"),
        (PROJECT, "de", "core_problem_stated", "Zurück zum Budget"),
        (PROJECT, "de", "core_problem_stated", "kann ich hier aufhören?"),
        (BUSINESS, "en", "portrait_confirmed", "mostly"),
        (BUSINESS, "de", "portrait_confirmed", "fast"),
    ] {
        let heard = heard((engine, language, asked), &none, message);
        assert_eq!(fields(&heard), [], "{message}");
    }
    let heard = heard((PROJECT, "de", "personal_data_screened"), &none, "Nö");
    assert_eq!(fields(&heard), [("non_functional_screening.personal_data", &json!(false), Standing::Known)]);
}

#[test]
fn what_is_told_besides_is_no_part_of_the_answer() {
    let none = json!({});
    for (language, message, answer) in [
        ("en", "Paper. My sister Ines decides about the money by the way", "Paper"),
        ("en", "Paper. By the way, Tom signs off the budget", "Paper"),
        ("de", "Papierkalender. Übrigens entscheidet meine Schwester über das Geld", "Papierkalender"),
    ] {
        let heard = heard((PROJECT, language, "current_solution_known"), &none, message);
        let known = heard.fields.iter().filter(|field| field.status == Standing::Known);
        let values: Vec<&Value> = known.map(|field| &field.value).collect();
        assert_eq!(values, [&json!(answer)], "{message}");
    }
}

#[test]
fn a_plan_is_the_answer_where_a_next_step_is_asked_for_and_leaves_anything_else_open() {
    let none = json!({});
    for message in ["I'll ask two web agencies for an offer", "I'll ask my boss", "I will check with Tom on Monday"] {
        let step = heard((PROJECT, "en", "next_step_known"), &none, message);
        assert!(step.has(Act::Answer) && step.fields.len() == 1, "{message}: {step:?}");
    }
    let problem = heard((PROJECT, "en", "budget_known"), &none, "I'll ask my boss");
    assert!(problem.has(Act::DontKnow) && problem.fields.is_empty(), "{problem:?}");
    let why = heard(("ideation", "en", "challenge_stated"), &none, "why are our volunteers leaving?");
    assert_eq!(why.fields.len(), 1, "{why:?}");
}

fn response(turn: &Value) -> &str {
    turn["response"].as_str().unwrap()
}

#[test]
fn thats_wrong_drops_what_was_shown_and_asks_how_an_answer_should_be() {
    let talk = |messages: &[&str]| Program::new().converse(PROJECT, &format!("{}\n", messages.join("\n")));
    let turns = talk(&["40, not 14", "that's wrong", "the phone rings all day and nobody picks up"]);
    assert!(response(&turns[1]).contains("What would you like to build or change?"), "{}", response(&turns[1]));
    assert_eq!(turns[2]["extraction_changes"][0]["path"], "purpose_and_problem.summary", "{:#}", turns[2]);
    let turns = talk(&["we want an app for our clinic", "go back", "that's not right", "a website for our clinic"]);
    assert!(response(&turns[2]).contains("“an app for our clinic”"), "{}", response(&turns[2]));
    let changes = turns[3]["extraction_changes"].as_array().unwrap();
    assert!(changes.iter().any(|change| change["value"] == "a website for our clinic"), "{:#}", turns[3]);
}

#[test]
fn a_goal_that_is_named_is_gone_back_to() {
    let turns = Program::new().converse(FEATURES, "SSO, audit log, dark mode\nfewer tickets by summer\ngo back, I want to fix the features list\nremove dark mode\n");
    assert!(response(&turns[2]).contains("“SSO, audit log, dark mode”"), "{}", response(&turns[2]));
    let changes = turns[3]["extraction_changes"].as_array().unwrap();
    assert!(changes.iter().any(|change| change["value"] == json!(["SSO", "audit log"])), "{:#}", turns[3]);
}
