//! Lists to choose from: a selected line, scrolling, and letters that match what was typed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;
use unicode_segmentation::UnicodeSegmentation as _;

use super::ScrollBar;
use crate::ui::paint::{Look, after, fit, grapheme_width, put, put_right, row, text_width};
use crate::ui::theme::Scope;

/// A text in which the characters at certain places are set apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matched<'a> {
    pub text: &'a str,
    /// Bytes at which matching characters begin, in any order.
    pub positions: &'a [usize],
    /// The style of the rest.
    pub style: Style,
    pub look: Look<'a>,
}

impl Matched<'_> {
    /// On a ground of its own, such as that of the selected line, the colour of matches may not be seen: there they are
    /// underlined.
    fn lit(&self) -> Style {
        let lit = self.look.style(Scope::ListMatch);
        if self.style.bg.is_none() {
            return self.style.patch(lit);
        }
        self.style.add_modifier(lit.add_modifier | Modifier::UNDERLINED)
    }

    /// Draws it in one row and says where the next thing would go.
    pub fn draw(&self, area: Rect, buf: &mut Buffer) -> u16 {
        let area = row(area, 0);
        if area.is_empty() {
            return area.x;
        }
        let lit = self.lit();
        let too_long = text_width(self.text) > usize::from(area.width);
        let end = area.right() - u16::from(too_long);
        let mut x = area.x;
        for (at, grapheme) in self.text.grapheme_indices(true) {
            if grapheme_width(grapheme) > usize::from(end - x) {
                break;
            }
            let matches = self.positions.iter().any(|position| (at..at + grapheme.len()).contains(position));
            x = put(buf, x, area.y, end - x, grapheme, if matches { lit } else { self.style });
        }
        if too_long {
            x = put(buf, x, area.y, 1, self.look.glyphs.ellipsis, self.style);
        }
        x
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListLine {
    pub text: String,
    /// Bytes at which characters match what was typed.
    pub positions: Vec<usize>,
    /// A second thing about it, after the text where there is room.
    pub detail: String,
    /// A short thing at the right edge, such as a key.
    pub aside: String,
}

/// A list with a selected line, of which as much is shown as fits.
#[derive(Clone, Copy, Debug)]
pub struct SelectionList<'a> {
    pub lines: &'a [ListLine],
    pub selected: Option<usize>,
    /// The first visible one; see [`scroll_to_show`].
    pub offset: usize,
    pub look: Look<'a>,
}

/// The first visible line with which the selected one is visible, moving no more than needed.
pub fn scroll_to_show(offset: usize, selected: usize, len: usize, height: usize) -> usize {
    let last = len.saturating_sub(height);
    let lowest = (selected + 1).saturating_sub(height);
    offset.clamp(lowest, selected.max(lowest)).min(last)
}

impl SelectionList<'_> {
    /// The line at a row of its area, for clicks.
    pub fn line_at(&self, row: u16) -> Option<usize> {
        let at = self.offset + usize::from(row);
        (at < self.lines.len()).then_some(at)
    }

    fn line(&self, line: &ListLine, selected: bool, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let chosen = look.style(Scope::ListSelected);
        let style = |scope| if selected { look.style(scope).patch(chosen) } else { look.style(scope) };
        if selected {
            buf.set_style(area.intersection(buf.area), chosen);
            put(buf, area.x, area.y, 1, look.glyphs.selected, chosen);
        }
        let mut area = after(area, 2);
        let aside = text_width(&line.aside) as u16;
        if aside > 0 && area.width > aside + 8 {
            put_right(buf, Rect { width: area.width - 1, ..area }, &line.aside, style(Scope::ListDetail));
            area.width -= aside + 2;
        }
        let text = Matched { text: &line.text, positions: &line.positions, style: style(Scope::List), look };
        let x = text.draw(area, buf);
        let rest = after(area, x - area.x + 2);
        if rest.width > 3 && !line.detail.is_empty() {
            let detail = fit(&line.detail, usize::from(rest.width), look.glyphs);
            put(buf, rest.x, rest.y, rest.width, &detail, style(Scope::ListDetail));
        }
    }
}

impl Widget for SelectionList<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let bar = ScrollBar { above: self.offset, total: self.lines.len(), look: self.look };
        let mut inner = area;
        if bar.thumb(area.height).is_some() && area.width > 4 {
            inner.width -= 1;
            bar.render(Rect { x: area.right() - 1, width: 1, ..area }, buf);
        }
        for at in 0..inner.height {
            let Some(index) = self.line_at(at) else { return };
            self.line(&self.lines[index], self.selected == Some(index), row(inner, at), buf);
        }
    }
}
