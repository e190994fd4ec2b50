//! What the terminal has said of itself.

use super::effect::{Effect, TerminalEffect};
use super::model::{Keys, Model};
use super::toasts::Level;

/// Whether its ground is light.
pub(super) fn ground(model: &mut Model, light: bool) -> Vec<Effect> {
    model.light = light;
    Vec::new()
}

/// It can tell all keys apart: it is asked to, and the help promises them.
pub(super) fn keys_are_told(model: &mut Model) -> Vec<Effect> {
    model.keys = Keys::All;
    vec![TerminalEffect::TellKeysApart.into()]
}

/// There is none that an editor could have.
pub(super) fn no_editor(model: &mut Model) -> Vec<Effect> {
    model.toasts.tell(Level::Error, model.words.linear.no_editor(), model.now);
    Vec::new()
}
