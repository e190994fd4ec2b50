//! The first screen: engines on one side, recent sessions on the other.

use ratatui::layout::Position;

use super::draft;
use super::effect::Effect;
use super::keymap::Motion;
use super::layout;
use super::model::{Model, Screen};
use crate::host::protocol::{EngineChoice, Open, Query, SessionChoice};

/// Which of the two lists the keys go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum List {
    #[default]
    Engines,
    Sessions,
}

/// The state of the first screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picker {
    pub engines: Vec<EngineChoice>,
    /// The sessions, newest first.
    pub sessions: Vec<SessionChoice>,
    /// The list the keys go to.
    pub list: List,
    /// The engine under the cursor.
    pub engine: usize,
    /// The session under the cursor.
    pub session: usize,
    /// Whether the lists have come.
    pub loaded: bool,
}

impl Picker {
    fn cursor(&mut self) -> (&mut usize, usize) {
        match self.list {
            List::Engines => (&mut self.engine, self.engines.len()),
            List::Sessions => (&mut self.session, self.sessions.len()),
        }
    }

    fn step(&mut self, delta: isize) {
        let (cursor, len) = self.cursor();
        *cursor = cursor.saturating_add_signed(delta).min(len.saturating_sub(1));
    }
}

/// Takes in the engines and sessions there are.
pub fn list(model: &mut Model, engines: Vec<EngineChoice>, sessions: Vec<SessionChoice>) {
    let picker = &mut model.picker;
    (picker.engines, picker.sessions, picker.loaded) = (engines, sessions, true);
    picker.engine = picker.engine.min(picker.engines.len().saturating_sub(1));
    picker.session = picker.session.min(picker.sessions.len().saturating_sub(1));
}

/// Shows the first screen with the keys on one of its lists.
pub fn show(model: &mut Model, list: List) -> Vec<Effect> {
    model.screen = Screen::Picker;
    model.picker.list = list;
    model.overlays.clear();
    draft::keep(model).into_iter().chain([Effect::host(Query::Sessions)]).collect()
}

/// Moves about; `None` where the motion is not one of this screen's.
pub(crate) fn motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    let picker = &mut model.picker;
    match motion {
        Motion::Up => picker.step(-1),
        Motion::Down => picker.step(1),
        Motion::PageUp => picker.step(-10),
        Motion::PageDown => picker.step(10),
        Motion::Top => *picker.cursor().0 = 0,
        Motion::Bottom => picker.step(isize::MAX),
        Motion::FocusNext | Motion::FocusPrevious => {
            picker.list = match picker.list {
                List::Engines => List::Sessions,
                List::Sessions => List::Engines,
            };
        }
        Motion::Open => return Some(open(model)),
        _ => return None,
    }
    Some(Vec::new())
}

/// Points at one of the lists: the keys and the wheel go to it.
pub fn point(model: &mut Model, at: Position) {
    let body = layout::compute(model.area(), model).body;
    let (_, lists) = layout::picker(body, &model.picker);
    for (list, (heading, lines)) in [List::Engines, List::Sessions].into_iter().zip(lists) {
        if heading.contains(at) || lines.area.contains(at) {
            model.picker.list = list;
        }
    }
}

/// Chooses a line; opens it when it was chosen before.
pub fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    let before = model.picker.list;
    let body = layout::compute(model.area(), model).body;
    let (_, [engines, sessions]) = layout::picker(body, &model.picker);
    point(model, at);
    let picker = &mut model.picker;
    let (lines, same) = match picker.list {
        List::Engines => (engines.1, before == List::Engines),
        List::Sessions => (sessions.1, before == List::Sessions),
    };
    let (cursor, count) = picker.cursor();
    let Some(line) = lines.at(at, count) else { return Vec::new() };
    let again = same && *cursor == line;
    *cursor = line;
    if again { open(model) } else { Vec::new() }
}

/// Opens what is under the cursor.
pub fn open(model: &mut Model) -> Vec<Effect> {
    if model.opening.is_some() {
        return Vec::new();
    }
    let picker = &model.picker;
    match picker.list {
        List::Engines => {
            let Some(engine) = picker.engines.get(picker.engine) else { return Vec::new() };
            let (id, name) = (engine.id.clone(), engine.name.clone());
            start(model, id, &name)
        }
        List::Sessions => {
            let Some(session) = picker.sessions.get(picker.session) else { return Vec::new() };
            let (id, title) = (session.id.clone(), session.title.clone());
            resume(model, id, &title)
        }
    }
}

pub fn start(model: &mut Model, engine: String, name: &str) -> Vec<Effect> {
    model.opening = Some((name.to_owned(), model.now));
    vec![Effect::host(Open::Engine(engine))]
}

/// Goes back to a session; the one that is open is just shown again.
pub fn resume(model: &mut Model, id: String, title: &str) -> Vec<Effect> {
    if model.session.as_ref().is_some_and(|session| session.id == id) {
        model.screen = Screen::Chat;
        return Vec::new();
    }
    model.opening = Some((title.to_owned(), model.now));
    vec![Effect::host(Open::Session(id))]
}
