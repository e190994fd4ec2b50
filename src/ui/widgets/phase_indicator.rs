//! Where the conversation stands: the phases in order, with as many names as there is room for.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::engine::sidebar::{PhaseIndicatorState, PhaseMark, PhaseProgress};
use crate::ui::paint::{Look, fit, put, row, text_width};
use crate::ui::theme::Scope;

/// The phases in one row.
///
/// With room it names them all; with less, only the current one and dots for the others; with still less, the place
/// among them as a number (`◐ 3/6`); and at worst the dot alone.
#[derive(Clone, Copy, Debug)]
pub struct PhaseIndicator<'a> {
    pub state: &'a PhaseIndicatorState,
    pub look: Look<'a>,
}

type Part = (String, Style);

impl PhaseIndicator<'_> {
    fn mark(&self, mark: &PhaseMark) -> (&'static str, Style) {
        let glyphs = self.look.glyphs;
        let (sign, scope) = match mark.state {
            PhaseProgress::Done => (glyphs.phase_done, Scope::PhaseDone),
            PhaseProgress::Current => (glyphs.phase_current, Scope::PhaseCurrent),
            PhaseProgress::Ahead => (glyphs.phase_ahead, Scope::PhaseAhead),
        };
        (sign, self.look.style(scope))
    }

    /// Dots for all phases, and the names of those that `named` says.
    fn parts(&self, width: usize, named: impl Fn(&PhaseMark) -> bool) -> Vec<Part> {
        let mut parts = Vec::new();
        for (index, phase) in self.state.phases.iter().enumerate() {
            let (sign, style) = self.mark(phase);
            let space = if index == 0 { "" } else { " " };
            let text = if named(phase) {
                format!("{space}{sign} {}", fit(&phase.label, width, self.look.glyphs))
            } else {
                format!("{space}{sign}")
            };
            parts.push((text, style));
        }
        parts
    }

    fn choices(&self, width: usize) -> Vec<Vec<Part>> {
        let current = self.state.phases.iter().position(|phase| phase.state == PhaseProgress::Current).unwrap_or(0);
        let dots = self.state.phases.len() * 2;
        let style = self.look.style(Scope::PhaseCurrent);
        let sign = self.look.glyphs.phase_current;
        let place = format!("{sign} {}/{}", current + 1, self.state.phases.len());
        let mut choices = vec![
            self.parts(usize::MAX, |_| true),
            // Names of the last, the current and the next phase still tell a way.
            self.parts(usize::MAX, |phase| {
                let near = current.saturating_sub(1)..=current + 1;
                self.state.phases.iter().enumerate().any(|(at, known)| near.contains(&at) && known.id == phase.id)
            }),
            self.parts(usize::MAX, |phase| phase.state == PhaseProgress::Current),
        ];
        if width > dots + 4 {
            choices.push(self.parts(width - dots - 1, |phase| phase.state == PhaseProgress::Current));
        }
        choices.push(vec![(format!("{place} {}", self.state.label), style)]);
        choices.push(vec![(place, style)]);
        choices.push(vec![(sign.to_owned(), style)]);
        choices
    }
}

impl Widget for PhaseIndicator<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = row(area, 0);
        if area.is_empty() || self.state.phases.is_empty() {
            return;
        }
        let width = usize::from(area.width);
        let fits = |parts: &Vec<Part>| parts.iter().map(|(text, _)| text_width(text)).sum::<usize>() <= width;
        let Some(parts) = self.choices(width).into_iter().find(fits) else { return };
        let mut x = area.x;
        for (text, style) in parts {
            x = put(buf, x, area.y, area.right() - x, &text, style);
        }
    }
}
