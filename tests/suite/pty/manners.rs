//! What a terminal has of its own: its clipboard, its mouse, its history, its ground.

use std::time::Duration;

use termlens::{Key, MouseButton, MouseMode, Terminal};

use super::{IDENTITIES, quit, sees, start, under};
use crate::support::program::Program;

/// Drags over a text that stands on one row.
fn drag_over(t: &mut Terminal, text: &str) {
    sees(t, text);
    let (row, column) = t.screen().find(text).unwrap();
    let last = column + u16::try_from(text.chars().count()).unwrap() - 1;
    t.drag(MouseButton::Left, column, row, last, row).unwrap();
}

#[test]
fn dragging_copies_what_is_under_it_or_a_word_says_that_no_clipboard_was_found() {
    for term in IDENTITIES {
        let program = Program::new();
        let mut t = under(term, &program);
        drag_over(&mut t, "Hello. For about");
        if term == "dumb" {
            sees(&mut t, "no clipboard was found");
            assert!(t.screen().clipboard().is_none());
        } else {
            let copied = |screen: &termlens::Screen| {
                screen.clipboard().and_then(termlens::Clipboard::text) == Some("Hello. For about")
            };
            t.wait_until(copied).unwrap_or_else(|error| panic!("{term}: {error}"));
            // Only of some it is known that they take it.
            let told = if term == "xterm-kitty" { "copied what was selected" } else { "sent to the terminal" };
            sees(&mut t, told);
        }
        quit(t);
    }
}

#[test]
fn the_mouse_is_given_to_the_terminal_by_a_key_and_by_a_setting() {
    for term in IDENTITIES {
        let program = Program::new();
        let mut t = under(term, &program);
        assert_ne!(t.screen().mouse_mode(), MouseMode::None, "{term}");
        t.send(Key::Alt('0')).unwrap();
        t.wait_until(|screen| screen.mouse_mode() == MouseMode::None).unwrap();
        t.send(Key::Alt('0')).unwrap();
        t.wait_until(|screen| screen.mouse_mode() != MouseMode::None).unwrap();
        quit(t);
    }
    let program = Program::new().settings("mouse = false\n");
    let t = under("xterm-256color", &program);
    assert_eq!(t.screen().mouse_mode(), MouseMode::None);
    quit(t);
}

#[test]
fn what_was_said_goes_into_the_terminals_own_history_by_a_key_and_on_leaving() {
    let by_key = IDENTITIES.map(|term| (term, "", true));
    let on_leaving = IDENTITIES.map(|term| (term, "leave_transcript = true\n", false));
    for (term, settings, key) in by_key.into_iter().chain(on_leaving) {
        let program = Program::new().settings(settings);
        let mut t = under(term, &program);
        t.send_str("We build an intake app for clinics").unwrap();
        t.send(Key::Enter).unwrap();
        sees(&mut t, "1/");
        if key {
            t.send(Key::Alt('9')).unwrap();
            // It comes back to the conversation.
            sees(&mut t, "Write here");
        }
        quit_and_read(t, "We build an intake app for clinics");
    }
    let program = Program::new();
    let mut t = under("xterm-256color", &program);
    t.send_str("We build an intake app for clinics").unwrap();
    t.send(Key::Enter).unwrap();
    sees(&mut t, "1/");
    t.send(Key::Ctrl('q')).unwrap();
    t.wait_exit().unwrap();
    assert!(!t.screen().contains("intake app"), "without being asked nothing is left behind");
}

fn quit_and_read(mut t: Terminal, said: &str) {
    t.send(Key::Ctrl('q')).unwrap();
    assert!(t.wait_exit().unwrap().success());
    assert!(!t.screen().alternate_screen());
    assert!(t.screen().contains(said), "{}", t.screen().text());
}

/// The app on its first screen with a theme, under a terminal where the surroundings say that of text and ground.
fn on_ground(term: &str, colours: &str, theme: &str) -> (Terminal, Program) {
    let program = Program::new().introduced();
    let (data, config) = (program.data(), program.config());
    let arguments = [
        "--data-dir",
        data.to_str().unwrap(),
        "--config",
        config.to_str().unwrap(),
        "--offline",
        "chat",
        "--theme",
        theme,
    ];
    let mut t = Terminal::builder()
        .size(100, 30)
        .env_clear()
        .env("TERM", term)
        .env("HOME", program.folder().to_str().unwrap())
        .env("COLORFGBG", colours)
        .timeout(Duration::from_mins(1))
        .args(arguments)
        .spawn(env!("CARGO_BIN_EXE_elenchus"))
        .unwrap();
    sees(&mut t, "Start");
    (t, program)
}

