//! What is typed, from the bytes that a terminal sends: keys, the mouse, pastes, and what it answers when it is asked.
//!
//! The bytes are split here and not by the terminal library, because a sequence may come in pieces: over a slow line the
//! rest of an arrow key follows a moment after its first byte, and an answer of the terminal can be of any kind. What is
//! not known is passed over. Nothing of it ever becomes words of the user.

mod sequences;
#[cfg(unix)]
pub(crate) mod source;
mod splitter;
#[cfg(test)]
mod splitter_tests;

pub(crate) use splitter::Splitter;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// The word that goes back where lines are typed; the key of that name writes it.
pub(crate) const ESC: &str = "esc";

/// What came of some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Event(Event),
    /// Whether the terminal's ground is light: it was asked.
    Ground {
        light: bool,
    },
    /// The terminal knows the keyboard protocol.
    Fluent,
}

/// A line that came from a file or a pipe, without the keys that a terminal would have sent: nothing but the key that goes
/// back is the word for it.
pub(crate) fn without_keys(line: &str) -> String {
    if !line.contains(|c: char| c == '\x1b' || ('\u{80}'..'\u{a0}').contains(&c)) {
        return line.to_owned();
    }
    let mut splitter = Splitter::default();
    let mut heard = splitter.take(line.as_bytes());
    heard.extend(splitter.give_up());
    let is_escape = |heard: &Heard| matches!(heard, Heard::Event(Event::Key(key)) if key.code == KeyCode::Esc);
    if let [only] = &heard[..]
        && is_escape(only)
    {
        return ESC.to_owned();
    }
    let word = |heard| match heard {
        Heard::Event(Event::Key(KeyEvent { code: KeyCode::Char(letter), modifiers, .. }))
            if (modifiers - KeyModifiers::SHIFT).is_empty() =>
        {
            letter.to_string()
        }
        Heard::Event(Event::Key(KeyEvent { code: KeyCode::Tab, .. })) => "\t".to_owned(),
        Heard::Event(Event::Paste(text)) => text,
        _ => String::new(),
    };
    heard.into_iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::without_keys;

    #[test]
    fn lines_of_a_file_are_freed_of_keys_too() {
        assert_eq!(without_keys("one\x1b[A two\x1b[15~"), "one two");
        assert_eq!(without_keys("\x1b"), "esc");
        assert_eq!(without_keys("a\tb ä"), "a\tb ä");
        assert_eq!(without_keys("\x1b[200~pasted\x1b[201~ and \x1b]0;title\x07on"), "pasted and on");
    }
}
