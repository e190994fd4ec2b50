//! Markdown, whole and as it is written: it fits, it is safe to draw, and what is finished does not move.

use elenchus::text::is_safe;
use elenchus::ui::markdown::{CodeColours, Document, Setting, StreamingDocument};
use elenchus::ui::paint::Look;
use elenchus::ui::row::Row;
use elenchus::ui::theme::{Scope, Theme};

pub fn try_input(bytes: &[u8]) {
    let [width, step, text @ ..] = bytes else { return };
    let text = String::from_utf8_lossy(text);
    let theme = Theme::default();
    let colours = CodeColours::default();
    let setting = Setting {
        width: u16::from(*width % 120),
        look: Look::new(&theme),
        text: Scope::ChatAssistant,
        keep_breaks: *step >= 128,
        colours: &colours,
    };
    let whole = Document::lay_out(&text, &setting);
    for row in &whole.rows {
        assert!(row.width() <= usize::from(setting.width), "{:?}", row.text());
        assert!(is_safe(&row.text()) || text.contains('🏴'), "{:?}", row.text());
        for segment in row.segments.iter().filter(|segment| !segment.source.is_empty() && segment.is_verbatim()) {
            // A line end or a tab within a paragraph is shown as a space.
            let source = text.get(segment.source.clone()).map(|source| source.replace(['\n', '\r', '\t'], " "));
            assert_eq!(source.as_deref(), Some(segment.text.as_str()));
        }
    }
    let mut stream = StreamingDocument::default();
    let mut settled: Vec<Row> = Vec::new();
    let mut rest = &*text;
    while !rest.is_empty() {
        let at = rest.ceil_char_boundary((usize::from(*step % 128) + 1).min(rest.len()));
        stream.append(&rest[..at]);
        stream.update(&setting);
        rest = &rest[at..];
        assert_eq!(stream.settled_rows()[..settled.len()], settled);
        settled = stream.settled_rows().to_vec();
    }
    // Definitions that come after their use are the one thing that a finished text knows better.
    if !text.contains("]:") && setting.width > 0 {
        assert_eq!(whole.rows[..settled.len()], settled);
        assert_eq!(stream.finish(&setting).rows, whole.rows);
    }
}
