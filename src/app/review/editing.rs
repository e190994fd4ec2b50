//! A field of the review as it is changed in its place: several lines of text, or one of its choices.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui_textarea::{CursorMove, TextArea};
use serde_json::Value;

use super::super::composer;
use super::super::effect::Effect;
use super::super::keymap::Motion;
use super::super::model::Model;
use super::super::overlay::{self, Asking, Overlay};
use super::super::text_area;
use super::super::toasts::Level;
use super::{FieldLine, typed, words};
use crate::engine::config::Kind;
use crate::engine::reading::Mistyped;
use crate::engine::values::same;
use crate::host::protocol::Edit;
use crate::words::ReviewWords;

/// A field that is being changed.
#[derive(Clone, Debug)]
pub struct FieldEdit {
    pub path: String,
    pub input: Input,
    /// What is wrong with what was typed.
    pub problem: Option<String>,
    before: String,
}

/// How a value is given.
#[derive(Clone, Debug)]
pub enum Input {
    Text(Box<TextArea<'static>>),
    Choice {
        /// What people read, and the value it stands for.
        options: Vec<(String, Value)>,
        /// None before one was chosen.
        at: Option<usize>,
    },
}

impl PartialEq for FieldEdit {
    fn eq(&self, other: &Self) -> bool {
        (&self.path, self.text(), &self.problem) == (&other.path, other.text(), &other.problem)
    }
}

impl FieldEdit {
    pub(super) fn of(line: &FieldLine<'_>, says: &ReviewWords) -> Self {
        let before = line.text().unwrap_or_default();
        let options = typed::choices(&line.field.shape, says);
        let input = if options.is_empty() {
            Input::Text(Box::new(composer::area_of(&before)))
        } else {
            let at = line.value().and_then(|value| options.iter().position(|(_, option)| same(option, value)));
            Input::Choice { options, at }
        };
        Self { path: line.field.path.clone(), input, problem: None, before }
    }

    /// What is typed or chosen so far.
    pub fn text(&self) -> String {
        match &self.input {
            Input::Text(area) => area.lines().join("\n"),
            Input::Choice { options, at } => {
                at.and_then(|at| options.get(at)).map(|(label, _)| label.clone()).unwrap_or_default()
            }
        }
    }

    /// What was typed, if it is another than before.
    pub(super) fn typed(&self) -> Option<String> {
        let text = self.text();
        let is_typed = matches!(self.input, Input::Text(_)) && !text.trim().is_empty() && text != self.before;
        is_typed.then_some(text)
    }

