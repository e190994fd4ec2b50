//! The line of key hints: as many as fit, the most needed first.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use crate::ui::paint::{Look, put, row, text_width};
use crate::ui::theme::Scope;

/// A key and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyHint<'a> {
    pub key: &'a str,
    /// What it does; may be empty.
    pub does: &'a str,
}

/// Key hints in one row. They stand in order of need: the last are dropped where there is no room, but never one that
/// comes before one that is shown.
#[derive(Clone, Copy, Debug)]
pub struct KeyHints<'a> {
    /// The hints, the most needed first.
    pub hints: &'a [KeyHint<'a>],
    pub look: Look<'a>,
}

impl Widget for KeyHints<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = row(area, 0);
        if area.is_empty() {
            return;
        }
        let between = format!(" {} ", self.look.glyphs.separator);
        let (key, words) = (self.look.style(Scope::FooterKey), self.look.style(Scope::Footer));
        let mut x = area.x;
        for hint in self.hints {
            let first = x == area.x;
            let gap = if first { 0 } else { text_width(&between) };
            let does = if hint.does.is_empty() { 0 } else { 1 + text_width(hint.does) };
            if gap + text_width(hint.key) + does > usize::from(area.right() - x) {
                return;
            }
            if !first {
                x = put(buf, x, area.y, area.right() - x, &between, words);
            }
            x = put(buf, x, area.y, area.right() - x, hint.key, key);
            if !hint.does.is_empty() {
                x = put(buf, x + 1, area.y, area.right() - x - 1, hint.does, words);
            }
        }
    }
}
