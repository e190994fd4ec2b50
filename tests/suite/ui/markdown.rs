//! Answers into rows: every kind of block, hanging indents, places in the text, and streaming that does not move.

use std::sync::LazyLock;

use elenchus::ui::glyphs;
use elenchus::ui::markdown::{CodeColours, Document, Setting, StreamingDocument, highlight};
use elenchus::ui::paint::Look;
use elenchus::ui::row::Row;
use elenchus::ui::theme::{Scope, Theme};
use elenchus::words::english;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

const SAMPLE: &str = include_str!("../../fixtures/ui/sample.md");

fn with_setting<T>(width: u16, run: impl FnOnce(&Setting<'_>) -> T) -> T {
    static THEME: LazyLock<Theme> = LazyLock::new(Theme::default);
    let colours = CodeColours::default();
    run(&Setting {
        width,
        look: Look { theme: &THEME, glyphs: &glyphs::UNICODE, words: english(), caret: None, ends: None },
        text: Scope::ChatAssistant,
        keep_breaks: false,
        colours: &colours,
    })
}

fn lay_out(text: &str, width: u16) -> Document {
    with_setting(width, |setting| Document::lay_out(text, setting))
}

fn rows(text: &str, width: u16) -> Vec<String> {
    lay_out(text, width).rows.iter().map(|row| row.text().trim_end().to_owned()).collect()
}

fn picture(text: &str, width: u16) -> String {
    rows(text, width).join("\n")
}

#[test]
fn every_kind_of_block_at_a_comfortable_width() {
    insta::assert_snapshot!(picture(SAMPLE, 60));
}

#[test]
fn every_kind_of_block_at_a_narrow_width() {
    insta::assert_snapshot!(picture(SAMPLE, 24));
}

#[test]
fn wrapped_list_items_hang_under_their_text() {
    assert_eq!(
        rows("- one two three\n  1. four five six", 11),
        ["• one two", "  three", "  1. four", "     five", "     six"]
    );
}

#[test]
fn items_that_stand_apart_keep_their_distance_and_tight_ones_do_not() {
    assert_eq!(rows("- a\n- b\n\ntext", 20), ["• a", "• b", "", "text"]);
    assert_eq!(rows("- a\n\n- b", 20), ["• a", "", "• b"]);
}

#[test]
fn tasks_have_boxes_and_empty_items_are_still_items() {
    assert_eq!(rows("- [x] done\n- [ ] open\n-", 20), ["☑ done", "☐ open", "•"]);
}

#[test]
fn a_quotation_is_marked_in_every_row() {
    assert_eq!(rows("> one two three\n>\n> - four", 11), ["▎ one two", "▎ three", "▎", "▎ • four"]);
}

#[test]
fn a_link_shows_where_it_leads_and_a_bare_one_only_once() {
    assert_eq!(rows("[docs](https://e.org) <https://e.org>", 60), ["docs (https://e.org) https://e.org"]);
    assert_eq!(rows("[a][x]\n\n[x]: https://x.org", 60), ["a (https://x.org)"]);
}

#[test]
fn columns_are_fitted_and_a_sliver_becomes_entries() {
    let table = "| name | what it is for |\n|---|--:|\n| a | one two three |";
    assert_eq!(rows(table, 40), ["name │ what it is for", "─────┼───────────────", "a    │  one two three"]);
    let narrow = ["name │   what it", "     │    is for", "─────┼──────────", "a    │   one two", "     │     three"];
    assert_eq!(rows(table, 16), narrow);
    assert_eq!(rows(table, 8), ["name: a", "what it", "  is", "  for:", "  one", "  two", "  three"]);
}

#[test]
fn code_is_kept_for_copying_and_plain_when_nobody_has_coloured_it() {
    let document = lay_out("```rust\nfn main() {\n\tlet x = 1;\n}\n```", 40);
    assert_eq!(&*document.code_blocks[0].text, "fn main() {\n\tlet x = 1;\n}");
    assert_eq!(document.code_blocks[0].language.as_deref(), Some("rust"));
    assert!(!document.code_blocks[0].coloured);
    let texts: Vec<_> = document.rows.iter().map(Row::text).collect();
    assert_eq!(texts, [" rust", " fn main() {", "     let x = 1;", " }"]);
    assert!(document.rows.iter().all(|row| row.code_block == Some(0)));
}

#[test]
fn coloured_code_has_the_same_rows_in_other_styles() {
    let text = "```rust\nlet answer = \"forty-two\"; // why\n```";
    let theme = Theme::default();
    let mut colours = CodeColours::default();
    let plain = lay_out(text, 40);
    assert!(colours.wants(&plain.code_blocks[0]));
    colours.colour_all(&plain.code_blocks);
    assert!(!colours.wants(&plain.code_blocks[0]));
    let setting = Setting {
        width: 40,
        look: Look::new(&theme),
        text: Scope::ChatAssistant,
        keep_breaks: false,
        colours: &colours,
    };
    let coloured = Document::lay_out(text, &setting);
    assert!(coloured.code_blocks[0].coloured);
    let texts = |document: &Document| document.rows.iter().map(Row::text).collect::<Vec<_>>();
    assert_eq!(texts(&coloured), texts(&plain));
    let fg = |word: &str| {
        coloured.rows.iter().flat_map(|row| &row.segments).find(|part| part.text.contains(word)).unwrap().style.fg
    };
    assert_eq!(fg("let"), theme.style(Scope::CodeKeyword).fg);
    assert_eq!(fg("forty-two"), theme.style(Scope::CodeString).fg);
    assert_eq!(fg("why"), theme.style(Scope::CodeComment).fg);
}

#[test]
fn unknown_languages_and_large_blocks_stay_plain() {
    assert_eq!(highlight(Some("klingon"), "x"), None);
    assert_eq!(highlight(None, "x"), None);
    assert_eq!(highlight(Some("rust"), &"x\n".repeat(50_000)), None);
    for language in ["rust", "python", "typescript", "toml", "json", "sh", "dockerfile", "diff", "sql", "yaml"] {
        assert!(highlight(Some(language), "x = 1\n").is_some(), "{language}");
    }
}

#[test]
fn every_word_knows_its_place_in_the_text() {
    let text = "# Why\n\n- we *lose* `two` patients &amp; time\n\n```sh\nls -l\n```";
    for row in lay_out(text, 18).rows {
        for segment in row.segments.iter().filter(|segment| !segment.source.is_empty() && segment.is_verbatim()) {
            assert_eq!(segment.text, text[segment.source.clone()]);
        }
    }
    let quoted = text.find("patients").unwrap();
    let document = lay_out(text, 18);
    let found = document.rows_showing(&(quoted..quoted + 8));
    assert_eq!(document.rows[found.clone()].iter().map(Row::text).collect::<Vec<_>>(), ["  patients & time"]);
}

#[test]
fn escapes_and_entities_cannot_smuggle_controls() {
    for text in
        ["a\u{1b}[2Jb", "&#27;[2J", "`\u{1b}]0;x\u{7}`", "```\u{1b}\n\u{9b}1m\n```", "[a](\u{202e}b)", "<b\u{1b}>"]
    {
        for row in lay_out(text, 30).rows {
            assert!(elenchus::text::is_safe(&row.text()), "{text:?} gives {:?}", row.text());
        }
    }
}

#[test]
fn right_to_left_text_and_emoji_come_through_unbroken() {
    assert_eq!(rows("שלום עולם 👩‍👩‍👧‍👦 é", 40), ["שלום עולם 👩‍👩‍👧‍👦 é"]);
}

#[test]
fn a_persons_line_ends_are_kept_where_asked_for() {
    let theme = Theme::default();
    let colours = CodeColours::default();
    let setting =
        Setting { width: 20, look: Look::new(&theme), text: Scope::ChatUser, keep_breaks: true, colours: &colours };
    let rows: Vec<_> = Document::lay_out("one\ntwo", &setting).rows.iter().map(Row::text).collect();
    assert_eq!(rows, ["one", "two"]);
}

#[test]
fn what_is_finished_does_not_move_while_the_rest_is_being_written() {
    with_setting(40, |setting| {
        let mut stream = StreamingDocument::default();
        let mut settled: Vec<Row> = Vec::new();
        for c in SAMPLE.chars() {
            stream.append(&c.to_string());
            stream.update(setting);
            assert_eq!(stream.settled_rows()[..settled.len()], settled);
            settled = stream.settled_rows().to_vec();
        }
        assert!(settled.len() > 20);
        let whole = Document::lay_out(SAMPLE, setting);
        assert_eq!(whole.rows[..settled.len()], settled);
        assert_eq!(stream.finish(setting), whole);
    });
}

#[test]
fn a_carriage_return_alone_ends_a_line_as_a_line_feed_does() {
    let text = "One\r\r- a\r- b\r\r```rust\rlet x = 1;\r```\r\r> quoted\r\nlast\r";
    assert_eq!(rows(text, 40), rows(&text.replace("\r\n", "\n").replace('\r', "\n"), 40));
    with_setting(40, |setting| {
        let whole = Document::lay_out(text, setting);
        for size in 1..9 {
            let mut stream = StreamingDocument::default();
            for piece in text.as_bytes().chunks(size) {
                stream.append(std::str::from_utf8(piece).expect("only ASCII"));
                stream.update(setting);
                let settled = stream.settled_rows();
                assert_eq!(whole.rows[..settled.len()], *settled, "in pieces of {size}");
            }
            assert_eq!(stream.finish(setting), whole);
        }
    });
}

#[test]
fn a_line_that_is_not_yet_anything_is_not_shown_as_something_else() {
    with_setting(40, |setting| {
        let mut stream = StreamingDocument::default();
        stream.append("Some text\n-");
        stream.update(setting);
        assert_eq!(stream.rows().iter().map(Row::text).collect::<Vec<_>>(), ["Some text"]);
        assert!(stream.settled_rows().is_empty());
        stream.append(" item");
        stream.update(setting);
        assert_eq!(stream.rows().iter().map(Row::text).collect::<Vec<_>>(), ["Some text", "", "• item"]);
    });
}

#[test]
fn links_defined_earlier_are_known_later() {
    with_setting(40, |setting| {
        let mut stream = StreamingDocument::default();
        for line in ["[x]: https://x.org\n", "\nfirst\n", "\nsecond\n", "\nsee [a][X] now"] {
            stream.append(line);
            stream.update(setting);
        }
        assert_eq!(stream.rows().last().map(Row::text).as_deref(), Some("see a (https://x.org) now"));
        assert!(!stream.settled_rows().is_empty());
    });
}

/// Markdown made of pieces that open, close and interrupt each other.
fn wild_markdown() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "\n",
        "\n\n",
        "- ",
        "  - ",
        "1. ",
        "> ",
        "# ",
        "```",
        "```rust\n",
        "~~~",
        "|",
        "| a | b |\n|---|---|\n",
        "---",
        "***",
        "**",
        "*",
        "`",
        "~~",
        "[a](b)",
        "[x]",
        "[x]: /u\n",
        "<b>",
        "<div>\n",
        "&amp;",
        "\\",
        "\t",
        "    ",
        "word ",
        "日本語",
        "🌞",
        "e\u{301}",
        "\u{1b}[1m",
        "שלום",
        "===",
        "- [x] ",
        "text\n",
        "![i](j)",
        "\r\n",
        "+ ",
        "2) ",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_markdown_fits_any_width(text in wild_markdown(), width in 0u16..40) {
        for row in lay_out(&text, width).rows {
            prop_assert!(row.width() <= usize::from(width), "{:?} is wider than {}", row.text(), width);
            prop_assert!(elenchus::text::is_safe(&row.text()));
        }
    }

    #[test]
    fn streamed_in_any_pieces_nothing_finished_ever_changes(
        text in wild_markdown(),
        cuts in prop::collection::vec(1usize..9, 1..40),
    ) {
        with_setting(24, |setting| {
            let mut stream = StreamingDocument::default();
            let mut rest = text.as_str();
            let mut settled: Vec<Row> = Vec::new();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let at = rest.ceil_char_boundary((*cut).min(rest.len()));
                stream.append(&rest[..at]);
                stream.update(setting);
                rest = &rest[at..];
                prop_assert_eq!(&stream.settled_rows()[..settled.len()], &settled[..]);
                settled = stream.settled_rows().to_vec();
            }
            // Definitions that come after their use are the one thing that a finished text knows better.
            if !text.contains("[x]: ") {
                let whole = Document::lay_out(&text, setting);
                prop_assert_eq!(&whole.rows[..settled.len()], &settled[..]);
                prop_assert_eq!(&stream.finish(setting).rows, &whole.rows);
            }
            Ok(())
        })?;
    }
}

