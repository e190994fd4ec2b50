//! Who answers, what is kept where, and how it is erased: shown by itself on the first start, and by `/about`.
//!
//! It is in nobody's way: any key goes on, and what is typed goes where it would have gone without it. A key that comes
//! before it could be seen goes there too, and leaves it open.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::commands::Command;
use super::effect::{Effect, Outside};
use super::keymap::{Action, Chord, Context, Motion};
use super::model::Model;
use super::msg::CardMsg;
use super::overlay::{Overlay, scrolled};
use super::{hints, update};

/// The name under which it is kept that this was shown. It stands among the names of the hints that were put away.
pub const SHOWN: &str = "about";

/// Where things are kept, as people read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The folder that everything below is in, but for the settings.
    pub data: String,
    pub database: String,
    pub log: String,
    pub settings: String,
}

/// The screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The first row in view.
    pub top: usize,
    /// What of it was drawn last; none before it was.
    shown: Option<CardMsg>,
}

impl About {
    /// Whether it was drawn and all of it fits on the screen.
    pub(crate) fn fits(&self) -> bool {
        self.shown.is_some_and(|shown| shown.rows <= shown.visible)
    }

    /// Whether there is more of it than fits on the screen.
    fn scrolls(&self) -> bool {
        self.shown.is_some_and(|shown| shown.rows > shown.visible)
    }
}

/// A heading and what stands below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'w> {
    pub heading: &'w str,
    pub says: Vec<String>,
}

/// What there is to say.
pub fn parts(model: &Model) -> Vec<Part<'_>> {
    let (says, places, endpoint) = (&model.words.about, &model.places, &model.endpoint);
    let answers = match &endpoint.label {
        _ if endpoint.host.is_empty() => says.nobody().to_owned(),
        label if endpoint.is_here() => says.model_here(label, &endpoint.host),
        label => says.model_at(label, &endpoint.host),
    };
    vec![
        Part { heading: says.who(), says: vec![answers, says.asked_first().to_owned()] },
        Part {
            heading: says.kept(),
            says: vec![
                says.in_database(&places.database),
                says.in_log(&places.log),
                says.in_settings(&places.settings),
            ],
        },
        Part { heading: says.erasing(), says: vec![says.one().to_owned(), says.everything(&places.data)] },
    ]
}

/// The first frame is on the screen: a person who is here for the first time is told once.
pub(crate) fn begin(model: &mut Model) -> Vec<Effect> {
    if !std::mem::take(&mut model.is_new) {
        return Vec::new();
    }
    model.overlays.insert(0, Overlay::About(About::default()));
    vec![Effect::Outside(Outside::KeepHints(hints::with(model, SHOWN)))]
}

/// Opens it, or closes it.
pub(crate) fn toggle(model: &mut Model) -> Vec<Effect> {
    match model.overlays.last() {
        Some(Overlay::About(_)) => model.overlays.truncate(model.overlays.len() - 1),
        _ => model.overlays.push(Overlay::About(About::default())),
    }
    Vec::new()
}

/// Takes in what of it is on the screen.
pub(crate) fn drawn(model: &mut Model, msg: CardMsg) {
    if let Some(Overlay::About(about)) = model.overlays.last_mut() {
        (about.top, about.shown) = (msg.top, Some(msg));
    }
}

/// A key while it is on top; `None` where it is not.
pub(crate) fn key(model: &mut Model, event: KeyEvent) -> Option<Vec<Effect>> {
    let Some(Overlay::About(about)) = model.overlays.last() else { return None };
    let about = about.clone();
    if about.scrolls()
        && let Some(top) = motion(model, event).and_then(|motion| scrolled(about.top, motion, page(&about)))
        && let Some(Overlay::About(about)) = model.overlays.last_mut()
    {
        about.top = top;
        return Some(Vec::new());
    }
    model.overlays.pop();
    let again = model.keymap.action(Context::Global, Chord::from(event)) == Some(Action::Run(Command::About));
    if about.shown.is_some() && (again || only_goes_on(event)) {
        return Some(Vec::new());
    }
    let effects = update::key(model, event);
    if about.shown.is_none() && !model.quitting {
        // It could not be seen yet.
        model.overlays.insert(0, Overlay::About(about));
    }
    Some(effects)
}

/// Closes the window before something is pasted, so that the text goes to the composer below it.
pub(crate) fn put_away(model: &mut Model) {
    if matches!(model.overlays.last(), Some(Overlay::About(_))) {
        model.overlays.pop();
    }
}

/// How a key that is no letter moves about in it.
fn motion(model: &Model, event: KeyEvent) -> Option<Motion> {
    if matches!(event.code, KeyCode::Char(letter) if letter != ' ') {
        return None;
    }
    match model.keymap.action(Context::Overlay, Chord::from(event)) {
        Some(Action::Do(motion)) => Some(motion),
        _ => None,
    }
}

fn page(about: &About) -> usize {
    about.shown.map_or(1, |shown| shown.visible.max(1))
}

/// Whether a key means nothing more than to go on: under this screen it would start something, or leave.
fn only_goes_on(event: KeyEvent) -> bool {
    let interrupts = event.code == KeyCode::Char('c') && event.modifiers == KeyModifiers::CONTROL;
    interrupts || matches!(event.code, KeyCode::Enter | KeyCode::Esc | KeyCode::Char(' '))
}
