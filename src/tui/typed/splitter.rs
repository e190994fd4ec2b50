//! Bytes into letters, keys and sequences, however they are cut into pieces on their way.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use super::{Heard, sequences};
use crate::tui::background;

/// The rest of a sequence follows the escape byte within this time; without it that was the key.
const AFTER_ESCAPE: Duration = Duration::from_millis(40);

/// The time after the second byte, which Alt and a key send as well.
const AFTER_SECOND: Duration = Duration::from_millis(150);

/// What has begun beyond doubt is waited for longer; what does not end by then is dropped.
const UNTIL_ITS_END: Duration = Duration::from_secs(1);

/// No sequence that means anything to us is longer. Of a longer one the rest is passed over.
const LONGEST: usize = 4_096;

/// What ends a paste.
const PASTE_ENDS: &[u8] = b"\x1b[201~";

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// Where in the bytes it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Between,
    /// Within a letter of more than one byte, of which so many are to come.
    Letter(usize),
    Escaped,
    /// After `ESC [`.
    Control,
    /// After `ESC [ M`: the three bytes of an old report of the mouse.
    OldMouse,
    /// After `ESC [ [`: a function key of the Linux console.
    Console,
    /// After `ESC O`.
    Single,
    /// After `ESC` and one of `] P X ^ _`: what is next shows whether it was a key.
    Opened(u8),
    /// Within an answer that `ESC \` or a bell ends.
    Answer(u8),
    /// After an escape byte within an answer.
    AnswerEscaped(u8),
    Paste,
}

/// Takes bytes in as they come.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    state: State,
    /// The bytes of what has begun, without those that opened it.
    held: Vec<u8>,
    /// Whether the letter that has begun comes with Alt.
    alt: bool,
    heard: Vec<Heard>,
}

