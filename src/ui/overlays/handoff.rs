//! The review of a handoff: the form of what goes on.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget as _;

use super::window;
use crate::app::layout::{centered, inside};
use crate::app::model::Model;
use crate::app::overlay::{FormLine, HandoffReview, ItemEdit};
use crate::ui::paint::{Look, clear, put, put_fitted, text_width};
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

/// The columns of the window, where there are that many.
const WIDTH: u16 = 84;

/// The most rows that an item takes while it is changed.
const EDITED: usize = 6;

/// A row: the line of the form it belongs to, a mark, its words; or a row of the item that is being changed.
struct Row {
    of: Option<usize>,
    mark: &'static str,
    text: String,
    style: Style,
    edits: bool,
}

impl Row {
    fn plain(text: String, style: Style) -> Self {
        Self { of: None, mark: " ", text, style, edits: false }
    }
}

pub fn draw(_model: &Model, review: &HandoffReview, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let tallest = area.height.saturating_sub(2).max(5);
    let columns = usize::from(inside(centered(area, WIDTH, tallest)).width.saturating_sub(4));
    let rows = rows(review, columns.max(1), look);
    let height = (rows.len() as u16).saturating_add(2).min(tallest);
    let inner = window(buf, area, WIDTH, height, &review.label, look);
    let own = |row: &Row| row.of == Some(review.cursor);
    let (first, last) = (rows.iter().position(own).unwrap_or(0), rows.iter().rposition(own).unwrap_or(0));
    // From the top on as long as that shows the cursor; what is said before the form is only read there.
    let height = usize::from(inner.height);
    let top = if last < height { 0 } else { (last + 2).saturating_sub(height).min(first) };
    let top = top.min(rows.len().saturating_sub(height));
    for (y, row) in (inner.y..inner.bottom()).zip(&rows[top.min(rows.len())..]) {
        if row.of == Some(review.cursor) {
            put(buf, inner.x, y, 1, look.glyphs.selected, look.style(Scope::Accent));
        }
        put(buf, inner.x + 2, y, 1, row.mark, row.style);
        put_fitted(buf, (inner.x + 4, y), inner.width.saturating_sub(4), &row.text, row.style, look.glyphs);
    }
    if let Some(edit) = &review.editing {
        draw_edit(edit, &rows, top, look, inner, buf);
    }
}

fn rows(review: &HandoffReview, columns: usize, look: Look<'_>) -> Vec<Row> {
    let says = &look.words.handoff;
    let (plain, title, muted) = (look.style(Scope::Overlay), look.style(Scope::Accent), look.style(Scope::Muted));
    let mut all = vec![Row::plain(says.goes_on_to(&review.target), muted)];
    for problem in &review.problems {
        let wrapped = wrap_text(problem, columns).into_iter();
        all.extend(wrapped.map(|text| Row { mark: look.glyphs.attention, ..Row::plain(text, look.style(Scope::Bad)) }));
    }
    for (at, line) in review.lines().into_iter().enumerate() {
        let own = |text: String, style: Style| Row { of: Some(at), ..Row::plain(text, style) };
        let (part, item) = match line {
            FormLine::Title(part) => (part, None),
            FormLine::Item(part, item) => (part, Some(item)),
        };
        let edit = review.editing.as_ref().filter(|edit| edit.part == part && Some(edit.at) == item);
        match item {
            None => {
                all.push(Row::plain(String::new(), plain));
                let empty = part.shown(&review.handoff, says).is_empty();
                let title_of = part.title(says);
                let text = if empty { says.nothing_in(title_of) } else { title_of.to_owned() };
                all.push(own(text, if empty { muted } else { title }));
            }
            Some(item) if edit.is_none() => {
                let text = part.shown(&review.handoff, says).get(item).cloned().unwrap_or_default();
                let wrapped = wrap_text(&text, columns).into_iter().enumerate();
                let bullet = |row| if row == 0 { look.glyphs.bullets[0] } else { " " };
                all.extend(wrapped.map(|(row, text)| Row { mark: bullet(row), ..own(text, plain) }));
            }
            Some(_) => {}
        }
        let adds = review.editing.as_ref().filter(|edit| edit.part == part && item.is_none());
        let adds = adds.filter(|edit| edit.at >= part.count(&review.handoff));
        if let Some(edit) = edit.or(adds) {
            all.extend((0..edited_rows(edit, columns)).map(|_| Row { edits: true, ..own(String::new(), plain) }));
            let hint = match part.second_line(says) {
                Some(more) => says.second_line(more),
                None => says.without_words().to_owned(),
            };
            all.extend(wrap_text(&hint, columns).into_iter().map(|text| own(text, muted)));
        }
    }
    all
}

fn edited_rows(edit: &ItemEdit, columns: usize) -> usize {
    let needed: usize = edit.area.lines().iter().map(|line| text_width(line) / columns + 1).sum();
    needed.clamp(1, EDITED)
}

fn draw_edit(edit: &ItemEdit, rows: &[Row], top: usize, look: Look<'_>, inner: Rect, buf: &mut Buffer) {
    let own = |row: &Row| row.edits;
    let first = rows.iter().position(own).unwrap_or(0).max(top);
    let last = rows.iter().rposition(own).unwrap_or(0).min(top + usize::from(inner.height).saturating_sub(1));
    if first > last {
        return;
    }
    let y = inner.y + (first - top) as u16;
    let width = inner.width.saturating_sub(4);
    let place = Rect { x: inner.x + 4, y, width, height: (last - first + 1) as u16 }.intersection(inner);
    clear(buf, place, look.theme.base().patch(look.style(Scope::Composer)));
    buf.set_style(place, look.style(Scope::Composer).add_modifier(Modifier::UNDERLINED));
    (&*edit.area).render(place, buf);
    look.take_caret(place, buf);
}
