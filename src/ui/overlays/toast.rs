//! What the program has to tell: in rows of its own above the composer, or at the foot of the first screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::layout::TOAST_MARGIN;
use crate::app::model::Model;
use crate::app::toasts::Level;
use crate::ui::paint::{Look, clear, fit, put, put_right};
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

/// How to be rid of it, and how many wait behind it.
fn hint(model: &Model, look: Look<'_>) -> String {
    let stays = model.toasts.shown().is_some_and(|toast| toast.level != Level::Info);
    match (stays, model.toasts.len().saturating_sub(1)) {
        (false, _) => String::new(),
        (true, 0) => "Esc".to_owned(),
        (true, more) => look.words.lists.more(look.glyphs.separator, more),
    }
}

/// Draws the toast in its rows.
pub fn rows(model: &Model, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let Some(toast) = model.toasts.shown().filter(|_| !area.is_empty()) else { return };
    let (scope, sign) = match toast.level {
        Level::Info => (Scope::ToastInfo, look.glyphs.point),
        Level::Warning => (Scope::ToastWarning, look.glyphs.attention),
        Level::Error => (Scope::ToastError, look.glyphs.failed),
    };
    let style = look.theme.base().patch(look.style(scope));
    clear(buf, area, style);
    put(buf, area.x + 1, area.y, 1, sign, style);
    let width = area.width.saturating_sub(TOAST_MARGIN).max(1);
    let wrapped = wrap_text(&toast.text, usize::from(width));
    let last = usize::from(area.height) - 1;
    for (at, text) in wrapped.iter().take(usize::from(area.height)).enumerate() {
        // Where not all of it fits, it shows that something is missing.
        let cut = at == last && wrapped.len() > last + 1;
        let text = if cut {
            fit(&format!("{text} {}", wrapped[at + 1]), usize::from(width), look.glyphs)
        } else {
            text.clone()
        };
        put(buf, area.x + 3, area.y + at as u16, width, &text, style);
    }
    let first = Rect { height: 1, width: area.width.saturating_sub(1), ..area };
    put_right(buf, first, &hint(model, look), style);
}
