//! Text into rows: nothing too wide, nothing lost, nothing that panics.

use elenchus::ui::paint::text_width;
use elenchus::ui::row::{Row, Segment};
use elenchus::ui::wrap::{Break, Indent, wrap, wrap_text};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation as _;

fn segment(text: &str, at: usize) -> Segment {
    Segment { text: text.to_owned(), style: Style::new(), source: at..at + text.len() }
}

fn texts(rows: &[Row]) -> Vec<String> {
    rows.iter().map(Row::text).collect()
}

#[test]
fn words_are_kept_whole_and_spaces_at_the_end_of_a_row_are_dropped() {
    assert_eq!(wrap_text("the quick  brown fox", 10), ["the quick", "brown fox"]);
    assert_eq!(wrap_text("exactly ten", 7), ["exactly", "ten"]);
}

#[test]
fn a_word_wider_than_the_row_is_broken() {
    assert_eq!(wrap_text("a incomprehensibilities", 8), ["a", "incompre", "hensibil", "ities"]);
}

#[test]
fn a_hanging_indent_stands_before_every_row() {
    let indent =
        Indent { first: vec![Segment::added("• ", Style::new())], rest: vec![Segment::added("  ", Style::new())] };
    let rows = wrap(&[segment("one two three", 0)], 9, &indent, Break::Words);
    assert_eq!(texts(&rows), ["• one two", "  three"]);
}

#[test]
fn wide_characters_at_the_edge_move_to_the_next_row() {
    assert_eq!(wrap_text("a🌞b", 2), ["a", "🌞", "b"]);
    assert_eq!(wrap_text("日本語です。", 5), ["日本", "語で", "す。"]);
    assert_eq!(wrap_text("日本", 1), ["·", "·"]);
}

#[test]
fn accents_and_joined_emoji_are_never_split() {
    assert_eq!(wrap_text("e\u{301}e\u{301}e\u{301}", 2), ["e\u{301}e\u{301}", "e\u{301}"]);
    assert_eq!(wrap_text("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3), ["👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"]);
}

#[test]
fn hyphens_and_slashes_between_letters_are_places_to_break() {
    assert_eq!(wrap_text("well-known", 6), ["well-", "known"]);
    assert_eq!(wrap_text("take -5 now", 6), ["take", "-5 now"]);
}

#[test]
fn code_keeps_its_spaces() {
    let rows = wrap(&[segment("    let x = 1;", 0)], 8, &Indent::default(), Break::Anywhere);
    assert_eq!(texts(&rows), ["    let ", "x = 1;"]);
}

#[test]
fn no_width_gives_no_rows_and_no_text_gives_one() {
    assert_eq!(wrap_text("text", 0), Vec::<String>::new());
    assert_eq!(wrap_text("", 5), [""]);
    assert_eq!(wrap_text("a\n\nb", 5), ["a", "", "b"]);
}

#[test]
fn segments_know_the_bytes_they_came_from_after_a_break() {
    let rows = wrap(&[segment("one ", 100), segment("two three", 104)], 8, &Indent::default(), Break::Words);
    let sources: Vec<_> = rows.iter().map(Row::source).collect();
    assert_eq!(sources, [Some(100..107), Some(108..113)]);
}

/// Text with everything that makes wrapping hard.
fn hard_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(" ".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("🌞".to_owned()),
        Just("👩‍👩‍👧‍👦".to_owned()),
        Just("\u{301}".to_owned()),
        Just("\u{200B}".to_owned()),
        Just("\u{200D}".to_owned()),
        Just("日本語。".to_owned()),
        Just("שלום".to_owned()),
        Just("ﾞ".to_owned()),
        Just("\u{1b}[31m".to_owned()),
        Just("\t".to_owned()),
        "[a-z/-]{1,12}",
        "\\PC{0,4}",
        "(?s).{0,3}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_row_is_wider_than_the_width(text in hard_text(), width in 0usize..30, indent in "[ •]{0,12}") {
        let indent = Indent {
            first: vec![Segment::added(indent.clone(), Style::new())],
            rest: vec![Segment::added(indent, Style::new())],
        };
        for breaks in [Break::Words, Break::Anywhere] {
            for row in wrap(&[segment(&text, 0)], width, &indent, breaks) {
                prop_assert!(row.width() <= width, "{:?} is wider than {width}", row.text());
            }
        }
        for row in wrap_text(&text, width) {
            prop_assert!(text_width(&row) <= width);
        }
    }

    #[test]
    fn no_text_is_lost(text in hard_text(), width in 4usize..30) {
        // A single grapheme wider than the row can only be stood in for.
        prop_assume!(text.graphemes(true).all(|grapheme| text_width(grapheme) <= width));
        let visible = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        for breaks in [Break::Words, Break::Anywhere] {
            let rows = wrap(&[segment(&text, 0)], width, &Indent::default(), breaks);
            let kept: String = rows.iter().map(Row::text).collect();
            prop_assert_eq!(visible(&kept), visible(&text));
        }
    }

    #[test]
    fn code_loses_not_even_a_space(text in "[a-z ]{0,60}", width in 1usize..20) {
        let rows = wrap(&[segment(&text, 0)], width, &Indent::default(), Break::Anywhere);
        prop_assert_eq!(rows.iter().map(Row::text).collect::<String>(), text);
    }
}
