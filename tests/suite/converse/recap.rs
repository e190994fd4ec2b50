//! How a session stands, as data, for a script that comes back to it.

use serde_json::json;

use crate::support::program::{Program, session_of};

#[test]
fn the_first_turn_after_coming_back_says_how_the_session_stood() {
    let program = Program::new();
    let turns = program.converse("project-discovery", "We need a booking app for our clinic.\nIt is urgent.\n");
    assert!(turns.iter().all(|turn| turn.get("recap").is_none()), "nobody has come back");
    let ran = program.run_with(&["converse", "--session", &session_of(&turns[0])], "By May.\nReally.\n");
    let turns = ran.lines();
    let recap = &turns[0]["recap"];
    for (line, begins) in [("settled", "Settled: "), ("open", "Open: "), ("next", "Next: ")] {
        assert!(recap[line].as_str().unwrap().starts_with(begins), "{recap}");
    }
    assert!(turns[1].get("recap").is_none(), "once is enough");
}

#[test]
fn it_is_in_the_language_of_the_session() {
    let program = Program::new();
    let ran = program.run_with(
        &["--lang", "de", "converse", "--engine", "project-discovery"],
        "Wir brauchen eine Buchungs-App für unsere Praxis.\n",
    );
    let id = session_of(&ran.lines()[0]);
    let turns = program.run_with(&["converse", "--session", &id], "Bis Mai.\n").lines();
    let recap = &turns[0]["recap"];
    assert!(recap["settled"].as_str().unwrap().starts_with("Geklärt: "), "{recap}");
    assert!(recap["next"].as_str().unwrap().starts_with("Als Nächstes: "), "{recap}");
    assert_eq!(turns[0]["turn"], json!(2));
}
