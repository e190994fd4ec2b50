//! Pastes: what a terminal would obey is made visible, and what is big is folded away but sent whole.

use std::borrow::Cow;

use crate::engine::turn::MAX_MESSAGE;
use crate::text::printable;
use crate::words::Composer as Says;

/// From this many lines on, or this many bytes, a paste is folded.
const BIG_LINES: usize = 12;
const BIG_BYTES: usize = 2000;

/// How much text is kept behind markers, in bytes: enough for a message, and for what is taken back by mistake.
const MAX_KEPT: usize = 4 * MAX_MESSAGE;

/// The texts behind the markers of a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pastes {
    /// Each under its marker, in the order of their numbers; none where it was forgotten.
    folded: Vec<(String, Option<String>)>,
}

/// The longest beginning of a marker, up to its number, in bytes.
const LONGEST_START: usize = 40;

impl Pastes {
    /// What to insert for a text: itself, or the marker it is kept under.
    pub fn take(&mut self, text: String, says: &Says) -> String {
        let lines = text.lines().count();
        if lines < BIG_LINES && text.len() < BIG_BYTES {
            return text;
        }
        let number = self.folded.len() + 1;
        let marker = match lines {
            0 | 1 => says.paste_characters(number, text.chars().count()),
            lines => says.paste_lines(number, lines),
        };
        self.folded.push((marker.clone(), Some(text)));
        marker
    }

    /// Forgets texts whose markers are no longer in the draft, oldest first, once there is too much of them.
    pub fn tidy(&mut self, draft: &str) {
        let mut kept: usize = self.folded.iter().filter_map(|(_, text)| text.as_ref().map(String::len)).sum();
        let used = |marker: &str| draft.contains(marker);
        for (_, text) in self.folded.iter_mut().filter(|(marker, _)| !used(marker)) {
            if kept <= MAX_KEPT {
                return;
            }
            kept -= text.take().map_or(0, |text| text.len());
        }
    }

    /// The draft with every text back in the place of its marker.
    pub fn expand(&self, draft: &str) -> String {
        let mut out = String::with_capacity(draft.len());
        let mut rest = draft;
        // From left to right and never again over what was put in: a paste may contain what looks like a marker.
        while let Some(at) = rest.find('[') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let (marker, text) = self.beginning(rest).unwrap_or(("[", "["));
            out.push_str(text);
            rest = &rest[marker.len()..];
        }
        out.push_str(rest);
        out
    }

    /// The marker that a text begins with, and the text behind it: a word in whatever language, its number, a colon.
    fn beginning(&self, text: &str) -> Option<(&str, &str)> {
        let start = &text[..text.floor_char_boundary(LONGEST_START)];
        let digits = start.split_once(':')?.0.rsplit(' ').next()?;
        let number = digits.parse::<usize>().ok()?.checked_sub(1)?;
        let (marker, folded) = self.folded.get(number)?;
        Some((marker.as_str(), folded.as_deref()?)).filter(|(marker, _)| text.starts_with(marker))
    }

    /// How many characters the marker just before a column has, if one ends there.
    pub(crate) fn marker_before(&self, line: &str, column: usize) -> Option<usize> {
        let before: String = line.chars().take(column).collect();
        let marker = self.folded.iter().map(|(marker, _)| marker).find(|marker| before.ends_with(marker.as_str()))?;
        Some(marker.chars().count())
    }
}

/// A text in which line ends are one kind, and what a terminal would obey is shown.
pub(crate) fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\r' {
            chars.next_if_eq(&'\n');
        }
        out.push(if c == '\r' { '\n' } else { c });
    }
    match printable(&out) {
        Cow::Borrowed(_) => out,
        Cow::Owned(shown) => shown,
    }
}
