//! The composer: a frame, the draft, and the commands it may become.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use super::overlays::frame;
use super::paint::{Look, clear, put, put_fitted, put_right};
use super::theme::Scope;
use crate::app::composer::VimMode;
use crate::app::layout::Layout;
use crate::app::model::{Focus, Model};

pub fn draw(model: &Model, look: Look<'_>, layout: &Layout, buf: &mut Buffer) {
    let says = &look.words.composer;
    let focused = model.focus == Focus::Composer && model.overlays.is_empty();
    let border = look.style(if focused { Scope::BorderFocused } else { Scope::Border });
    if layout.composer.height > layout.composer_text.height {
        frame(buf, layout.composer, border, look);
        let label = match (&model.composer.vim, model.composer.editing) {
            (_, Some(_)) => format!(" {} ", says.changing()),
            (Some(vim), None) if vim.mode == VimMode::Normal => format!(" {} ", says.normal()),
            _ => String::new(),
        };
        put_fitted(
            buf,
            (layout.composer.x + 2, layout.composer.y),
            layout.composer.width.saturating_sub(4),
            &label,
            border,
            look.glyphs,
        );
    } else if layout.composer_text.x > 0 {
        let mark = look.glyphs.arrows[3];
        put(buf, layout.composer_text.x - 1, layout.composer_text.y, 1, mark, border);
    }
    let area = layout.composer_text;
    if model.composer.is_empty() && !(focused && area.width < 16) {
        let text = match &model.turn {
            Some(_) => says.cancels(),
            None if model.card.own_words => look.words.card.own_words(),
            None => says.write_here(),
        };
        let style = look.style(Scope::ComposerPlaceholder);
        let text_area =
            if focused { Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..area } } else { area };
        put_fitted(buf, (text_area.x, area.y), text_area.width, text, style, look.glyphs);
        if focused {
            look.put_caret(area.as_position());
        }
        return;
    }
    buf.set_style(area, look.style(Scope::Composer));
    (&model.composer.area).render(area, buf);
    // The cursor is where the keys go, and nowhere else.
    let look_of_text = if focused { look } else { Look { caret: None, ..look } };
    look_of_text.take_caret(area, buf);
    completions(model, look, layout, buf);
}

/// The commands that the draft is the beginning of, above the composer.
fn completions(model: &Model, look: Look<'_>, layout: &Layout, buf: &mut Buffer) {
    let found = model.composer.completions();
    let rows = (found.len() as u16).min(layout.chat.height.saturating_sub(1)).min(8);
    if rows == 0 || layout.composer.width < 3 || model.focus != Focus::Composer {
        return;
    }
    let bottom = layout.composer.y;
    let area = Rect {
        // Over all of the columns, so that nothing of what lies below looks out beside it.
        x: layout.composer.x,
        y: bottom.saturating_sub(rows),
        width: layout.composer.width,
        height: rows,
    };
    clear(buf, area, look.theme.base().patch(look.style(Scope::Overlay)));
    let chosen = model.composer.menu.filter(|at| *at < found.len());
    let top = chosen.map_or(0, |at| (at + 1).saturating_sub(usize::from(rows)));
    for (y, (at, entry)) in found.iter().enumerate().skip(top).take(usize::from(rows)).enumerate() {
        let y = area.y + y as u16;
        let selected = chosen == Some(at);
        if selected {
            buf.set_style(Rect { y, height: 1, ..area }, look.style(Scope::ListSelected));
            put(buf, area.x, y, 1, look.glyphs.selected, look.style(Scope::ListSelected));
        }
        let style = |scope| look.style(if selected { Scope::ListSelected } else { scope });
        let x = put(
            buf,
            area.x + 1,
            y,
            area.width.saturating_sub(1),
            &format!("/{:<10}", entry.name),
            style(Scope::Accent),
        );
        let about = entry.about(&look.words.commands);
        put_fitted(buf, (x, y), area.right().saturating_sub(x), about, style(Scope::Muted), look.glyphs);
    }
    // What is above and below of those shown.
    let sides = [
        (top, area.y, look.glyphs.arrows[0]),
        (found.len() - top - usize::from(rows), area.bottom() - 1, look.glyphs.arrows[1]),
    ];
    for (more, y, arrow) in sides.into_iter().filter(|(more, ..)| *more > 0) {
        put_right(buf, Rect { y, height: 1, ..area }, &format!(" {arrow} {more} "), look.style(Scope::Muted));
    }
}
