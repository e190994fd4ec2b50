//! What has changed in a brief: since a turn, since a day, against another session.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::{Program, session_of};

const ENGINE: &str = "project-discovery";

fn named(changes: &Value, kind: &str) -> usize {
    changes[kind].as_array().unwrap().len()
}

#[test]
fn a_brief_is_compared_with_what_it_was() {
    let program = Program::new();
    let turns =
        program.converse(ENGINE, "We need a booking app for our clinic.\nOur head receptionist resigned in March.\n");
    let id = session_of(&turns[0]);
    let all = program.run(&["sessions", "diff", &id, "--turn", "0", "--json"]).json();
    assert_eq!((&all["since"], named(&all, "changed"), named(&all, "gone")), (&json!("since the beginning"), 0, 0));
    let brief = program.run(&["sessions", "export", &id]).data;
    assert!(named(&all, "new") >= 2, "{all}\n{brief}");
    for new in all["new"].as_array().unwrap() {
        assert!(new["quote"].is_string() && new["turn"].is_number(), "{new}");
    }
    let none = program.run(&["sessions", "diff", &id, "--turn", "2"]);
    assert!(none.data.contains("Nothing: every statement is as it was."), "{}", none.data);
    let one = program.run(&["sessions", "diff", &id, "--json"]).json();
    assert_eq!(one["since"], json!("since turn 1"), "without more, what the last turn brought");
    assert!(named(&one, "new") < named(&all, "new"), "{one}");
    // Before yesterday there was nothing; since tomorrow there is nothing new.
    let past = program.run(&["sessions", "diff", &id, "--since", "2001-01-01", "--json"]).json();
    assert_eq!(named(&past, "new"), named(&all, "new"));
    let future = program.run(&["sessions", "diff", &id, "--since", "2999-01-01", "--json"]).json();
    assert_eq!(named(&future, "new"), 0);
}

#[test]
fn what_was_put_right_is_told_with_both_quotes() {
    let program = Program::new();
    let said = "We need a booking app for our clinic.\nOur budget is 15,000 euros.\n\
                No, I was wrong: our budget is 20,000 euros.\nNo, I was wrong: our budget is 25,000 euros.\n";
    let id = session_of(&program.converse(ENGINE, said)[0]);
    let changes = program.run(&["sessions", "diff", &id, "--turn", "3", "--json"]).json();
    let budget = &changes["changed"][0];
    assert!(budget["before"]["value"].as_str().unwrap().contains("20,000"), "{changes}");
    assert!(budget["now"]["value"].as_str().unwrap().contains("25,000"), "{changes}");
    let words = program.run(&["sessions", "diff", &id, "--turn", "3"]).data;
    assert!(words.contains("20,000") && words.contains(" → ") && words.contains("now: “"), "{words}");
}

#[test]
fn two_sessions_are_compared_and_what_cannot_be_is_refused() {
    let program = Program::new();
    let said = "We need a booking app for our clinic.\nOur head receptionist resigned in March.\n";
    let first = session_of(&program.converse(ENGINE, said)[0]);
    let second = session_of(&program.converse(ENGINE, "We need a booking app for our clinic.\n")[0]);
    let changes = program.run(&["sessions", "diff", &second, "--with", &first, "--json"]).json();
    assert!(changes["since"].as_str().unwrap().starts_with("compared with"), "{changes}");
    assert_eq!((named(&changes, "new"), named(&changes, "gone")), (0, 1), "{changes}");
    let changes = program.run(&["sessions", "diff", &first, "--with", &second, "--json"]).json();
    assert_eq!((named(&changes, "new"), named(&changes, "gone")), (1, 0), "{changes}");
    for (arguments, told) in [
        (["--turn", "9"], "there is no turn 9 yet; the last one is 1"),
        (["--since", "yesterday"], "write it as 2026-11-18"),
    ] {
        let ran = program.run(&[&["sessions", "diff", &second], &arguments[..]].concat());
        assert_eq!(ran.code, 2);
        assert!(ran.words.contains(told), "{}", ran.words);
    }
    let ran = program.run(&["sessions", "diff", &second, "--with", "nosuch"]);
    assert_eq!(ran.code, 4, "{}", ran.words);
}
