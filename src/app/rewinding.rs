//! Turns that are taken back, brought back, or answered once more.

use super::chat::EntryKind;
use super::effect::Effect;
use super::model::Model;
use super::overlay::{Confirm, Confirmed, Overlay};
use super::toasts::Level;
use super::turn;
use crate::host::protocol::TurnCommand;

/// `/undo [count]`: takes back what was changed by hand last, which redo brings again; else asks whether the last turn may
/// go, or so many of them.
pub fn undo(model: &mut Model, argument: &str) -> Vec<Effect> {
    let argument = argument.trim();
    let count: Option<u32> = argument.parse().ok().filter(|count| *count > 0);
    if count.is_none() && !argument.is_empty() {
        model.toasts.tell(Level::Info, model.words.turns.undo_takes(argument), model.now);
        return Vec::new();
    }
    if count.is_none()
        && model.turn.is_none()
        && model.session.as_ref().is_some_and(|session| session.memory.by_hand > 0)
    {
        return vec![Effect::host(TurnCommand::UndoChange)];
    }
    ask_about_turns(model, count.unwrap_or(1));
    Vec::new()
}

/// Asks whether the last turns may go.
pub(crate) fn ask_about_turns(model: &mut Model, count: u32) {
    if nothing_said(model) {
        return;
    }
    let said = model.session.as_ref().map_or(count, |session| session.memory.turn);
    let count = count.min(said.max(1));
    model.overlays.push(Overlay::Confirm(Confirm {
        question: model.words.turns.undo(count),
        detail: with_by_hand(model, model.words.turns.undo_detail(count)),
        yes: Confirmed::Undo(count),
        no: Confirmed::Nothing,
    }));
}

/// What is told of taking turns back, with what goes along that was changed by hand after the last of them.
pub(crate) fn with_by_hand(model: &Model, detail: String) -> String {
    match model.session.as_ref().map_or(0, |session| session.memory.by_hand) {
        0 => detail,
        count => format!("{detail} {}", model.words.turns.with_by_hand(count)),
    }
}

/// Takes the last turns back. What was said in the first of them can be said anew.
pub(crate) fn undo_now(model: &mut Model, count: u32) -> Vec<Effect> {
    let last = model.session.as_ref().map_or(0, |session| session.memory.turn);
    let first = model.chat.user_entry((last + 1).saturating_sub(count)).and_then(|at| model.chat.entries.get(at));
    let first = first.or_else(|| model.chat.last(EntryKind::User).map(|(_, entry)| entry));
    let said = first.map(|entry| entry.text.to_string());
    if let Some(said) = said.filter(|_| model.composer.is_untouched()) {
        model.composer.give_back(&said);
    }
    vec![Effect::host(if count == 1 { TurnCommand::Undo } else { TurnCommand::UndoTurns(count) })]
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
