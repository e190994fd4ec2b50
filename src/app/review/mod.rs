//! The review: every field by section with its value, the words it came from and how it stands, to be changed in place
//! and confirmed. What is confirmed is what was on the screen.

mod editing;
pub(crate) mod typed;
pub(crate) mod words;

pub use editing::{FieldEdit, Input};
pub(crate) use editing::{key, paste, refused};

use std::collections::BTreeMap;

use serde_json::Value;

use super::effect::Effect;
use super::keymap::Motion;
use super::model::Model;
use super::overlay::{Confirm, Confirmed, Overlay};
use super::session::ShownSession;
use super::toasts::Level;
use crate::engine::config::Kind;
use crate::engine::memory::{ExtractedField, FieldSource, FieldState, Status, WorkingMemory};
use crate::engine::outline::FieldOutline;
use crate::engine::values::shaped_text;
use crate::host::protocol::Edit;
use crate::words::{ReviewWords, Words};

/// The state of the review.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Review {
    /// The field under the cursor; after the last comes the yes to all of them.
    pub cursor: usize,
    pub editing: Option<FieldEdit>,
    /// What was typed last and is being looked at: it comes back where it is refused.
    sent: Option<FieldEdit>,
    /// What has been on the screen of each field.
    seen: BTreeMap<String, String>,
}

/// How a field stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Known,
    ByHand,
    /// A value that only needs a yes.
    Maybe,
    /// A value that was settled until something it depends on changed.
    Doubtful,
    NotKnown,
    Declined,
    Deferred,
    Open,
}

/// A field in the review.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldLine<'a> {
    /// The title of its section, on the first of it.
    pub section: Option<&'a str>,
    pub field: &'a FieldOutline,
    known: Option<&'a ExtractedField<Value>>,
    obligation: Option<&'a str>,
    pub standing: Standing,
    memory: &'a WorkingMemory,
}

impl<'a> FieldLine<'a> {
    /// What is noted of it, sure or not.
    pub fn value(&self) -> Option<&'a Value> {
        match self.standing {
            Standing::Known | Standing::ByHand | Standing::Doubtful => self.known?.value.as_ref(),
            Standing::Maybe => self.known?.doubted(),
            Standing::NotKnown | Standing::Declined | Standing::Deferred | Standing::Open => None,
        }
    }

    /// The words that it came from, and their turn.
    pub fn quote(&self) -> Option<(&'a str, u32)> {
        let known = self.known?;
        let offered = known.candidate.as_ref().filter(|_| self.standing == Standing::Maybe);
        let evidence = offered.map_or(known.evidence.as_ref(), |candidate| candidate.evidence.as_ref());
        evidence.map(|evidence| (evidence.quote.as_str(), evidence.turn))
    }

    /// The words that it came from, with who said them and when.
    pub fn said(&self, says: &ReviewWords) -> Option<String> {
        let (quote, turn) = self.quote()?;
        let quote = quote.split_whitespace().collect::<Vec<_>>().join(" ");
        // The same words twice would only be more to read.
        let same = self.shown().as_deref() == Some(&*quote);
        Some(match (self.memory.speaker(turn), same) {
            (Some(speaker), true) => says.verbatim_of(speaker, turn),
            (Some(speaker), false) => says.quoted_of(speaker, quote, turn),
            (None, true) => says.verbatim(turn),
            (None, false) => says.quoted(&quote, turn),
        })
    }

    /// What was said against a value that counts, and is not settled yet.
    pub fn otherwise(&self, says: &ReviewWords) -> Option<String> {
        let counts = matches!(self.standing, Standing::Known | Standing::ByHand);
        let other = self.known?.candidate.as_ref().filter(|_| counts)?;
        let value = shaped_text(&other.value, &self.field.shape);
        Some(match self.memory.speaker(other.turn) {
            Some(speaker) => says.otherwise(speaker, value, other.turn),
            None => says.said_otherwise(value, other.turn),
        })
    }

    /// What is shown of its value.
    pub fn shown(&self) -> Option<String> {
        match self.field.shape.kind {
            Kind::Number => self.value().map(|value| shaped_text(value, &self.field.shape)),
            _ => self.text(),
        }
    }

    /// Its value as it is edited.
    pub fn text(&self) -> Option<String> {
        self.value().map(|value| typed::to_text(value, &self.field.shape))
    }
}

