//! Where the cursor stands, and keys that only some terminals tell apart.

use termlens::{Key, Terminal};

use super::{IDENTITIES, app, in_session, quit, sees, start, under};
use crate::support::program::Program;

/// Waits until the cursor is shown in a column, and tells its row.
fn cursor_in(terminal: &mut Terminal, column: u16) -> u16 {
    let there = |screen: &termlens::Screen| matches!(screen.cursor(), (_, at, true) if at == column);
    terminal.wait_until(there).unwrap_or_else(|error| panic!("no cursor in column {column}: {error}"));
    terminal.screen().cursor().0
}

/// Waits until the cursor is shown so many columns right of where a text begins, in its row.
fn cursor_beside(terminal: &mut Terminal, text: &str, columns: u16) -> (u16, u16) {
    let place = |screen: &termlens::Screen| {
        let (row, column) = screen.find(text)?;
        (screen.cursor() == (row, column + columns, true)).then_some((row, column + columns))
    };
    terminal
        .wait_until(|screen| place(screen).is_some())
        .unwrap_or_else(|error| panic!("no cursor {columns} columns after the beginning of {text:?}: {error}"));
    place(&terminal.screen()).expect("it has just been there")
}

#[test]
fn the_cursor_of_the_terminal_follows_what_is_typed() {
    let (mut t, _program) = in_session((100, 30));
    // The cursor stands on the first cell, before the words that invite to write.
    t.send_str("x").unwrap();
    let (row, after_one) = cursor_beside(&mut t, "x ", 1);
    let first = after_one - 1;
    t.send(Key::Backspace).unwrap();
    cursor_in(&mut t, first);
    for (typed, columns) in [("a", 1), ("b", 2), ("日", 4), ("本", 6), ("e\u{301}", 7), ("ü", 8)] {
        t.send_str(typed).unwrap();
        assert_eq!(cursor_in(&mut t, first + columns), row, "after {typed:?}");
    }
    t.send(Key::Left).unwrap();
    cursor_in(&mut t, first + 7);
    t.send(Key::Home).unwrap();
    cursor_in(&mut t, first);
    t.send(Key::End).unwrap();
    cursor_in(&mut t, first + 8);
    t.send(Key::Ctrl('j')).unwrap();
    // The composer grows upwards, so the second line stands where the first stood.
    assert_eq!(cursor_in(&mut t, first), row);
    t.send(Key::Ctrl('c')).unwrap();
    quit(t);
}

#[test]
fn under_every_terminal_the_cursor_stands_where_one_types() {
    for term in IDENTITIES {
        let program = Program::new();
        let mut t = under(term, &program);
        for (typed, columns) in [("qzq", 3), ("日", 5), ("e\u{301}", 6), ("ü", 7)] {
            t.send_str(typed).unwrap();
            cursor_beside(&mut t, "qzq", columns);
        }
        quit(t);
    }
}

#[test]
fn every_field_that_takes_text_has_the_cursor_in_it() {
    let (mut t, _program) = in_session((100, 30));
    t.send(Key::Ctrl('p')).unwrap();
    sees(&mut t, "type to narrow");
    t.send_str("日e").unwrap();
    cursor_beside(&mut t, "日e", 3);
    t.send(Key::Esc).unwrap();
    // The composer shows behind the palette, so it is the palette's end that is waited for.
    t.wait_until(|screen| !screen.contains("─ Commands ─")).expect("the palette is closed");
    t.send_str("draft").unwrap();
    cursor_beside(&mut t, "draft", 5);
    t.send(Key::F(1)).unwrap();
    sees(&mut t, "Commands: in the palette");
    t.wait_until(|screen| !screen.cursor_visible()).expect("a window that takes no text hides it");
    close_help(&mut t);
    quit(t);
}

#[test]
fn typing_on_the_first_screen_moves_the_cursor() {
    let (mut t, _program) = app((100, 30), &[]);
    sees(&mut t, "Project discovery");
    t.send_str("ab").unwrap();
    cursor_beside(&mut t, "ab", 2);
    t.send_str("語").unwrap();
    cursor_beside(&mut t, "ab語", 4);
    t.send(Key::Left).unwrap();
    cursor_beside(&mut t, "ab語", 2);
    quit(t);
}

/// Closes the help and waits for it: Esc and the next key together would be one with Alt.
fn close_help(terminal: &mut Terminal) {
    terminal.send(Key::Esc).unwrap();
    terminal.wait_until(|screen| !screen.contains("─ Help ─")).expect("the help is closed");
}

/// Shift-Enter as the protocol writes it, and as xterm and tmux do.
const SHIFT_ENTER: [&str; 2] = ["\x1b[13;2u", "\x1b[27;2;13~"];

#[test]
fn shift_enter_begins_a_line_and_is_promised_only_where_the_terminal_says_that_it_tells_it_apart() {
    for (term, answers) in [("xterm-kitty", false), ("xterm-256color", true), ("xterm-256color", false)] {
        let program = Program::new();
        let arguments = ["--offline", "chat", "--engine", "project-discovery"];
        let mut t = start(&program, (100, 60), &[("TERM", term)], &arguments);
        sees(&mut t, "Write here");
        if answers {
            t.send_str("\x1b[?0u").unwrap();
        }
        t.send_str("one").unwrap();
        for (shift_enter, next) in SHIFT_ENTER.into_iter().zip(["two", "three"]) {
            t.send_str(shift_enter).unwrap();
            t.send_str(next).unwrap();
            sees(&mut t, next);
        }
        assert!(!t.screen().contains("onetwo") && !t.screen().contains("twothree"), "{term}: they are lines");
        t.send(Key::F(1)).unwrap();
        let promise = if answers { "Ctrl-J, Alt-Enter, Shift-Enter" } else { "Ctrl-J, Alt-Enter  " };
        let mut page = t.wait_frame(|screen| screen.contains("Commands: in the palette")).unwrap();
        while !page.contains(promise) {
            let before = page.text();
            t.send(Key::PageDown).unwrap();
            page = t.wait_frame(|screen| screen.text() != before).unwrap();
        }
        close_help(&mut t);
        t.send(Key::Ctrl('q')).unwrap();
        assert!(t.wait_exit().unwrap().success());
        // The emulator does not know the protocol and lists what it passed over: only who has answered is told to use it.
        let passed_over = |sequence: &str| t.screen().unsupported().contains(sequence);
        for sequence in ["^[[>5u", "^[[1<u"] {
            assert_eq!(passed_over(sequence), answers, "{term}: {:?}", t.screen().unsupported());
        }
    }
}

#[test]
fn a_terminal_that_knows_no_sequences_is_left_as_it_was() {
    let program = Program::new();
    let variables = [("TERM", "dumb")];
    let mut t =
        start(&program, (80, 24), &variables, &["--offline", "--plain=false", "chat", "--engine", "project-discovery"]);
    sees(&mut t, "Write here");
    t.send_str("words").unwrap();
    sees(&mut t, "words");
    assert!(!t.screen().unsupported().iter().any(|sequence| sequence.ends_with('u')), "{:?}", t.screen().unsupported());
    quit(t);
}
