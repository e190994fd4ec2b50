//! The chat pane: what was said, the user's own words set apart.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;
use unicode_segmentation::UnicodeSegmentation as _;

use super::chat_layouts::{ChatLayouts, GUTTER};
use super::paint::{Look, put, put_fitted, text_width};
use super::row::Row;
use super::theme::Scope;
use super::widgets::ScrollBar;
use crate::app::chat::EntryKind;
use crate::app::model::Model;

pub fn draw(model: &Model, layouts: &ChatLayouts, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let height = usize::from(area.height);
    let (chat, width) = (&model.chat, area.width.saturating_sub(GUTTER).max(1));
    let top = chat.top(height);
    for y in 0..area.height {
        let row = top + usize::from(y);
        if row >= chat.rows.total() {
            break;
        }
        let (entry, within) = chat.rows.locate(row);
        let Some(shown) = model.shown(entry) else { continue };
        let found = layouts.row(model, entry, within, width, look);
        let selected = chat.selected == Some(entry);
        if let Some((sign, scope)) = mark(shown.kind, selected, found.is_some(), look) {
            put(buf, area.x, area.y + y, 1, sign, look.style(scope));
        }
        let Some(found) = found else { continue };
        let lit = lit(model, entry, found, look);
        let line = Rect { x: area.x + GUTTER, y: area.y + y, width, height: 1 };
        if shown.kind == EntryKind::Note && is_short(shown.text, width) {
            note(found, look, line, buf);
        } else {
            lit.as_ref().unwrap_or(found).draw(buf, line.x, line.y, line.width);
        }
    }
    if area.width >= 20 && area.right() < buf.area.right() {
        let bar = ScrollBar { above: top, total: chat.rows.total(), look };
        bar.render(Rect { x: area.right(), width: 1, ..area }, buf);
    }
}

/// The mark at the left: the user's words, and the message that is selected.
fn mark(kind: EntryKind, selected: bool, has_text: bool, look: Look<'_>) -> Option<(&'static str, Scope)> {
    match kind {
        _ if !has_text => None,
        _ if selected => Some((look.glyphs.selected, Scope::Accent)),
        EntryKind::User => Some((look.glyphs.quote, Scope::ChatUserMark)),
        EntryKind::Aside | EntryKind::AsideAnswer => Some((look.glyphs.separator, Scope::Muted)),
        EntryKind::Assistant | EntryKind::Note | EntryKind::Recap => None,
    }
}

/// Whether a note fits into a rule; one that does not is read like any text.
fn is_short(text: &str, width: u16) -> bool {
    text_width(text) + RULED <= usize::from(width)
}

/// What a rule takes around a note, in columns.
const RULED: usize = 4;

/// A phase that was entered, or what was looked up: a line with words in it.
fn note(row: &Row, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let (rule, style) = (look.glyphs.rule, look.style(Scope::Rule));
    let x = put(buf, area.x, area.y, area.width, &rule.repeat(2), style);
    let x = put_fitted(
        buf,
        (x, area.y),
        area.right().saturating_sub(x),
        &format!(" {} ", row.text().trim()),
        look.style(Scope::ChatSystem),
        look.glyphs,
    );
    let rest = usize::from(area.right().saturating_sub(x));
    put(buf, x, area.y, area.right().saturating_sub(x), &rule.repeat(rest), style);
}

/// The row with the words in it that were jumped to or found.
fn lit(model: &Model, entry: usize, row: &Row, look: Look<'_>) -> Option<Row> {
    let chat = &model.chat;
    let mut changed: Option<Row> = None;
    if let Some(highlight) = chat.highlight.as_ref().filter(|highlight| highlight.entry == entry) {
        changed = Some(row.highlighted(&highlight.bytes, look.style(Scope::Highlight)));
    }
    if let Some(find) = &chat.find {
        let first = find.matches.partition_point(|found| found.entry < entry);
        let here = find.matches[first..].iter().enumerate().take_while(|(_, found)| found.entry == entry);
        for (at, found) in here {
            let scope = if first + at == find.current { Scope::SearchCurrent } else { Scope::SearchMatch };
            changed = Some(changed.as_ref().unwrap_or(row).highlighted(&found.bytes, look.style(scope)));
        }
    }
    changed
}

/// The part of a text that fits into so many columns from its end, for a line that is being typed.
pub(crate) fn tail_fitting(text: &str, width: usize) -> &str {
    let mut start = text.len();
    let mut columns = 0;
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        columns += super::paint::grapheme_width(grapheme);
        if columns > width {
            break;
        }
        start = at;
    }
    &text[start..]
}

/// The same with a sign where something is left out before it.
pub(crate) fn tail_in(text: &str, width: usize, look: Look<'_>) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(text_width(look.glyphs.ellipsis));
    format!("{}{}", look.glyphs.ellipsis, tail_fitting(text, room))
}
