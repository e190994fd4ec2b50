//! Where a command's data and words go.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use serde_json::Value;

/// Stdout for data, stderr for words. A reader that goes away (`| head`) ends the writing, quietly.
#[derive(Debug)]
pub struct Output {
    data: BufWriter<Stdout>,
    broken: bool,
    failed: bool,
    /// Whether the reader of stdout sees colours.
    pub colour: bool,
}

impl Output {
    pub fn new() -> Self {
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let colour = io::stdout().is_terminal() && !no_colour;
        Self { data: BufWriter::new(io::stdout()), broken: false, failed: false, colour }
    }

    pub fn text(&mut self, text: &str) {
        let written = self.data.write_all(text.as_bytes());
        self.settle(written);
    }

    pub fn line(&mut self, line: impl AsRef<str>) {
        self.text(line.as_ref());
        self.text("\n");
    }

    /// Writes a JSON document that people can read too.
    pub fn json(&mut self, value: &Value) {
        let text = serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("\"{error}\""));
        self.line(text);
    }

    /// Tells a person what went wrong.
    pub fn complain(&mut self, message: &str) {
        let _ = self.data.flush();
        let _ = writeln!(io::stderr(), "elenchus: {message}");
    }

    /// Tells a person something that is not data.
    pub(crate) fn remark(&mut self, message: &str) {
        let _ = self.data.flush();
        let _ = writeln!(io::stderr(), "{message}");
    }

    /// Writes out what is left; tells whether everything could be written.
    pub fn flush(&mut self) -> bool {
        let flushed = self.data.flush();
        self.settle(flushed);
        !self.failed
    }

    /// Whether the reader of stdout has gone away, so that writing more is of no use.
    pub(crate) fn reader_is_gone(&self) -> bool {
        self.broken
    }

    fn settle(&mut self, result: io::Result<()>) {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.broken = true,
            Err(error) if !self.broken && !self.failed => {
                self.failed = true;
                let _ = writeln!(io::stderr(), "elenchus: cannot write the output: {error}");
            }
            _ => {}
        }
    }
}