/// Every field by section. The yes to all of them is no field of its own here.
pub(crate) fn lines<'a>(session: &'a ShownSession, words: &'static Words) -> Vec<FieldLine<'a>> {
    let engine = &session.engine;
    let mut listed: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    for section in &session.sidebar.sections {
        let mut title = Some(section.title.as_str());
        for item in &section.items {
            let fields = engine.obligation(&item.obligation_id).map_or(&[][..], |known| &known.fields);
            for field in fields.iter().filter_map(|path| engine.field(path)) {
                if !field.confirmation && !listed.contains(&field.path.as_str()) {
                    listed.push(&field.path);
                    lines.push(line(session, field, Some(&item.obligation_id), title.take()));
                }
            }
        }
    }
    let mut title = Some(words.review.elsewhere());
    for field in engine.fields.iter().filter(|field| !field.confirmation && !listed.contains(&field.path.as_str())) {
        lines.push(line(session, field, None, title.take()));
    }
    lines
}

fn line<'a>(
    session: &'a ShownSession,
    field: &'a FieldOutline,
    obligation: Option<&'a str>,
    section: Option<&'a str>,
) -> FieldLine<'a> {
    let known = session.memory.extraction.get(&field.path);
    let is_deferred = obligation.is_some_and(|id| session.memory.obligations.status(id) == Status::Deferred);
    let standing = match known {
        Some(known) => match (known.state, &known.value) {
            (FieldState::Known, Some(_)) if known.source == FieldSource::User => Standing::ByHand,
            (FieldState::Known, Some(_)) => Standing::Known,
            (FieldState::Unknown, _) => Standing::NotKnown,
            (FieldState::Declined, _) => Standing::Declined,
            _ if known.candidate.is_some() => Standing::Maybe,
            (FieldState::Stale, Some(_)) => Standing::Doubtful,
            _ => Standing::Open,
        },
        None => Standing::Open,
    };
    let standing = if standing == Standing::Open && is_deferred { Standing::Deferred } else { standing };
    FieldLine { section, field, known, obligation, standing, memory: &session.memory }
}

/// Whether the last answer asked for a yes to everything.
pub(crate) fn is_asked_for(session: &ShownSession) -> bool {
    let engine = &session.engine;
    let confirms = |path: &String| engine.field(path).is_some_and(|field| field.confirmation);
    let asked = session.memory.asked.iter().filter_map(|asked| engine.obligation(&asked.obligation));
    asked.flat_map(|obligation| &obligation.fields).any(confirms)
}

/// Whether everything is asked and the user has said yes to all of it.
pub(crate) fn is_confirmed(session: &ShownSession) -> bool {
    let mut yes = session.engine.fields.iter().filter(|field| field.confirmation).peekable();
    let nothing_left = session.sidebar.left.is_none_or(|left| left.questions == 0);
    let said = |field: &FieldOutline| session.memory.extraction.value(&field.path) == Some(&Value::Bool(true));
    yes.peek().is_some() && nothing_left && yes.all(said) && !is_asked_for(session)
}

pub(crate) fn open(model: &mut Model) -> Vec<Effect> {
    if matches!(model.overlays.last(), Some(Overlay::Review(_))) {
        return super::overlay::close(model);
    }
    model.overlays.push(Overlay::Review(Review::default()));
    Vec::new()
}

/// Takes in which fields can be read in full on the screen.
pub(crate) fn shown(model: &mut Model, paths: &[String]) -> Vec<Effect> {
    let (Some(Overlay::Review(review)), Some(session)) = (model.overlays.last_mut(), &model.session) else {
        return Vec::new();
    };
    for line in lines(session, model.words).iter().filter(|line| paths.contains(&line.field.path)) {
        review.seen.insert(line.field.path.clone(), line.text().unwrap_or_default());
    }
    Vec::new()
}

