//! A theme file as it is written: read with lines, and everything wrong with it told at once.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use ratatui::style::Modifier;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{color, scope};

/// Something wrong with a theme, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeProblem {
    /// The theme.
    pub theme: String,
    /// The line, from 1; `None` where the theme as a whole is meant.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for ThemeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "theme {}", self.theme)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        write!(f, ": {}", self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, " ({help})"))
    }
}

impl std::error::Error for ThemeProblem {}

/// The name nearest to a wrong one, if any is near.
pub(super) fn nearest<'k>(wrong: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let rated = known.into_iter().map(|name| (strsim::jaro_winkler(wrong, name), name));
    rated.filter(|(score, _)| *score > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// A text with the line it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub text: String,
    pub line: usize,
}

/// The look of a scope as written: colours still by name, because a theme that inherits may change the palette.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    pub fg: Option<Written>,
    pub bg: Option<Written>,
    pub modifiers: Option<Modifier>,
}

/// A theme as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ThemeFile {
    pub name: String,
    pub title: Option<String>,
    pub light: Option<bool>,
    pub inherits: Option<Written>,
    pub palette: BTreeMap<String, Written>,
    pub scopes: BTreeMap<String, Look>,
}

/// How many syntax errors of one file are worth reading.
const MAX_SYNTAX_ERRORS: usize = 20;

const KEYS: [&str; 5] = ["title", "light", "inherits", "palette", "scopes"];
const LOOK_KEYS: [&str; 3] = ["fg", "bg", "style"];
const MODIFIERS: [(&str, Modifier); 7] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underline", Modifier::UNDERLINED),
    ("reverse", Modifier::REVERSED),
    ("strike", Modifier::CROSSED_OUT),
    ("plain", Modifier::empty()),
];

/// Reads a theme; what cannot be understood is left out and told.
pub(super) fn read(name: &str, text: &str) -> (ThemeFile, Vec<ThemeProblem>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { name, text, problems: Vec::new() };
    for error in &errors {
        let message = error.message().lines().next().unwrap_or("this is not TOML").to_owned();
        reader.problem(error.span().unwrap_or(0..0), message, None);
    }
    // One slip makes several errors in its line; the first says it best.
    reader.problems.dedup_by_key(|problem| problem.line);
    reader.problems.truncate(MAX_SYNTAX_ERRORS);
    let mut file = ThemeFile { name: name.to_owned(), ..ThemeFile::default() };
    for (key, value) in table.get_ref() {
        match key.get_ref().as_ref() {
            "title" => file.title = reader.string(value).map(|title| title.text),
            "light" => match value.get_ref() {
                DeValue::Boolean(light) => file.light = Some(*light),
                _ => reader.problem(value.span(), "`light` is true or false".to_owned(), None),
            },
            "inherits" => file.inherits = reader.string(value),
            "palette" => file.palette = reader.palette(value),
            "scopes" => file.scopes = reader.scopes(value),
            other => reader.unknown(key.span(), "key", other, KEYS),
        }
    }
    let mut problems = reader.problems;
    problems.sort_by_key(|problem| problem.line);
    (file, problems)
}

struct Reader<'a> {
    name: &'a str,
    text: &'a str,
    problems: Vec<ThemeProblem>,
}

impl Reader<'_> {
    fn line(&self, at: usize) -> usize {
        let before = &self.text[..self.text.floor_char_boundary(at.min(self.text.len()))];
        before.matches('\n').count() + 1
    }

    fn problem(&mut self, span: Range<usize>, message: String, help: Option<String>) {
        let line = Some(self.line(span.start));
        self.problems.push(ThemeProblem { theme: self.name.to_owned(), line, message, help });
    }

    fn unknown<'k>(&mut self, span: Range<usize>, what: &str, wrong: &str, known: impl IntoIterator<Item = &'k str>) {
        let known: Vec<&str> = known.into_iter().collect();
        let help = match nearest(wrong, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write {}", known.join(", ")),
        };
        self.problem(span, format!("there is no {what} `{wrong}`"), Some(help));
    }

    fn string(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Written> {
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.as_str().to_owned(),
            _ => {
                self.problem(value.span(), "a text is needed here".to_owned(), None);
                return None;
            }
        };
        Some(Written { text, line: self.line(value.span().start) })
    }

    fn table<'t, 'v>(&mut self, value: &'t Spanned<DeValue<'v>>, what: &str) -> Option<&'t DeTable<'v>> {
        if let DeValue::Table(table) = value.get_ref() {
            return Some(table);
        }
        self.problem(value.span(), format!("{what} is a table"), None);
        None
    }

    fn palette(&mut self, value: &Spanned<DeValue<'_>>) -> BTreeMap<String, Written> {
        let Some(table) = self.table(value, "`palette`") else { return BTreeMap::new() };
        let mut palette = BTreeMap::new();
        for (key, value) in table {
            let Some(written) = self.string(value) else { continue };
            if color::parse(&written.text).is_none() {
                let help = "write #rrggbb, a number up to 255, `terminal`, or a name such as `light-red`".to_owned();
                self.problem(value.span(), format!("`{}` is not a colour", written.text), Some(help));
                continue;
            }
            palette.insert(key.get_ref().to_string(), written);
        }
        palette
    }

    fn scopes(&mut self, value: &Spanned<DeValue<'_>>) -> BTreeMap<String, Look> {
        let Some(table) = self.table(value, "`scopes`") else { return BTreeMap::new() };
        let mut scopes = BTreeMap::new();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if !scope::is_known(name) {
                let help = match scope::nearest(name) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "themes/README.md lists them all; a name with dots needs quotes".to_owned(),
                };
                self.problem(key.span(), format!("there is no scope `{name}`"), Some(help));
                continue;
            }
            if let Some(look) = self.look(value) {
                scopes.insert(name.to_owned(), look);
            }
        }
        scopes
    }

    fn look(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Look> {
        let DeValue::Table(table) = value.get_ref() else {
            return self.string(value).map(|fg| Look { fg: Some(fg), ..Look::default() });
        };
        let mut look = Look::default();
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "fg" => look.fg = self.string(value),
                "bg" => look.bg = self.string(value),
                "style" => look.modifiers = self.modifiers(value),
                other => self.unknown(key.span(), "part of a look", other, LOOK_KEYS),
            }
        }
        Some(look)
    }

    fn modifiers(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Modifier> {
        let written = self.string(value)?;
        let mut modifiers = Modifier::empty();
        for word in written.text.split_whitespace() {
            match MODIFIERS.iter().find(|(name, _)| *name == word) {
                Some((_, modifier)) => modifiers |= *modifier,
                None => self.unknown(value.span(), "style", word, MODIFIERS.map(|(name, _)| name)),
            }
        }
        Some(modifiers)
    }
}
