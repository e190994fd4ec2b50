//! The review of a handoff.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Line, lines, window};
use crate::app::layout::{centered, inside};
use crate::app::model::Model;
use crate::app::overlay::HandoffReview;
use crate::engine::handoff::preview;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

/// The columns of the window, where there are that many.
const WIDTH: u16 = 84;

pub fn draw(_model: &Model, review: &HandoffReview, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let tallest = area.height.saturating_sub(2).max(5);
    let columns = usize::from(inside(centered(area, WIDTH, tallest)).width.saturating_sub(2));
    let (plain, title, muted) = (look.style(Scope::Overlay), look.style(Scope::Accent), look.style(Scope::Muted));
    let dot = look.glyphs.separator;
    let mut all: Vec<Line> =
        vec![(format!("To {} {dot} y accept {dot} e edit {dot} n decline {dot} Esc later", review.target), muted)];
    for problem in &review.problems {
        all.extend(wrap_text(problem, columns).into_iter().map(|row| (row, look.style(Scope::Bad))));
    }
    for (name, items) in preview(&review.handoff) {
        all.push((String::new(), plain));
        all.push((name.to_owned(), title));
        for item in items {
            let rows = wrap_text(&item, columns.saturating_sub(2));
            all.extend(rows.into_iter().enumerate().map(|(at, row)| {
                let mark = if at == 0 { look.glyphs.bullets[0] } else { " " };
                (format!("{mark} {row}"), plain)
            }));
        }
    }
    let height = (all.len() as u16).saturating_add(2).min(tallest);
    let inner = window(buf, area, WIDTH, height, &review.label, look);
    lines(buf, inner, review.top, &all, look);
}
