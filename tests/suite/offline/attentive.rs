//! What an attentive listener does not do: note remarks as elements of a list, ask again what was just answered, lose a
//! list to a "that", or take talk about others for an objection.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::Program;

fn talk(engine: &str, messages: &[&str]) -> Vec<Value> {
    Program::new().converse(engine, &format!("{}\n", messages.join("\n")))
}

fn response(turn: &Value) -> &str {
    turn["response"].as_str().unwrap()
}

/// The last value that a turn gave a field, and whether it counts.
fn noted<'t>(turn: &'t Value, path: &str) -> Option<(&'t str, &'t Value)> {
    let all = ["extraction_changes", "extraction_notes"].iter().flat_map(|kind| turn[*kind].as_array().unwrap());
    let mut own = all.filter(|change| change["path"] == path);
    own.next_back().map(|change| (change["kind"].as_str().unwrap(), &change["value"]))
}

#[test]
fn remarks_beside_a_list_are_no_elements_of_it() {
    for (message, names) in [
        (
            "We make booking software for gyms. The list: class passes, waiting lists, trainer diary and card payments. \
             Card payments are the hard part.",
            json!(["class passes", "waiting lists", "trainer diary", "card payments"]),
        ),
        (
            "Wir bauen ein Portal für Vermieter. Auf dem Tisch liegen: Mängelmeldung, Mietkonto, Terminbuchung und Dokumente.",
            json!(["Mängelmeldung", "Mietkonto", "Terminbuchung", "Dokumente"]),
        ),
        (
            "We run a ferry site. Candidates are seat maps, season tickets, dog tickets and a refund button.",
            json!(["seat maps", "season tickets", "dog tickets", "a refund button"]),
        ),
    ] {
        let turns = talk("feature-prioritization", &[message]);
        assert_eq!(noted(&turns[0], "features.names"), Some(("new", &names)), "{message}");
    }
}

#[test]
fn who_goes_on_telling_other_things_is_not_asked_for_the_same_yes_again_and_again() {
    let turns = talk(
        "project-discovery",
        &[
            "We want a booking app for our clinic.",
            "Patients cannot book outside phone hours, and many give up.",
            "Our best receptionist gave notice in spring.",
            "We can spend 40,000 euros.",
            "It has to work with our billing program.",
            "It should run before the autumn.",
            "Health data stays in the country.",
        ],
    );
    let asks = |turn: &&Value| response(turn).ends_with("Is that what goes wrong today?");
    let asked = turns.iter().filter(asks).count();
    assert!((1..=3).contains(&asked), "asked {asked} times: {:#?}", turns.iter().map(response).collect::<Vec<_>>());
}

#[test]
fn an_answer_that_sounds_like_something_else_is_asked_about_and_not_asked_for_again() {
    let problem = "purpose_and_problem.core_problem";
    let turns = talk(
        "project-discovery",
        &[
            "Eine Seite, auf der Eltern ihre Kinder anmelden",
            "Unsere Sekretärin hört im Sommer auf",
            "Die Bögen werden von Hand eingetragen, da passieren Fehler, und keiner weiß, welche Anmeldung gilt.",
            "ja",
        ],
    );
    let (kind, value) = noted(&turns[2], problem).unwrap();
    assert!(value.as_str().unwrap().contains("passieren Fehler"), "{value}");
    if kind == "candidate" {
        assert!(response(&turns[2]).contains("passieren Fehler"), "{}", response(&turns[2]));
        let (kind, _) = noted(&turns[3], problem).unwrap();
        assert_eq!(kind, "new", "{}", response(&turns[3]));
    }
    assert!(!response(&turns[2]).contains("Vorher noch die offene Frage"), "{}", response(&turns[2]));
}

#[test]
fn a_list_is_not_lost_to_a_pronoun() {
    let names = "features.names";
    let turns = talk(
        "feature-prioritization",
        &["gift cards, a loyalty scheme, opening hours and a photo wall", "Hmm. Take that out."],
    );
    assert!(noted(&turns[1], names).is_none_or(|(kind, _)| kind != "cleared"), "{}", response(&turns[1]));
    let turns = talk(
        "feature-prioritization",
        &["gift cards, a loyalty scheme, opening hours and a photo wall", "the opening hours are not a feature"],
    );
    let (_, left) = noted(&turns[1], names).unwrap();
    assert_eq!(left, &json!(["gift cards", "a loyalty scheme", "a photo wall"]), "{}", response(&turns[1]));
}

#[test]
fn choosing_one_of_a_list_and_not_another_changes_no_list() {
    let turns = talk(
        "feature-prioritization",
        &[
            "gift cards, a loyalty scheme, opening hours and a photo wall",
            "fewer questions at the till",
            "the gift cards. no wait, the loyalty scheme, not the gift cards",
        ],
    );
    assert_eq!(noted(&turns[2], "features.names"), None, "{}", response(&turns[2]));
}

#[test]
fn what_others_had_enough_of_is_part_of_the_story() {
    let turns = talk(
        "ideation",
        &[
            "Nobody wants to run our youth teams any more",
            "In August two coaches left at once, one moved away and the other one had a row, he just had enough of parents \
             shouting at him, and then I had twenty children and nobody to train them.",
        ],
    );
    let (_, told) = noted(&turns[1], "problem_space.evidence").unwrap();
    let told = told.as_str().unwrap();
    assert!(told.contains("he just had enough") && told.contains("nobody to train them"), "{told}");
}

#[test]
fn who_goes_on_after_a_pause_hears_the_question_that_was_open() {
    for (stop, on) in [("can we stop here for today?", "ok let's go on"), ("I have to go", "let's continue")] {
        let turns = talk("project-discovery", &["A ticket desk for our museum", stop, on]);
        let asked = response(&turns[0]).rsplit("\n\n").next().unwrap();
        assert!(response(&turns[2]).ends_with(asked), "{on}: {}", response(&turns[2]));
    }
}
