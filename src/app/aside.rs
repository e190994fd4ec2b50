//! Asides: words beside the conversation, which are answered and never become evidence.

use super::chat::{Entry, EntryKind};
use super::commands::Command;
use super::composer;
use super::draft;
use super::effect::Effect;
use super::model::Model;
use super::toasts::Level;
use super::turn::{self, RunningTurn};
use crate::engine::memory::{Aside, MAX_ASIDE};
use crate::host::protocol::{AsideDone, Draft, SessionCommand, TurnCommand};
use crate::words::Words;

/// An aside as it is typed.
pub(crate) fn as_typed(message: &str) -> String {
    format!("/{} {message}", Command::Btw.entry().name)
}

/// Says something beside the conversation. What is being written stays; what cannot be said now is not lost.
pub(crate) fn say(model: &mut Model, message: &str) -> Vec<Effect> {
    if model.session.is_none() {
        return Vec::new();
    }
    let typed = as_typed(message);
    let refused = if model.turn.is_some() {
        Some((Level::Info, model.words.turns.on_its_way().to_owned()))
    } else if message.len() > MAX_ASIDE {
        let most = composer::size(MAX_ASIDE, &model.words.composer);
        Some((Level::Warning, model.words.chat.aside_too_long(most)))
    } else {
        None
    };
    if let Some((level, why)) = refused {
        model.composer.restore(&typed);
        model.toasts.tell(level, why, model.now);
        return Vec::new();
    }
    // Saved as the draft until the host has taken it, as a message is: if the program ends in between, it is not lost.
    let written = Effect::host(SessionCommand::SaveDraft(Draft::new(typed, None)));
    draft::sent(model);
    model.toasts.retract_trouble();
    turn::show(model, RunningTurn::begun(message.to_owned(), None, Some(model.words), model.now, true));
    let kept = if model.composer.is_empty() { None } else { draft::keep(model) };
    [written, Effect::host(TurnCommand::Aside { message: message.to_owned() })].into_iter().chain(kept).collect()
}

/// Shows an aside that was answered.
pub(crate) fn finish(model: &mut Model, done: &AsideDone) -> Vec<Effect> {
    model.turn = None;
    model.toasts.retract_trouble();
    model.chat.entries.extend(entries(&done.aside, model.words));
    if let Some(session) = &mut model.session {
        session.remember(done.memory.clone(), done.sidebar.clone());
        model.sidebar.follow(&session.sidebar);
    }
    Vec::new()
}

/// An aside and its answer as the conversation shows them.
pub(crate) fn entries(aside: &Aside, words: &Words) -> [Entry; 2] {
    [
        Entry::new(EntryKind::Aside, aside.after, words.chat.aside_is(&aside.said)),
        Entry::new(EntryKind::AsideAnswer, aside.after, aside.answer.clone()),
    ]
}