impl Review {
    /// What was typed into a field and not kept.
    pub(crate) fn left_behind(&self) -> Option<String> {
        self.editing.as_ref().and_then(FieldEdit::typed)
    }

    /// Whether a field has been on the screen as it is now.
    pub(crate) fn has_shown(&self, line: &FieldLine<'_>) -> bool {
        self.seen.get(&line.field.path) == Some(&line.text().unwrap_or_default())
    }
}

/// Moves about, changes, sets aside, forgets and confirms.
pub(crate) fn motion(model: &mut Model, motion: Motion, page: usize) -> Option<Vec<Effect>> {
    let (Some(Overlay::Review(review)), Some(session)) = (model.overlays.last_mut(), &model.session) else {
        return None;
    };
    if review.editing.is_some() {
        return Some(editing::motion(model, motion));
    }
    let lines = lines(session, model.words);
    let last = lines.len();
    let page = (page / 3).max(1);
    let here = lines.get(review.cursor).copied();
    match motion {
        Motion::Up => review.cursor = review.cursor.saturating_sub(1),
        Motion::Down => review.cursor = (review.cursor + 1).min(last),
        Motion::PageUp => review.cursor = review.cursor.saturating_sub(page),
        Motion::PageDown => review.cursor = (review.cursor + page).min(last),
        Motion::Top => review.cursor = 0,
        Motion::Bottom => review.cursor = last,
        Motion::Open if here.is_none() => return Some(agree(model)),
        Motion::Accept => return Some(agree(model)),
        Motion::Open | Motion::Change => review.editing = here.map(|line| FieldEdit::of(&line, &model.words.review)),
        Motion::Later => {
            let obligation = here.and_then(|line| line.obligation).map(ToOwned::to_owned);
            let edit = obligation.map(|obligation| Effect::host(Edit::Defer { obligation }));
            return Some(edit.into_iter().collect());
        }
        Motion::Clear => {
            let asks = here.and_then(|line| Some((line.field.clone(), line.text()?)));
            if let Some((field, text)) = asks {
                ask_to_forget(model, &field.name, &text, field.path);
            }
        }
        _ => return None,
    }
    Some(Vec::new())
}

/// Asks whether a value may be forgotten.
fn ask_to_forget(model: &mut Model, name: &str, value: &str, path: String) {
    model.overlays.push(Overlay::Confirm(Confirm {
        question: model.words.evidence.forget(name),
        detail: model.words.evidence.it_is(value.replace('\n', "; ")),
        yes: Confirmed::Clear(path),
        no: Confirmed::Nothing,
    }));
}

/// Says yes to all that was shown; what has not been on the screen is shown first.
fn agree(model: &mut Model) -> Vec<Effect> {
    let (Some(Overlay::Review(review)), Some(session)) = (model.overlays.last_mut(), &model.session) else {
        return Vec::new();
    };
    let lines = lines(session, model.words);
    let noted: Vec<(usize, &FieldLine<'_>)> =
        lines.iter().enumerate().filter(|(_, line)| line.value().is_some()).collect();
    let unseen: Vec<usize> = noted.iter().filter(|(_, line)| !review.has_shown(line)).map(|(at, _)| *at).collect();
    if let Some(first) = unseen.first() {
        review.cursor = *first;
        model.toasts.tell(Level::Info, model.words.review.unseen(unseen.len()), model.now);
        return Vec::new();
    }
    let shown: Vec<(String, Value)> =
        noted.iter().filter_map(|(_, line)| Some((line.field.path.clone(), line.value()?.clone()))).collect();
    if shown.is_empty() {
        model.toasts.tell(Level::Info, model.words.review.nothing_noted(), model.now);
        return Vec::new();
    }
    model.overlays.pop();
    vec![Effect::host(Edit::Confirm { shown })]
}
