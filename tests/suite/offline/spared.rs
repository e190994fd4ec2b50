//! A message takes nothing out of what is known unless it asks for that and says what it means. Each rule is tried with
//! several wordings, in English and in German.

use elenchus::engine::config::Doing;
use elenchus::engine::edit::correct;
use elenchus::engine::memory::{Asked, WorkingMemory};
use elenchus::engine::reading::{Heard, read};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::engine::support::shipped;

const PROJECT: &str = "project-discovery";
const FEATURES: &str = "feature-prioritization";
const USERS: &str = "users_and_personas.expected_users";
const NAMES: &str = "features.names";
const FAVOURITES: &str = "value.user_favourites";
const RULES: &str = "constraints.rules";
const RANKED: &str = "prioritization.ranked";
const DRAWBACKS: &str = "solution_landscape.drawbacks";

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

/// What is read last of a field.
fn last<'h>(heard: &'h Heard, path: &str) -> Option<&'h Value> {
    heard.fields.iter().rev().find(|field| field.path == path).map(|field| &field.value)
}

/// Nothing is read of a field, and it is not to be asked for anew.
fn assert_spared(heard: &Heard, path: &str, message: &str) {
    assert!(last(heard, path).is_none() && !heard.except.iter().any(|left| left == path), "{message}: {heard:?}");
}

#[test]
fn what_an_answer_denies_takes_back_no_figure_of_the_same_size() {
    for (language, message) in [
        ("en", "Two hours at most, not on a Saturday."),
        ("en", "A couple of hours, not on market day."),
        ("en", "Two days, not in winter."),
        ("de", "Höchstens zwei Stunden, nicht am Samstag."),
        ("de", "Zwei Tage, nicht im Winter."),
        ("de", "Zwei Stunden höchstens, aber nicht an einem Markttag."),
    ] {
        let heard = heard((PROJECT, language, "outage_screened"), &json!({ (USERS): 2 }), message);
        assert_spared(&heard, USERS, message);
        assert!(last(&heard, "non_functional_screening.outage_tolerance").is_some(), "{message}: {heard:?}");
    }
}

#[test]
fn the_one_that_is_not_chosen_stays_on_the_list() {
    let english = json!({ (NAMES): ["SMS reminders", "dark mode", "waiting list"] });
    let german = json!({ (NAMES): ["SMS-Erinnerungen", "Dunkelmodus", "Warteliste"] });
    for (language, known, message, chosen) in [
        ("en", &english, "Not dark mode, surely. SMS reminders.", json!(["SMS reminders"])),
        ("en", &english, "Certainly not dark mode. The waiting list.", json!(["waiting list"])),
        (
            "en",
            &english,
            "Not dark mode, obviously. The waiting list and SMS reminders.",
            json!(["waiting list", "SMS reminders"]),
        ),
        ("de", &german, "Nicht den Dunkelmodus, sicher nicht. Die SMS-Erinnerungen.", json!(["SMS-Erinnerungen"])),
        ("de", &german, "Nicht der Dunkelmodus, klar. Die Warteliste.", json!(["Warteliste"])),
    ] {
        let heard = heard((FEATURES, language, "user_value_assessed"), known, message);
        assert_spared(&heard, NAMES, message);
        let said: Vec<&Value> = heard.fields.iter().map(|field| &field.value).collect();
        assert_eq!((said, last(&heard, FAVOURITES)), (vec![&chosen], Some(&chosen)), "{message}");
    }
}