#[test]
fn lines_of_an_open_block_of_code_settle_one_by_one() {
    with_setting(20, |setting| {
        let mut stream = StreamingDocument::default();
        stream.append("Look:\n\n```rust\nlet a = 1;\nlet b = 2;\n  le");
        stream.update(setting);
        let texts = |rows: &[Row]| rows.iter().map(Row::text).collect::<Vec<_>>();
        assert_eq!(texts(stream.settled_rows()), ["Look:", "", " rust", " let a = 1;", " let b = 2;"]);
        assert_eq!(stream.rows().last().map(Row::text).as_deref(), Some("   le"));
        assert!(stream.code_blocks().is_empty());
        stream.append("t\n``");
        stream.update(setting);
        assert_eq!(stream.rows().last().map(Row::text).as_deref(), Some("   let"));
        stream.append("`\nDone");
        stream.update(setting);
        assert_eq!(&*stream.code_blocks()[0].text, "let a = 1;\nlet b = 2;\n  let");
        assert_eq!(texts(&stream.rows()[6..]), ["", "Done"]);
        assert_eq!(stream.document().clone(), Document::lay_out(stream.source(), setting));
    });
}

#[test]
fn what_a_piece_costs_does_not_grow_with_what_was_said_before() {
    // Counted in rows that are laid out again, which needs no clock.
    with_setting(40, |setting| {
        for text in ["A paragraph of some words.\n\n", "- item\n\ntext\n\n", "```sh\nls\n```\n\n"] {
            let mut stream = StreamingDocument::default();
            let mut open = Vec::new();
            for _ in 0..200 {
                stream.append(text);
                stream.update(setting);
                open.push(stream.rows().len() - stream.settled_rows().len());
            }
            assert!(open.iter().all(|rows| *rows <= 4), "{text:?}: {open:?}");
        }
        let mut stream = StreamingDocument::default();
        stream.append("```sh\n");
        for _ in 0..200 {
            stream.append("ls -l\nl");
            stream.update(setting);
            assert!(stream.rows().len() - stream.settled_rows().len() <= 1);
        }
    });
}

