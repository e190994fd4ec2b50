//! The answer card: a row or a few of answers under the composer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::{Look, clear, put, put_fitted};
use super::theme::Scope;
use crate::app::answer_card::{Pick, lay_out, picks, shown};
use crate::app::model::Model;

pub fn draw(model: &Model, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let Some(card) = shown(model).filter(|_| !area.is_empty()) else { return };
    clear(buf, area, look.theme.base());
    let laid = lay_out(card, model.card.marked, look.words, area);
    if let Some((place, text)) = laid.lead.as_ref().filter(|(place, _)| !place.is_empty()) {
        let room = place.width.saturating_sub(1);
        put_fitted(buf, (place.x + 1, place.y), room, text, look.style(Scope::Muted), look.glyphs);
    }
    // While something is written it only waits.
    let waits = !model.composer.is_empty();
    for (at, (chip, pick)) in laid.chips.iter().zip(picks(card)).enumerate() {
        let place = chip.area;
        if place.is_empty() {
            continue;
        }
        let marked = model.card.marked == Some(at);
        let style = match pick {
            _ if marked => look.style(Scope::ListSelected),
            Pick::Say(_) if !waits => look.style(Scope::Accent),
            Pick::Say(_) | Pick::Other | Pick::Skip => look.style(Scope::Muted),
        };
        if marked {
            buf.set_style(place, style);
            put(buf, place.x, place.y, 1, look.glyphs.selected, style);
        } else if place.x > area.x {
            put(buf, place.x, place.y, 1, look.glyphs.separator, look.style(Scope::Rule));
        }
        put_fitted(buf, (place.x + 1, place.y), place.width.saturating_sub(2), &chip.label, style, look.glyphs);
    }
    let sign = area.right().saturating_sub(1);
    let (above, below) = laid.more;
    let muted = look.style(Scope::Muted);
    if above {
        put(buf, sign, area.y, 1, look.glyphs.arrows[0], muted);
    }
    if below {
        put(buf, sign, area.bottom() - 1, 1, look.glyphs.arrows[1], muted);
    }
}
