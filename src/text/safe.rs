//! Makes any text safe to show: what could steer a terminal, hide a word or reorder a line is shown instead of obeyed.
//!
//! Nothing is parsed: an escape sequence without its escape character is only text, so it is enough that no character
//! that could begin one comes through. That also holds for sequences no parser has heard of.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr as _};

/// Columns between tab stops.
const TAB: usize = 4;

/// Whether a character could steer a terminal, turn the direction of text, or stand in it unseen. This is the one
/// definition that everything else here goes by; of controls only the newline and the tab are harmless.
pub fn deceives(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        _ if c.is_control() => true,
        '\u{2028}'..='\u{202E}' | '\u{2065}'..='\u{206F}' | '\u{FFF9}'..='\u{FFFB}' => true,
        _ => is_unseen(c) || is_tag(c) || is_none(c),
    }
}

/// Characters without a sign of their own: soft hyphens, joiners, spaces of no width, marks of direction.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}')
}

/// Numbers that no character has: no document may hold them.
fn is_none(c: char) -> bool {
    matches!(c, '\u{FDD0}'..='\u{FDEF}') || u32::from(c) & 0xFFFE == 0xFFFE
}

fn is_tag(c: char) -> bool {
    ('\u{E0000}'..='\u{E007F}').contains(&c)
}

/// Characters that show nothing where they stand, or change how the one before looks. In the words of a conversation they
/// have their uses; in what people agree to they could hide something.
fn is_blank(c: char) -> bool {
    let filler = matches!(
        c,
        '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{2800}' | '\u{3164}' | '\u{FFA0}'
    );
    let variation = matches!(c, '\u{180B}'..='\u{180F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}');
    let unassigned = matches!(c, '\u{FFF0}'..='\u{FFF8}' | '\u{E0080}'..='\u{E0FFF}' | '\u{1D173}'..='\u{1D17A}');
    filler || variation || unassigned || (c != ' ' && c.is_whitespace())
}

/// Goes through a text and knows what stood before: some characters deceive only out of their place.
#[derive(Default)]
struct Reader {
    before: char,
    /// Whether a flag of a region is being spelled.
    flag: bool,
}

impl Reader {
    fn must_not_pass(&mut self, c: char) -> bool {
        // Tag characters can carry hidden text, except after the black flag, where they spell a region and belong to
        // one visible emoji.
        let in_flag = self.flag && is_tag(c);
        self.flag = c == '\u{1F3F4}' || in_flag;
        // Joiners shape words of many scripts and emoji of several parts. ASCII has no use for them.
        let joins = matches!(c, '\u{200C}' | '\u{200D}') && !self.before.is_ascii() && !deceives(self.before);
        self.before = c;
        !in_flag && !joins && deceives(c)
    }
}

/// Makes a text safe to draw, keeping its newlines.
///
/// Control and escape characters become their pictures (`␛`), C1 controls and bidirectional embeddings, overrides and
/// isolates become their numbers (`⟨U+202E⟩`), characters without a sign go, tabs become spaces up to the next stop, and
/// every kind of line end becomes `\n`. A text with none of these is handed back as it is.
pub fn sanitise(text: &str) -> Cow<'_, str> {
    if is_safe(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(pieces(text).map(|piece| piece.text).collect())
}

/// Makes a text safe for a single row: a line end is shown as one space.
pub fn sanitise_line(text: &str) -> Cow<'_, str> {
    match sanitise(text) {
        safe if !safe.contains('\n') => safe,
        safe => Cow::Owned(safe.replace('\n', " ")),
    }
}

/// Makes a text safe to print: as [`sanitise`], with its tabs.
pub fn printable(text: &str) -> Cow<'_, str> {
    if is_safe(text) {
        return Cow::Borrowed(text);
    }
    let kept = |piece: Piece<'_>| if &text[piece.source] == "\t" { "\t".to_owned() } else { piece.text.into_owned() };
    Cow::Owned(pieces(text).map(kept).collect())
}

