//! Turns that are taken back, brought back, or answered once more.

use super::chat::EntryKind;
use super::effect::Effect;
use super::model::Model;
use super::overlay::{Confirm, Confirmed, Overlay};
use super::toasts::Level;
use super::turn;
use crate::host::protocol::TurnCommand;

/// Asks whether the last turn may go.
pub fn undo(model: &mut Model) -> Vec<Effect> {
    if nothing_said(model) {
        return Vec::new();
    }
    model.overlays.push(Overlay::Confirm(Confirm {
        question: model.words.turns.undo().to_owned(),
        detail: with_by_hand(model, model.words.turns.undo_detail().to_owned()),
        yes: Confirmed::Undo,
        no: Confirmed::Nothing,
    }));
    Vec::new()
}

/// What is told of taking turns back, with what goes along that was changed by hand after the last of them.
pub(crate) fn with_by_hand(model: &Model, detail: String) -> String {
    match model.session.as_ref().map_or(0, |session| session.memory.by_hand) {
        0 => detail,
        count => format!("{detail} {}", model.words.turns.with_by_hand(count)),
    }
}

/// Takes the last turn back.
pub(crate) fn undo_now(model: &mut Model) -> Vec<Effect> {
    let said = model.chat.last(EntryKind::User).map(|(_, entry)| entry.text.to_string());
    if let Some(said) = said.filter(|_| model.composer.is_untouched()) {
        model.composer.give_back(&said);
    }
    vec![Effect::host(TurnCommand::Undo)]
}

/// Brings back what was taken back last. Nothing is asked: what goes is kept as well.
pub fn redo(model: &mut Model) -> Vec<Effect> {
    if model.turn.is_some() {
        model.toasts.tell(Level::Info, model.words.turns.on_its_way(), model.now);
        return Vec::new();
    }
    // The message that an undo has given back is in the conversation again.
    if !model.composer.is_empty() && model.composer.is_untouched() {
        model.composer.reset("");
        model.keeping.touch(model.now);
    }
    vec![Effect::host(TurnCommand::Redo)]
}

/// Asks for another answer; first whether that is meant, where changes by hand would go with the one there is.
pub fn retry(model: &mut Model) -> Vec<Effect> {
    if nothing_said(model) {
        return Vec::new();
    }
    if model.session.as_ref().is_some_and(|session| session.memory.by_hand > 0) {
        model.overlays.push(Overlay::Confirm(Confirm {
            question: model.words.turns.retry().to_owned(),
            detail: with_by_hand(model, model.words.turns.retry_detail().to_owned()),
            yes: Confirmed::Retry,
            no: Confirmed::Nothing,
        }));
        return Vec::new();
    }
    retry_now(model)
}

/// Asks for another answer at once.
pub(crate) fn retry_now(model: &mut Model) -> Vec<Effect> {
    let Some((_, entry)) = model.chat.last(EntryKind::User) else { return Vec::new() };
    let (message, number) = (entry.text.to_string(), entry.turn);
    turn::begin(model, message, Some(number));
    vec![Effect::host(TurnCommand::Retry)]
}

fn nothing_said(model: &mut Model) -> bool {
    if model.turn.is_some() {
        model.toasts.tell(Level::Info, model.words.turns.on_its_way(), model.now);
        return true;
    }
    let nothing = model.chat.last(EntryKind::User).is_none();
    if nothing {
        model.toasts.tell(Level::Info, model.words.turns.nothing_said(), model.now);
    }
    nothing
}
