//! Bytes of terminals and what is heard of them, in one piece and a byte at a time.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::{Heard, Splitter};

/// What comes of bytes that come a byte at a time, in haste, and nothing after them.
fn heard(bytes: &[u8]) -> Vec<Heard> {
    let mut splitter = Splitter::default();
    let mut heard: Vec<Heard> = bytes.chunks(1).flat_map(|byte| splitter.take(byte)).collect();
    heard.extend(splitter.give_up());
    let mut whole = Splitter::default();
    let mut at_once = whole.take(bytes);
    at_once.extend(whole.give_up());
    assert_eq!(heard, at_once, "the pieces make no difference: {bytes:?}");
    heard
}

fn keys(bytes: &[u8]) -> Vec<KeyEvent> {
    let key = |heard| match heard {
        Heard::Event(Event::Key(key)) => key,
        other => panic!("{other:?} is no key"),
    };
    heard(bytes).into_iter().map(key).collect()
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
    KeyEvent::new(code, modifiers)
}

fn letters(text: &str) -> Vec<KeyEvent> {
    text.chars().map(|letter| key(KeyCode::Char(letter), KeyModifiers::NONE)).collect()
}

const NONE: KeyModifiers = KeyModifiers::NONE;

#[test]
fn the_escape_byte_is_a_key_only_once_nothing_has_followed() {
    let mut splitter = Splitter::default();
    assert_eq!(splitter.take(b"\x1b"), []);
    let patience = splitter.patience().unwrap();
    assert!(patience >= Duration::from_millis(25) && patience <= Duration::from_millis(50));
    assert_eq!(splitter.take(b"[A"), [Heard::Event(Event::Key(key(KeyCode::Up, NONE)))]);
    assert_eq!(splitter.patience(), None);
    assert_eq!(keys(b"\x1b"), [key(KeyCode::Esc, NONE)]);
    assert_eq!(keys(b"\x1b\x1b[D"), [key(KeyCode::Esc, NONE), key(KeyCode::Left, NONE)]);
}

#[test]
fn keys_are_told_in_every_form() {
    let (shift, control, alt) = (KeyModifiers::SHIFT, KeyModifiers::CONTROL, KeyModifiers::ALT);
    for (bytes, expected) in [
        (&b"\x1bOP"[..], key(KeyCode::F(1), NONE)),
        (b"\x1b[11~", key(KeyCode::F(1), NONE)),
        (b"\x1b[[A", key(KeyCode::F(1), NONE)),
        (b"\x1b[15~", key(KeyCode::F(5), NONE)),
        (b"\x1b[24;2~", key(KeyCode::F(12), shift)),
        (b"\x1b[1;5C", key(KeyCode::Right, control)),
        (b"\x9bA", key(KeyCode::Up, NONE)),
        (b"\x1b[3~", key(KeyCode::Delete, NONE)),
        (b"\x1b[Z", key(KeyCode::BackTab, shift)),
        (b"\x1ba", key(KeyCode::Char('a'), alt)),
        (b"\x1b\r", key(KeyCode::Enter, alt)),
        (b"\x01", key(KeyCode::Char('a'), control)),
        (b"\x7f", key(KeyCode::Backspace, NONE)),
        (b"\x1b[13;2u", key(KeyCode::Enter, shift)),
        (b"\x1b[27;2;13~", key(KeyCode::Enter, shift)),
        (b"\x1b[27;5;106~", key(KeyCode::Char('j'), control)),
        (b"\x1b[27u", key(KeyCode::Esc, NONE)),
        (b"\x1b[57414u", key(KeyCode::Enter, NONE)),
        (b"\x1b[97;69u", key(KeyCode::Char('a'), control)),
    ] {
        assert_eq!(keys(bytes), [expected], "{bytes:?}");
    }
    assert_eq!(keys("aé日😀".as_bytes()), letters("aé日😀"));
    assert_eq!(keys(b"\xffa"), letters("\u{fffd}a"));
}

