//! The app without a terminal: messages in, effects and frames out. For tests and `elenchus render`.

use ratatui::buffer::Buffer;

use super::frames::Frames;
use super::theme::{ColorDepth, Scope, Themes};
use crate::app::{Effect, Model, Msg, Options, update};

/// The app without a terminal.
#[derive(Debug)]
pub struct HeadlessFrames {
    pub model: Model,
    frames: Frames,
}

impl HeadlessFrames {
    /// The app before anything has happened.
    pub fn new(options: Options, themes: Themes, depth: ColorDepth) -> Self {
        let frames = Frames::new(themes, depth);
        let options = Options { themes: frames.theme_names(), ..options };
        Self { model: Model::new(options), frames }
    }

    pub fn send(&mut self, msg: Msg) -> Vec<Effect> {
        update(&mut self.model, msg)
    }

    /// A picture of the model at its size. The cursor, which a terminal shows by itself, is painted.
    pub fn frame(&mut self) -> Buffer {
        let mut buffer = Buffer::empty(self.model.area());
        let caret = self.frames.paint(&mut self.model, &mut buffer);
        if let Some(cell) = caret.and_then(|place| buffer.cell_mut(place)) {
            cell.set_style(self.frames.theme().style(Scope::ComposerCursor));
        }
        buffer
    }

    /// What was selected with the mouse in the last frame.
    pub fn take_selected(&mut self) -> Option<String> {
        self.frames.take_selected()
    }

    pub fn frames(&self) -> &Frames {
        &self.frames
    }
}
