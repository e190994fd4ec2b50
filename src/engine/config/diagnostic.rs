//! What is wrong with an engine's files: where, how badly, and what to do about it.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};

/// Bytes of a file.
pub type Span = Range<usize>;

/// How much a problem matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The engine cannot start a session.
    Error,
    /// The engine runs, but probably not as its designer thinks.
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

/// One of the files of an engine, kept for the sake of quoting it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The name by which a person finds it, such as `engines/interview/engine.toml`.
    pub name: String,
    /// Its text; empty where the file could not be read as text.
    pub text: String,
}

/// One problem in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether it stops the engine from running.
    pub severity: Severity,
    /// A stable kebab-case name of the kind of problem.
    pub code: &'static str,
    /// What is wrong, in one sentence without a final stop.
    pub message: String,
    /// The file it stands in.
    pub file: Arc<SourceText>,
    /// The bytes at fault; `None` where the whole file is meant.
    pub span: Option<Span>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// The line and column, both from 1, of the place at fault.
    pub fn position(&self) -> Option<(usize, usize)> {
        let start = floor_boundary(&self.file.text, self.span.as_ref()?.start);
        let before = &self.file.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1))
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
        let title = level.primary_title(self.message.as_str()).id(self.code);
        let mut group = match &self.span {
            Some(span) if !self.file.text.is_empty() => title.element(
                Snippet::source(self.file.text.as_str())
                    .path(self.file.name.as_str())
                    .annotation(AnnotationKind::Primary.span(visible(&self.file.text, span))),
            ),
            _ => Group::with_title(title).element(annotate_snippets::Origin::path(self.file.name.as_str())),
        };
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

/// Renders a list of problems, errors first, and counts them in a last line.
pub fn render_all(diagnostics: &[Diagnostic], colour: bool) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let _ = writeln!(out, "{}\n", diagnostic.render(colour));
    }
    out
}

/// Collects the problems of one file after the other.
#[derive(Debug)]
pub struct Problems {
    file: Arc<SourceText>,
    found: Vec<Diagnostic>,
}

impl Problems {
    /// Starts with no problems in `file`.
    pub fn new(file: Arc<SourceText>) -> Self {
        Self { file, found: Vec::new() }
    }

    /// Makes `file` the one that further spans refer to.
    pub fn enter(&mut self, file: Arc<SourceText>) {
        self.file = file;
    }

    /// The text that spans refer to.
    pub fn text(&self) -> &str {
        &self.file.text
    }

    /// Records an error. Follow with [`Noted::help`] to say what to do.
    pub fn error(
        &mut self,
        code: &'static str,
        span: impl Into<Option<Span>>,
        message: impl Into<String>,
    ) -> Noted<'_> {
        self.note(Severity::Error, code, span.into(), message.into())
    }

    /// Records a warning.
    pub fn warning(
        &mut self,
        code: &'static str,
        span: impl Into<Option<Span>>,
        message: impl Into<String>,
    ) -> Noted<'_> {
        self.note(Severity::Warning, code, span.into(), message.into())
    }

    fn note(&mut self, severity: Severity, code: &'static str, span: Option<Span>, message: String) -> Noted<'_> {
        self.found.push(Diagnostic { severity, code, message, file: self.file.clone(), span, help: None });
        Noted { diagnostic: self.found.last_mut() }
    }

    /// Whether an error lies within `span` of the current file, so that a check built on that text would only echo it.
    pub fn within(&self, span: &Span) -> bool {
        self.found.iter().any(|d| {
            d.severity == Severity::Error
                && Arc::ptr_eq(&d.file, &self.file)
                && d.span.as_ref().is_some_and(|s| s.start >= span.start && s.end <= span.end)
        })
    }

    /// Whether anything found so far keeps the engine from running.
    pub fn any_error(&self) -> bool {
        self.found.iter().any(|d| d.severity == Severity::Error)
    }

    /// The problems, errors first, then by file and place.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.found.sort_by(|a, b| {
            let key = |d: &Diagnostic| (d.severity, d.file.name.clone(), d.span.as_ref().map_or(0, |s| s.start));
            key(a).cmp(&key(b))
        });
        self.found
    }
}

/// A problem just recorded, to which advice can be added.
#[derive(Debug)]
pub struct Noted<'a> {
    diagnostic: Option<&'a mut Diagnostic>,
}

impl Noted<'_> {
    /// Adds what to do about it.
    pub fn help(self, help: impl Into<String>) {
        if let Some(diagnostic) = self.diagnostic {
            diagnostic.help = Some(help.into());
        }
    }

    /// Adds "did you mean …?" where one of `known` looks like `wrong`, else the list of what is known.
    pub fn suggest<'k>(self, wrong: &str, known: impl IntoIterator<Item = &'k str>) {
        let known: Vec<&str> = known.into_iter().collect();
        if let Some(near) = nearest(wrong, &known) {
            self.help(format!("did you mean `{near}`?"));
        } else if known.is_empty() {
            self.help("none is defined");
        } else if known.len() <= 12 {
            self.help(format!("known here: {}", known.join(", ")));
        }
    }
}

/// The known name that `wrong` was most likely meant to be.
pub fn nearest<'k>(wrong: &str, known: &[&'k str]) -> Option<&'k str> {
    let folded = wrong.to_lowercase().replace('-', "_");
    known
        .iter()
        .map(|name| (strsim::jaro_winkler(&folded, &name.to_lowercase().replace('-', "_")), *name))
        .filter(|(likeness, _)| *likeness > 0.82)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
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
