//! Turns what a person types into a full-text query that cannot fail, and a marked snippet into text and spans.

use std::ops::Range;

/// Stands before a match in a snippet. A noncharacter of Unicode: it has no business in anybody's text.
pub const MARK_START: char = '\u{FDD0}';
/// Stands after a match in a snippet.
pub const MARK_END: char = '\u{FDD1}';

/// A query longer than this is cut: nobody types it, and the parser of the index recurses over terms.
const MAX_TERMS: usize = 32;

/// Says how the words of a query go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// Every term must occur; the last word may be the beginning of one.
    All,
    /// Any term will do.
    Any,
}

/// Writes a query in the syntax of FTS5, or none if the text has no words. Each term is quoted, so nothing in it is
/// syntax; text in double quotes is one term. A single letter at the end is no beginning: everything begins with it.
pub fn full_text(text: &str, join: Join) -> Option<String> {
    let ending = text.chars().rev().take_while(|c| c.is_alphanumeric()).take(2).count();
    let mut terms: Vec<String> = terms(text)
        .into_iter()
        .filter(|term| term.chars().any(char::is_alphanumeric))
        .take(MAX_TERMS)
        .map(|term| format!("\"{term}\""))
        .collect();
    if join == Join::All
        && ending == 2
        && let Some(last) = terms.last_mut()
    {
        last.push('*');
    }
    let operator = if join == Join::All { " AND " } else { " OR " };
    (!terms.is_empty()).then(|| terms.join(operator))
}

/// Splits at white space, but not inside double quotes. A quote that is never closed reaches to the end. What the index
/// would not accept inside a quoted term (the quote itself, the zero character) becomes a space.
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
    fn words_are_quoted_and_the_last_one_is_a_prefix() {
        assert_eq!(full_text("clinic intake", Join::All).as_deref(), Some("\"clinic\" AND \"intake\"*"));
        assert_eq!(full_text("clinic intake ", Join::All).as_deref(), Some("\"clinic\" AND \"intake\""));
        assert_eq!(full_text("clinic intake", Join::Any).as_deref(), Some("\"clinic\" OR \"intake\""));
    }

    #[test]
    fn quoted_text_is_one_term_and_an_open_quote_reaches_to_the_end() {
        assert_eq!(full_text("\"to be\" or", Join::All).as_deref(), Some("\"to be\" AND \"or\"*"));
        assert_eq!(full_text("x \"to be", Join::All).as_deref(), Some("\"x\" AND \"to be\"*"));
    }

    #[test]
    fn what_has_no_words_is_no_query() {
        assert_eq!(full_text(" \"\" ( * - \0 ^", Join::All), None);
    }

    #[test]
    fn marks_become_ranges_and_stray_ones_vanish() {
        let snippet = format!("{MARK_END}an {MARK_START}örtliches{MARK_END} Wort {MARK_START}");
        let (text, ranges) = marks(&snippet);
        assert_eq!((text.as_str(), ranges.len()), ("an örtliches Wort ", 1));
        assert_eq!(&text[ranges[0].clone()], "örtliches");
    }
}
