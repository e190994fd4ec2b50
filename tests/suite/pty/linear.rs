//! The linear mode at a terminal: what is typed, what is told, and that nothing steers the terminal.

use termlens::{Key, Terminal};

use super::{kept, sees, start};
use crate::support::program::Program;

/// A session of project discovery in linear mode, under a terminal that calls itself so.
fn linear(term: &str, arguments: &[&str]) -> (Terminal, Program) {
    let program = Program::new();
    let all = [&["--offline"], arguments, &["chat", "--engine", "project-discovery"]].concat();
    let mut terminal = start(&program, (100, 40), &[("TERM", term)], &all);
    sees(&mut terminal, "You:");
    (terminal, program)
}

fn leave(mut terminal: Terminal) {
    terminal.send_str("/quit\n").unwrap();
    assert!(terminal.wait_exit().unwrap().success());
    let screen = terminal.screen();
    assert!(!screen.alternate_screen() && !screen.bracketed_paste() && !screen.focus_events());
    assert_eq!(screen.mouse_mode(), termlens::MouseMode::None);
    assert!(screen.unsupported().is_empty(), "{:?}", screen.unsupported());
}

#[test]
fn under_every_terminal_lines_are_told_and_nothing_steers_it() {
    for term in super::IDENTITIES {
        let (mut t, program) = linear(term, &["--plain"]);
        assert!(!t.screen().alternate_screen(), "{term}");
        t.send_str("We build an intake app for clinics\n").unwrap();
        sees(&mut t, "Noted: ");
        t.send_str("/sidebar\n").unwrap();
        sees(&mut t, "an empty line goes back");
        leave(t);
        assert_eq!(kept(&program)["turn"], serde_json::json!(1), "{term}");
    }
}

#[test]
fn a_dumb_terminal_gets_lines_without_being_asked_and_the_app_where_that_is_wanted() {
    let (t, _program) = linear("dumb", &[]);
    leave(t);
    let program = Program::new();
    let arguments = ["--offline", "--plain=false", "chat", "--engine", "project-discovery"];
    let mut t = start(&program, (80, 24), &[("TERM", "dumb")], &arguments);
    sees(&mut t, "Write here");
    super::quit(t);
}

#[test]
fn lines_that_are_pasted_together_are_one_message() {
    let (mut t, program) = linear("xterm-256color", &["--plain"]);
    t.send_str("We build an intake app\nfor clinics in the country\n").unwrap();
    sees(&mut t, "Noted: ");
    leave(t);
    let kept = kept(&program);
    assert_eq!(kept["turn"], serde_json::json!(1));
    let said = kept["messages"].as_array().unwrap().iter().find(|message| message["role"] == "user").unwrap();
    assert_eq!(said["text"], serde_json::json!("We build an intake app\nfor clinics in the country"));
}

#[test]
fn two_interrupts_leave_and_one_does_not() {
    let (mut t, _program) = linear("xterm-256color", &["--plain"]);
    t.send(Key::Ctrl('c')).unwrap();
    sees(&mut t, "once more leaves");
    t.send(Key::Ctrl('c')).unwrap();
    assert!(t.wait_exit().unwrap().success());
}

#[test]
fn who_seems_to_use_a_screen_reader_is_asked_once() {
    let program = Program::new();
    let variables = [("GNOME_ACCESSIBILITY", "1")];
    let arguments = ["--offline", "chat", "--engine", "project-discovery"];
    let mut t = start(&program, (100, 30), &variables, &arguments);
    sees(&mut t, "A screen reader seems to be in use");
    assert!(!t.screen().alternate_screen());
    t.send_str("yes\n").unwrap();
    sees(&mut t, "You:");
    leave(t);
    let mut again = start(&program, (100, 30), &variables, &arguments);
    sees(&mut again, "You:");
    assert!(!again.screen().contains("A screen reader seems"), "the answer was kept");
    leave(again);
    let settings = std::fs::read_to_string(program.config().join("config.toml")).unwrap();
    assert!(settings.contains("plain = true"), "{settings}");
}

/// An editor that takes one line of what is typed, and writes it into the file.
fn editor_that_reads(program: &Program) -> String {
    let script = program.folder().join("editor");
    std::fs::write(&script, "#!/bin/sh\necho at work\nread line\necho \"$line, written there\" > \"$1\"\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&script, executable).unwrap();
    script.to_str().unwrap().to_owned()
}

#[test]
fn the_editor_has_the_keys_until_it_is_left() {
    let program = Program::new();
    let editor = editor_that_reads(&program);
    let arguments = ["--offline", "--plain", "chat", "--engine", "project-discovery"];
    let mut t = start(&program, (100, 40), &[("EDITOR", &editor)], &arguments);
    sees(&mut t, "You:");
    t.send_str("/editor\n").unwrap();
    sees(&mut t, "at work");
    t.send_str("An intake app\n").unwrap();
    sees(&mut t, "Draft: An intake app, written there");
    leave(t);
    assert_eq!(kept(&program)["turn"], serde_json::json!(0));
}

#[test]
fn arrows_and_answers_of_the_terminal_are_no_words() {
    let (mut t, program) = linear("xterm-256color", &["--plain"]);
    t.send_str("We build\x1b[D\x1b[A\x1bOP an intake\x1b]11;rgb:00/00/00\x07 app for clinics\n").unwrap();
    sees(&mut t, "Noted: ");
    leave(t);
    let kept = kept(&program);
    let said = kept["messages"].as_array().unwrap().iter().find(|message| message["role"] == "user").unwrap();
    assert_eq!(said["text"], serde_json::json!("We build an intake app for clinics"));
}

#[test]
fn a_line_longer_than_the_terminal_keeps_is_said_whole() {
    let (mut t, program) = linear("xterm-256color", &["--plain"]);
    let long = format!("{}the end", "We build an intake app for clinics. ".repeat(150));
    t.send_str(&format!("{long}\n")).unwrap();
    // What is typed next waits for the answer.
    leave(t);
    let kept = kept(&program);
    let said = kept["messages"].as_array().unwrap().iter().find(|message| message["role"] == "user").unwrap();
    assert_eq!(said["text"], serde_json::json!(long));
}
