//! Where a command's data and words go.

use std::io;

use serde_json::Value;

use super::colour::{self, Colours};
use crate::decode::{Diagnostic, render_all};
use crate::text;
use crate::tui::outlet::Outlet;

/// Stdout for data, stderr for words. A reader that goes away (`| head`) ends the writing, quietly.
#[derive(Debug)]
pub struct Output {
    data: Outlet,
    words: Outlet,
    /// Whether colours are wanted.
    colours: Colours,
    broken: bool,
    failed: bool,
}

impl Output {
    pub fn new() -> Self {
        let (data, words) = (Outlet::data(), Outlet::words());
        Self { data, words, colours: Colours::default(), broken: false, failed: false }
    }

    /// Takes what was said of colours.
    pub(super) fn show_colours(&mut self, colours: Colours) {
        self.colours = colours;
    }

    fn is_coloured(&self, outlet: &Outlet) -> bool {
        self.colours.are_shown(outlet.is_terminal(), &colour::of_process)
    }

    /// Whether a person looks at the data.
    pub(crate) fn is_terminal(&self) -> bool {
        self.data.is_terminal()
    }

    /// Whether a person looks at the words.
    pub(crate) fn tells_a_person(&self) -> bool {
        self.words.is_terminal()
    }

    /// Whether the reader of the data sees colours.
    pub(crate) fn has_colour(&self) -> bool {
        self.is_coloured(&self.data)
    }

    pub fn text(&mut self, text: &str) {
        let written = self.data.text(text);
        self.settle(written);
    }

    pub fn line(&mut self, line: impl AsRef<str>) {
        self.text(line.as_ref());
        self.text("\n");
    }

    /// Writes a text with colours of ours around words that were made safe.
    pub(crate) fn coloured(&mut self, text: &str) {
        let written = self.data.coloured(text);
        self.settle(written);
    }

    /// Writes a JSON document that people can read too.
    pub fn json(&mut self, value: &Value) {
        let text = serde_json::to_string_pretty(value).unwrap_or_else(|error| format!("\"{error}\""));
        self.line(text::json_escaped(&text));
    }

    /// Writes a JSON document on one line.
    pub(crate) fn json_line(&mut self, value: &Value) {
        self.line(text::json_escaped(&value.to_string()));
    }

    /// Writes what is wrong with files, each with its place.
    pub(crate) fn diagnostics(&mut self, diagnostics: &[Diagnostic]) {
        let text = render_all(diagnostics, self.has_colour());
        self.coloured(&text);
    }

    /// Tells a person what went wrong.
    pub fn complain(&mut self, message: &str) {
        self.remark(&format!("elenchus: {message}"));
    }

    /// Tells a person what went wrong, and where in their files.
    pub(crate) fn complain_of(&mut self, message: &str, problems: &[Diagnostic]) {
        self.complain(message);
        if !problems.is_empty() {
            let text = render_all(problems, self.is_coloured(&self.words));
            let _ = self.words.coloured(&format!("\n{}\n", text.trim_end()));
        }
    }

    /// Tells a person what the command line is like, or what is wrong with theirs.
    pub(crate) fn usage(&mut self, told: &clap::Error, has_safe_arguments: bool) {
        let rendered = told.render();
        let coloured = has_safe_arguments && self.is_coloured(if told.use_stderr() { &self.words } else { &self.data });
        let (outlet, words) = if told.use_stderr() { (&mut self.words, true) } else { (&mut self.data, false) };
        // An argument that is quoted in the message could bring colours of its own.
        let written =
            if coloured { outlet.coloured(&rendered.ansi().to_string()) } else { outlet.text(&rendered.to_string()) };
        if !words {
            self.settle(written);
        }
    }

    /// Tells a person something that is not data.
    pub(crate) fn remark(&mut self, message: &str) {
        self.aside(&format!("{message}\n"));
    }

    /// Says something without ending the line: a question is about to be answered on it.
    pub(crate) fn aside(&mut self, words: &str) {
        let _ = self.data.flush();
        let _ = self.words.text(words);
        let _ = self.words.flush();
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
                let _ = self.words.text(&format!("elenchus: cannot write the output: {error}\n"));
            }
            _ => {}
        }
    }
}
