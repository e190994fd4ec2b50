//! One line of text that a command needs.

use serde_json::Value;

use super::super::aside;
use super::super::chat;
use super::super::effect::Effect;
use super::super::filing;
use super::super::keymap::Motion;
use super::super::line::Line;
use super::super::model::{Focus, Model};
use super::super::review::typed;
use super::super::toasts::Level;
use super::Overlay;
use crate::engine::budget::Cap;
use crate::engine::config::Kind;
use crate::host::protocol::{Edit, Export, SessionCommand};
use crate::words::Words;

/// What the text is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asking {
    /// The title of the session.
    Title,
    /// Words to be found in the conversation.
    Find,
    /// The file the brief is written to.
    File,
    /// What may be spent.
    Cap(Cap),
    /// The value of a field.
    Correct { path: String, name: String },
    /// The tags of a session.
    Tags { session: String },
    /// Words beside the conversation.
    Aside,
}

impl Asking {
    /// What stands over the field.
    pub fn title(&self, words: &Words) -> String {
        let says = &words.lists;
        match self {
            Self::Title => says.title_of_session().to_owned(),
            Self::Find => says.find().to_owned(),
            Self::File => says.brief_to().to_owned(),
            Self::Cap(cap) => says.cap(super::cap_name(*cap, &words.budget)),
            Self::Correct { name, .. } => says.value_of(name),
            Self::Tags { .. } => says.tags().to_owned(),
            Self::Aside => says.aside().to_owned(),
        }
    }
}

/// A field for one line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    pub asking: Asking,
    pub input: Line,
    /// What stood in the field at first.
    offered: String,
}

impl Prompt {
    pub fn new(asking: Asking, text: &str) -> Self {
        Self { asking, input: Line::new(text), offered: text.to_owned() }
    }

    /// What is typed so far, as a command that can be kept in its place; none for what is quickly typed again.
    pub fn unfinished(&self) -> Option<String> {
        let text = self.input.text();
        let typed = Some(text.trim()).filter(|typed| !typed.is_empty() && text != self.offered)?;
        match &self.asking {
            Asking::Correct { path, .. } => Some(format!("/correct {path} {typed}")),
            Asking::Title => Some(format!("/rename {typed}")),
            Asking::Aside => Some(aside::as_typed(typed)),
            Asking::Find | Asking::File | Asking::Cap(_) | Asking::Tags { .. } => None,
        }
    }
}

pub fn ask(model: &mut Model, asking: Asking, text: &str) -> Vec<Effect> {
    model.overlays.push(Overlay::Prompt(Prompt::new(asking, text)));
    Vec::new()
}

/// Takes the text, or moves on.
pub(crate) fn motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    if motion != Motion::Open {
        return None;
    }
    let Some(Overlay::Prompt(Prompt { asking, input, .. })) = model.overlays.pop() else { return None };
    Some(answered(model, asking, input.text().trim()))
}

/// Does what the text was asked for.
pub fn answered(model: &mut Model, asking: Asking, text: &str) -> Vec<Effect> {
    match asking {
        Asking::Find => {
            chat::find(model, text);
            model.focus = Focus::Chat;
            Vec::new()
        }
        Asking::Tags { session } => filing::retag(model, session, text),
        _ if text.is_empty() => Vec::new(),
        Asking::Title => vec![Effect::host(SessionCommand::Rename(text.to_owned()))],
        Asking::Cap(cap) => match text.trim_start_matches('$').replace([',', '_'], "").parse::<f64>() {
            Ok(limit) if limit.is_finite() => super::budget::raise(model, cap, limit),
            _ => {
                model.toasts.tell(Level::Warning, model.words.lists.no_amount(text), model.now);
                Vec::new()
            }
        },
        Asking::File => vec![Effect::host(SessionCommand::Export(Export::Brief(Some(text.to_owned()))))],
        Asking::Correct { path, .. } => correct(model, path, text),
        Asking::Aside => aside::say(model, text),
    }
}

/// Sets a field to what was typed: as JSON where the field is a list or a record and it reads as such, else as the review
/// reads it.
pub fn correct(model: &mut Model, path: String, text: &str) -> Vec<Effect> {
    let Some(field) = model.session.as_ref().and_then(|session| session.engine.field(&path)) else {
        return Vec::new();
    };
    let listed = || {
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        items.map(|item| Value::String(item.to_owned())).collect::<Value>()
    };
    let json = || serde_json::from_str::<Value>(text).ok();
    let value = match field.shape.kind {
        Kind::Array => Ok(json().filter(Value::is_array).unwrap_or_else(listed)),
        Kind::Object => Ok(json().filter(Value::is_object).unwrap_or_else(|| Value::from(text))),
        _ => typed::parse(text, &field.shape, &model.words.review),
    };
    match value {
        Ok(value) => vec![Effect::host(Edit::Correct { path, value })],
        Err(problem) => {
            let name = field.name.clone();
            model.toasts.tell(Level::Warning, problem, model.now);
            ask(model, Asking::Correct { path, name }, text)
        }
    }
}
