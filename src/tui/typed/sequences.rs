//! What a sequence means: the forms of xterm, of the Linux console, of rxvt and of the keyboard protocol.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::Heard;

/// A key that sends a byte of its own.
pub(super) fn control_key(byte: u8) -> KeyEvent {
    let control = |letter: u8| KeyEvent::new(KeyCode::Char(char::from(letter)), KeyModifiers::CONTROL);
    match byte {
        b'\r' => KeyCode::Enter.into(),
        b'\t' => KeyCode::Tab.into(),
        0x7f => KeyCode::Backspace.into(),
        0 => control(b' '),
        0x01..0x1b => control(byte - 1 + b'a'),
        _ => control(byte.saturating_sub(0x1c) + b'4'),
    }
}

/// What follows `ESC O`.
pub(super) fn single(byte: u8) -> Option<Event> {
    let code = match byte {
        b'M' => KeyCode::Enter,
        // The pad of numbers, as it sends its letters.
        b'j'..=b'y' => KeyCode::Char(char::from(byte - b'j' + b'*')),
        _ => letter_key(byte)?,
    };
    Some(Event::Key(code.into()))
}

/// Keys that are told by the letter at the end.
fn letter_key(byte: u8) -> Option<KeyCode> {
    Some(match byte {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'E' => KeyCode::KeypadBegin,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(byte - b'P' + 1),
        _ => return None,
    })
}

/// Keys that are told by the number before a `~`.
fn numbered_key(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        // The numbers leave gaps.
        11..=15 => function_key(number - 10)?,
        17..=21 => function_key(number - 11)?,
        23..=26 => function_key(number - 12)?,
        28..=29 => function_key(number - 13)?,
        31..=34 => function_key(number - 14)?,
        _ => return None,
    })
}

fn function_key(number: u32) -> Option<KeyCode> {
    u8::try_from(number).ok().map(KeyCode::F)
}

/// What follows `ESC [`; nothing where it says nothing to us.
pub(super) fn control(bytes: &[u8]) -> Option<Heard> {
    let (last, front) = bytes.split_last()?;
    match bytes {
        b"I" => return Some(Heard::Event(Event::FocusGained)),
        b"O" => return Some(Heard::Event(Event::FocusLost)),
        [b'[', letter @ b'A'..=b'E'] => return press(function_key(u32::from(letter - b'A') + 1)?, 1),
        [b'M', button, column, row] => {
            let place = |byte: &u8| u32::from(byte.saturating_sub(32));
            return mouse(place(button), place(column), place(row), false);
        }
        _ => {}
    }
    let text = std::str::from_utf8(front).ok()?;
    if let Some(flags) = text.strip_prefix('?') {
        // The answer to what the keyboard is set to; the others are about other things.
        return (*last == b'u' && !flags.is_empty() && flags.bytes().all(|byte| byte.is_ascii_digit()))
            .then_some(Heard::Fluent);
    }
    if let Some(report) = text.strip_prefix('<') {
        let [button, column, row] = numbers(report)[..] else { return None };
        return matches!(last, b'M' | b'm').then(|| mouse(button, column, row, *last == b'm'))?;
    }
    let numbers = numbers(text);
    let held = modifiers_of(text);
    match (last, &numbers[..]) {
        (b'M', [button, column, row]) => mouse(button.saturating_sub(32), *column, *row, false),
        (b'Z', _) => press(KeyCode::BackTab, held),
        (b'u', [code, ..]) => protocol_key(text, *code, held),
        (b'~', [27, held, code]) => typed_key(*code, None, *held),
        (b'~', [number]) => press(numbered_key(*number)?, 1),
        (b'~', [number, _]) => press(numbered_key(*number)?, held),
        // With other numbers it is a place of the cursor.
        (b'R', [row, column]) if *row != 1 || *column < 2 => None,
        (_, [] | [1] | [1, _]) => press(letter_key(*last)?, held),
        _ => None,
    }
}

/// The numbers between semicolons, each without what follows a colon.
fn numbers(text: &str) -> Vec<u32> {
    if text.is_empty() {
        return Vec::new();
    }
    text.split(';').map(|part| part.split(':').next().unwrap_or("").parse().unwrap_or(0)).collect()
}

/// The number for what is held, in the second place; 0 where the key is let go.
fn modifiers_of(text: &str) -> u32 {
    let Some(second) = text.split(';').nth(1) else { return 1 };
    let mut parts = second.split(':');
    let held = parts.next().and_then(|held| held.parse().ok()).unwrap_or(1);
    if parts.next() == Some("3") { 0 } else { held }
}

