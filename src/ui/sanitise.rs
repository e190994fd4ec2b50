//! Makes any text safe to draw: what could steer a terminal or reorder a line is shown instead of obeyed.
//!
//! Nothing is parsed: an escape sequence without its escape character is only text, so it is enough that no character
//! that could begin one comes through. That also holds for sequences no parser has heard of.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

/// Columns between tab stops.
const TAB: usize = 4;

/// Makes a text safe, keeping its newlines.
///
/// Control and escape characters become their pictures (`␛`), C1 controls and bidirectional embeddings, overrides and
/// isolates become their numbers (`⟨U+202E⟩`), tabs become spaces up to the next stop, and every kind of line end
/// becomes `\n`. A text with none of these is handed back as it is.
pub fn sanitise(text: &str) -> Cow<'_, str> {
    if is_safe(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(pieces(text).map(|piece| piece.text).collect())
}

/// Makes a text safe for a single row: a line end is shown as one space.
pub(crate) fn sanitise_line(text: &str) -> Cow<'_, str> {
    match sanitise(text) {
        safe if !safe.contains('\n') => safe,
        safe => Cow::Owned(safe.replace('\n', " ")),
    }
}

/// A stretch of safe text and the bytes it was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    pub text: Cow<'a, str>,
    /// Where it stood.
    pub source: Range<usize>,
}

/// Cuts a text into stretches that are safe as they are and single characters that had to be replaced, so that a place
/// in the drawing can be traced to a place in the text.
pub fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut at = 0;
    let mut column = 0;
    let mut flag = false;
    std::iter::from_fn(move || {
        let start = at;
        let mut chars = text[start..].char_indices();
        for (offset, c) in chars.by_ref() {
            // Tag characters are invisible and can carry hidden text, except after the black flag, where they spell a
            // region and belong to one visible emoji.
            let in_flag = flag && is_tag(c);
            flag = c == '\u{1F3F4}' || in_flag;
            if in_flag || !is_unsafe(c) {
                column = if c == '\n' { 0 } else { column + 1 };
                continue;
            }
            if offset > 0 {
                at = start + offset;
                return Some(Piece { text: Cow::Borrowed(&text[start..at]), source: start..at });
            }
            let mut end = start + c.len_utf8();
            if c == '\r' && text[end..].starts_with('\n') {
                end += 1;
            }
            at = end;
            let shown = shown(c, end - start > 1, column);
            column = if shown == "\n" { 0 } else { column + shown.chars().count() };
            return Some(Piece { text: Cow::Owned(shown), source: start..end });
        }
        at = text.len();
        (start < at).then(|| Piece { text: Cow::Borrowed(&text[start..]), source: start..at })
    })
}

/// Whether a text can be drawn as it is.
pub fn is_safe(text: &str) -> bool {
    // Most text is ASCII, and a look at its bytes is all it takes.
    if text.is_ascii() {
        return text.bytes().all(|byte| byte == b'\n' || (byte >= 0x20 && byte != 0x7f));
    }
    !text.chars().any(is_unsafe)
}

fn is_unsafe(c: char) -> bool {
    match c {
        '\n' => false,
        _ if c.is_control() => true,
        '\u{ad}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{206F}' | '\u{FFF9}'..='\u{FFFB}' => true,
        _ => is_tag(c),
    }
}

fn is_tag(c: char) -> bool {
    ('\u{E0000}'..='\u{E007F}').contains(&c)
}

fn shown(c: char, is_line_end: bool, column: usize) -> String {
    match c {
        '\t' => " ".repeat(TAB - column % TAB),
        '\r' if is_line_end => "\n".to_owned(),
        '\u{2028}' | '\u{2029}' => "\n".to_owned(),
        // A soft hyphen only marks where a word may be broken; terminals disagree on whether it takes a column.
        '\u{ad}' => String::new(),
        '\u{7f}' => "␡".to_owned(),
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('␀').to_string(),
        _ => {
            let mut number = String::new();
            let _ = write!(number, "⟨U+{:04X}⟩", c as u32);
            number
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_not_obeyed() {
        assert_eq!(sanitise("\x1b[2J\x1b]52;c;aGk=\x07"), "␛[2J␛]52;c;aGk=␇");
        assert_eq!(sanitise("\u{9b}31mred"), "⟨U+009B⟩31mred");
        assert_eq!(sanitise("\x1bPq\x1b\\"), "␛Pq␛\\");
    }

    #[test]
    fn bidirectional_overrides_are_shown_and_plain_right_to_left_text_is_left_alone() {
        assert_eq!(sanitise("a\u{202E}b"), "a⟨U+202E⟩b");
        let hebrew = "שלום עולם\u{200F}";
        assert!(matches!(sanitise(hebrew), Cow::Borrowed(_)));
    }

    #[test]
    fn tabs_reach_the_next_stop_and_line_ends_are_all_the_same() {
        assert_eq!(sanitise("a\tb\r\n\tc\u{2028}d\re"), "a   b\n    c\nd␍e");
    }

    #[test]
    fn hidden_tag_characters_are_shown_but_flags_of_regions_stay_whole() {
        let scotland = "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}";
        assert_eq!(sanitise(scotland), scotland);
        assert_eq!(sanitise("a\u{E0041}"), "a⟨U+E0041⟩");
    }

    #[test]
    fn a_single_row_has_no_line_end() {
        assert_eq!(sanitise_line("a\r\nb\nc"), "a b c");
    }

    proptest! {
        #[test]
        fn no_control_character_but_the_newline_comes_through(text in "(?s).{0,80}") {
            let safe = sanitise(&text);
            prop_assert!(!safe.chars().any(|c| c.is_control() && c != '\n'));
            prop_assert!(is_safe(&safe) || text.contains('🏴'), "{safe:?}");
        }

        #[test]
        fn the_pieces_cover_the_text_without_gaps(text in "([a-z\u{1b}\u{202e}\t\r\n🏴]|\\PC){0,40}") {
            let mut end = 0;
            for piece in pieces(&text) {
                prop_assert_eq!(piece.source.start, end);
                end = piece.source.end;
            }
            prop_assert_eq!(end, text.len());
        }

        #[test]
        fn a_safe_text_is_not_changed_again(text in "(?s).{0,60}") {
            let once = sanitise(&text).into_owned();
            prop_assert_eq!(sanitise(&once), once.as_str());
        }
    }
}
