//! Who carries out what the app wants: the outermost edge, behind a trait so that tests can script it.

use tokio::sync::mpsc::UnboundedSender;

use crate::app::{Effect, Msg};

/// The way back to the app.
pub type Messages = UnboundedSender<Msg>;

/// Carries out effects that are not about the terminal, and answers with messages, now or later.
pub trait EffectHandler {
    /// Begins to carry out an effect. Must not wait.
    fn handle(&mut self, effect: Effect, messages: &Messages);
}

impl<F: FnMut(Effect, &Messages)> EffectHandler for F {
    fn handle(&mut self, effect: Effect, messages: &Messages) {
        self(effect, messages);
    }
}

/// Whether an effect is the terminal's business.
pub fn is_about_terminal(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Copy(_)
            | Effect::OpenEditor(_)
            | Effect::Suspend
            | Effect::Redraw
            | Effect::Notify(_)
            | Effect::SetTitle(_)
            | Effect::Quit
    )
}
