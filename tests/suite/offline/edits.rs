//! Commands about what was noted, many turns long: taken out, put back, named by its place, moved, put right in part.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::Program;

const PROJECT: &str = "project-discovery";
const JOBS: &str = "users_and_personas.jobs_to_be_done";
const TRIGGER: &str = "purpose_and_problem.trigger_event";
const COST: &str = "purpose_and_problem.cost_of_problem";

fn response(turn: &Value) -> &str {
    turn["response"].as_str().unwrap()
}

fn changes(turn: &Value) -> Vec<(&str, &str, &Value)> {
    let changes = turn["extraction_changes"].as_array().unwrap();
    changes.iter().map(|one| (one["path"].as_str().unwrap(), one["kind"].as_str().unwrap(), &one["value"])).collect()
}

/// The value that a turn gave a field for good.
fn value_of<'t>(turn: &'t Value, path: &str) -> Option<&'t Value> {
    let own = changes(turn).into_iter().rev().filter(|(_, kind, _)| *kind != "candidate");
    own.into_iter().find(|(changed, ..)| *changed == path).map(|(.., value)| value)
}

fn talk(engine: &str, messages: &[&str]) -> Vec<Value> {
    Program::new().converse(engine, &format!("{}\n", messages.join("\n")))
}

/// Up to a list of three things that people want to get done.
const TO_JOBS: &[&str] = &[
    "Online appointments for our vet clinic",
    "Our receptionist leaves in June",
    "People give up because the phone is always busy",
    "about ten lost clients a month",
    "They call, or they just turn up",
    "pet owners",
    "book a visit, cancel a visit, see the opening hours",
];

fn after_jobs(messages: &[&str]) -> Vec<Value> {
    let turns = talk(PROJECT, &[TO_JOBS, messages].concat());
    let jobs = json!(["book a visit", "cancel a visit", "see the opening hours"]);
    assert_eq!(value_of(&turns[TO_JOBS.len() - 1], JOBS), Some(&jobs));
    turns.into_iter().skip(TO_JOBS.len()).collect()
}

#[test]
fn an_element_goes_by_its_place_by_its_words_or_as_the_one_exception() {
    for (command, left) in [
        ("the last one can go", json!(["book a visit", "cancel a visit"])),
        ("forget the second", json!(["book a visit", "see the opening hours"])),
        ("please drop the first one", json!(["cancel a visit", "see the opening hours"])),
        ("scratch the last two", json!(["book a visit"])),
        ("take the one about the opening hours off", json!(["book a visit", "cancel a visit"])),
        ("the opening hours can go, nobody looks at them", json!(["book a visit", "cancel a visit"])),
        ("everything except the second one", json!(["book a visit", "see the opening hours"])),
        ("all but the last", json!(["book a visit", "cancel a visit"])),
        ("hmm, the second one is needless, strike it", json!(["book a visit", "see the opening hours"])),
    ] {
        let turns = after_jobs(&[command]);
        assert_eq!(value_of(&turns[0], JOBS), Some(&left), "{command}: {}", response(&turns[0]));
        assert_eq!(changes(&turns[0]).len(), 1, "{command}: {:?}", changes(&turns[0]));
        let answer = response(&turns[0]);
        assert!(answer.contains("off the list"), "{command}: {answer}");
        assert!(answer.ends_with("What do they complain about most in the way it works now?"), "{command}: {answer}");
    }
}

#[test]
fn what_was_taken_out_comes_back_and_what_was_put_right_can_be_left_as_it_was() {
    for command in ["no, leave it in", "put it back in", "hm, put that back on the list", "undo that"] {
        let turns = after_jobs(&["forget the second", command]);
        let all = json!(["book a visit", "cancel a visit", "see the opening hours"]);
        assert_eq!(value_of(&turns[1], JOBS), Some(&all), "{command}: {}", response(&turns[1]));
        let answer = response(&turns[1]);
        assert!(answer.contains("“cancel a visit”") && answer.contains("the list"), "{command}: {answer}");
    }
}

#[test]
fn an_element_is_put_right_by_its_place() {
    for command in ["the second one is wrong, it should be: move a visit", "the second one should be: move a visit"] {
        let turns = after_jobs(&[command]);
        let right = json!(["book a visit", "move a visit", "see the opening hours"]);
        assert_eq!(value_of(&turns[0], JOBS), Some(&right), "{command}: {}", response(&turns[0]));
    }
}

#[test]
fn a_place_that_the_list_does_not_have_is_asked_about_and_nothing_is_lost() {
    let turns = after_jobs(&["the seventh one can go"]);
    assert_eq!(changes(&turns[0]), []);
    assert!(response(&turns[0]).contains("book a visit"), "{}", response(&turns[0]));
}

#[test]
fn what_follows_right_after_a_list_is_one_more_of_it() {
    let turns = after_jobs(&["oh and a reminder", "no, take that out again"]);
    let more = json!(["book a visit", "cancel a visit", "see the opening hours", "a reminder"]);
    let value = value_of(&turns[0], JOBS).cloned().unwrap_or_default();
    assert_eq!(value.as_array().map(Vec::len), more.as_array().map(Vec::len), "{value}: {}", response(&turns[0]));
    assert_eq!(value_of(&turns[1], JOBS), Some(&json!(["book a visit", "cancel a visit", "see the opening hours"])));
}