impl Splitter {
    /// What came of the next bytes.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<Heard> {
        for byte in bytes {
            self.byte(*byte);
        }
        std::mem::take(&mut self.heard)
    }

    /// How long the rest of what has begun is waited for at most; `None` where nothing has begun, or where it may take
    /// any time.
    pub fn patience(&self) -> Option<Duration> {
        match self.state {
            State::Between | State::Paste => None,
            State::Escaped => Some(AFTER_ESCAPE),
            State::Control if self.held.is_empty() => Some(AFTER_SECOND),
            State::Single | State::Opened(_) => Some(AFTER_SECOND),
            _ => Some(UNTIL_ITS_END),
        }
    }

    /// The rest has not come: what had begun was a key, or is dropped.
    pub fn give_up(&mut self) -> Vec<Heard> {
        match self.state {
            State::Between | State::Paste => return Vec::new(),
            State::Escaped => self.key(KeyCode::Esc, KeyModifiers::NONE),
            State::Control if self.held.is_empty() => self.key(KeyCode::Char('['), KeyModifiers::ALT),
            State::Single => self.key(KeyCode::Char('O'), KeyModifiers::ALT),
            State::Opened(byte) => self.key(KeyCode::Char(char::from(byte)), KeyModifiers::ALT),
            State::Letter(_) => self.letter(char::REPLACEMENT_CHARACTER),
            _ => {}
        }
        self.rest();
        std::mem::take(&mut self.heard)
    }

    fn byte(&mut self, byte: u8) {
        match self.state {
            State::Between => self.begin(byte),
            State::Letter(missing) => self.within_letter(byte, missing),
            State::Escaped => self.after_escape(byte),
            State::Control => self.control(byte),
            State::OldMouse => self.counted(byte, 4),
            State::Console => self.counted(byte, 2),
            State::Single => {
                self.rest();
                self.heard.extend(sequences::single(byte).map(Heard::Event));
            }
            State::Opened(opener) => self.opened(opener, byte),
            State::Answer(opener) => self.answer(opener, byte),
            State::AnswerEscaped(opener) => {
                if byte == b'\\' {
                    self.answered(opener);
                } else {
                    // It was broken off, and something else begins.
                    self.rest();
                    self.after_escape(byte);
                }
            }
            State::Paste => self.paste(byte),
        }
    }

    fn rest(&mut self) {
        self.state = State::Between;
        self.held.clear();
        self.alt = false;
    }

    fn go(&mut self, state: State) {
        self.rest();
        self.state = state;
    }

    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.heard.push(Heard::Event(Event::Key(KeyEvent::new(code, modifiers))));
    }

    fn letter(&mut self, letter: char) {
        let mut modifiers = if self.alt { KeyModifiers::ALT } else { KeyModifiers::NONE };
        if letter.is_uppercase() {
            modifiers |= KeyModifiers::SHIFT;
        }
        self.key(KeyCode::Char(letter), modifiers);
    }

    /// A byte with which something begins.
    fn begin(&mut self, byte: u8) {
        match byte {
            ESCAPE => self.go(State::Escaped),
            0x00..0x20 | 0x7f => {
                let key = sequences::control_key(byte);
                let alt = if self.alt { KeyModifiers::ALT } else { KeyModifiers::NONE };
                self.key(key.code, key.modifiers | alt);
                self.rest();
            }
            0x20..0x7f => {
                self.letter(char::from(byte));
                self.rest();
            }
            // The openers of one byte. No letter begins with one.
            0x90 => self.go(State::Answer(b'P')),
            0x98 => self.go(State::Answer(b'X')),
            0x9b => self.go(State::Control),
            0x9d => self.go(State::Answer(b']')),
            0x9e => self.go(State::Answer(b'^')),
            0x9f => self.go(State::Answer(b'_')),
            // Others of their kind say nothing to us.
            0x80..0xa0 => self.rest(),
            0xc2..0xe0 => self.more(byte, 1),
            0xe0..0xf0 => self.more(byte, 2),
            0xf0..0xf5 => self.more(byte, 3),
            // No letter has such a byte.
            0xa0.. => {
                self.letter(char::REPLACEMENT_CHARACTER);
                self.rest();
            }
        }
    }

    fn more(&mut self, byte: u8, missing: usize) {
        self.held.push(byte);
        self.state = State::Letter(missing);
    }

    fn within_letter(&mut self, byte: u8, missing: usize) {
        if !(0x80..0xc0).contains(&byte) {
            self.letter(char::REPLACEMENT_CHARACTER);
            self.rest();
            return self.begin(byte);
        }
        self.held.push(byte);
        if missing > 1 {
            self.state = State::Letter(missing - 1);
            return;
        }
        let letter = std::str::from_utf8(&self.held).ok().and_then(|text| text.chars().next());
        self.letter(letter.unwrap_or(char::REPLACEMENT_CHARACTER));
        self.rest();
    }

    fn after_escape(&mut self, byte: u8) {
        match byte {
            b'[' => self.go(State::Control),
            b'O' => self.go(State::Single),
            b']' | b'P' | b'X' | b'^' | b'_' => self.go(State::Opened(byte)),
            // The key, and then something that begins with the same byte.
            ESCAPE => self.key(KeyCode::Esc, KeyModifiers::NONE),
            _ => {
                self.rest();
                self.alt = true;
                self.begin(byte);
            }
        }
    }

    fn control(&mut self, byte: u8) {
        match byte {
            b'[' if self.held.is_empty() => self.state = State::Console,
            b'M' if self.held.is_empty() => {
                self.held.push(byte);
                self.state = State::OldMouse;
            }
            0x20..0x40 => self.hold(byte),
            0x40..0x7f => {
                self.hold(byte);
                let held = std::mem::take(&mut self.held);
                self.rest();
                if held == b"200~" {
                    self.state = State::Paste;
                } else {
                    self.heard.extend(sequences::control(&held));
                }
            }
            // Broken off.
            _ => {
                self.rest();
                self.begin(byte);
            }
        }
    }

    fn hold(&mut self, byte: u8) {
        if self.held.len() < LONGEST {
            self.held.push(byte);
        }
    }

    /// Sequences that are as long as they are.
    fn counted(&mut self, byte: u8, length: usize) {
        if self.held.is_empty() {
            self.held.push(b'[');
        }
        self.held.push(byte);
        if self.held.len() == length {
            let held = std::mem::take(&mut self.held);
            self.rest();
            self.heard.extend(sequences::control(&held));
        }
    }

    /// Alt and a key look like the beginning of an answer; what a terminal answers begins in few ways.
    fn opened(&mut self, opener: u8, byte: u8) {
        let is_answer = match opener {
            b']' => byte.is_ascii_digit() || matches!(byte, b'l' | b'L'),
            b'P' => byte.is_ascii_digit() || matches!(byte, b'>' | b'!' | b'$' | b'=' | b'?'),
            b'_' => byte == b'G',
            _ => false,
        };
        if is_answer {
            self.go(State::Answer(opener));
            self.hold(byte);
            return;
        }
        self.key(KeyCode::Char(char::from(opener)), KeyModifiers::ALT);
        self.rest();
        self.begin(byte);
    }

    fn answer(&mut self, opener: u8, byte: u8) {
        let within_letter = self.held.last().is_some_and(|last| *last >= 0x80);
        match byte {
            BELL => self.answered(opener),
            ESCAPE => self.state = State::AnswerEscaped(opener),
            // The end in one byte, unless it belongs to a letter.
            0x9c if !within_letter => self.answered(opener),
            // Nothing that is answered has such a byte: it was broken off.
            0x00..0x20 => {
                self.rest();
                // These two only say so.
                if !matches!(byte, 0x18 | 0x1a) {
                    self.begin(byte);
                }
            }
            _ => self.hold(byte),
        }
    }

    fn answered(&mut self, opener: u8) {
        let held = std::mem::take(&mut self.held);
        self.rest();
        if opener == b']' {
            self.heard.extend(background::answer(&String::from_utf8_lossy(&held)).map(|light| Heard::Ground { light }));
        }
    }

    fn paste(&mut self, byte: u8) {
        self.held.push(byte);
        if byte == b'~' && self.held.ends_with(PASTE_ENDS) {
            self.held.truncate(self.held.len() - PASTE_ENDS.len());
            let text = String::from_utf8_lossy(&self.held).into_owned();
            self.rest();
            self.heard.push(Heard::Event(Event::Paste(text)));
        }
    }
}
