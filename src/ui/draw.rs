//! A frame: everything the model shows, into cells. Draws, and changes nothing.

use std::cell::Cell;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::chat_layouts::ChatLayouts;
use super::glyphs;
use super::paint::{Look, clear};
use super::theme::Theme;
use super::{answer_card, brief, chat, composer, footer, overlays, picker, sidebar, status};
use crate::app::layout;
use crate::app::model::{Model, Screen};

/// The look that a model asks for.
pub fn look<'a>(model: &Model, theme: &'a Theme) -> Look<'a> {
    let glyphs = if model.ascii { &glyphs::ASCII } else { &glyphs::UNICODE };
    Look { theme, glyphs, words: model.words, caret: None, ends: None }
}

/// What drawing has found out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Where the cursor belongs, if keys go into a text.
    pub caret: Option<Position>,
    /// The last row that the window on top can begin with, where it scrolls.
    pub ends: Option<usize>,
}

/// Draws a frame and says where the cursor belongs, if keys go into a text. The layouts must have been measured for this
/// model.
pub fn draw(model: &Model, theme: &Theme, layouts: &ChatLayouts, buf: &mut Buffer) -> Drawn {
    let (caret, ends) = (Cell::new(None), Cell::new(None));
    let look = Look { caret: Some(&caret), ends: Some(&ends), ..look(model, theme) };
    let area = model.area().intersection(buf.area);
    clear(buf, area, theme.base());
    if area.is_empty() {
        return Drawn::default();
    }
    let layout = layout::compute(area, model);
    match model.screen {
        Screen::Picker => {
            status::header(model, look, layout.status, buf);
            picker::draw(model, look, layout.body, buf);
            footer::draw(model, look, layout.footer, buf);
            overlays::draw(model, look, layout.body, buf);
            overlays::toast_rows(model, look, layout.toast, buf);
        }
        Screen::Chat => {
            status::header(model, look, layout.status, buf);
            chat::draw(model, layouts, look, layout.chat, buf);
            status::summary(model, look, layout.summary, buf);
            status::activity(model, look, layout.activity, layout.chat.height, buf);
            composer::draw(model, look, &layout, buf);
            answer_card::draw(model, look, layout.card, buf);
            if let Some(area) = layout.sidebar {
                match &model.brief {
                    Some(shown) => brief::draw(model, shown, &layouts.brief, look, area, buf),
                    None => sidebar::draw(model, look, area, buf),
                }
            }
            footer::draw(model, look, layout.footer, buf);
            overlays::draw(model, look, layout.body, buf);
            // Nothing may cover what the user is asked to agree to.
            if !model.is_asked_for_leave() {
                overlays::toast_rows(model, look, layout.toast, buf);
            }
        }
    }
    Drawn { caret: caret.get().filter(|place| area.contains(*place)), ends: ends.get() }
}
