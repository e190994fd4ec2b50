//! The review of a handoff: a form of what would be handed over, to be changed in its place, accepted or declined.

use crossterm::event::KeyEvent;
use ratatui_textarea::{CursorMove, TextArea};

use super::super::effect::Effect;
use super::super::keymap::Motion;
use super::super::model::Model;
use super::super::toasts::Level;
use super::super::{composer, draft, text_area};
use super::Overlay;
use crate::engine::handoff::{Handoff, Part, validate};
use crate::host::protocol::HandoffCommand;

/// The review of what would be handed over.
#[derive(Clone, Debug, PartialEq)]
pub struct HandoffReview {
    /// The engine that would go on.
    pub target: String,
    pub label: String,
    /// What would be handed over, as far as the user has changed it.
    pub handoff: Box<Handoff>,
    /// What keeps it from being valid.
    pub problems: Vec<String>,
    /// The line under the cursor.
    pub cursor: usize,
    pub editing: Option<ItemEdit>,
}

/// A line of the form that the cursor can be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormLine {
    /// The title of a part: something can be added to it.
    Title(Part),
    Item(Part, usize),
}

/// An item that is being changed, or written.
#[derive(Clone, Debug)]
pub struct ItemEdit {
    pub(crate) part: Part,
    pub(crate) at: usize,
    pub(crate) area: Box<TextArea<'static>>,
    before: String,
}

impl PartialEq for ItemEdit {
    fn eq(&self, other: &Self) -> bool {
        (self.part, self.at, self.text()) == (other.part, other.at, other.text())
    }
}

impl ItemEdit {
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }
}

impl HandoffReview {
    /// The lines of the form: every part, and below it its items.
    pub(crate) fn lines(&self) -> Vec<FormLine> {
        let lines = |part: Part| {
            let items = part.count(&self.handoff);
            std::iter::once(FormLine::Title(part)).chain((0..items).map(move |at| FormLine::Item(part, at)))
        };
        Part::ALL.into_iter().flat_map(lines).collect()
    }

    /// What was typed and is not kept.
    pub(super) fn left_behind(&self) -> Option<String> {
        let edit = self.editing.as_ref()?;
        Some(edit.text()).filter(|text| !text.trim().is_empty() && *text != edit.before)
    }

    /// Begins to change the item under the cursor, or to write one.
    fn edit(&mut self) {
        let (part, at) = match self.lines().get(self.cursor) {
            Some(FormLine::Title(part)) => (*part, part.count(&self.handoff)),
            Some(FormLine::Item(part, at)) => (*part, *at),
            None => return,
        };
        let before = part.text(&self.handoff, at);
        self.editing = Some(ItemEdit { part, at, area: Box::new(composer::area_of(&before)), before });
    }

    /// What is to be done after the handoff was changed.
    fn changed(&mut self) -> Vec<Effect> {
        self.problems = validate(&self.handoff);
        self.cursor = self.cursor.min(self.lines().len().saturating_sub(1));
        vec![Effect::host(HandoffCommand::Edit(self.handoff.clone()))]
    }

    /// Keeps what was typed, if it is another than before.
    fn keep(&mut self) -> Vec<Effect> {
        let Some(edit) = self.editing.take() else { return Vec::new() };
        let text = edit.text();
        if text.trim() == edit.before.trim() {
            return Vec::new();
        }
        edit.part.put(&mut self.handoff, edit.at, &text);
        let own = FormLine::Item(edit.part, edit.at);
        self.cursor = self.lines().iter().position(|line| *line == own).unwrap_or(self.cursor);
        self.changed()
    }
}

/// What people call an engine, as far as it is known here.
fn name_of(model: &Model, id: String) -> String {
    let known = model.picker.engines.iter().find(|engine| engine.id == id);
    known.map_or(id, |engine| engine.name.clone())
}

