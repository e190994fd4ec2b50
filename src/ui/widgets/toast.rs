//! A sentence that wants to be read: in a corner, until it has been.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use crate::ui::paint::{Look, clear, put, text_width};
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToastKind {
    /// Good to know.
    Info,
    Success,
    /// Something to look at.
    Warning,
    Error,
}

/// A sentence in the upper right corner of its area.
#[derive(Clone, Copy, Debug)]
pub struct Toast<'a> {
    pub kind: ToastKind,
    pub text: &'a str,
    /// How to be rid of it.
    pub hint: &'a str,
    pub look: Look<'a>,
}

/// The widest it becomes: longer rows are hard to read in a corner.
const WIDEST: usize = 56;

impl Toast<'_> {
    fn rows(&self, area: Rect) -> Vec<String> {
        let room = usize::from(area.width.saturating_sub(6)).min(WIDEST);
        let mut rows = wrap_text(self.text, room);
        rows.truncate(usize::from(area.height.saturating_sub(u16::from(!self.hint.is_empty()))).max(1));
        rows
    }

    /// The place it takes in an area.
    pub fn place(&self, area: Rect) -> Rect {
        let rows = self.rows(area);
        let widest = rows.iter().map(|row| text_width(row)).max().unwrap_or(0).max(text_width(self.hint));
        let width = (widest as u16 + 4).min(area.width);
        let height = (rows.len() as u16 + u16::from(!self.hint.is_empty())).min(area.height);
        Rect { x: area.right() - width, y: area.y, width, height }
    }
}

impl Widget for Toast<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        if area.width < 7 || area.is_empty() {
            return;
        }
        let (scope, sign) = match self.kind {
            ToastKind::Info => (Scope::ToastInfo, self.look.glyphs.point),
            ToastKind::Success => (Scope::ToastSuccess, self.look.glyphs.done),
            ToastKind::Warning => (Scope::ToastWarning, self.look.glyphs.attention),
            ToastKind::Error => (Scope::ToastError, self.look.glyphs.failed),
        };
        let style = self.look.theme.base().patch(self.look.style(scope));
        let place = self.place(area);
        clear(buf, place, style);
        put(buf, place.x + 1, place.y, 1, sign, style);
        let rows = self.rows(area);
        let room = place.width.saturating_sub(4);
        for (at, text) in (0u16..).zip(&rows).take(usize::from(place.height)) {
            put(buf, place.x + 3, place.y + at, room, text, style);
        }
        if !self.hint.is_empty() && rows.len() < usize::from(place.height) {
            let muted = style.patch(self.look.style(Scope::Muted));
            put(buf, place.x + 3, place.bottom() - 1, room, self.hint, ratatui::style::Style { bg: style.bg, ..muted });
        }
    }
}
