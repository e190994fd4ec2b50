//! The answer card: a row or a few of answers under the composer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::{Look, clear, put, put_fitted};
use super::theme::Scope;
use crate::app::answer_card::{BESIDE, Pick, lay_out, picks, shown};
use crate::app::model::Model;

pub fn draw(model: &Model, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let Some(card) = shown(model).filter(|_| !area.is_empty()) else { return };
    clear(buf, area, look.theme.base());
    let laid = lay_out(card, model.card.marked, look.words, area);
    // While something is written it only waits.
    let waits = !model.composer.is_empty();
    let lead = laid.lead.iter().map(|(place, text)| (*place, text.as_str(), look.style(Scope::Muted), false));
    let chips = laid.chips.iter().zip(picks(card)).enumerate().map(|(at, (chip, pick))| {
        let marked = model.card.marked == Some(at);
        let scope = match pick {
            _ if marked => Scope::ListSelected,
            Pick::Say(_) if !waits => Scope::Accent,
            Pick::Say(_) | Pick::Other | Pick::Skip => Scope::Muted,
        };
        (chip.area, chip.label.as_str(), look.style(scope), marked)
    });
    let parts: Vec<_> = lead.chain(chips).filter(|(place, ..)| !place.is_empty()).collect();
    for (at, (place, text, style, marked)) in parts.iter().enumerate() {
        let words = Rect { x: place.x + 1, width: place.width.saturating_sub(BESIDE), ..*place };
        if *marked {
            buf.set_style(Rect { x: place.x, width: words.width + 2, ..*place }, *style);
            put(buf, place.x, place.y, 1, look.glyphs.selected, *style);
        }
        put_fitted(buf, (words.x, words.y), words.width, text, *style, look.glyphs);
        if parts.get(at + 1).is_some_and(|(next, ..)| next.y == place.y) {
            put(buf, place.right() - 1, place.y, 1, look.glyphs.separator, look.style(Scope::Rule));
        }
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
