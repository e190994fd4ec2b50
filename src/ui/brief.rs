//! The pane with the brief, and its layout.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use super::markdown::{CodeColours, Document, Setting};
use super::paint::{Look, clear, put, put_fitted, put_right, text_width};
use super::theme::Scope;
use super::widgets::ScrollBar;
use crate::app::brief::Brief;
use crate::app::commands::Command;
use crate::app::keymap::{Action, Context};
use crate::app::layout;
use crate::app::model::{Focus, Model};
use crate::app::msg::BriefMsg;

/// The brief laid out for a width and a theme.
#[derive(Debug, Default)]
pub struct BriefLayout {
    made_for: Option<(Arc<str>, u16, u64)>,
    document: Document,
}

/// The place of the text in its pane: below the title, with a margin and a column for the scroll bar.
fn text_area(pane: Rect) -> Rect {
    let head = pane.height.min(1);
    Rect { x: pane.x + 1, y: pane.y + head, width: pane.width.saturating_sub(3), height: pane.height - head }
}

impl BriefLayout {
    /// Lays the brief out where it is shown, and tells what the app does not know yet.
    pub fn measure(&mut self, model: &Model, look: Look<'_>) -> Option<BriefMsg> {
        let brief = model.brief.as_ref()?;
        let text = brief.text.as_ref()?;
        let width = text_area(layout::compute(model.area(), model).sidebar?).width.max(1);
        let wanted = (Arc::clone(text), width, look.theme.fingerprint());
        if self.made_for.as_ref() != Some(&wanted) {
            let colours = CodeColours::default();
            let setting = Setting { width, look, text: Scope::Sidebar, keep_breaks: false, colours: &colours };
            self.document = Document::lay_out(text, &setting);
            self.made_for = Some(wanted);
        }
        let new_at = brief.reveal.as_ref().map(|bytes| self.document.rows_showing(bytes).start);
        let rows = self.document.rows.len();
        (rows != brief.rows() || new_at.is_some()).then_some(BriefMsg { rows, new_at })
    }
}

pub fn draw(model: &Model, brief: &Brief, layout: &BriefLayout, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let focused = model.focus == Focus::Sidebar;
    let whole = Rect { x: area.x.saturating_sub(1), width: area.width + 2, ..area };
    clear(buf, whole, look.theme.base().patch(look.style(Scope::Sidebar)));
    let border = look.style(if focused { Scope::BorderFocused } else { Scope::Border });
    for y in area.top()..area.bottom() {
        put(buf, whole.x, y, 1, look.glyphs.border.vertical, border);
    }
    if area.height < 2 {
        return;
    }
    let line = Rect { x: area.x + 1, width: area.width.saturating_sub(2), height: 1, ..area };
    put_fitted(
        buf,
        (line.x, line.y),
        line.width,
        brief.title(look.words),
        look.style(Scope::SidebarTitle),
        look.glyphs,
    );
    let key = model.keymap.chord(Context::Global, Action::Run(Command::Brief));
    let hint = key.map(|key| brief.hint(key, look.words)).unwrap_or_default();
    // The footer names the key as well: it stands here where there is room for both.
    if text_width(brief.title(look.words)) + 2 + text_width(&hint) <= usize::from(line.width) {
        put_right(buf, line, &hint, look.style(Scope::Muted));
    }
    let place = text_area(area);
    if brief.text.is_none() {
        put_fitted(
            buf,
            (place.x, place.y),
            place.width,
            look.words.brief.on_its_way(),
            look.style(Scope::Muted),
            look.glyphs,
        );
        return;
    }
    let rows = &layout.document.rows;
    let top = brief.top.min(rows.len().saturating_sub(usize::from(place.height)));
    for (y, row) in (place.y..place.bottom()).zip(&rows[top..]) {
        row.draw(buf, place.x, y, place.width);
    }
    ScrollBar { above: top, total: rows.len(), look }.render(Rect { x: place.right(), width: 1, ..place }, buf);
}
