//! Turns what a person types into terms that every index understands, and a marked snippet into text and spans.

use std::ops::Range;

/// Stands before a match in a snippet. A noncharacter of Unicode, so that it never occurs in a text.
pub(crate) const MARK_START: char = '\u{FDD0}';
/// Stands after a match in a snippet.
pub(crate) const MARK_END: char = '\u{FDD1}';

/// A query with more terms is cut: the parser of the index recurses over terms, and people do not type so many.
const MAX_TERMS: usize = 32;

/// What a person looks for: terms of one word or several.
pub(crate) struct Wanted {
    pub(crate) terms: Vec<String>,
    /// Whether the last term may be the beginning of a word. A single letter is no beginning: everything begins with it.
    pub(crate) last_may_be_begun: bool,
}

impl Wanted {
    /// Reads any text; none if it has no words. Text in double quotes is one term.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let has_words = |term: &String| term.chars().any(char::is_alphanumeric);
        let terms: Vec<String> = terms(text).into_iter().filter(has_words).take(MAX_TERMS).collect();
        let ending = text.chars().rev().take_while(|c| c.is_alphanumeric()).take(2).count();
        (!terms.is_empty()).then_some(Self { terms, last_may_be_begun: ending == 2 })
    }
}

/// Splits at white space, but not inside double quotes. A quote that is never closed reaches to the end. The zero
/// character, which no index takes, becomes a space.
fn terms(text: &str) -> Vec<String> {
    let text = text.replace('\0', " ");
    let mut terms = Vec::new();
    for (index, part) in text.split('"').enumerate() {
        if index % 2 == 1 {
            terms.push(part.to_owned());
        } else {
            terms.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    terms
}

/// Splits a marked snippet into its text and the byte ranges of the matches in that text.
pub fn marks(snippet: &str) -> (String, Vec<Range<usize>>) {
    let mut text = String::with_capacity(snippet.len());
    let mut ranges = Vec::new();
    let mut start = None;
    for c in snippet.chars() {
        match c {
            MARK_START => start = Some(text.len()),
            MARK_END => ranges.extend(start.take().map(|start| start..text.len())),
            c => text.push(c),
        }
    }
    (text, ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_ranges_and_stray_ones_vanish() {
        let snippet = format!("{MARK_END}an {MARK_START}örtliches{MARK_END} Wort {MARK_START}");
        let (text, ranges) = marks(&snippet);
        assert_eq!((text.as_str(), ranges.len()), ("an örtliches Wort ", 1));
        assert_eq!(&text[ranges[0].clone()], "örtliches");
    }
}