#[test]
fn with_a_modifier_the_key_of_the_latin_layout_counts() {
    // Ctrl and the key that has a Latin c, on a Cyrillic layout; and the letter alone.
    assert_eq!(keys(b"\x1b[1089::99;5u"), [key(KeyCode::Char('c'), KeyModifiers::CONTROL)]);
    assert_eq!(keys(b"\x1b[1089::99u"), letters("с"));
    assert_eq!(keys(b"\x1b[228::39;5u"), [key(KeyCode::Char('\''), KeyModifiers::CONTROL)]);
}

#[test]
fn what_a_terminal_answers_is_never_typed() {
    for bytes in [
        &b"\x1b]11;rgb:zz/qq\x07"[..],
        b"\x1b]4;1;rgb:ffff/0000/0000\x1b\\",
        b"\x1b]10;rgb:dcdc/dcdc/dcdc\x07",
        b"\x1b]52;c;aGVsbG8=\x1b\\",
        b"\x1bP>|XTerm(390)\x1b\\",
        b"\x1bP1$r0 q\x1b\\",
        b"\x1b[>41;390;0c",
        b"\x1b[?64;1;2c",
        b"\x1b[12;40R",
        b"\x1b[?2026;2$y",
        b"\x9d11;rgb:zz/qq\x9c",
        b"\x90>|foot\x9c",
        b"\x1b_Gi=1;OK\x1b\\",
        b"\x1b]11;rgb:1e1e/",
        b"\x9c",
    ] {
        let mut before_and_after = b"a".to_vec();
        before_and_after.extend(bytes);
        assert_eq!(keys(&before_and_after), letters("a"), "{bytes:?}");
    }
    assert_eq!(keys(b"\x1b]11;rgb:zz/qq\x07and on"), letters("and on"));
    assert_eq!(heard(b"\x1b[?0u"), [Heard::Fluent]);
}

#[test]
fn an_answer_that_was_asked_for_is_heard_in_pieces_too() {
    for bytes in [&b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\"[..], b"\x1b]11;rgb:ff/ff/ff\x07", b"\x9d11;rgb:ff/ff/ff\x9c"] {
        assert_eq!(heard(bytes), [Heard::Ground { light: true }], "{bytes:?}");
    }
    assert_eq!(heard(b"\x1b]11;rgb:1e1e/1e1e/2e2e\x07"), [Heard::Ground { light: false }]);
}

#[test]
fn alt_and_a_key_that_could_open_an_answer_is_a_key() {
    let alt = |letter| key(KeyCode::Char(letter), KeyModifiers::ALT);
    for letter in [']', 'P', '[', 'O', '_'] {
        assert_eq!(keys(format!("\x1b{letter}").as_bytes()), [alt(letter)], "{letter}");
    }
    assert_eq!(keys(b"\x1b]a"), [alt(']'), letters("a")[0]]);
}

#[test]
fn pastes_and_the_mouse_are_one_event_each() {
    assert_eq!(
        heard("\x1b[200~one\r\x1b[Atwo ä\x1b[201~".as_bytes()),
        [Heard::Event(Event::Paste("one\r\x1b[Atwo ä".to_owned()))]
    );
    let press =
        |column, row| MouseEvent { kind: MouseEventKind::Down(MouseButton::Left), column, row, modifiers: NONE };
    assert_eq!(heard(b"\x1b[<0;20;10M"), [Heard::Event(Event::Mouse(press(19, 9)))]);
    assert_eq!(heard(b"\x1b[M 4*"), [Heard::Event(Event::Mouse(press(19, 9)))]);
    assert_eq!(heard(b"\x1b[32;20;10M"), [Heard::Event(Event::Mouse(press(19, 9)))]);
    let scrolled = MouseEvent { kind: MouseEventKind::ScrollUp, ..press(0, 0) };
    assert_eq!(heard(b"\x1b[<64;1;1M"), [Heard::Event(Event::Mouse(scrolled))]);
    assert_eq!(heard(b"\x1b[I\x1b[O"), [Heard::Event(Event::FocusGained), Heard::Event(Event::FocusLost)]);
}