    /// What is typed so far, as a command that can be kept in its place.
    pub(crate) fn unfinished(&self) -> Option<String> {
        self.typed().map(|text| format!("/correct {} {}", self.path, text.trim()))
    }
}

/// The field that is being changed.
fn edited(model: &mut Model) -> Option<&mut FieldEdit> {
    match model.overlays.last_mut() {
        Some(Overlay::Review(review)) => review.editing.as_mut(),
        _ => None,
    }
}

pub(super) fn motion(model: &mut Model, motion: Motion) -> Vec<Effect> {
    let Some(edit) = edited(model) else { return Vec::new() };
    match (&mut edit.input, motion) {
        (_, Motion::Open) => return keep(model),
        (_, Motion::Back | Motion::Interrupt) => leave(model),
        (Input::Text(area), Motion::Up | Motion::PageUp) => area.move_cursor(CursorMove::Up),
        (Input::Text(area), Motion::Down | Motion::PageDown) => area.move_cursor(CursorMove::Down),
        (Input::Choice { at, options }, Motion::Up) => {
            *at = at.and_then(|at| at.checked_sub(1)).or(options.len().checked_sub(1));
        }
        (Input::Choice { at, options }, Motion::Down) => {
            *at = Some(at.map_or(0, |at| (at + 1) % options.len().max(1)));
        }
        _ => {}
    }
    Vec::new()
}

/// Leaves the field as it was. What was typed can be had again with the up key.
fn leave(model: &mut Model) {
    let Some(Overlay::Review(review)) = model.overlays.last_mut() else { return };
    if let Some(text) = review.editing.take().and_then(|edit| edit.typed()) {
        model.composer.history.add(&text);
    }
}

/// Keeps what was typed, if it fits the field and is another than before.
fn keep(model: &mut Model) -> Vec<Effect> {
    let says = &model.words.review;
    let (Some(Overlay::Review(review)), Some(session)) = (model.overlays.last_mut(), &model.session) else {
        return Vec::new();
    };
    let Some(edit) = &mut review.editing else { return Vec::new() };
    let Some(field) = session.engine.field(&edit.path) else { return Vec::new() };
    let value = match &edit.input {
        Input::Choice { options, at } => {
            at.and_then(|at| options.get(at)).map(|(_, value)| value.clone()).ok_or_else(String::new)
        }
        Input::Text(_) if edit.text().trim().is_empty() => Err(String::new()),
        Input::Text(_) => typed::parse(&edit.text(), &field.shape, says),
    };
    let unchanged = edit.text().trim() == edit.before.trim();
    match value {
        // A doubtful value that is kept as it is has been confirmed.
        Ok(_) if unchanged && session.memory.extraction.is_known(&edit.path) => {
            review.editing = None;
            model.toasts.tell(Level::Info, model.words.review.unchanged(), model.now);
            Vec::new()
        }
        Ok(value) => {
            let path = edit.path.clone();
            review.sent = review.editing.take();
            vec![Effect::host(Edit::Correct { path, value })]
        }
        Err(problem) if problem.is_empty() => {
            let emptied = review.editing.take().filter(|edit| !edit.before.trim().is_empty());
            if let Some(edit) = emptied.filter(|edit| matches!(edit.input, Input::Text(_))) {
                let (name, path) = (field.name.clone(), field.path.clone());
                super::ask_to_forget(model, &name, &edit.before, path);
            }
            Vec::new()
        }
        Err(problem) => {
            edit.problem = Some(problem);
            Vec::new()
        }
    }
}

pub(crate) fn key(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    let newline = text_area::is_newline(model, key);
    let Some(edit) = edited(model) else { return Vec::new() };
    edit.problem = None;
    match &mut edit.input {
        Input::Text(area) => text_area::key(area, key, newline),
        Input::Choice { options, at } => {
            // A letter goes to the next choice that begins with it.
            if let KeyCode::Char(c) = key.code {
                let first = at.map_or(0, |at| at + 1);
                let next = (0..options.len()).map(|step| (first + step) % options.len());
                let begins = |at: &usize| options[*at].0.to_lowercase().starts_with(c.to_ascii_lowercase());
                *at = { next }.find(begins).or(*at);
            }
        }
    }
    Vec::new()
}

pub(crate) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    if let Some(FieldEdit { input: Input::Text(area), .. }) = edited(model) {
        area.insert_str(composer::harmless(text));
    }
    Vec::new()
}

/// What was typed into a field is no value of it: it stands in the field again, with what is wrong. Where the review is not
/// open, it is asked for once more.
pub(crate) fn refused(model: &mut Model, path: &str, value: &Value, why: &Mistyped) -> Vec<Effect> {
    let typed = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    let field = model.session.as_ref().and_then(|session| session.engine.field(path));
    let can_be_kept = field.is_some_and(|field| field.shape.kind == Kind::String);
    let problem = words::refusal(why, &typed, can_be_kept, &model.words.review);
    if let Some(Overlay::Review(review)) = model.overlays.last_mut()
        && review.editing.is_none()
        && let Some(sent) = review.sent.take_if(|sent| sent.path == path)
    {
        review.editing = Some(FieldEdit { problem: Some(problem), ..sent });
        return Vec::new();
    }
    let name = field.map_or_else(|| path.to_owned(), |field| field.name.clone());
    model.toasts.tell(Level::Warning, problem, model.now);
    if model.overlays.is_empty() && model.composer.is_empty() {
        return overlay::ask(model, Asking::Correct { path: path.to_owned(), name }, &typed);
    }
    Vec::new()
}