/// Opens the review of the step on offer.
pub fn open(model: &mut Model) -> Vec<Effect> {
    let offer = model.session.as_ref().and_then(|session| session.memory.exit_offer.clone());
    let Some(offer) = offer else {
        let declined = model.session.as_ref().is_some_and(|session| !session.memory.declined_exits.is_empty());
        if declined {
            model.toasts.tell(Level::Info, model.words.handoff.offered_again(), model.now);
            return vec![Effect::host(HandoffCommand::Reconsider)];
        }
        model.toasts.tell(Level::Info, model.words.handoff.none_yet(), model.now);
        return Vec::new();
    };
    model.overlays.push(Overlay::Handoff(HandoffReview {
        target: name_of(model, offer.target),
        label: offer.label,
        handoff: Box::new(offer.handoff),
        problems: offer.problems,
        cursor: 0,
        editing: None,
    }));
    Vec::new()
}

/// Moves about, changes, accepts or declines.
pub(crate) fn motion(model: &mut Model, motion: Motion, page: usize) -> Option<Vec<Effect>> {
    let Some(Overlay::Handoff(review)) = model.overlays.last_mut() else { return None };
    if review.editing.is_some() {
        return edit_motion(model, motion);
    }
    let last = review.lines().len().saturating_sub(1);
    match motion {
        Motion::Up => review.cursor = review.cursor.saturating_sub(1),
        Motion::Down => review.cursor = (review.cursor + 1).min(last),
        Motion::PageUp => review.cursor = review.cursor.saturating_sub(page),
        Motion::PageDown => review.cursor = (review.cursor + page).min(last),
        Motion::Top => review.cursor = 0,
        Motion::Bottom => review.cursor = last,
        Motion::Open | Motion::Change => review.edit(),
        Motion::Clear => {
            let Some(FormLine::Item(part, at)) = review.lines().get(review.cursor).copied() else {
                return Some(Vec::new());
            };
            part.take(&mut review.handoff, at);
            return Some(review.changed());
        }
        Motion::Accept => return Some(accept(model)),
        Motion::Decline => {
            model.overlays.pop();
            return Some(vec![Effect::host(HandoffCommand::Decline)]);
        }
        _ => return None,
    }
    Some(Vec::new())
}

fn accept(model: &mut Model) -> Vec<Effect> {
    let Some(Overlay::Handoff(review)) = model.overlays.last() else { return Vec::new() };
    if let Some(problem) = review.problems.first() {
        let text = model.words.handoff.not_yet(problem);
        model.toasts.tell(Level::Warning, text, model.now);
        return Vec::new();
    }
    model.opening = Some((review.target.clone(), model.now));
    model.overlays.pop();
    draft::keep(model).into_iter().chain([Effect::host(HandoffCommand::Accept)]).collect()
}

/// Moves about in the item that is being changed, keeps it or leaves it as it was.
fn edit_motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    let Some(Overlay::Handoff(review)) = model.overlays.last_mut() else { return None };
    match (motion, &mut review.editing) {
        (Motion::Open, _) => return Some(review.keep()),
        (Motion::Back | Motion::Interrupt, _) => {
            let typed = review.left_behind();
            review.editing = None;
            if let Some(text) = typed {
                model.composer.history.add(&text);
            }
        }
        (Motion::Up | Motion::PageUp, Some(edit)) => edit.area.move_cursor(CursorMove::Up),
        (Motion::Down | Motion::PageDown, Some(edit)) => edit.area.move_cursor(CursorMove::Down),
        _ => return None,
    }
    Some(Vec::new())
}

pub(super) fn key(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    let newline = text_area::is_newline(model, key);
    if let Some(Overlay::Handoff(HandoffReview { editing: Some(edit), .. })) = model.overlays.last_mut() {
        text_area::key(&mut edit.area, key, newline);
    }
    Vec::new()
}

pub(super) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    if let Some(Overlay::Handoff(HandoffReview { editing: Some(edit), .. })) = model.overlays.last_mut() {
        edit.area.insert_str(composer::harmless(text));
    }
    Vec::new()
}
