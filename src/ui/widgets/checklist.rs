//! A section of the checklist: its title with a count, and its obligations with status and confidence.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::engine::memory::Status;
use crate::engine::sidebar::{SidebarItem, SidebarSection};
use crate::ui::paint::{Look, after, put, put_fitted, put_right, row};
use crate::ui::theme::Scope;

/// What a row of a section is, for clicks and the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChecklistRow {
    Title,
    /// An obligation, by its place in the section.
    Item(usize),
}

/// A section of the checklist.
#[derive(Clone, Copy, Debug)]
pub struct Checklist<'a> {
    pub section: &'a SidebarSection,
    /// Whether only its title is shown.
    pub folded: bool,
    /// The row under the cursor.
    pub selected: Option<ChecklistRow>,
    pub look: Look<'a>,
}

impl Checklist<'_> {
    pub fn height(&self) -> u16 {
        if self.folded { 1 } else { 1 + self.section.items.len() as u16 }
    }

    pub fn row_at(&self, index: u16) -> Option<ChecklistRow> {
        match index {
            0 => Some(ChecklistRow::Title),
            _ if index < self.height() => Some(ChecklistRow::Item(usize::from(index) - 1)),
            _ => None,
        }
    }

    /// Draws its rows from `skip` on, for a section that begins above the visible part.
    pub fn draw_from(&self, skip: u16, area: Rect, buf: &mut Buffer) {
        for at in 0..area.height {
            let line = row(area, at);
            let Some(kind) = self.row_at(skip.saturating_add(at)) else { return };
            let selected = self.selected == Some(kind);
            if selected {
                buf.set_style(line.intersection(buf.area), self.look.style(Scope::ListSelected));
            }
            match kind {
                ChecklistRow::Title => self.title(line, selected, buf),
                ChecklistRow::Item(index) => {
                    if let Some(item) = self.section.items.get(index) {
                        self.item(item, line, selected, buf);
                    }
                }
            }
        }
    }

    fn style(&self, scope: Scope, selected: bool) -> Style {
        // The selected row has colours of its own, in which all of it can be read.
        let style = self.look.style(scope);
        if selected { style.patch(self.look.style(Scope::ListSelected)) } else { style }
    }

    fn title(&self, area: Rect, selected: bool, buf: &mut Buffer) {
        let glyphs = self.look.glyphs;
        let mut area = area;
        let met = self.section.items.iter().filter(|item| item.status == Status::Satisfied).count();
        let count = format!("{met}/{}", self.section.items.len());
        if area.width >= count.len() as u16 + 6 {
            put_right(buf, area, &count, self.style(Scope::SidebarCount, selected));
            area.width -= count.len() as u16 + 1;
        }
        let sign = if self.folded { glyphs.folded } else { glyphs.open };
        let x = put(buf, area.x, area.y, area.width, sign, self.style(Scope::SidebarCount, selected));
        let rest = after(area, x - area.x + 1);
        let style = self.style(Scope::SidebarTitle, selected);
        put_fitted(buf, (rest.x, rest.y), rest.width, &self.section.title, style, glyphs);
    }

    fn item(&self, item: &SidebarItem, area: Rect, selected: bool, buf: &mut Buffer) {
        let scope = match item.status {
            Status::Pending => Scope::ObligationPending,
            Status::Partial => Scope::ObligationPartial,
            Status::Satisfied => Scope::ObligationSatisfied,
            Status::Deferred => Scope::ObligationDeferred,
        };
        let glyphs = self.look.glyphs;
        let mut area = after(area, 1);
        if item.confidence > 0.0 && area.width >= 14 {
            let confidence = format!("{:.2}", item.confidence);
            put_right(buf, area, &confidence, self.style(Scope::Confidence, selected));
            area.width -= confidence.len() as u16 + 1;
        }
        let x = put(buf, area.x, area.y, area.width, glyphs.status(item.status), self.style(scope, selected));
        let rest = after(area, x - area.x + 1);
        let words = match item.status {
            Status::Satisfied | Status::Partial => Scope::Obligation,
            Status::Pending | Status::Deferred => scope,
        };
        put_fitted(buf, (rest.x, rest.y), rest.width, &item.label, self.style(words, selected), glyphs);
    }
}

impl Widget for Checklist<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        self.draw_from(0, area, buf);
    }
}
