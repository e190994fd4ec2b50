//! The real binary in a pseudo-terminal: what a user sees, waited for with a deadline.

/// What is told on the first start.
mod about;
/// Answers chosen under the composer, and words beside the conversation.
mod cards;
/// How the program ends and comes back: signals, suspension, kills, panics.
mod ends;
/// Sessions on the first screen: archive, tags, trash.
mod filing;
/// What is typed and pasted.
mod input;
/// Where the cursor stands, and keys that only some terminals tell apart.
mod keyboard;
/// The language of the environment, and of what is written.
mod languages;
/// The linear mode: lines instead of a screen.
mod linear;
/// What a terminal has of its own: clipboard, mouse, history, ground.
mod manners;
/// What the screen shows: sizes, colours, characters.
mod screen;
/// The screens around the conversation: review, brief, earlier courses, exports.
mod screens;
/// Setting up: an endpoint, the settings, the doctor, hints.
mod setup;
/// Answers of an endpoint on their way.
mod stream;
/// What an engine would do, shown and asked.
mod trust;

use std::time::Duration;

use serde_json::Value;
use termlens::{Key, Terminal};

use crate::support::program::Program;

/// The binary on a fresh machine, at a size, asking no endpoint.
fn app(size: (u16, u16), arguments: &[&str]) -> (Terminal, Program) {
    let program = Program::new();
    let terminal = start(&program, size, &[], &[&["--offline"], arguments].concat());
    (terminal, program)
}

/// The binary in a session of project discovery.
fn in_session(size: (u16, u16)) -> (Terminal, Program) {
    let (mut terminal, program) = app(size, &["chat", "--engine", "project-discovery"]);
    sees(&mut terminal, "Write here");
    (terminal, program)
}

/// The binary on a machine that is there already, for somebody who was told what is told on the first start.
fn start(program: &Program, size: (u16, u16), variables: &[(&str, &str)], arguments: &[&str]) -> Terminal {
    program.introduce();
    start_afresh(program, size, variables, arguments)
}

/// The same for somebody who may never have been here.
fn start_afresh(program: &Program, size: (u16, u16), variables: &[(&str, &str)], arguments: &[&str]) -> Terminal {
    let mut builder = Terminal::builder()
        .size(size.0, size.1)
        .env_clear()
        .env("TERM", "xterm-256color")
        .env("HOME", program.folder().to_str().unwrap())
        .env("LANG", "C.UTF-8")
        .env("PATH", "/usr/bin:/bin")
        .timeout(Duration::from_mins(1));
    for (name, value) in variables {
        builder = builder.env(name, value);
    }
    let (data, config) = (program.data(), program.config());
    let folders = ["--data-dir", data.to_str().unwrap(), "--config", config.to_str().unwrap()];
    builder.args([&folders, arguments].concat()).spawn(env!("CARGO_BIN_EXE_elenchus")).unwrap()
}

/// The terminals that are tried, each as it calls itself.
const IDENTITIES: [&str; 4] = ["xterm-256color", "xterm-kitty", "tmux-256color", "dumb"];

/// The app in a session, under a terminal that calls itself so.
fn under(term: &str, program: &Program) -> Terminal {
    let arguments = ["--offline", "--plain=false", "chat", "--engine", "project-discovery"];
    let mut t = start(program, (120, 40), &[("TERM", term)], &arguments);
    sees(&mut t, "Write here");
    t
}

fn sees(terminal: &mut Terminal, text: &str) {
    terminal.wait_until(|screen| screen.contains(text)).unwrap_or_else(|error| panic!("no {text:?}: {error}"));
}

/// Leaves the program as users do.
fn quit(mut terminal: Terminal) {
    terminal.send(Key::Ctrl('q')).unwrap();
    assert!(terminal.wait_exit().unwrap().success());
    assert_given_back(&terminal);
}

/// The terminal is as it was before the program.
fn assert_given_back(terminal: &Terminal) {
    let screen = terminal.screen();
    assert!(!screen.alternate_screen() && !screen.bracketed_paste() && !screen.focus_events());
    assert_eq!(screen.mouse_mode(), termlens::MouseMode::None);
    assert!(screen.cursor_visible());
    // The emulator lists what it passed over: what was asked of the keyboard, and that it was taken back.
    let passed_over = |sequence: &str| screen.unsupported().contains(sequence);
    assert_eq!(passed_over("^[[>5u"), passed_over("^[[1<u"), "{:?}", screen.unsupported());
}

/// The only session there is, as the store has it; and that the store is whole.
fn kept(program: &Program) -> Value {
    let list = program.run(&["--offline", "sessions", "list", "--json"]).json();
    assert_eq!(list.as_array().unwrap().len(), 1);
    let id = list[0]["session_id"].as_str().unwrap();
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
    program.run(&["--offline", "sessions", "show", id, "--json"]).json()
}
