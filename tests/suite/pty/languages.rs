//! The app in the language of the environment, and of what is written.

use termlens::Key;

use super::{quit, sees, start};
use crate::support::program::Program;

#[test]
fn the_first_screen_speaks_the_language_of_the_environment() {
    let program = Program::new();
    let mut t = start(&program, (110, 30), &[("LANG", "de_DE.UTF-8")], &["--offline"]);
    sees(&mut t, "Beginnen");
    sees(&mut t, "Projekt klären");
    sees(&mut t, "noch keine: Enter beginnt eine");
    quit(t);
    let mut t = start(&program, (110, 30), &[("LANG", "de_DE.UTF-8")], &["--offline", "--lang", "en"]);
    sees(&mut t, "none yet: Enter starts one");
    quit(t);
}

#[test]
fn a_session_begins_in_the_language_of_the_environment_and_follows_what_is_written() {
    let program = Program::new();
    let arguments = ["--offline", "chat", "--engine", "project-discovery"];
    let mut t = start(&program, (110, 30), &[("LC_ALL", "de_DE.UTF-8")], &arguments);
    sees(&mut t, "Hier schreiben");
    sees(&mut t, "Vollständigkeit");
    t.send_str("We build an intake app for the clinics in our town, because the nurses retype every paper form")
        .unwrap();
    t.send(Key::Enter).unwrap();
    sees(&mut t, "Completeness");
    sees(&mut t, "Write here");
    quit(t);
}

#[test]
fn who_writes_german_gets_the_frame_in_german() {
    let program = Program::new();
    let mut t = start(&program, (110, 30), &[], &["--offline", "chat", "--engine", "project-discovery"]);
    sees(&mut t, "Write here");
    t.send_str("Wir bauen eine App für die Aufnahme in unserer Klinik, weil die Schwestern jedes Formular abtippen")
        .unwrap();
    t.send(Key::Enter).unwrap();
    sees(&mut t, "Vollständigkeit");
    sees(&mut t, "Hier schreiben");
    quit(t);
}
