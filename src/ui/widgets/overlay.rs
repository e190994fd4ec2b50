//! A window over the rest.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use crate::app::layout::{has_frame, inside};
use crate::ui::paint::{Look, clear, fit, put, text_width};
use crate::ui::theme::Scope;

/// A framed window with a title and a hint in its lower border. What lay under it is cleared.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// What stands in the upper border.
    pub title: &'a str,
    /// What stands in the lower border.
    pub hint: &'a str,
    pub look: Look<'a>,
}

impl Window<'_> {
    /// The place for what is in it. Where there is no room for a frame, there is none.
    pub fn inner(area: Rect) -> Rect {
        inside(area)
    }
}

impl Widget for Window<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        let ground = self.look.theme.base().patch(self.look.style(Scope::Overlay));
        clear(buf, area, ground);
        if !has_frame(area) {
            return;
        }
        let border = self.look.glyphs.border;
        let line = ground.patch(self.look.style(Scope::OverlayBorder));
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        for x in area.x + 1..right {
            put(buf, x, area.y, 1, border.horizontal, line);
            put(buf, x, bottom, 1, border.horizontal, line);
        }
        for y in area.y + 1..bottom {
            put(buf, area.x, y, 1, border.vertical, line);
            put(buf, right, y, 1, border.vertical, line);
        }
        let corners = [(area.x, area.y), (right, area.y), (area.x, bottom), (right, bottom)];
        for ((x, y), sign) in corners.into_iter().zip(border.corners) {
            put(buf, x, y, 1, sign, line);
        }
        let room = usize::from(area.width - 6);
        if !self.title.is_empty() {
            let title = format!(" {} ", fit(self.title, room, self.look.glyphs));
            put(buf, area.x + 2, area.y, area.width - 4, &title, ground.patch(self.look.style(Scope::OverlayTitle)));
        }
        if !self.hint.is_empty() {
            let hint = format!(" {} ", fit(self.hint, room, self.look.glyphs));
            let x = right - 1 - text_width(&hint) as u16;
            put(buf, x, bottom, area.width, &hint, ground.patch(self.look.style(Scope::Muted)));
        }
    }
}
