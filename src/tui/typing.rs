//! Lines that are typed in a terminal whose screen is never steered.
//!
//! The terminal's own line editing would do, but for four things: it hands on 4095 bytes of a line and drops the rest, it
//! takes arrow keys for letters, it cannot be interrupted by an editor that needs the keys, and what is told meanwhile
//! would stand in the middle of a half-typed line. So the letters are taken one by one and written here.

use std::io::{self, IsTerminal as _, Write as _, stdin};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::outlet::Outgoing;
use super::typed::source::{Read, Source};
use super::typed::{ESC, Heard, Splitter};
use crate::text::printable;

/// A line that was typed; or, of one that was too long, how many bytes it had.
pub(crate) type TypedLine = Result<String, usize>;

/// Where lines go; nothing once the input has ended.
type Lines = Arc<Mutex<Option<Sender<TypedLine>>>>;

/// What one types on.
pub(crate) struct Typing {
    row: Arc<Mutex<Row>>,
    lines: Lines,
    interrupts: Sender<bool>,
    /// The thread that reads, and how the terminal was before it.
    at_work: Option<(Source, Option<Mode>)>,
}

impl Typing {
    /// Begins to read lines of at most so many bytes. Ctrl-C goes to `interrupts`.
    pub fn begin(most: usize, interrupts: Sender<bool>) -> io::Result<(Self, Receiver<TypedLine>)> {
        let (lines, receiver) = channel(64);
        let lines = Arc::new(Mutex::new(Some(lines)));
        let mut typing = Self { row: Arc::new(Mutex::new(Row::new(most))), lines, interrupts, at_work: None };
        typing.go_on()?;
        Ok((typing, receiver))
    }

    /// Lets another program have the keys.
    pub fn pause(&mut self) {
        self.at_work = None;
    }

    /// Takes the keys again.
    pub fn go_on(&mut self) -> io::Result<()> {
        let mode = Mode::take();
        lock(&self.row).echoes = mode.is_some();
        let taken = mode.as_ref().map(|mode| mode.taken.clone());
        let mut reader = Reader {
            splitter: Splitter::default(),
            row: Arc::clone(&self.row),
            lines: Arc::clone(&self.lines),
            interrupts: self.interrupts.clone(),
            modes: mode.as_ref().map(|mode| mode.before.clone()).zip(taken),
        };
        self.at_work = Some((Source::listen(move |read| reader.read(read))?, mode));
        Ok(())
    }

    /// Holds the row on which one types, so that nothing is typed while something else is written.
    pub fn row(&self) -> MutexGuard<'_, Row> {
        lock(&self.row)
    }
}

fn lock<T>(one: &Mutex<T>) -> MutexGuard<'_, T> {
    one.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The terminal's own line editing, put aside until this is dropped.
struct Mode {
    before: Termios,
    taken: Termios,
}

impl Mode {
    /// None where the terminal does not edit lines: then somebody else does, and writes what is typed.
    fn take() -> Option<Self> {
        let before = tcgetattr(stdin()).ok().filter(|_| stdin().is_terminal())?;
        if !before.local_modes.contains(LocalModes::ICANON | LocalModes::ECHO) {
            return None;
        }
        let mut taken = before.clone();
        taken.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        taken.special_codes[SpecialCodeIndex::VMIN] = 1;
        taken.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(stdin(), OptionalActions::Now, &taken).ok()?;
        Some(Self { before, taken })
    }
}

impl Drop for Mode {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.before);
    }
}

/// What the thread does with bytes.
struct Reader {
    splitter: Splitter,
    row: Arc<Mutex<Row>>,
    lines: Lines,
    interrupts: Sender<bool>,
    /// How the terminal was before, and how it is now.
    modes: Option<(Termios, Termios)>,
}

impl Reader {
    fn read(&mut self, read: Read<'_>) -> ControlFlow<(), Option<Duration>> {
        let heard = match read {
            Read::Bytes(bytes) => self.splitter.take(bytes),
            Read::Nothing => self.splitter.give_up(),
            Read::End => {
                let last = lock(&self.row).take_last();
                return self.end(last);
            }
        };
        for event in heard {
            let Heard::Event(event) = event else { continue };
            match take(&self.row, event) {
                Step::Goes => {}
                Step::Line(line) => self.send(line),
                Step::Interrupt => {
                    let _ = self.interrupts.blocking_send(true);
                }
                Step::Suspend => self.suspend(),
                Step::End => return self.end(None),
            }
        }
        ControlFlow::Continue(self.splitter.patience())
    }

