//! Frames: the theme in use, the layouts behind the chat, and a picture of the model when one is wanted.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use super::chat_layouts::{ChatLayouts, GUTTER};
use super::code_painter::{CodePainter, Wake};
use super::draw::{Drawn, draw, look};
use super::overlays;
use super::selection;
use super::theme::{AUTO_THEME, ColorDepth, DEFAULT_THEME, LIGHT_THEME, Theme, Themes};
use crate::app::{Model, Msg, layout, update};

/// Measuring ends after this many rounds: each puts right what the one before has brought into view.
const ROUNDS: usize = 12;

/// What makes pictures of the model.
#[derive(Debug)]
pub struct Frames {
    themes: Themes,
    depth: ColorDepth,
    theme: Theme,
    /// The name the theme was asked for under, and whether the ground is light; the theme itself may be a stand-in.
    asked: (String, bool),
    layouts: ChatLayouts,
    /// Finds the colours of code between frames; without it they are found at once.
    painter: Option<CodePainter>,
    /// The text of what was selected, until it is taken.
    selected: Option<String>,
}

impl Frames {
    /// Pictures in these themes, for a terminal of so many colours.
    pub fn new(themes: Themes, depth: ColorDepth) -> Self {
        let theme = themes.fallback(depth);
        let asked = (theme.name().to_owned(), false);
        Self { asked, themes, depth, theme, layouts: ChatLayouts::default(), painter: None, selected: None }
    }

    /// From now on no frame waits for the colours of code; each time some are found, `wake` asks for the next one.
    pub fn colour_beside(&mut self, wake: Wake) {
        self.layouts.colour_later();
        self.painter = Some(CodePainter::new(wake));
    }

    pub(crate) fn theme_names(&self) -> Vec<String> {
        std::iter::once(AUTO_THEME).chain(self.themes.names()).map(ToOwned::to_owned).collect()
    }

    /// The text of what was selected with the mouse in the last frame.
    pub(crate) fn take_selected(&mut self) -> Option<String> {
        self.selected.take()
    }

    pub fn theme(&self) -> &Theme {
        &self.theme
    }

    /// Lays out what the model shows, tells it how many rows that takes, and draws it. Says where the cursor belongs.
    pub fn paint(&mut self, model: &mut Model, buf: &mut Buffer) -> Option<Position> {
        if self.asked.0 != model.theme || self.asked.1 != model.light {
            self.asked = (model.theme.clone(), model.light);
            let name = match (&*model.theme, model.light) {
                (AUTO_THEME, true) => LIGHT_THEME,
                (AUTO_THEME, false) => DEFAULT_THEME,
                (name, _) => name,
            };
            self.theme = self.themes.get(name, self.depth).unwrap_or_else(|_| self.themes.fallback(self.depth));
        }
        // The buffer has the size the window has now; messages about it may be late.
        let area = (buf.area.width, buf.area.height);
        if model.size != area {
            update(model, Msg::Resize(area.0, area.1));
        }
        for (block, found) in self.painter.iter().flat_map(CodePainter::found) {
            self.layouts.coloured(&block, found);
        }
        for _ in 0..ROUNDS {
            let Some(msg) = self.layouts.measure(model, look(model, &self.theme)) else { break };
            update(model, Msg::Chat(msg));
        }
        for _ in 0..ROUNDS {
            let Some(msg) = self.layouts.brief.measure(model, look(model, &self.theme)) else { break };
            update(model, Msg::Brief(msg));
        }
        let body = layout::compute(model.area().intersection(buf.area), model).body;
        if let Some(msg) = overlays::measure(model, look(model, &self.theme), body) {
            update(model, msg);
        }
        let Drawn { caret, ends } = draw(model, &self.theme, &self.layouts, buf);
        if let Some(last) = ends {
            update(model, Msg::Ends(last));
        }
        if let Some(selection) = &model.pointer.selection {
            if selection.is_done {
                let chat = layout::compute(model.area().intersection(buf.area), model).chat;
                let of_chat = selection.pane == chat;
                let left = if of_chat { chat.x + GUTTER } else { 0 };
                let look = look(model, &self.theme);
                let goes_on = |y: u16| of_chat && self.layouts.goes_on(model, chat, y, look);
                self.selected = Some(selection::text(selection, buf, left, &goes_on));
            }
            selection::mark(selection, buf);
        }
        if let Some(painter) = &mut self.painter {
            self.layouts.wanted().into_iter().for_each(|block| painter.ask(block));
        }
        caret
    }
}
