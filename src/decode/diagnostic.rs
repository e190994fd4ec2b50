//! What is wrong with a file: where, how badly, and what to do about it.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};

use super::{SourceText, Span};
use crate::text::{placed, sanitise_line};

/// How much a problem matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// What was read cannot be used.
    Error,
    /// It can be used, but probably does not do what its author thinks.
    Warning,
}

impl Severity {
    /// The word shown to people and scripts.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One problem in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether it keeps what was read from being used.
    pub severity: Severity,
    /// A stable kebab-case name of the kind of problem.
    pub code: &'static str,
    /// What is wrong, in one sentence without a final stop.
    pub message: String,
    /// The file, flag or variable it stands in.
    pub file: Arc<SourceText>,
    /// The bytes at fault; `None` where the whole file is meant.
    pub span: Option<Span>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// The line and column, both from 1, of the place at fault.
    pub fn position(&self) -> Option<(usize, usize)> {
        let at = floor_boundary(&self.file.text, self.span.as_ref()?.start);
        let (line, start) = self.file.line(at);
        Some((line + 1, self.file.text[start..at].chars().count() + 1))
    }

    /// The form that scripts read.
    pub fn to_json(&self) -> Value {
        let position = self.position();
        json!({
            "severity": self.severity.word(),
            "code": self.code,
            "message": self.message,
            "file": self.file.name,
            "line": position.map(|(line, _)| line),
            "column": position.map(|(_, column)| column),
            "help": self.help,
        })
    }

    /// The form that people read: the line at fault with a caret under the culprit.
    pub fn render(&self, colour: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        // Made safe before the colours come: afterwards theirs and ours could not be told apart.
        let (message, name) = (sanitise_line(&self.message), sanitise_line(&self.file.name));
        let help = self.help.as_deref().map(sanitise_line);
        let line;
        let title = level.primary_title(&*message).id(self.code);
        let mut group = match &self.span {
            Some(span) if !self.file.text.is_empty() => {
                // Only the line at fault is handed over: the renderer would look through the whole file each time.
                let span = visible(&self.file.text, span);
                let (number, start) = self.file.line(span.start);
                let rest = &self.file.text[start..];
                let source = &rest[..rest.find('\n').unwrap_or(rest.len())];
                let (safe, place) = placed(source, span.start - start..span.end - start);
                line = safe;
                let annotation = AnnotationKind::Primary.span(place);
                let snippet = Snippet::source(&*line).line_start(number + 1).path(&*name);
                title.element(snippet.annotation(annotation))
            }
            _ => Group::with_title(title).element(annotate_snippets::Origin::path(&*name)),
        };
        if let Some(help) = &help {
            group = group.element(Level::HELP.message(&**help));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

/// The form that fits on one line: `config.toml:3: unknown key `modle`; did you mean `model`?`
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&sanitise_line(&self.file.name))?;
        if let Some((line, _)) = self.position() {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", sanitise_line(&self.message))?;
        match self.help.as_deref().map(sanitise_line) {
            Some(help) if help.ends_with('?') => write!(f, "; {help}"),
            Some(help) => write!(f, "; {help}."),
            None => f.write_str("."),
        }
    }
}

/// Renders a list of problems, errors first.
pub fn render_all(diagnostics: &[Diagnostic], colour: bool) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let _ = writeln!(out, "{}\n", diagnostic.render(colour));
    }
    out
}

/// Cuts a span to its first line and to character boundaries: a table's span would otherwise underline a screenful.
fn visible(text: &str, span: &Span) -> Span {
    let start = floor_boundary(text, span.start);
    let end = floor_boundary(text, span.end.max(span.start));
    let end = text[start..end].find('\n').map_or(end, |at| start + at);
    start..end
}

fn floor_boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}