#[test]
fn what_is_scrapped_is_asked_for_again_at_once() {
    let turns = talk(PROJECT, &[TO_JOBS[0], "Our receptionist leaves in June", "scrap that"]);
    let last = turns.last().unwrap();
    assert!(response(last).ends_with("What happened that makes this a project now?"), "{}", response(last));
    let answered =
        talk(PROJECT, &[TO_JOBS[0], "Our receptionist leaves in June", "scrap that", "The lease ends in May"]);
    assert_eq!(value_of(answered.last().unwrap(), TRIGGER), Some(&json!("The lease ends in May")));
}

#[test]
fn a_part_that_is_put_right_is_offered_within_what_was_said_and_counts_with_a_yes() {
    for (message, text) in [
        ("I meant July, not June", "Our receptionist leaves in July"),
        ("sorry, July, not June", "Our receptionist leaves in July"),
        ("what I said about the trigger is wrong, it's in July", "Our receptionist leaves in July"),
    ] {
        let turns = talk(PROJECT, &[TO_JOBS[0], TO_JOBS[1], message, "yes"]);
        assert_eq!(
            value_of(&turns[2], TRIGGER),
            None,
            "{message}: a text that joins two messages counts only with a yes"
        );
        let question = response(&turns[2]);
        assert!(question.ends_with(&format!("Is it “{text}” now?")), "{message}: {question}");
        assert_eq!(value_of(&turns[3], TRIGGER), Some(&json!(text)), "{message}");
    }
}

#[test]
fn a_no_to_a_new_version_keeps_what_was_known() {
    let known = [TO_JOBS[0], TO_JOBS[1], "I meant July, not June"];
    for reply in [
        "no, keep what you had",
        "No. Leave it as it was.",
        "the trigger stays as it is",
        "no, I only said that because my colleague asked me about it on the phone yesterday",
        "nothing has changed",
    ] {
        let turns = talk(PROJECT, &[&known[..], &[reply]].concat());
        assert_eq!(changes(&turns[3]), [], "{reply}");
        let said = response(&turns[3]);
        assert!(said.contains("Our receptionist leaves in June") && !said.contains("July"), "{reply}: {said}");
    }
    let turns = talk(PROJECT, &[&known[..], &["no, in August"]].concat());
    assert!(response(&turns[3]).ends_with("Is it “in August” now?"), "{}", response(&turns[3]));
}

#[test]
fn what_is_told_by_its_name_goes_there_whatever_was_asked() {
    let turns = talk(
        "business-profile",
        &[
            "Bike repair for commuters",
            "Best customer is the commuter who needs it the same day",
            "no wait, the best customer is the school with its 40 bikes",
            "Best customer stays the commuter",
        ],
    );
    let best = "target_market.best_customer";
    assert_eq!(value_of(&turns[2], best), Some(&json!("the school with its 40 bikes")));
    assert_eq!(value_of(&turns[3], best), Some(&json!("the commuter")));
    assert!(turns.iter().all(|turn| value_of(turn, "product_offering.difference").is_none()));
}

#[test]
fn a_bare_figure_takes_the_place_of_the_one_in_the_last_answer() {
    for message in ["no wait, it's 40", "40, not 14", "not 14, 40"] {
        let known = ["An app for our zoo", "Two goats got out last summer", "Visitors leave the gates open"];
        let turns = talk(PROJECT, &[&known[..], &["about 14 hours a month", message, "yes"]].concat());
        let question = response(&turns[4]);
        assert!(question.ends_with("Is it “about 40 hours a month” now?"), "{message}: {question}");
        assert_eq!(value_of(&turns[5], COST), Some(&json!("about 40 hours a month")), "{message}");
    }
}

#[test]
fn what_was_put_off_does_not_come_back_before_the_end() {
    let turns = talk(PROJECT, &[TO_JOBS[0], TO_JOBS[1], "skip that one", "skip this too", "next question please"]);
    let asked = "What goes wrong today that this should put right?";
    assert!(response(&turns[1]).ends_with(asked));
    assert!(turns[2..].iter().all(|turn| !response(turn).contains(asked)), "{turns:#?}");
}

#[test]
fn commands_are_understood_in_german() {
    let known = [
        "Eine App für unseren Tierpark",
        "Letzten Sommer sind zwei Ziegen ausgebrochen",
        "Besucher lassen die Tore offen",
        "ja",
        "ungefähr 14 Stunden im Monat",
        "Ein Pfleger läuft abends herum",
        "die Pfleger",
        "Tore prüfen, Zaun melden, Futter abhaken",
        "ja",
    ];
    for (command, left) in [
        ("streich das mit dem Zaun", json!(["Tore prüfen", "Futter abhaken"])),
        ("das Letzte wieder raus", json!(["Tore prüfen", "Zaun melden"])),
        ("das Zweite kannst du streichen", json!(["Tore prüfen", "Futter abhaken"])),
        ("alles außer das Letzte", json!(["Tore prüfen", "Zaun melden"])),
    ] {
        let turns = talk(PROJECT, &[&known[..], &[command]].concat());
        let last = turns.last().unwrap();
        assert_eq!(value_of(last, JOBS), Some(&left), "{command}: {}", response(last));
    }
}

#[test]
fn who_names_themselves_and_somebody_of_theirs_corrects_nothing() {
    let messages = [
        "Wir betreiben ein Café mit eigener Rösterei in der Altstadt",
        "weil wir selbst rösten",
        "Gastronomie",
        "Starbucks und die Bäckerei am Markt",
        "Ich, meine Schwester und drei Aushilfen",
    ];
    let turns = talk("business-profile", &messages);
    let last = turns.last().unwrap();
    let people = json!("Ich, meine Schwester und drei Aushilfen");
    assert_eq!(value_of(last, "team_composition.people"), Some(&people), "{}", response(last));
}
