//! What is wrong with an engine's files: where, how badly, and what to do about it.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

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

/// How many problems of one kind and one file are worth reading.
const MAX_TOLD: usize = 50;

/// One of the files of an engine, kept for the sake of quoting it.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// The name by which a person finds it, such as `engines/interview/engine.toml`.
    pub name: String,
    /// Its text; empty where the file could not be read as text.
    pub text: String,
    /// Where its lines start, found once.
    lines: OnceLock<Vec<usize>>,
}

impl PartialEq for SourceText {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.text == other.text
    }
}

impl Eq for SourceText {}

impl SourceText {
    /// A file of this name with this text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), lines: OnceLock::new() }
    }

    /// The number of the line, from 0, in which a byte lies, and where the line starts.
    fn line(&self, at: usize) -> (usize, usize) {
        let starts = self
            .lines
            .get_or_init(|| std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1)).collect());
        let line = starts.partition_point(|start| *start <= at).saturating_sub(1);
        (line, starts[line])
    }
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
        let title = level.primary_title(self.message.as_str()).id(self.code);
        let mut group = match &self.span {
            Some(span) if !self.file.text.is_empty() => {
                // Only the line at fault is handed over: the renderer would look through the whole file each time.
                let span = visible(&self.file.text, span);
                let (line, start) = self.file.line(span.start);
                let rest = &self.file.text[start..];
                let source = &rest[..rest.find('\n').unwrap_or(rest.len())];
                let annotation = AnnotationKind::Primary.span(span.start - start..span.end - start);
                let snippet = Snippet::source(source).line_start(line + 1).path(self.file.name.as_str());
                title.element(snippet.annotation(annotation))
            }
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
///
/// A place without extent stands for a value that is not there because it was missing or could not be read: that has
/// been said already, so whatever else is found wrong with such a value is not recorded.
#[derive(Debug)]
pub struct Problems {
    file: Arc<SourceText>,
    /// In the order in which they were entered.
    files: Vec<Arc<SourceText>>,
    found: Vec<Diagnostic>,
    /// Places in the current file where values could not be read, so that blanks stand for them.
    unread: Vec<Span>,
    /// Keys of the engine file whose values could not be read whole.
    faulty: Vec<&'static str>,
    reading: bool,
}

impl Problems {
    /// Starts with no problems in `file`.
    pub fn new(file: Arc<SourceText>) -> Self {
        Self {
            file: file.clone(),
            files: vec![file],
            found: Vec::new(),
            unread: Vec::new(),
            faulty: Vec::new(),
            reading: false,
        }
    }

    /// Makes `file` the one that further spans refer to.
    pub fn enter(&mut self, file: Arc<SourceText>) {
        if !self.files.iter().any(|known| known.name == file.name) {
            self.files.push(file.clone());
        }
        self.file = file;
    }

    /// Whether values are being read from here on, rather than checked.
    pub fn reading(&mut self, reading: bool) {
        self.reading = reading;
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
        if span.as_ref().is_some_and(Range::is_empty) {
            return Noted { diagnostic: None };
        }
        // An empty text is a fault of its own, but it stands for nothing else.
        if let Some(span) = span.as_ref().filter(|_| self.reading && code != "empty-text") {
            self.unread.push(span.clone());
        }
        self.found.push(Diagnostic { severity, code, message, file: self.file.clone(), span, help: None });
        Noted { diagnostic: self.found.last_mut() }
    }

    /// Whether something within `span` of the engine file could not be read, so that a check of what stands there would
    /// only echo it.
    pub fn within(&self, span: &Span) -> bool {
        span.is_empty() || self.unread.iter().any(|unread| unread.start >= span.start && unread.end <= span.end)
    }

    /// How many places could not be read.
    pub fn unread_count(&self) -> usize {
        self.unread.len()
    }

    /// Remembers that a key of the engine file could not be read whole.
    pub fn mark_faulty(&mut self, key: &'static str) {
        self.faulty.push(key);
    }

    /// Whether a key of the engine file is missing or could not be read whole.
    pub fn faulty(&self, key: &str) -> bool {
        self.faulty.contains(&key)
    }

    /// Whether an error was found at a place of the current file or within it.
    pub fn blamed(&self, span: &Span) -> bool {
        self.found.iter().any(|d| {
            let inside = d.span.as_ref().is_some_and(|s| s.start >= span.start && s.end <= span.end);
            inside && d.severity == Severity::Error && d.file.name == self.file.name
        })
    }

    /// How many problems were found so far.
    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// The number of the line in which a place of the current file starts.
    pub fn line(&self, span: &Span) -> usize {
        self.file.line(span.start).0 + 1
    }

    /// Whether anything found so far keeps the engine from running.
    pub fn any_error(&self) -> bool {
        self.found.iter().any(|d| d.severity == Severity::Error)
    }

    /// The problems, errors first, then by file and place; of thousands in one file the first few and their number.
    pub fn into_sorted(self) -> Vec<Diagnostic> {
        let mut keyed: Vec<_> = self
            .found
            .into_iter()
            .map(|diagnostic| {
                let file = self.files.iter().position(|file| file.name == diagnostic.file.name);
                let start = diagnostic.span.as_ref().map(|span| span.start);
                ((diagnostic.severity, file), start, diagnostic)
            })
            .collect();
        keyed.sort_by_key(|(group, start, _)| (*group, *start));
        let mut told: Vec<Diagnostic> = Vec::new();
        for group in keyed.chunk_by(|a, b| a.0 == b.0) {
            told.extend(group.iter().take(MAX_TOLD).map(|(.., diagnostic)| diagnostic.clone()));
            if let Some((.., next)) = group.get(MAX_TOLD) {
                let message = format!("and {} more in this file", group.len() - MAX_TOLD);
                told.push(Diagnostic { code: "more", message, span: None, help: None, ..next.clone() });
            }
        }
        told
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
        let mut names: Vec<&str> = Vec::new();
        for name in known {
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        if let Some(near) = nearest(wrong, &names) {
            self.help(format!("did you mean `{near}`?"));
        } else if names.is_empty() {
            self.help("none is defined");
        } else if names.len() <= MAX_LISTED {
            self.help(format!("known here: {}", names.join(", ")));
        }
    }
}

/// The longest list of known names that is still a help.
const MAX_LISTED: usize = 12;

/// The known name that `wrong` was most likely meant to be: one that a slip of the fingers away, or one that it begins.
pub fn nearest<'k>(wrong: &str, known: &[&'k str]) -> Option<&'k str> {
    let fold = |name: &str| name.to_lowercase().replace('-', "_");
    let wrong = fold(wrong);
    let candidates = known.iter().filter(|name| !name.is_empty()).filter_map(|name| {
        let folded = fold(name);
        // Of paths the last parts are told apart: their beginnings are alike by nature.
        let last = |name: &str| name.rsplit('.').next().map_or(0, |part| part.chars().count());
        let allowed = match last(&wrong).min(last(&folded)) {
            0..3 => 0,
            _ => (last(&wrong).max(last(&folded)) / 3).clamp(1, 3),
        };
        let distance = strsim::osa_distance(&wrong, &folded);
        let begins = wrong.len() >= 4 && folded.starts_with(&wrong);
        (distance <= allowed || begins).then_some((distance, *name))
    });
    candidates.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Problems, SourceText, nearest};

    #[test]
    fn only_what_looks_like_a_slip_is_suggested() {
        assert_eq!(nearest("trip.gaol", &["trip.season", "trip.goal"]), Some("trip.goal"));
        assert_eq!(nearest("trip.pets", &["trip.season", "trip.goal"]), None);
        assert_eq!(nearest("max_words", &["max_tokens"]), None);
        assert_eq!(nearest("Core-Capture", &["CORE_CAPTURE"]), Some("CORE_CAPTURE"));
        assert_eq!(nearest("sliding", &["sliding_window", "extractive"]), Some("sliding_window"));
        assert_eq!(nearest("", &["", "a"]), None);
    }

    #[test]
    fn of_thousands_of_problems_the_first_are_told() {
        let mut problems = Problems::new(Arc::new(SourceText::new("engine.toml", "x\n".repeat(5_000))));
        for at in (0..5_000).rev() {
            problems.error("code", 2 * at..2 * at + 1, "wrong");
        }
        let told = problems.into_sorted();
        assert_eq!(told.len(), 51);
        assert_eq!(told[49].position(), Some((50, 1)));
        assert_eq!((told[50].code, told[50].message.as_str()), ("more", "and 4950 more in this file"));
    }

    #[test]
    fn what_has_no_extent_has_been_told() {
        let mut problems = Problems::new(Arc::new(SourceText::new("engine.toml", "x")));
        problems.error("code", 0..0, "an echo").help("of something else");
        assert!(problems.into_sorted().is_empty());
    }
}
