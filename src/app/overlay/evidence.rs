//! The evidence card: what is known of an obligation, from which words, and what can be done about it.

use super::super::chat::Highlight;
use super::super::effect::Effect;
use super::super::keymap::Motion;
use super::super::model::{Focus, Model};
use super::super::session::ShownSession;
use super::super::toasts::Level;
use super::{Asking, Confirm, Confirmed, Overlay, Prompt};
use crate::engine::memory::{ExtractedField, Status, WorkingMemory};
use crate::engine::outline::FieldOutline;
use crate::engine::values::shaped_text;
use crate::host::protocol::Edit;
use crate::words::EvidenceWords;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub obligation: String,
    /// The field under the cursor.
    pub field: usize,
}

/// A field on the card.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldCard<'a> {
    /// What people read of it.
    pub field: &'a FieldOutline,
    pub known: Option<&'a ExtractedField<serde_json::Value>>,
    memory: &'a WorkingMemory,
}

impl<'a> FieldCard<'a> {
    /// Who spoke in a turn, where it was not the user.
    pub(crate) fn speaker(&self, turn: u32) -> Option<&'a str> {
        self.memory.speaker(turn)
    }
}

pub(crate) fn field_cards<'a>(session: &'a ShownSession, obligation: &str) -> Vec<FieldCard<'a>> {
    let known = session.engine.obligation(obligation);
    let paths = known.map_or(&[][..], |obligation| &obligation.fields);
    paths
        .iter()
        .filter_map(|path| {
            let field = session.engine.field(path)?;
            Some(FieldCard { field, known: session.memory.extraction.get(path), memory: &session.memory })
        })
        .collect()
}

/// Moves about on the card.
pub(crate) fn motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    let Some(Overlay::Evidence(card)) = model.overlays.last_mut() else { return None };
    let obligation = card.obligation.clone();
    let fields = model.session.as_ref().map_or(0, |session| field_cards(session, &obligation).len());
    match motion {
        Motion::Up => card.field = card.field.saturating_sub(1),
        Motion::Down => card.field = (card.field + 1).min(fields.saturating_sub(1)),
        Motion::Open => jump(model),
        Motion::Later => return Some(vec![Effect::host(Edit::Defer { obligation })]),
        Motion::Change => return Some(change(model)),
        Motion::Clear => return Some(clear(model)),
        _ => return None,
    }
    Some(Vec::new())
}

/// The field under the cursor: its path, its name, its value.
fn here(model: &Model) -> Option<(String, String, Option<String>)> {
    let Some(Overlay::Evidence(card)) = model.overlays.last() else { return None };
    let session = model.session.as_ref()?;
    let fields = field_cards(session, &card.obligation);
    let field = fields.get(card.field)?;
    let value = field.known.and_then(|known| known.value.as_ref()).map(|value| shaped_text(value, &field.field.shape));
    Some((field.field.path.clone(), field.field.name.clone(), value))
}

/// Goes to the words that a value came from, and marks them.
fn jump(model: &mut Model) {
    let Some((path, ..)) = here(model) else { return };
    let evidence = model.session.as_ref().and_then(|session| session.memory.extraction.get(&path)?.evidence.clone());
    let place = evidence.and_then(|evidence| {
        let entry = model.chat.user_entry(evidence.turn)?;
        let text = &model.chat.entries.get(entry)?.text;
        text.get(evidence.start..evidence.end)?;
        Some(Highlight { entry, bytes: evidence.start..evidence.end })
    });
    let Some(highlight) = place else {
        model.toasts.tell(Level::Info, model.words.evidence.no_words(), model.now);
        return;
    };
    model.overlays.pop();
    model.focus = Focus::Chat;
    model.sidebar.drawer = false;
    model.chat.selected = Some(highlight.entry);
    model.chat.reveal = Some(highlight.clone());
    model.chat.highlight = Some(highlight);
}

fn change(model: &mut Model) -> Vec<Effect> {
    let Some((path, name, value)) = here(model) else { return Vec::new() };
    let asking = Asking::Correct { path, name };
    model.overlays.push(Overlay::Prompt(Prompt::new(asking, &value.unwrap_or_default())));
    Vec::new()
}

fn clear(model: &mut Model) -> Vec<Effect> {
    let Some((path, name, value)) = here(model) else { return Vec::new() };
    let Some(value) = value else {
        model.toasts.tell(Level::Info, model.words.evidence.nothing_of(name), model.now);
        return Vec::new();
    };
    model.overlays.push(Overlay::Confirm(Confirm {
        question: model.words.evidence.forget(name),
        detail: model.words.evidence.it_is(value),
        yes: Confirmed::Clear(path),
        no: Confirmed::Nothing,
    }));
    Vec::new()
}

/// Puts the first field of an obligation right.
pub(crate) fn correct_obligation(model: &mut Model, obligation: &str) -> Vec<Effect> {
    model.overlays.push(Overlay::evidence(obligation));
    change(model)
}

/// Forgets the first field of an obligation.
pub(crate) fn clear_obligation(model: &mut Model, obligation: &str) -> Vec<Effect> {
    model.overlays.push(Overlay::evidence(obligation));
    let effects = clear(model);
    if matches!(model.overlays.last(), Some(Overlay::Evidence(_))) {
        model.overlays.pop();
    }
    effects
}

/// How an obligation stands, in a word.
pub(crate) fn status_word(status: Status, says: &EvidenceWords) -> &str {
    match status {
        Status::Pending => says.open(),
        Status::Partial => says.partly(),
        Status::Satisfied => says.settled(),
        Status::Deferred => says.set_aside(),
    }
}
