//! A toast: what the program has to tell, in the corner of the conversation.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use crate::app::model::Model;
use crate::app::toasts::Level;
use crate::ui::paint::Look;
use crate::ui::widgets::{Toast, ToastKind};

/// Draws the toast that is to be read.
pub fn draw(model: &Model, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let Some(toast) = model.toasts.shown() else { return };
    let (kind, stays) = match toast.level {
        Level::Info => (ToastKind::Info, false),
        Level::Warning => (ToastKind::Warning, true),
        Level::Error => (ToastKind::Error, true),
    };
    let more = model.toasts.len() - 1;
    let hint = match (stays, more) {
        (false, _) => String::new(),
        (true, 0) => "Esc".to_owned(),
        (true, more) => format!("Esc {} {more} more", look.glyphs.separator),
    };
    Toast { kind, text: &toast.text, hint: &hint, look }.render(area, buf);
}