#[test]
fn quotes_lists_and_images_within_each_other_do_not_multiply() {
    // Each of these took the square of its length; what a row carries is bounded now, whatever it stands in.
    let quotes = "> ".repeat(100_000) + "x";
    let lists = "- ".repeat(100_000) + "x";
    let images = "![".repeat(30_000) + "x" + &"](y)".repeat(30_000);
    let lines = (1..1_500).fold(String::new(), |text, depth| text + &"> ".repeat(depth) + "word\n");
    for text in [quotes, lists, images, lines] {
        let document = lay_out(&text, 80);
        let segments: usize = document.rows.iter().map(|row| row.segments.len()).sum();
        assert!(document.rows.iter().any(|row| row.text().contains('x') || row.text().contains("word")));
        assert!(segments <= text.len() / 2 + 200, "{segments} segments of {} bytes", text.len());
    }
    let nested = rows("> > > deep\n\n> - a\n>   - b", 40);
    assert_eq!(nested, ["▎ ▎ ▎ deep", "", "▎ • a", "▎   ◦ b"], "what people write is as it was");
}

#[test]
fn an_empty_row_within_many_quotes_is_no_wider_than_the_others() {
    let text = format!("{0}a\n{0}\n{0}b", "> ".repeat(20));
    for row in lay_out(&text, 10).rows {
        assert!(row.width() <= 10, "{:?}", row.text());
    }
}

