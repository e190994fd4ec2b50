//! The way out: everything that reaches a terminal goes through here, and no other file names the standard streams.
//!
//! What comes from outside is made safe on the way, so that a command cannot forget it. Only the frames of the app, which
//! are made of safe cells, and what steers the terminal go out as they are.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufWriter, IsTerminal as _, Write, stderr, stdout};

use crate::text;

/// One of the two streams of a command.
pub(crate) struct Outlet {
    stream: Box<dyn Write + Send>,
    is_terminal: bool,
}

impl fmt::Debug for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outlet").field("is_terminal", &self.is_terminal).finish_non_exhaustive()
    }
}

impl Outlet {
    /// The stream of data; it is written when it is flushed.
    pub fn data() -> Self {
        Self { stream: Box::new(BufWriter::new(stdout())), is_terminal: stdout().is_terminal() }
    }

    /// The stream of words for a person.
    pub fn words() -> Self {
        Self { stream: Box::new(stderr()), is_terminal: stderr().is_terminal() }
    }

    /// Whether a person looks at it.
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Writes a text that may come from anywhere.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(text::printable(text).as_bytes())
    }

    /// Writes a text with colours of ours around words that were made safe.
    pub fn coloured(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(text::coloured(text).as_bytes())
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Has panics told on the stream of words: their messages may quote what the program was working on.
pub(crate) fn tell_of_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let backtrace = Backtrace::capture();
        let mut told = format!("\nthread '{}' {panic}\n", thread.name().unwrap_or("<unnamed>"));
        if backtrace.status() == BacktraceStatus::Captured {
            told.push_str(&backtrace.to_string());
        }
        // There is nobody left to tell if this fails.
        let _ = Outlet::words().text(&told);
    }));
}

/// What is on its way to the terminal of the app: a frame goes out in one piece, or not at all.
///
/// Collects what is written until it is flushed. What was not is never written: when drawing panics, half a frame would
/// land on the screen that the user has back by then.
#[derive(Debug, Default)]
pub(super) struct Outgoing(Vec<u8>);

impl Write for Outgoing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut out = stdout().lock();
        let written = out.write_all(&basic_colours(&self.0));
        self.0.clear();
        written?;
        out.flush()
    }
}

/// What is written, with the sixteen colours in the form that every terminal of colours knows: the terminal library writes
/// them like the others of the 256.
fn basic_colours(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(2).position(|pair| pair == b"\x1b[") {
        let (before, sequence) = rest.split_at(at + 2);
        out.extend_from_slice(before);
        let end = sequence.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b';')).unwrap_or(sequence.len());
        let (codes, behind) = sequence.split_at(end);
        let is_style = behind.first() == Some(&b'm');
        match std::str::from_utf8(codes).ok().filter(|codes| is_style && codes.contains("8;5;")) {
            Some(codes) => out.extend_from_slice(basic_codes(codes).as_bytes()),
            None => out.extend_from_slice(codes),
        }
        rest = behind;
    }
    if out.is_empty() {
        return Cow::Borrowed(bytes);
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// The codes of a style, each colour of the sixteen as one.
fn basic_codes(codes: &str) -> String {
    let mut parts = codes.split(';');
    let mut out: Vec<String> = Vec::new();
    while let Some(part) = parts.next() {
        let mut ahead = parts.clone();
        let number = match (part, ahead.next(), ahead.next()) {
            ("38" | "48", Some("5"), Some(number)) => number.parse::<u8>().ok(),
            _ => None,
        };
        let Some(number) = number else {
            out.push(part.to_owned());
            // What stands behind these is no code.
            let behind =
                if matches!(part, "38" | "48") { if parts.clone().next() == Some("2") { 4 } else { 2 } } else { 0 };
            out.extend(parts.by_ref().take(behind).map(str::to_owned));
            continue;
        };
        parts = ahead;
        let base = if part == "38" { 30 } else { 40 };
        out.push(match number {
            0..8 => (base + number).to_string(),
            8..16 => (base + 60 + number - 8).to_string(),
            _ => format!("{part};5;{number}"),
        });
    }
    out.join(";")
}

#[cfg(test)]
mod tests {
    use super::basic_colours;

    #[test]
    fn the_sixteen_colours_are_written_as_every_terminal_knows_them() {
        let written = |text: &str| String::from_utf8(basic_colours(text.as_bytes()).into_owned()).unwrap();
        assert_eq!(written("a\x1b[38;5;1mb\x1b[48;5;12mc"), "a\x1b[31mb\x1b[104mc");
        assert_eq!(written("\x1b[1;38;5;15;48;5;0mx\x1b[0m"), "\x1b[1;97;40mx\x1b[0m");
        for other in ["\x1b[38;5;200mx", "\x1b[38;2;1;5;3;48;5;99mx", "38;5;1m", "\x1b[2J\x1b[5;8H", "\x1b[58;5;1mx"] {
            assert_eq!(written(other), other);
        }
    }
}
