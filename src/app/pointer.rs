//! The mouse: whether the program has it, and what is being selected with it.

use ratatui::layout::{Position, Rect};

use super::effect::{Effect, TerminalEffect};
use super::layout;
use super::model::{Model, Screen};
use super::toasts::Level;

/// Whose the mouse is, and what is under it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// Whether the program has it. Without it the terminal selects text as everywhere else.
    pub captured: bool,
    /// Where it was pressed.
    press: Option<Position>,
    pub selection: Option<Selection>,
}

impl Pointer {
    pub(crate) fn new(captured: bool) -> Self {
        Self { captured, ..Self::default() }
    }
}

/// Cells of one pane, from where the mouse was pressed to where it is, as one reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The pane that it began in. It does not leave it, so that nothing of another comes along.
    pub pane: Rect,
    from: Position,
    to: Position,
    /// Whether the mouse was let go: it is copied with the next frame.
    pub is_done: bool,
}

impl Selection {
    /// The rows, each with its first column and the one after its last.
    pub fn rows(&self) -> impl Iterator<Item = (u16, u16, u16)> {
        let (first, last) = if (self.from.y, self.from.x) <= (self.to.y, self.to.x) {
            (self.from, self.to)
        } else {
            (self.to, self.from)
        };
        let pane = self.pane;
        (first.y..=last.y).map(move |y| {
            let begins = if y == first.y { first.x } else { pane.x };
            let ends = if y == last.y { last.x + 1 } else { pane.right() };
            (y, begins, ends)
        })
    }
}

pub(crate) fn pressed(model: &mut Model, at: Position) {
    (model.pointer.press, model.pointer.selection) = (Some(at), None);
}

/// Goes on to another cell: what lies between is selected.
pub(crate) fn dragged(model: &mut Model, at: Position) {
    let Some(from) = model.pointer.press else { return };
    let pane = pane(model, from);
    if pane.is_empty() {
        return;
    }
    let to = Position::new(at.x.clamp(pane.x, pane.right() - 1), at.y.clamp(pane.y, pane.bottom() - 1));
    model.pointer.selection = Some(Selection { pane, from, to, is_done: false });
}

pub(crate) fn released(model: &mut Model) {
    model.pointer.press = None;
    if let Some(selection) = &mut model.pointer.selection {
        selection.is_done = true;
    }
}

/// The pane at a place.
fn pane(model: &Model, at: Position) -> Rect {
    let layout = layout::compute(model.area(), model);
    let over = !model.overlays.is_empty() || model.screen == Screen::Picker;
    let panes = [layout.sidebar.unwrap_or_default(), layout.chat, layout.composer_text];
    let under = panes.into_iter().filter(|_| !over).find(|pane| pane.contains(at));
    under.or_else(|| Some(layout.body).filter(|body| body.contains(at))).unwrap_or_else(|| model.area())
}

/// Takes in the text of what was selected.
pub(crate) fn selected(model: &mut Model, text: String) -> Vec<Effect> {
    if let Some(selection) = &mut model.pointer.selection {
        selection.is_done = false;
    }
    if text.trim().is_empty() {
        return Vec::new();
    }
    model.toasts.tell(Level::Info, model.words.chat.selection_copied(), model.now);
    vec![TerminalEffect::Copy(text).into()]
}

/// Hands the mouse to the terminal, or takes it back.
pub(crate) fn toggle(model: &mut Model) -> Vec<Effect> {
    let captured = !model.pointer.captured;
    let says = &model.words.chat;
    let told = if captured { says.mouse_taken() } else { says.mouse_given() };
    model.toasts.tell(Level::Info, told, model.now);
    capture(model, captured).into_iter().collect()
}

/// Takes the mouse, or gives it to the terminal; nothing where that is so already.
pub(crate) fn capture(model: &mut Model, captured: bool) -> Option<Effect> {
    if std::mem::replace(&mut model.pointer.captured, captured) == captured {
        return None;
    }
    (model.pointer.press, model.pointer.selection) = (None, None);
    Some(TerminalEffect::Mouse(captured).into())
}