#[test]
fn a_long_head_is_not_repeated_before_every_entry_of_a_narrow_table() {
    let head = "head ".repeat(4_000);
    let columns = 30;
    let table = format!("|{head}|{}\n|{}\n{}", "b|".repeat(columns), "-|".repeat(columns + 1), "|1|\n".repeat(2_000));
    let document = lay_out(&table, 40);
    let shown: usize = document.rows.iter().map(|row| row.text().len()).sum();
    assert!(shown < 20 * table.len(), "{shown} bytes are drawn of {}", table.len());
    assert!(document.rows.len() < 20_000, "cells without a word take no row: {}", document.rows.len());
}

#[test]
fn a_block_without_an_end_costs_a_multiple_of_its_length() {
    // Counted in bytes that are laid out again, which needs no clock.
    with_setting(60, |setting| {
        for piece in ["word and word ", "- item\n", "> said\n", "| a | b |\n|---|---|\n", "```\nx"] {
            let mut stream = StreamingDocument::default();
            for _ in 0..2_000 {
                stream.append(piece);
                stream.update(setting);
            }
            let (laid_out, length) = (stream.laid_out(), stream.source().len());
            // Up to the length at which a block counts as long, it is laid out with every piece.
            let short = 4 * 1024 * 4 * 1024 / piece.len();
            assert!(laid_out <= 12 * length + short, "{piece:?}: {laid_out} bytes for {length}");
            let whole = Document::lay_out(stream.source(), setting);
            assert_eq!(stream.finish(setting).rows, whole.rows);
        }
    });
}
