//! Pastes: what a terminal would obey is made visible, and what is big is folded away but sent whole.

use crate::text::printable;

/// From this many lines on, or this many bytes, a paste is folded.
const BIG_LINES: usize = 12;
const BIG_BYTES: usize = 2000;

/// The texts behind the markers of a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pastes {
    folded: Vec<(String, String)>,
}

impl Pastes {
    /// What to insert for a text: itself, or the marker it is kept under.
    pub fn take(&mut self, text: &str) -> String {
        let lines = text.lines().count();
        if lines < BIG_LINES && text.len() < BIG_BYTES {
            return text.to_owned();
        }
        let number = self.folded.len() + 1;
        let size = if lines > 1 { format!("{lines} lines") } else { format!("{} characters", text.chars().count()) };
        let marker = format!("[paste {number}: {size}]");
        self.folded.push((marker.clone(), text.to_owned()));
        marker
    }

    /// The draft with every text back in the place of its marker.
    pub fn expand(&self, draft: &str) -> String {
        let mut rest = draft;
        let mut out = String::with_capacity(draft.len());
        // From left to right and never again over what was put in: a paste may contain what looks like a marker.
        while let Some((at, marker, text)) = self.first_in(rest) {
            out.push_str(&rest[..at]);
            out.push_str(text);
            rest = &rest[at + marker.len()..];
        }
        out.push_str(rest);
        out
    }

    fn first_in(&self, draft: &str) -> Option<(usize, &str, &str)> {
        let found = self.folded.iter().filter_map(|(marker, text)| Some((draft.find(marker)?, &marker[..], &text[..])));
        found.min_by_key(|(at, ..)| *at)
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
    printable(&text.replace("\r\n", "\n").replace('\r', "\n")).into_owned()
}
