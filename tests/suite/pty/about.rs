//! What is told on the first start.

use termlens::Key;

use super::{IDENTITIES, kept, quit, sees, start_afresh};
use crate::support::program::Program;

/// Words of the screen that is shown once.
const TOLD: &str = "Who answers";

#[test]
fn a_first_start_tells_once_who_answers_and_a_word_that_is_typed_there_survives() {
    for term in IDENTITIES {
        let program = Program::new();
        let arguments = ["--offline", "--plain=false"];
        let variables = [("TERM", term)];
        let mut t = start_afresh(&program, (110, 40), &variables, &arguments);
        sees(&mut t, TOLD);
        sees(&mut t, "elenchus.db");
        t.send_str("clinics").unwrap();
        t.wait_until(|screen| !screen.contains(TOLD) && screen.contains("clinics")).unwrap();
        t.send(Key::Enter).unwrap();
        sees(&mut t, "1/");
        quit(t);
        let said = kept(&program)["messages"].to_string();
        assert!(said.contains("clinics"), "{term}: {said}");
        let mut again = start_afresh(&program, (110, 40), &variables, &arguments);
        sees(&mut again, "Go on with");
        sees(&mut again, " %");
        assert!(!again.screen().contains(TOLD), "{term}");
        again.send(Key::F(9)).unwrap();
        sees(&mut again, TOLD);
        again.send(Key::Esc).unwrap();
        again.wait_until(|screen| !screen.contains(TOLD)).unwrap();
        quit(again);
    }
}

#[test]
fn it_is_told_over_a_session_too_and_not_where_there_are_settings() {
    let program = Program::new();
    let arguments = ["--offline", "chat", "--engine", "project-discovery"];
    let mut t = start_afresh(&program, (110, 40), &[], &arguments);
    sees(&mut t, TOLD);
    sees(&mut t, "Completeness");
    t.send(Key::Enter).unwrap();
    t.wait_until(|screen| !screen.contains(TOLD) && screen.contains("Write here")).unwrap();
    quit(t);
    let program = Program::new().settings("theme = \"light\"\n");
    let mut t = start_afresh(&program, (110, 40), &[], &arguments);
    sees(&mut t, "Write here");
    assert!(!t.screen().contains(TOLD));
    quit(t);
}
