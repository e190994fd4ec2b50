//! Collects problems while files are read and checked, without echoes and without end.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::{Diagnostic, Place, Severity, SourceText, Span, nearest};

/// How many problems of one kind and one file are worth reading.
const MAX_TOLD: usize = 50;
/// How many problems get a guess at what was meant: with more of them, guesses are not what is missing.
const MAX_GUESSED: usize = 500;
/// The longest list of known names that is still a help.
const MAX_LISTED: usize = 14;

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
    /// Keys at the top of the file whose values could not be read whole.
    faulty: Vec<&'static str>,
    reading: bool,
    /// The keys that lead to what is being read, where messages speak of keys.
    path: Option<Vec<String>>,
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
            path: None,
        }
    }

    /// Starts with no problems in a file whose tables are told apart by their keys, as `[profiles.work]` is: messages
    /// name the key and the section. Elsewhere tables are many of a kind, and messages name the kind.
    pub(crate) fn speaking_of_keys(file: Arc<SourceText>) -> Self {
        Self { path: Some(Vec::new()), ..Self::new(file) }
    }

    /// Runs a reading of what stands under a key.
    pub(super) fn under<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(path) = &mut self.path {
            path.push(key.to_owned());
        }
        let value = read(self);
        if let Some(path) = &mut self.path {
            path.pop();
        }
        value
    }

    /// The key whose value is being read, where messages speak of keys.
    pub fn key(&self) -> Option<&str> {
        self.path.as_ref()?.last().map(String::as_str)
    }

    /// What to say of a key that the table being read does not have.
    pub(super) fn unknown_key(&self, key: &str, what: &str) -> String {
        match self.path.as_deref() {
            None => format!("{what} has no key `{key}`"),
            Some([]) => format!("unknown key `{key}`"),
            Some(path) => format!("unknown key `{key}` in [{}]", path.join(".")),
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

    /// A place of the current file, to be kept.
    pub fn place(&self, span: Span) -> Place {
        Place { file: self.file.clone(), span: Some(span) }
    }

    /// Records an error in a place that was kept, be it in this file or elsewhere.
    pub(crate) fn error_at(&mut self, place: &Place, code: &'static str, message: impl Into<String>) -> Noted<'_> {
        let echo = place.file.name == self.file.name && place.span.as_ref().is_some_and(|span| self.within(span));
        // What could not be read has been told.
        let span = if echo { Some(0..0) } else { place.span.clone() };
        let current = self.file.clone();
        self.enter(place.file.clone());
        self.note(Severity::Error, code, span, message.into());
        self.file = current;
        let crowded = self.found.len() > MAX_GUESSED;
        Noted { crowded, diagnostic: if echo { None } else { self.found.last_mut() } }
    }

    /// The text that spans refer to.
    pub fn text(&self) -> &str {
        &self.file.text
    }

    /// Records an error. Follow with `help` to say what to do.
    pub fn error(
        &mut self,
        code: &'static str,
        span: impl Into<Option<Span>>,
        message: impl Into<String>,
    ) -> Noted<'_> {
        self.note(Severity::Error, code, span.into(), message.into())
    }

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
            return Noted { crowded: false, diagnostic: None };
        }
        // An empty text is a fault of its own, but it stands for nothing else.
        if let Some(span) = span.as_ref().filter(|_| self.reading && code != "empty-text") {
            self.unread.push(span.clone());
        }
        self.found.push(Diagnostic { severity, code, message, file: self.file.clone(), span, help: None });
        Noted { crowded: self.found.len() > MAX_GUESSED, diagnostic: self.found.last_mut() }
    }

    /// Whether something within `span` of the file could not be read, so that a check of what stands there would
    /// only echo it.
    pub fn within(&self, span: &Span) -> bool {
        span.is_empty() || self.unread.iter().any(|unread| unread.start >= span.start && unread.end <= span.end)
    }

    /// How many places could not be read.
    pub(crate) fn unread_count(&self) -> usize {
        self.unread.len()
    }

    /// Remembers that a key at the top of the file could not be read whole.
    pub(crate) fn mark_faulty(&mut self, key: &'static str) {
        self.faulty.push(key);
    }

    /// Whether a key at the top of the file is missing or could not be read whole.
    pub fn faulty(&self, key: &str) -> bool {
        self.faulty.contains(&key)
    }

    /// Whether an error was found at a place of the current file or within it.
    pub(crate) fn blamed(&self, span: &Span) -> bool {
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

    /// Whether anything found so far is an error.
    pub(crate) fn any_error(&self) -> bool {
        self.found.iter().any(|d| d.severity == Severity::Error)
    }

    /// The problems, errors first, then by file and place; of thousands in one file the first few and their number.
    pub(crate) fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.take_sorted()
    }

    /// The same, to go on after it: what was found by then has been told.
    pub(crate) fn take_sorted(&mut self) -> Vec<Diagnostic> {
        let mut keyed: Vec<_> = std::mem::take(&mut self.found)
            .into_iter()
            .map(|diagnostic| {
                let file = self.files.iter().position(|file| file.name == diagnostic.file.name);
                let start = diagnostic.span.as_ref().map(|span| span.start);
                ((diagnostic.severity, file), start, diagnostic)
            })
            .collect();
        keyed.sort_by_key(|(group, start, _)| (*group, *start));
        // A look that several scopes fall back on is judged once for each of them.
        keyed.dedup();
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
    /// Whether so many were recorded before that no guess is made for this one.
    crowded: bool,
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
    pub(crate) fn suggest<'k>(self, wrong: &str, known: impl IntoIterator<Item = &'k str>) {
        if self.crowded {
            return;
        }
        let mut seen = HashSet::new();
        let names: Vec<&str> = known.into_iter().filter(|name| !name.is_empty() && seen.insert(*name)).collect();
        if names.is_empty() {
            self.help("none is defined");
        } else if names.len() <= MAX_LISTED {
            let known = format!("known here: {}", names.join(", "));
            self.suggest_or(wrong, names, known);
        } else {
            self.suggest_or(wrong, names, None);
        }
    }

    /// Adds "did you mean …?" where one of `known` looks like `wrong`, else this help.
    pub(crate) fn suggest_or<'k>(
        self,
        wrong: &str,
        known: impl IntoIterator<Item = &'k str>,
        help: impl Into<Option<String>>,
    ) {
        let names: Vec<&str> = if self.crowded { Vec::new() } else { known.into_iter().collect() };
        let near = nearest(wrong, &names).map(|near| format!("did you mean `{near}`?"));
        if let Some(help) = near.or(help.into()) {
            self.help(help);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Problems, SourceText};

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
