//! An earlier course of the session: what was said in it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use super::{Line, Window, lines};
use crate::app::layout::{centered, inside};
use crate::app::model::Model;
use crate::app::overlay::{CourseCard, course};
use crate::engine::transcript::Role;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

/// The columns of the window, where there are that many.
const WIDTH: u16 = 90;

pub fn draw(model: &Model, card: &CourseCard, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let tallest = area.height.saturating_sub(2).max(5);
    let columns = usize::from(inside(centered(area, WIDTH, tallest)).width.max(1));
    let engine = model.session.as_ref().map_or("", |session| session.engine.name.as_str());
    let mut all: Vec<Line> = Vec::new();
    for message in &card.course.messages {
        let (who, style) = match message.role {
            Role::User => (look.words.courses.you(), look.style(Scope::Accent)),
            Role::Assistant => (engine, look.style(Scope::Muted)),
        };
        if !all.is_empty() {
            all.push((String::new(), style));
        }
        all.push((who.to_owned(), style));
        let rows = message.text.lines().flat_map(|line| wrap_text(line, columns));
        all.extend(rows.map(|row| (row, look.style(Scope::Overlay))));
    }
    let place = centered(area, WIDTH, (all.len() as u16).saturating_add(2).min(tallest));
    let hint = look.words.courses.keys().replace('·', look.glyphs.separator);
    Window { title: &course::title(&card.course, &look.words.courses), hint: &hint, look }.render(place, buf);
    lines(buf, inside(place), card.top, &all, look);
}