/// Makes a text safe that has colours of ours in it: of all sequences those that set colours and weights pass. What
/// comes from outside must have been made safe before the colours were put around it.
pub fn coloured(text: &str) -> Cow<'_, str> {
    if is_safe(text) {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((start, end)) = next_colour(rest) {
        out.push_str(&printable(&rest[..start]));
        out.push_str(&rest[start..end]);
        rest = &rest[end..];
    }
    out.push_str(&printable(rest));
    Cow::Owned(out)
}

/// Where the next sequence that sets a colour or weight begins and ends.
fn next_colour(text: &str) -> Option<(usize, usize)> {
    text.match_indices("\u{1b}[").find_map(|(start, mark)| {
        let parameters = &text[start + mark.len()..];
        let length = parameters.find(|c: char| !c.is_ascii_digit() && c != ';')?;
        let ends = parameters[length..].starts_with('m');
        ends.then_some((start, start + mark.len() + length + 1))
    })
}

/// A JSON document in which every character that deceives is escaped. Read as JSON it means the same.
pub fn json_escaped(document: &str) -> Cow<'_, str> {
    if !document.chars().any(deceives) {
        return Cow::Borrowed(document);
    }
    let mut out = String::with_capacity(document.len() + 16);
    for c in document.chars() {
        if deceives(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The most characters that are shown as one sign where people agree to something: enough for a syllable of Hangul or
/// Hindi, or a letter with its marks.
const MOST_JOINED: usize = 4;

/// Whether terminals disagree on how many columns a character takes where it is joined to another. One that takes more
/// than it was counted for pushes what stands behind it out of its row.
fn is_of_unsure_width(c: char) -> bool {
    use GeneralCategory::{EnclosingMark, NonspacingMark, PrivateUse, Unassigned};
    if c.is_ascii() {
        return false;
    }
    let category = get_general_category(c);
    let flag = ('\u{1F1E6}'..='\u{1F1FF}').contains(&c);
    // Vowels and ends of syllables of Hangul, which every terminal puts into the sign before.
    let syllable = ('\u{1160}'..='\u{11FF}').contains(&c);
    let takes_nothing = matches!(category, NonspacingMark | EnclosingMark) || syllable;
    flag || matches!(category, PrivateUse | Unassigned) || (c.width() == Some(0) && !takes_nothing)
}

/// A line in which nothing is left out: what deceives is written as its number, and so is a line end within it. For
/// what people agree to. So is a mark without a letter, and what is heaped upon one: any number of characters can be
/// joined to one sign, which then shows none of them. And so is what some terminals draw wider than others: it could
/// hide the words behind it.
pub fn spelled_out(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for grapheme in line.graphemes(true) {
        let mut joined = 0;
        // An emoji in two parts is one sign or two, as the terminal likes.
        let narrowed = grapheme.width() < grapheme.chars().filter_map(UnicodeWidthChar::width).sum();
        for c in grapheme.chars() {
            if c == '\t' {
                out.push_str("    ");
                continue;
            }
            let blank = deceives(c) || is_blank(c) || is_of_unsure_width(c);
            let alone = joined == 0 && c.width() == Some(0);
            let again = narrowed && joined > 0 && c.width() > Some(0);
            if blank || alone || again || joined == MOST_JOINED {
                let _ = write!(out, "⟨U+{:04X}⟩", c as u32);
            } else {
                out.push(c);
            }
            joined = if blank { 0 } else { MOST_JOINED.min(joined + usize::from(!alone)) };
        }
    }
    out
}

/// A line made safe, and where some of its bytes are then.
pub fn placed(line: &str, place: Range<usize>) -> (Cow<'_, str>, Range<usize>) {
    // A tab is left to the code that draws the line with a caret under it.
    if !line.chars().any(deceives) {
        return (Cow::Borrowed(line), place);
    }
    let mut out = String::with_capacity(line.len());
    let mut moved = place.clone();
    for piece in pieces(line) {
        let at = out.len();
        out.push_str(&piece.text.replace('\n', " "));
        for (was, is) in [(place.start, &mut moved.start), (place.end, &mut moved.end)] {
            if piece.source.contains(&was) {
                *is = if matches!(piece.text, Cow::Borrowed(_)) { at + was - piece.source.start } else { at };
            } else if was == line.len() {
                *is = out.len();
            }
        }
    }
    (Cow::Owned(out), moved)
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
    let mut reader = Reader::default();
    // A character that ended a stretch has been read already.
    let mut replaced = false;
    std::iter::from_fn(move || {
        let start = at;
        for (offset, c) in text[start..].char_indices() {
            if !(std::mem::take(&mut replaced) || reader.must_not_pass(c) || c == '\t') {
                column = if c == '\n' { 0 } else { column + 1 };
                continue;
            }
            if offset > 0 {
                at = start + offset;
                replaced = true;
                return Some(Piece { text: Cow::Borrowed(&text[start..at]), source: start..at });
            }
            let mut end = start + c.len_utf8();
            let is_line_end = c == '\r' && text[end..].starts_with('\n');
            end += usize::from(is_line_end);
            at = end;
            let shown = shown(c, is_line_end, column);
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
    let mut reader = Reader::default();
    !text.chars().any(|c| reader.must_not_pass(c) || c == '\t')
}

fn shown(c: char, is_line_end: bool, column: usize) -> String {
    match c {
        '\t' => " ".repeat(TAB - column % TAB),
        '\r' if is_line_end => "\n".to_owned(),
        '\u{2028}' | '\u{2029}' => "\n".to_owned(),
        // What cannot be seen is no loss; some terminals would give it a column, or turn the text around it.
        _ if is_unseen(c) => String::new(),
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
        let hebrew = "שלום עולם";
        assert!(matches!(sanitise(hebrew), Cow::Borrowed(_)));
        assert_eq!(sanitise("שלום עולם\u{200F}"), hebrew, "a mark of direction is not needed");
    }

    #[test]
    fn what_cannot_be_seen_goes_and_what_joins_letters_and_emoji_stays() {
        assert_eq!(sanitise("pay\u{200B}pal\u{2060}\u{FEFF}\u{200D}"), "paypal");
        for joined in ["👩\u{200D}👧", "می\u{200C}خواهم", "🏳\u{FE0F}\u{200D}🌈"] {
            assert!(matches!(sanitise(joined), Cow::Borrowed(_)), "{joined}");
        }
    }

    #[test]
    fn tabs_reach_the_next_stop_and_line_ends_are_all_the_same() {
        assert_eq!(sanitise("a\tb\r\n\tc\u{2028}d\re"), "a   b\n    c\nd␍e");
        assert_eq!(printable("a\tb\r\n\tc\re"), "a\tb\n\tc␍e");
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

    #[test]
    fn of_all_sequences_only_colours_pass_where_colours_are_ours() {
        assert_eq!(coloured("\u{1b}[1;31mbold\u{1b}[0m"), "\u{1b}[1;31mbold\u{1b}[0m");
        assert_eq!(coloured("\u{1b}[2Kgone\u{1b}[1A\u{1b}[32m!\u{1b}[3"), "␛[2Kgone␛[1A\u{1b}[32m!␛[3");
    }

    #[test]
    fn json_means_the_same_when_it_is_escaped() {
        let text = "a\u{7f}b\u{9b}c\u{202E}d\u{E0041}é👩\u{200D}👧\n\u{1b}";
        let document = serde_json::json!({ text: [text] });
        let plain = serde_json::to_string_pretty(&document).unwrap();
        let escaped = json_escaped(&plain);
        assert!(!escaped.chars().any(deceives), "{escaped:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), document);
    }

    #[test]
    fn nothing_is_left_out_of_what_is_spelled_out() {
        assert_eq!(
            spelled_out("a\u{3164}b\u{FE0F}c\u{E0100}\u{2800}\u{A0}"),
            "a⟨U+3164⟩b⟨U+FE0F⟩c⟨U+E0100⟩⟨U+2800⟩⟨U+00A0⟩"
        );
        assert_eq!(spelled_out("rm\u{200B} -rf\u{1b}[8m\n/"), "rm⟨U+200B⟩ -rf⟨U+001B⟩[8m⟨U+000A⟩/");
    }

    #[test]
    fn what_is_heaped_upon_one_sign_is_spelled_out_and_ordinary_words_are_not() {
        assert_eq!(
            spelled_out("\u{1100}\u{1101}\u{1102}\u{1103}\u{1104}\u{1105}"),
            "\u{1100}\u{1101}\u{1102}\u{1103}⟨U+1104⟩⟨U+1105⟩"
        );
        assert_eq!(spelled_out("a\u{E33}\u{E33}\u{E33}\u{E33}b"), "a\u{E33}\u{E33}\u{E33}⟨U+0E33⟩b");
        assert_eq!(spelled_out("a\u{301}\u{302}\u{303}\u{304}"), "a\u{301}\u{302}\u{303}⟨U+0304⟩");
        assert_eq!(spelled_out("\u{301}\u{302}a"), "⟨U+0301⟩⟨U+0302⟩a", "a mark that would change our own words");
        for words in
            ["cafe\u{301}", "한국어 \u{1112}\u{1161}\u{11AB}", "นำ้ ภาษาไทย", "हिन्दी क्षि", "Tiếng Việt", "👍 日本語 Ω"]
        {
            assert_eq!(spelled_out(words), words);
        }
    }

    #[test]
    fn what_terminals_draw_wider_than_it_is_counted_is_spelled_out() {
        // Marks that take room, though they are counted with the letter before.
        for mark in ['\u{9BE}', '\u{BBE}', '\u{302E}', '\u{1734}', '\u{1B35}', '\u{D57}', '\u{1D165}'] {
            let number = format!("⟨U+{:04X}⟩", u32::from(mark));
            assert_eq!(spelled_out(&format!(".{mark}x")), format!(".{number}x"));
        }
        assert_eq!(spelled_out("👍🏽 🇩🇪"), "👍⟨U+1F3FD⟩ ⟨U+1F1E9⟩⟨U+1F1EA⟩");
        assert_eq!(spelled_out("a\u{E000}b\u{1FFFD}"), "a⟨U+E000⟩b⟨U+1FFFD⟩");
    }

    #[test]
    fn a_place_in_a_line_moves_with_what_was_made_safe() {
        let line = "a\u{1b}b = 'x\u{202E}y'";
        let (safe, place) = placed(line, 4..line.len());
        assert_eq!((&*safe, &safe[place]), ("a␛b = 'x⟨U+202E⟩y'", "= 'x⟨U+202E⟩y'"));
        assert_eq!(placed("a\tb", 2..3), (Cow::Borrowed("a\tb"), 2..3));
    }

    proptest! {
        #[test]
        fn no_sign_of_what_is_spelled_out_holds_more_than_can_be_seen(
            line in "([a\u{1100}\u{1161}\u{e33}\u{301}\u{94d}\u{915}\u{600}\u{200d}\u{1f3fd}\u{fe0f}👩🇩]|.){0,60}"
        ) {
            for sign in spelled_out(&line).graphemes(true) {
                prop_assert!(sign.chars().count() <= MOST_JOINED + 1, "{sign:?}");
                let one_by_one: usize = sign.chars().filter_map(UnicodeWidthChar::width).sum();
                prop_assert_eq!(sign.width(), one_by_one, "{:?}", sign);
            }
        }

        #[test]
        fn no_control_character_but_the_newline_comes_through(text in "(?s).{0,80}") {
            let safe = sanitise(&text);
            prop_assert!(!safe.chars().any(|c| c.is_control() && c != '\n'));
            prop_assert!(is_safe(&safe), "{safe:?}");
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
        fn a_safe_text_is_not_changed_again(text in "([é👩🏴a\u{200d}\u{200b}\u{e0067}\u{202e}\u{ad}]|.){0,60}") {
            let once = sanitise(&text).into_owned();
            prop_assert_eq!(sanitise(&once), once.as_str());
        }
    }
}
