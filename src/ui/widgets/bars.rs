//! Bars: how complete the picture is, how the talk sounds, what it has cost.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::engine::sidebar::{ProgressBarState, SidebarBudget, SidebarMode};
use crate::ui::paint::{Look, after, put, put_fitted, put_right, row, text_width};
use crate::ui::theme::Scope;

/// A bar of one row, with an optional tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar<'a> {
    /// How much of it is full, from 0 to 1.
    pub share: f64,
    /// Where the tick stands, from 0 to 1.
    pub tick: Option<f64>,
    /// The signs: full, empty, tick.
    pub signs: [&'a str; 3],
    pub styles: [Style; 3],
}

impl Widget for Bar<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let width = f64::from(area.width);
        let share = if self.share.is_finite() { self.share.clamp(0.0, 1.0) } else { 0.0 };
        // What is not quite nothing or not quite all must not look so.
        let rounded = (share * width).round() as u16;
        let full = match rounded {
            0 if share > 0.0 && area.width > 1 => 1,
            all if all == area.width && share < 1.0 && area.width > 1 => all - 1,
            some => some,
        };
        let tick = self.tick.filter(|tick| tick.is_finite());
        let tick = tick.map(|tick| ((tick.clamp(0.0, 1.0) * width).round() as u16).min(area.width - 1));
        for at in 0..area.width {
            let part = if tick == Some(at) { 2 } else { usize::from(at >= full) };
            put(buf, area.x + at, area.y, 1, self.signs[part], self.styles[part]);
        }
    }
}

/// How complete the picture is: a label, the bar with a tick where "ready" begins, the number.
#[derive(Clone, Copy, Debug)]
pub struct ProgressBar<'a> {
    pub state: &'a ProgressBarState,
    /// What stands before it; left out where there is no room.
    pub label: &'a str,
    pub look: Look<'a>,
}

impl Widget for ProgressBar<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut area = row(area, 0);
        if area.is_empty() {
            return;
        }
        let full = if self.state.is_ready { Scope::ProgressReady } else { Scope::ProgressFull };
        if self.state.show_percentage && area.width >= 10 {
            let number = format!(" {:>3} %", self.state.percentage);
            let scope = if self.state.is_ready { Scope::ProgressReady } else { Scope::SidebarCount };
            area.width -= area.right() - put_right(buf, area, &number, self.look.style(scope));
        }
        let label = text_width(self.label) as u16 + 1;
        if area.width >= label + 8 {
            put(buf, area.x, area.y, area.width, self.label, self.look.style(Scope::SidebarTitle));
            area = after(area, label);
        }
        let glyphs = self.look.glyphs;
        let bar = Bar {
            share: f64::from(self.state.percentage) / 100.0,
            tick: Some(f64::from(self.state.ready_at) / 100.0),
            signs: [glyphs.bar_full, glyphs.bar_empty, glyphs.bar_tick],
            styles: [full, Scope::ProgressEmpty, Scope::ProgressTick].map(|scope| self.look.style(scope)),
        };
        bar.render(area, buf);
    }
}

/// What the session has cost, against its cap if it has one.
#[derive(Clone, Copy, Debug)]
pub struct BudgetBar<'a> {
    pub budget: &'a SidebarBudget,
    pub look: Look<'a>,
}

impl Widget for BudgetBar<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut area = row(area, 0);
        if area.is_empty() {
            return;
        }
        let spent = self.budget.spent_usd;
        let cap = self.budget.cap_usd.filter(|cap| *cap > 0.0);
        let share = cap.map_or(0.0, |cap| spent / cap);
        let scope = match share {
            share if share >= 1.0 => Scope::BudgetExceeded,
            share if share >= 0.8 => Scope::BudgetWarning,
            _ => Scope::Budget,
        };
        let style = self.look.style(scope);
        if area.width >= 20 {
            put(
                buf,
                area.x,
                area.y,
                area.width,
                self.look.words.sidebar.budget(),
                self.look.style(Scope::SidebarTitle),
            );
            area = after(area, text_width(self.look.words.sidebar.budget()) as u16 + 1);
        }
        let words = if let Some(cap) = cap {
            self.look.words.sidebar.spent_of(format_args!("{spent:.2}"), format_args!("{cap:.2}"))
        } else {
            let tokens = self.look.words.status.tokens(short_count(self.budget.tokens));
            format!("${spent:.2} {} {tokens}", self.look.glyphs.separator)
        };
        if area.width <= text_width(&words) as u16 + 4 || cap.is_none() {
            put_fitted(buf, (area.x, area.y), area.width, &words, style, self.look.glyphs);
            return;
        }
        area.width -= area.right() - put_right(buf, area, &words, style);
        area.width = area.width.saturating_sub(1);
        let glyphs = self.look.glyphs;
        let full = if scope == Scope::Budget { self.look.style(Scope::BudgetFull) } else { style };
        let empty = self.look.style(Scope::BudgetEmpty);
        let signs = [glyphs.bar_full, glyphs.bar_empty, glyphs.bar_tick];
        Bar { share, tick: None, signs, styles: [full, empty, empty] }.render(area, buf);
    }
}

/// A count in a few characters: 950, 12.4k, 3.1M.
pub(super) fn short_count(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..1_000_000 => format!("{:.1}k", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

/// The blend of modes: a row each, the bar what was observed, the tick what is aimed at.
#[derive(Clone, Copy, Debug)]
pub struct BlendBars<'a> {
    pub modes: &'a [SidebarMode],
    pub look: Look<'a>,
}

impl BlendBars<'_> {
    /// The rows it would like.
    pub fn height(&self) -> u16 {
        self.modes.len() as u16
    }
}

impl Widget for BlendBars<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let longest = self.modes.iter().map(|mode| mode.mode.word().len()).max().unwrap_or(0) as u16;
        for (index, mode) in self.modes.iter().enumerate() {
            let mut line = row(area, index as u16);
            if line.is_empty() {
                return;
            }
            let name = longest.min(line.width);
            put_fitted(buf, (line.x, line.y), name, mode.mode.word(), look.style(Scope::Mode), look.glyphs);
            line = after(line, name + 1);
            let numbers = match mode.observed {
                Some(observed) => format!(" {:>3}/{}", observed.round() as i64, mode.target),
                None => format!("   -/{}", mode.target),
            };
            let width = 8.min(numbers.len().max(7)) as u16;
            if line.width >= width + 4 {
                put_right(
                    buf,
                    line,
                    &format!("{numbers:<width$}", width = width as usize),
                    look.style(Scope::SidebarCount),
                );
                line.width -= width;
            }
            let glyphs = look.glyphs;
            let bar = Bar {
                share: mode.observed.unwrap_or(0.0) / 100.0,
                tick: Some(f64::from(mode.target) / 100.0),
                signs: [glyphs.blend, glyphs.blend_empty, glyphs.bar_tick],
                styles: [Scope::ModeObserved, Scope::ModeEmpty, Scope::ModeTarget].map(|scope| look.style(scope)),
            };
            bar.render(line, buf);
        }
    }
}
