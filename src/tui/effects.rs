//! What carries out the wishes of the app: the outermost edge, behind a trait so that tests can script it.

use tokio::sync::mpsc::UnboundedSender;

use crate::app::Msg;
use crate::app::effect::Outside;

/// The way back to the app.
pub type Messages = UnboundedSender<Msg>;

/// Carries out effects that are not about the terminal, and answers with messages, now or later.
pub trait EffectHandler {
    /// Begins to carry out an effect. Must not wait.
    fn handle(&mut self, effect: Outside, messages: &Messages);
}

impl<F: FnMut(Outside, &Messages)> EffectHandler for F {
    fn handle(&mut self, effect: Outside, messages: &Messages) {
        self(effect, messages);
    }
}