#[test]
fn the_theme_follows_the_ground_of_the_terminal() {
    let drawn = |term, colours, theme| {
        let (t, _program) = on_ground(term, colours, theme);
        let style = t.screen().cell(1, 1).unwrap().style().bg;
        quit(t);
        style
    };
    for term in ["xterm-256color", "xterm-kitty", "tmux-256color"] {
        let (light, dark) = (drawn(term, "15;0", "light"), drawn(term, "0;15", "dark"));
        assert_ne!(light, dark);
        // Said by a variable: an answer of the terminal itself is waited for only a moment, which a busy machine may miss.
        for (colours, expected) in [("0;15", light), ("15;0", dark)] {
            let (mut t, _program) = on_ground(term, colours, "auto");
            let shown = |screen: &termlens::Screen| screen.cell(1, 1).unwrap().style().bg == expected;
            t.wait_until(shown).unwrap_or_else(|error| panic!("{term}, {colours}: {error}"));
            quit(t);
        }
    }
}

#[test]
fn every_terminal_gets_the_colours_that_it_can_show_and_none_where_none_are_wanted() {
    for (term, shows) in [("xterm-256color", true), ("xterm-kitty", true), ("tmux-256color", true), ("dumb", false)] {
        for (wanted, coloured) in [("auto", shows), ("never", false), ("always", true)] {
            let program = Program::new();
            let arguments = ["--offline", "--plain=false", "--color", wanted];
            let mut t = start(&program, (100, 30), &[("TERM", term)], &arguments);
            sees(&mut t, "Start");
            assert_eq!(has_colours(&t), coloured, "{term}, --color {wanted}");
            quit(t);
        }
    }
}

/// Whether any cell has a colour of its own.
fn has_colours(t: &Terminal) -> bool {
    let screen = t.screen();
    let (columns, rows) = (screen.cols(), screen.rows());
    let mut cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    cells.any(|(row, column)| {
        let style = screen.cell(row, column).unwrap().style();
        style.fg != termlens::Color::Default || style.bg != termlens::Color::Default
    })
}

#[test]
fn a_light_terminal_gets_a_light_theme_without_a_setting_and_no_letter_is_lost() {
    let (t, _program) = on_ground("xterm-256color", "15;0", "light");
    let light = t.screen().cell(1, 1).unwrap().style().bg;
    quit(t);
    let program = Program::new().introduced();
    // Where the surroundings tell, the terminal is not asked, and has no answer of its own to give.
    let mut t = start(&program, (100, 30), &[("COLORFGBG", "15;0")], &["--offline"]);
    sees(&mut t, "Start");
    // What a terminal answers to the question for its ground, between two letters.
    t.send_str("a\x1b]11;rgb:ffff/ffff/ffff\x1b\\b").unwrap();
    t.wait_until(|screen| screen.cell(1, 1).unwrap().style().bg == light).unwrap();
    sees(&mut t, "ab");
    quit(t);
}

#[test]
fn colours_are_there_or_not_as_was_said() {
    let coloured = |variables: &[(&str, &str)], arguments: &[&str]| {
        let program = Program::new();
        let all = [&["--offline", "--plain=false"], arguments].concat();
        let mut t = start(&program, (100, 30), variables, &all);
        sees(&mut t, "Start");
        let found = has_colours(&t);
        quit(t);
        found
    };
    assert!(coloured(&[], &[]));
    assert!(!coloured(&[], &["--color", "never"]));
    assert!(!coloured(&[("CLICOLOR", "0")], &[]));
    assert!(coloured(&[("CLICOLOR", "0"), ("CLICOLOR_FORCE", "1")], &[]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], &[]));
    assert!(coloured(&[("NO_COLOR", "1")], &["--color", "always"]));
    assert!(coloured(&[("TERM", "dumb")], &["--color", "always"]));
}
