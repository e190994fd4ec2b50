//! Sessions on the first screen of the real binary: archive, tags, trash, and the way back.

use termlens::{Key, Terminal};

use super::{kept, quit, sees, start};
use crate::support::program::Program;

fn gone(t: &mut Terminal, text: &str) {
    t.wait_until(|screen| !screen.contains(text)).unwrap_or_else(|error| panic!("still {text:?}: {error}"));
}

/// The first screen with the keys on its sessions, of which there are two.
fn among_sessions() -> (Terminal, Program) {
    let program = Program::new();
    program.converse("project-discovery", "We build an intake app for clinics.\n");
    program.converse("ideation", "Ideas for the waiting room.\n");
    let mut t = start(&program, (110, 30), &[], &["--offline"]);
    sees(&mut t, "waiting room");
    t.send(Key::Tab).unwrap();
    sees(&mut t, "throw away");
    (t, program)
}

#[test]
fn a_session_is_tagged_archived_found_and_taken_out_again() {
    let (mut t, _program) = among_sessions();
    sees(&mut t, "today ");
    t.send(Key::Ctrl('t')).unwrap();
    sees(&mut t, "with commas between them");
    t.send_str("spring").unwrap();
    t.send(Key::Enter).unwrap();
    sees(&mut t, "is tagged #spring");
    t.send(Key::Alt('z')).unwrap();
    sees(&mut t, "is in the archive");
    sees(&mut t, "archive 1, trash 0");
    t.send(Key::Right).unwrap();
    sees(&mut t, "Archive");
    sees(&mut t, "waiting room");
    gone(&mut t, "intake app");
    t.send(Key::Ctrl('f')).unwrap();
    sees(&mut t, "Only sessions of");
    t.send(Key::Enter).unwrap();
    sees(&mut t, "Archive · #spring");
    t.send(Key::Alt('z')).unwrap();
    sees(&mut t, "out of the archive");
    t.send(Key::Esc).unwrap();
    sees(&mut t, "Go on with");
    sees(&mut t, "intake app");
    quit(t);
}

#[test]
fn a_session_is_thrown_away_restored_and_erased_for_good() {
    let (mut t, program) = among_sessions();
    t.send(Key::Delete).unwrap();
    sees(&mut t, "is in the trash");
    gone(&mut t, "Ideation ·");
    for _ in 0..2 {
        t.send(Key::Right).unwrap();
    }
    sees(&mut t, "30 days left");
    t.send(Key::Enter).unwrap();
    sees(&mut t, "is restored");
    sees(&mut t, "nothing is in the trash");
    t.send(Key::Esc).unwrap();
    // What is said of it names it too: only the keys below tell that the list is there. A key right after Esc is another.
    sees(&mut t, "throw away");
    t.send(Key::Delete).unwrap();
    sees(&mut t, "trash 1");
    for _ in 0..2 {
        t.send(Key::Right).unwrap();
    }
    sees(&mut t, "30 days left");
    t.send(Key::Delete).unwrap();
    sees(&mut t, "cannot be taken back");
    t.send(Key::Char('y')).unwrap();
    sees(&mut t, "is erased");
    quit(t);
    assert!(kept(&program).to_string().contains("intake app"), "the other one is still there");
    assert_eq!(program.run(&["sessions", "trash", "--json"]).json(), serde_json::json!([]));
}
