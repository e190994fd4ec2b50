//! Who answers, what is kept where, how it is erased: on one page, if the window has room for it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use super::{Line, Window, lines};
use crate::app::about::{About, parts};
use crate::app::layout::{centered, inside};
use crate::app::model::Model;
use crate::app::msg::CardMsg;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

/// The columns of the window, where there are that many.
const WIDTH: u16 = 84;
/// Columns from which on what is said stands a little to the right of its heading.
const INDENTED: u16 = 40;

pub(super) fn draw(model: &Model, about: &About, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let (place, all) = laid_out(model, look, area);
    let says = &look.words.about;
    Window { title: says.title(), hint: says.goes_on(), look }.render(place, buf);
    lines(buf, inside(place), about.top, &all, look);
}

pub(super) fn measure(model: &Model, about: &About, look: Look<'_>, area: Rect) -> CardMsg {
    let (place, all) = laid_out(model, look, area);
    let inner = inside(place);
    let (rows, visible) = (all.len(), usize::from(inner.height).min(all.len()));
    CardMsg { columns: inner.width, rows, top: about.top.min(rows - visible), visible }
}

fn laid_out(model: &Model, look: Look<'_>, area: Rect) -> (Rect, Vec<Line>) {
    let tallest = area.height;
    let columns = inside(centered(area, WIDTH, tallest)).width;
    let indent = if columns < INDENTED { "" } else { "  " };
    let mut all: Vec<Line> = Vec::new();
    for part in parts(model) {
        if !all.is_empty() {
            all.push((String::new(), look.style(Scope::Overlay)));
        }
        all.push((part.heading.to_owned(), look.style(Scope::Accent)));
        for line in part.says {
            let rows = wrap_text(&line, usize::from(columns).saturating_sub(indent.len()).max(1));
            all.extend(rows.into_iter().map(|row| (format!("{indent}{row}"), look.style(Scope::Overlay))));
        }
    }
    (centered(area, WIDTH, (all.len() as u16).saturating_add(2).min(tallest)), all)
}