#[test]
fn who_wants_nothing_taken_out_loses_nothing() {
    let english = json!({ (RULES): ["no data to the US", "keep records ten years"] });
    let german = json!({ (RULES): ["keine Daten in die USA", "Zeugnisse zehn Jahre aufheben"] });
    for (language, known, message, judge) in [
        ("de", &german, "Der Vorstand. Bei den Regeln bitte nichts streichen.", "Der Vorstand"),
        ("de", &german, "Der Vorstand. Von den Regeln bitte nichts löschen.", "Der Vorstand"),
        ("en", &english, "The board. Please don't delete anything from the rules.", "The board"),
        ("en", &english, "The board. Please remove nothing from the rules.", "The board"),
    ] {
        let heard = heard((PROJECT, language, "judge_known"), known, message);
        assert_spared(&heard, RULES, message);
        assert_eq!(last(&heard, "success_criteria.judged_by"), Some(&json!(judge)), "{message}");
        assert!(!heard.does.contains(&Doing::Wrong), "{message}: {heard:?}");
    }
}

#[test]
fn a_figure_takes_the_place_of_a_figure_in_one_element_and_leaves_the_others() {
    let english = json!({ (DRAWBACKS): ["members leave at 3.20", "the till is slow"] });
    let german = json!({ (DRAWBACKS): ["Mitglieder gehen bei 3,20", "die Kasse ist langsam"] });
    for (language, known, message, new) in [
        ("en", &english, "No, 3.40, not 3.20.", json!(["members leave at 3.40", "the till is slow"])),
        ("de", &german, "Nein, 3,40 statt 3,20.", json!(["Mitglieder gehen bei 3,40", "die Kasse ist langsam"])),
        ("de", &german, "Nein, 3,40, nicht 3,20.", json!(["Mitglieder gehen bei 3,40", "die Kasse ist langsam"])),
    ] {
        let heard = heard(("exploration", language, "drawbacks_seen"), known, message);
        assert_eq!(last(&heard, DRAWBACKS), Some(&new), "{message}");
    }
    let heard = heard(("exploration", "en", "topic_stated"), &english, "No, 3.40 instead of 3.20.");
    let lost = last(&heard, DRAWBACKS).is_some_and(|left| !left.to_string().contains("the till is slow"));
    assert!(!lost, "{heard:?}");
}

#[test]
fn a_name_is_moved_to_the_place_that_is_said_and_the_order_stays_whole() {
    let known = json!({ (RANKED): ["SMS", "Warteliste", "Fotos", "Newsletter", "Karte", "Dentrix"] });
    let new = json!(["SMS", "Dentrix", "Warteliste", "Fotos", "Newsletter", "Karte"]);
    for (language, message) in [
        ("en", "No, Dentrix should be second."),
        ("en", "I'd move Dentrix to second place."),
        ("en", "Dentrix must be number two"),
        ("de", "Nein, Dentrix sollte an zweiter Stelle stehen."),
        ("de", "Dentrix würde ich auf Platz zwei setzen."),
        ("de", "Nein, Dentrix muss an die zweite Stelle"),
    ] {
        let heard = heard((FEATURES, language, "ranking_confirmed"), &known, message);
        assert_eq!(last(&heard, RANKED), Some(&new), "{message}");
    }
}

#[test]
fn a_halt_before_what_holds_ends_nothing() {
    for (language, message) in [
        ("de", "Nein, halt! Es sind 80 Leute, nicht 412."),
        ("de", "Nein, stopp! Es sind 80 Leute, nicht 412."),
        ("en", "No, stop! It's 80 people, not 412."),
    ] {
        let heard = heard((PROJECT, language, "usage_known"), &json!({ (USERS): 412 }), message);
        assert!(!heard.does.contains(&Doing::Stop), "{message}: {heard:?}");
        assert_eq!(last(&heard, USERS), Some(&json!(80)), "{message}");
    }
    let stops = heard((PROJECT, "de", "usage_known"), &json!({}), "Nein, halt!");
    assert!(stops.does.contains(&Doing::Stop), "{stops:?}");
}

#[test]
fn half_a_quote_is_no_element() {
    let message = "\"Must-haves: Dana\" is wrong, leave must-haves empty for now.";
    let known = json!({ "prioritization.must_haves": ["Dana"] });
    let heard = heard((FEATURES, "en", "capacity_known"), &known, message);
    assert!(heard.fields.iter().all(|field| !field.value.to_string().contains("empty")), "{heard:?}");
}
