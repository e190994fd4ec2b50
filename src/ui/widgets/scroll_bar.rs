//! How far down one is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use crate::ui::paint::{Look, put};
use crate::ui::theme::Scope;

/// A scroll bar in the first column of its area; nothing where all is visible.
#[derive(Clone, Copy, Debug)]
pub struct ScrollBar<'a> {
    /// Rows above what is visible.
    pub above: usize,
    pub total: usize,
    pub look: Look<'a>,
}

impl ScrollBar<'_> {
    /// The first row of the thumb and its length, in an area of a height; `None` where all is visible.
    pub(crate) fn thumb(&self, height: u16) -> Option<(u16, u16)> {
        let visible = usize::from(height);
        if height == 0 || self.total <= visible {
            return None;
        }
        let length = (visible * visible / self.total).clamp(1, visible);
        let hidden = self.total - visible;
        let free = visible - length;
        let start = (self.above.min(hidden) * free + hidden / 2) / hidden;
        Some((start as u16, length as u16))
    }
}

impl Widget for ScrollBar<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let Some((start, length)) = self.thumb(area.height) else { return };
        for at in 0..area.height {
            let on = (start..start + length).contains(&at);
            let (sign, scope) = if on {
                (self.look.glyphs.scroll_thumb, Scope::ScrollThumb)
            } else {
                (self.look.glyphs.scroll_track, Scope::ScrollTrack)
            };
            put(buf, area.x, area.y + at, 1, sign, self.look.style(scope));
        }
    }
}
