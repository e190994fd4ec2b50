//! What was said, for the terminal's own history: there it can be scrolled, searched and selected by its own means.

use super::chat::EntryKind;
use super::effect::{Effect, TerminalEffect};
use super::model::Model;

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