    fn send(&self, line: TypedLine) {
        let lines = lock(&self.lines).clone();
        // It fails only when nobody wants lines any more.
        let _ = lines.map(|lines| lines.blocking_send(line));
    }

    fn end(&self, last: Option<TypedLine>) -> ControlFlow<(), Option<Duration>> {
        if let Some(last) = last {
            self.send(last);
        }
        *lock(&self.lines) = None;
        ControlFlow::Break(())
    }

    fn suspend(&self) {
        let Some((before, taken)) = &self.modes else { return };
        let _ = tcsetattr(stdin(), OptionalActions::Now, before);
        let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP);
        let _ = tcsetattr(stdin(), OptionalActions::Now, taken);
    }
}

/// Takes an event in and writes what it changes.
fn take(row: &Mutex<Row>, event: Event) -> Step {
    let mut row = lock(row);
    let (echo, step) = match event {
        Event::Key(key) => row.key(key),
        Event::Paste(text) => (row.add(&text.replace(['\r', '\n'], " ")), Step::Goes),
        _ => return Step::Goes,
    };
    if row.echoes && !echo.is_empty() {
        row.has_letters = !echo.ends_with('\n');
        let mut out = Outgoing::default();
        // A terminal that takes nothing any more is heard of where lines are told.
        let _ = out.write_all(echo.as_bytes()).and_then(|()| out.flush());
    }
    step
}

/// What comes of a key.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Goes,
    Line(TypedLine),
    Interrupt,
    Suspend,
    End,
}

/// The row on which one types.
#[derive(Debug)]
pub(crate) struct Row {
    text: String,
    most: usize,
    /// The bytes that were typed beyond that.
    beyond: usize,
    /// Whether what is typed is written here, and not by somebody else.
    echoes: bool,
    /// Whether letters stand at the end of what was written.
    has_letters: bool,
}

impl Row {
    fn new(most: usize) -> Self {
        Self { text: String::new(), most, beyond: 0, echoes: true, has_letters: false }
    }

    /// Something else is written below: whether letters stand at the end of what is on the paper, where it would begin.
    pub fn leave(&mut self) -> bool {
        std::mem::take(&mut self.has_letters)
    }

    /// What was typed so far, to be written once more behind a prompt.
    pub fn written_again(&mut self) -> String {
        let written = if self.echoes { shown(&self.text) } else { String::new() };
        self.has_letters = !written.is_empty();
        written
    }

    /// What to write for a key, and what comes of it.
    fn key(&mut self, key: KeyEvent) -> (String, Step) {
        let (control, alt) = (key.modifiers.contains(KeyModifiers::CONTROL), key.modifiers.contains(KeyModifiers::ALT));
        let echo = match key.code {
            KeyCode::Enter => return self.enter(),
            KeyCode::Char('j' | 'm') if control => return self.enter(),
            KeyCode::Char('c') if control => {
                self.text.clear();
                self.beyond = 0;
                return ("\n".to_owned(), Step::Interrupt);
            }
            KeyCode::Char('z') if control => return (String::new(), Step::Suspend),
            KeyCode::Char('d') if control && self.text.is_empty() => return (String::new(), Step::End),
            KeyCode::Char('u') if control => self.erase(0),
            KeyCode::Char('w') if control => {
                let before = self.text.trim_end();
                let kept = before.char_indices().rev().find(|(_, c)| c.is_whitespace());
                self.erase(kept.map_or(0, |(at, space)| at + space.len_utf8()))
            }
            KeyCode::Char('h') if control => self.backspace(),
            KeyCode::Backspace => self.backspace(),
            // Like everything here it holds once the line is ended.
            KeyCode::Esc if self.text.is_empty() => self.add(ESC),
            KeyCode::Tab => self.add("\t"),
            KeyCode::Char(letter) if !control && !alt => self.add(letter.encode_utf8(&mut [0; 4])),
            _ => String::new(),
        };
        (echo, Step::Goes)
    }

