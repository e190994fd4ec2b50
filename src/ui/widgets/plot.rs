//! Values over turns: as a line of small bars, and as a plot with a line for what was aimed at.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use crate::ui::paint::{Look, after, put, put_right, row};
use crate::ui::theme::Scope;

/// The last values in one row, a column each.
#[derive(Clone, Copy, Debug)]
pub struct Sparkline<'a> {
    /// The values, the latest last.
    pub values: &'a [f64],
    /// What a full column stands for.
    pub top: f64,
    pub look: Look<'a>,
}

impl Widget for Sparkline<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = row(area, 0);
        let shown = &self.values[self.values.len().saturating_sub(usize::from(area.width))..];
        for (x, value) in (area.x..area.right()).zip(shown) {
            let level = self.look.glyphs.level(share(*value, self.top));
            put(buf, x, area.y, 1, level, self.look.style(Scope::PlotLine));
        }
    }
}

/// Values over turns, with axes, and the value that was aimed at as a line.
#[derive(Clone, Copy, Debug)]
pub struct Plot<'a> {
    /// The values, the latest last; `None` for turns without one.
    pub values: &'a [Option<f64>],
    /// What was aimed at, turn by turn.
    pub targets: &'a [Option<f64>],
    pub top: f64,
    pub first_turn: u32,
    pub look: Look<'a>,
}

fn share(value: f64, top: f64) -> f64 {
    let share = if top > 0.0 { value / top } else { 0.0 };
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

impl Plot<'_> {
    fn axes(&self, area: Rect, buf: &mut Buffer) -> Rect {
        let (look, border) = (self.look, self.look.glyphs.border);
        let line = look.style(Scope::PlotAxis);
        let numbers = look.style(Scope::Muted);
        let gutter = Rect { width: 4, ..area };
        put_right(buf, Rect { width: 3, ..gutter }, &format!("{:.0}", self.top), numbers);
        put_right(buf, Rect { width: 3, ..row(gutter, area.height - 2) }, "0", numbers);
        let inner = Rect { height: area.height - 1, ..after(area, 4) };
        for y in inner.y..inner.bottom() {
            put(buf, area.x + 3, y, 1, border.vertical, line);
        }
        let shown = self.shown(inner.width);
        let first = self.first_turn + (self.values.len() - shown) as u32;
        let x = put(buf, inner.x, inner.bottom(), inner.width, &first.to_string(), numbers);
        let last = (self.first_turn + self.values.len() as u32).saturating_sub(1).to_string();
        let end = inner.x + (shown as u16).min(inner.width);
        if shown > 1 && end > x + last.len() as u16 {
            put(buf, end - last.len() as u16, inner.bottom(), inner.width, &last, numbers);
        }
        inner
    }

    fn shown(&self, width: u16) -> usize {
        self.values.len().min(usize::from(width))
    }
}

impl Widget for Plot<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let inner = if area.width >= 12 && area.height >= 4 { self.axes(area, buf) } else { area };
        let skipped = self.values.len() - self.shown(inner.width);
        let height = |value: f64| {
            let up = (share(value, self.top) * f64::from(inner.height - 1)).round() as u16;
            inner.bottom() - 1 - up
        };
        for (at, x) in (skipped..self.values.len()).zip(inner.x..inner.right()) {
            if let Some(Some(target)) = self.targets.get(at) {
                put(buf, x, height(*target), 1, self.look.glyphs.rule, self.look.style(Scope::PlotTarget));
            }
            if let Some(value) = self.values[at] {
                put(buf, x, height(value), 1, self.look.glyphs.point, self.look.style(Scope::PlotLine));
            }
        }
    }
}
