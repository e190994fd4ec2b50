//! Leaving; and what was said, for the terminal's own history: there it can be scrolled, searched and selected by its own
//! means.

use super::chat::EntryKind;
use super::draft;
use super::effect::{Effect, TerminalEffect};
use super::model::Model;
use super::overlay::{Confirm, Confirmed, Overlay};

/// What was said, each message under who said it; empty where nothing was.
pub fn said(model: &Model) -> String {
    let Some(session) = &model.session else { return String::new() };
    let speaker = |kind: EntryKind| match kind {
        EntryKind::User => Some(model.words.courses.you()),
        EntryKind::Assistant => Some(session.engine.name.as_str()),
        EntryKind::AsideAnswer => Some(model.words.chat.aside()),
        // It says itself what it is.
        EntryKind::Aside | EntryKind::Note | EntryKind::Recap => None,
    };
    let entry = |entry: &super::chat::Entry| {
        let text = entry.text.trim_end();
        speaker(entry.kind).map_or_else(|| format!("{text}\n"), |who| format!("{who}:\n{text}\n"))
    };
    let parts: Vec<String> = model.chat.entries.iter().map(entry).collect();
    if parts.is_empty() { String::new() } else { format!("{}\n\n{}", session.label(), parts.join("\n")) }
}

/// Writes it into the terminal's history now.
pub(crate) fn print(model: &Model) -> Vec<Effect> {
    vec![TerminalEffect::Print(said(model)).into()]
}

/// Leaves, or asks first where an answer is under way.
pub(crate) fn quit(model: &mut Model) -> Vec<Effect> {
    if model.turn.is_none() {
        return quit_now(model);
    }
    model.overlays.push(Overlay::Confirm(Confirm {
        question: model.words.turns.leave().to_owned(),
        detail: model.words.turns.leave_detail().to_owned(),
        yes: Confirmed::Quit,
        no: Confirmed::Nothing,
    }));
    Vec::new()
}

/// Leaves, the draft kept.
pub(crate) fn quit_now(model: &mut Model) -> Vec<Effect> {
    model.quitting = true;
    draft::keep(model).into_iter().chain([TerminalEffect::Quit.into()]).collect()
}
