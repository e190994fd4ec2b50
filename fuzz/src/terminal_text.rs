//! Text on its way to a terminal: nothing steers it, nothing is too wide, nothing visible is lost.

use elenchus::text::{coloured, deceives, is_safe, json_escaped, pieces, placed, printable, sanitise, spelled_out};
use elenchus::ui::paint::text_width;
use elenchus::ui::row::{Row, Segment};
use elenchus::ui::wrap::{Break, Indent, cut, wrap, wrap_text};
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation as _;

pub fn try_input(bytes: &[u8]) {
    let Some((width, text)) = bytes.split_first() else { return };
    let width = usize::from(*width % 64);
    let text = String::from_utf8_lossy(text);
    let safe = sanitise(&text).into_owned();
    assert!(!safe.chars().any(|c| c.is_control() && c != '\n'));
    assert!(is_safe(&safe) || text.contains('🏴'));
    assert_eq!(sanitise(&safe), safe);
    let steers = |text: &str| text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    assert!(!steers(&printable(&text)));
    assert!(!spelled_out(&text).chars().any(deceives), "what people agree to hides nothing");
    let document = serde_json::to_string(&*text).expect("a text is JSON");
    let escaped = json_escaped(&document);
    assert!(!escaped.chars().any(deceives));
    assert_eq!(serde_json::from_str::<String>(&escaped).expect("still JSON"), text);
    let without_colours = coloured(&text).replace('\u{1b}', "");
    assert!(!steers(&without_colours));
    let half = text.floor_char_boundary(text.len() / 2);
    let (line, place) = placed(&text, half..text.len());
    assert!(line.get(place).is_some(), "a place stays within the line");
    let mut end = 0;
    for piece in pieces(&text) {
        assert_eq!(piece.source.start, end);
        end = piece.source.end;
    }
    assert_eq!(end, text.len());
    for row in wrap_text(&text, width) {
        assert!(text_width(&row) <= width);
    }
    let segment = Segment { text: safe.clone(), style: Style::new(), source: 0..safe.len() };
    let visible = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let fits = safe.graphemes(true).all(|grapheme| text_width(grapheme) <= width);
    for breaks in [Break::Words, Break::Anywhere] {
        let rows = wrap(std::slice::from_ref(&segment), width, &Indent::default(), breaks);
        assert!(rows.iter().all(|row| row.width() <= width));
        if fits && width > 0 {
            assert_eq!(visible(&rows.iter().map(Row::text).collect::<String>()), visible(&safe));
        }
    }
    assert!(cut(&[segment], width).iter().map(|segment| text_width(&segment.text)).sum::<usize>() <= width);
}
