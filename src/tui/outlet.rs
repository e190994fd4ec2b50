//! The way out: everything that reaches a terminal goes through here, and no other file names the standard streams.
//!
//! What comes from outside is made safe on the way, so that a command cannot forget it. Only the frames of the app, which
//! are made of safe cells, and what steers the terminal go out as they are.

use std::backtrace::{Backtrace, BacktraceStatus};
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
        let written = out.write_all(&self.0);
        self.0.clear();
        written?;
        out.flush()
    }
}
