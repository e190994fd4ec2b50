//! A question with yes and no.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::window;
use crate::app::keymap::{Action, Context, Motion};
use crate::app::model::Model;
use crate::app::overlay::Confirm;
use crate::ui::paint::{Look, put_fitted};
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

pub fn draw(model: &Model, confirm: &Confirm, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let width = area.width.min(64);
    let text_width = usize::from(width.saturating_sub(4));
    let mut rows: Vec<(String, Scope)> = Vec::new();
    rows.extend(wrap_text(&confirm.question, text_width).into_iter().map(|row| (row, Scope::Overlay)));
    let asked = rows.len();
    rows.extend(wrap_text(&confirm.detail, text_width).into_iter().map(|row| (row, Scope::Muted)));
    let key = |motion| {
        let chord = model.keymap.chord(Context::Overlay, Action::Do(motion));
        chord.map_or_else(String::new, |chord| chord.named(&model.words.key_names))
    };
    rows.push((
        look.words.lists.yes_or_no(key(Motion::Accept), look.glyphs.separator, key(Motion::Decline)),
        Scope::Accent,
    ));
    let inner = window(buf, area, width, rows.len() as u16 + 2, look.words.lists.sure(), look);
    // Where not all fits, the question and the answer keys matter more than the details.
    let too_many = rows.len().saturating_sub(usize::from(inner.height));
    let last = rows.len() - 1;
    let dropped = too_many.min(last - asked);
    rows.drain(last - dropped..last);
    for (y, (text, scope)) in rows.iter().skip(too_many - dropped).enumerate() {
        put_fitted(buf, (inner.x, inner.y + y as u16), inner.width, text, look.style(*scope), look.glyphs);
    }
}