    fn add(&mut self, text: &str) -> String {
        if self.text.len() + text.len() > self.most {
            self.beyond += text.len();
            return String::new();
        }
        self.text.push_str(text);
        shown(text)
    }

    fn backspace(&mut self) -> String {
        let last = self.text.grapheme_indices(true).next_back().map_or(0, |(at, _)| at);
        self.erase(last)
    }

    /// Takes away everything from a place on, and says how it goes from the row.
    fn erase(&mut self, from: usize) -> String {
        let gone = shown(&self.text.split_off(from)).width();
        format!("{}{}{}", "\x08".repeat(gone), " ".repeat(gone), "\x08".repeat(gone))
    }

    fn enter(&mut self) -> (String, Step) {
        let beyond = std::mem::take(&mut self.beyond);
        let text = std::mem::take(&mut self.text);
        let line = if beyond > 0 { Err(text.len() + beyond) } else { Ok(text) };
        ("\n".to_owned(), Step::Line(line))
    }

    /// What was typed without an end.
    fn take_last(&mut self) -> Option<TypedLine> {
        if self.text.is_empty() { None } else { Some(Ok(std::mem::take(&mut self.text))) }
    }
}

/// A text as it stands on the row.
fn shown(text: &str) -> String {
    printable(&text.replace('\t', " ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Types bytes on a row of at most 40 bytes; what is written, and the lines that come of it.
    fn typed(bytes: &str) -> (String, Vec<TypedLine>) {
        let (mut row, mut splitter) = (Row::new(40), Splitter::default());
        let mut heard = splitter.take(bytes.as_bytes());
        heard.extend(splitter.give_up());
        let (mut written, mut lines) = (String::new(), Vec::new());
        for event in heard {
            let Heard::Event(Event::Key(key)) = event else { continue };
            let (echo, step) = row.key(key);
            written.push_str(&echo);
            if let Step::Line(line) = step {
                lines.push(line);
            }
        }
        (written, lines)
    }

    #[test]
    fn keys_that_are_no_letters_leave_the_line_as_it_is() {
        let (written, lines) = typed("on\x1b[A\x1b[1;5De\x1bOP\x1b[15~\x1b]11;rgb:0/0/0\x07\r");
        assert_eq!((written.as_str(), lines), ("one\n", vec![Ok("one".to_owned())]));
    }

    #[test]
    fn the_escape_key_alone_is_the_word_that_goes_back() {
        assert_eq!(typed("\x1b").0, "esc");
        let (mut row, escape) = (Row::new(40), KeyEvent::from(KeyCode::Esc));
        row.key(escape);
        assert_eq!(row.key(KeyCode::Enter.into()).1, Step::Line(Ok("esc".to_owned())));
    }

    #[test]
    fn letters_words_and_lines_are_taken_back_whole() {
        assert_eq!(typed("ae\u{301}\x7f\x7fb\r"), ("ae\u{301}\x08 \x08\x08 \x08b\n".into(), vec![Ok("b".to_owned())]));
        assert_eq!(typed("one two\x17\r").1, [Ok("one ".to_owned())]);
        assert_eq!(typed("one\x15two\r").1, [Ok("two".to_owned())]);
        assert_eq!(typed("日\x7f").0, "日\x08\x08  \x08\x08");
    }

    #[test]
    fn a_line_that_is_too_long_says_so_and_is_not_cut() {
        assert_eq!(typed(&format!("{}\rshort\r", "x".repeat(50))).1, [Err(50), Ok("short".to_owned())]);
    }

    #[test]
    fn what_is_half_typed_is_kept_for_the_next_row() {
        let row = Mutex::new(Row { echoes: true, ..Row::new(40) });
        assert!(!lock(&row).leave());
        lock(&row).text.push_str("half");
        lock(&row).has_letters = true;
        assert!(lock(&row).leave() && !lock(&row).leave(), "what is told begins a row of its own");
        assert_eq!(lock(&row).written_again(), "half");
        assert!(lock(&row).leave());
    }
}