/// A key that is pressed; none where `held` says that it is let go.
fn press(code: KeyCode, held: u32) -> Option<Heard> {
    let modifiers = modifiers(held)?;
    let modifiers = if code == KeyCode::BackTab { modifiers | KeyModifiers::SHIFT } else { modifiers };
    Some(Heard::Event(Event::Key(KeyEvent::new(code, modifiers))))
}

/// The number less one is a bit for each; those of the locks do not count.
fn modifiers(held: u32) -> Option<KeyModifiers> {
    let bits = held.checked_sub(1)?;
    let all = [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::ALT),
        (4, KeyModifiers::CONTROL),
        (8, KeyModifiers::SUPER),
        (16, KeyModifiers::HYPER),
        (32, KeyModifiers::META),
    ];
    Some(all.into_iter().filter(|(bit, _)| bits & bit != 0).fold(KeyModifiers::NONE, |held, (_, one)| held | one))
}

/// A key of the protocol: its letter, the one with Shift, and the one it has on the standard layout.
fn protocol_key(text: &str, code: u32, held: u32) -> Option<Heard> {
    let mut letters = text.split(';').next().unwrap_or("").split(':').skip(1);
    let mut next = || letters.next().and_then(|letter| letter.parse().ok()).filter(|letter: &u32| *letter > 0);
    let (shifted, base) = (next(), next());
    let modifiers = modifiers(held)?;
    // Shortcuts are named by Latin letters, whatever the layout has on those keys.
    let is_shortcut = modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    if is_shortcut
        && code > 0x7f
        && let Some(base) = base
    {
        return typed_key(base, None, held);
    }
    typed_key(code, shifted, held)
}

fn typed_key(code: u32, shifted: Option<u32>, held: u32) -> Option<Heard> {
    let code = match code {
        9 if modifiers(held)?.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        8 | 127 => KeyCode::Backspace,
        57_344..=63_743 => pad_key(code)?,
        _ => {
            let with_shift = shifted.filter(|_| modifiers(held).is_some_and(|held| held.contains(KeyModifiers::SHIFT)));
            KeyCode::Char(char::from_u32(with_shift.unwrap_or(code)).filter(|letter| !letter.is_control())?)
        }
    };
    press(code, held)
}

/// Keys that the protocol has numbers of its own for.
fn pad_key(code: u32) -> Option<KeyCode> {
    Some(match code {
        57_376..=57_398 => function_key(code - 57_376 + 13)?,
        57_399..=57_408 => KeyCode::Char(char::from_digit(code - 57_399, 10)?),
        57_409 => KeyCode::Char('.'),
        57_410 => KeyCode::Char('/'),
        57_411 => KeyCode::Char('*'),
        57_412 => KeyCode::Char('-'),
        57_413 => KeyCode::Char('+'),
        57_414 => KeyCode::Enter,
        57_415 => KeyCode::Char('='),
        57_416 => KeyCode::Char(','),
        57_417 => KeyCode::Left,
        57_418 => KeyCode::Right,
        57_419 => KeyCode::Up,
        57_420 => KeyCode::Down,
        57_421 => KeyCode::PageUp,
        57_422 => KeyCode::PageDown,
        57_423 => KeyCode::Home,
        57_424 => KeyCode::End,
        57_425 => KeyCode::Insert,
        57_426 => KeyCode::Delete,
        _ => return None,
    })
}

/// A report of the mouse: the button and what is held in one number, and the place, counted from one.
fn mouse(report: u32, column: u32, row: u32, released: bool) -> Option<Heard> {
    let button = match report & 0b11 {
        0 => MouseButton::Left,
        1 => MouseButton::Middle,
        _ => MouseButton::Right,
    };
    let moves = report & 32 != 0;
    let kind = match (report & 0b1100_0000, report & 0b11) {
        (64, 0) => MouseEventKind::ScrollUp,
        (64, 1) => MouseEventKind::ScrollDown,
        (64, 2) => MouseEventKind::ScrollLeft,
        (64, _) => MouseEventKind::ScrollRight,
        (0, 3) if moves => MouseEventKind::Moved,
        // Without the buttons it is not told which one.
        (0, 3) => MouseEventKind::Up(MouseButton::Left),
        (0, _) if moves => MouseEventKind::Drag(button),
        (0, _) if released => MouseEventKind::Up(button),
        (0, _) => MouseEventKind::Down(button),
        _ => return None,
    };
    let held = [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)];
    let modifiers =
        held.into_iter().filter(|(bit, _)| report & bit != 0).fold(KeyModifiers::NONE, |held, (_, one)| held | one);
    let place = |number: u32| u16::try_from(number.saturating_sub(1)).ok();
    Some(Heard::Event(Event::Mouse(MouseEvent { kind, column: place(column)?, row: place(row)?, modifiers })))
}
