//! The first screen: engines on one side, recent sessions on the other.

use crossterm::event::KeyEvent;
use ratatui::layout::Position;

use super::chat::find;
use super::effect::Effect;
use super::keymap::Motion;
use super::line::Line;
use super::model::{Focus, Model, Screen};
use super::{commands, draft, filing, hints, layout, overlay, turn, update};
use crate::host::protocol::{EngineChoice, File, Listing, Open, Query, Refiling, SessionChoice, Shelf, Shelves};

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
    /// What is being typed: a session begins with it.
    pub words: Line,
    /// Which sessions are wanted.
    pub listing: Listing,
    /// What else could be listed, as it was last told.
    pub shelves: Shelves,
}

/// What happens when a session is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// This is said.
    Say(String),
    /// The words that were searched for are shown, in that turn.
    Show { turn: u32, words: String },
}

impl Picker {
    fn cursor(&mut self) -> (&mut usize, usize) {
        match self.list {
            List::Engines => (&mut self.engine, self.engines.len()),
            List::Sessions => (&mut self.session, self.sessions.len()),
        }
    }

    /// The engine that was used last; else the one under the cursor, or the usual one where nobody has moved it.
    fn usual(&self) -> usize {
        let last = self.sessions.first();
        let known = last.and_then(|last| self.engines.iter().position(|engine| engine.name == last.engine));
        let usual = || self.engines.iter().position(|engine| engine.usual).filter(|_| self.engine == 0);
        known.or_else(usual).unwrap_or(self.engine)
    }

    /// Wants other sessions. What is listed is taken away: nothing may be done to it under another heading.
    pub(crate) fn turn_to(&mut self, listing: Listing) {
        (self.listing, self.session, self.loaded) = (listing, 0, false);
        self.sessions.clear();
    }

    fn step(&mut self, delta: isize) {
        let (cursor, len) = self.cursor();
        *cursor = cursor.saturating_add_signed(delta).min(len.saturating_sub(1));
    }
}

/// Takes in the engines and sessions there are; sessions that are no longer wanted are passed over.
pub fn list(model: &mut Model, engines: Vec<EngineChoice>, sessions: Vec<SessionChoice>, shelves: Shelves) {
    let picker = &mut model.picker;
    picker.engines = engines;
    if shelves.listing == picker.listing {
        (picker.sessions, picker.shelves, picker.loaded) = (sessions, shelves, true);
    }
    picker.engine = picker.engine.min(picker.engines.len().saturating_sub(1));
    picker.session = picker.session.min(picker.sessions.len().saturating_sub(1));
}

/// Shows the first screen with the keys on one of its lists.
pub fn show(model: &mut Model, list: List) -> Vec<Effect> {
    model.screen = Screen::Picker;
    model.picker.list = list;
    if model.picker.listing != Listing::default() {
        model.picker.turn_to(Listing::default());
    }
    model.overlays.clear();
    let asked = ask(model);
    draft::keep(model).into_iter().chain([asked]).collect()
}

/// Asks for the sessions that are wanted.
pub(crate) fn ask(model: &Model) -> Effect {
    Effect::host(Query::Sessions(model.picker.listing.clone()))
}

/// Goes back to all sessions where others are listed, else to the open session.
pub(crate) fn back(model: &mut Model) -> Vec<Effect> {
    if model.picker.listing != Listing::default() {
        model.picker.turn_to(Listing::default());
        return vec![ask(model)];
    }
    if model.session.is_some() {
        model.screen = Screen::Chat;
        return Vec::new();
    }
    hints::dismiss(model).into_iter().collect()
}

/// Goes from the sessions to the archive and to the trash, and back.
fn turn_over(model: &mut Model, forward: bool) -> Vec<Effect> {
    let order = [Shelf::Current, Shelf::Archive, Shelf::Trash];
    let at = order.iter().position(|shelf| *shelf == model.picker.listing.shelf).unwrap_or(0);
    let next = if forward { (at + 1).min(order.len() - 1) } else { at.saturating_sub(1) };
    if next == at {
        return Vec::new();
    }
    model.picker.turn_to(Listing { shelf: order[next], ..model.picker.listing.clone() });
    vec![ask(model)]
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
        _ if !picker.words.text().is_empty() || picker.list == List::Engines => return None,
        Motion::Left => return Some(turn_over(model, false)),
        Motion::Right => return Some(turn_over(model, true)),
        Motion::Clear => return Some(filing::trash(model, "")),
        Motion::Erase => return Some(filing::erase(model)),
        _ => return None,
    }
    Some(Vec::new())
}

/// Takes a key as text: to begin to write is to begin a session.
pub(crate) fn key(model: &mut Model, event: KeyEvent) -> Vec<Effect> {
    let before = model.picker.words.text().is_empty();
    model.picker.words.key(event);
    begun(model, before);
    Vec::new()
}

pub(crate) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    let before = model.picker.words.text().is_empty();
    let whole = model.picker.words.insert(text);
    begun(model, before);
    if !whole {
        overlay::tell_of_cut(model);
    }
    Vec::new()
}

/// With the first letter the cursor goes to the usual engine; another can still be chosen.
fn begun(model: &mut Model, was_empty: bool) {
    if was_empty && !model.picker.words.text().is_empty() {
        model.picker.list = List::Engines;
        model.picker.engine = model.picker.usual();
    }
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
        say_on_arrival(model);
        return Vec::new();
    }
    let words = model.picker.words.text().trim().to_owned();
    if let Some(slash) = commands::slash(&words) {
        model.picker.words = Line::default();
        return update::slash(model, slash);
    }
    let picker = &model.picker;
    match picker.list {
        List::Engines => {
            let Some(engine) = picker.engines.get(picker.engine) else { return Vec::new() };
            let (id, name) = (engine.id.clone(), engine.name.clone());
            say_on_arrival(model);
            match &model.arrival {
                Some(Arrival::Say(words)) => {
                    let words = words.clone();
                    model.opening = Some((name, model.now));
                    vec![Effect::host(Open::Saying { engine: id, words })]
                }
                _ => start(model, id, &name),
            }
        }
        List::Sessions => {
            let Some(session) = picker.sessions.get(picker.session) else { return Vec::new() };
            let (id, title) = (session.id.clone(), session.title.clone());
            if picker.listing.shelf == Shelf::Trash {
                let restored = File { session: id, change: Refiling::Restore };
                return vec![Effect::host(restored), ask(model)];
            }
            resume(model, id, &title)
        }
    }
}

/// What is written is said as soon as the session is there; what is written after that is not said with it.
fn say_on_arrival(model: &mut Model) {
    let words = model.picker.words.text().trim().to_owned();
    if words.is_empty() || matches!(model.arrival, Some(Arrival::Show { .. })) {
        return;
    }
    model.picker.words = Line::default();
    model.arrival = Some(Arrival::Say(match model.arrival.take() {
        Some(Arrival::Say(before)) => format!("{before}\n{words}"),
        _ => words,
    }));
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

/// Goes to words that were found in a session.
pub(crate) fn land(model: &mut Model, id: String, title: &str, turn: u32, words: &str) -> Vec<Effect> {
    model.arrival = Some(Arrival::Show { turn, words: words.to_owned() });
    let effects = resume(model, id, title);
    if effects.is_empty() { arrived(model) } else { effects }
}

/// Does what was to happen once the session is open. What was written meanwhile and not sent goes on in its composer.
pub(crate) fn arrived(model: &mut Model) -> Vec<Effect> {
    let written = std::mem::take(&mut model.picker.words);
    let mut effects = match model.arrival.take() {
        None => Vec::new(),
        Some(Arrival::Say(words)) => turn::submit(model, words),
        Some(Arrival::Show { turn, words }) => {
            find::land(&mut model.chat, turn, &words);
            model.focus = Focus::Chat;
            Vec::new()
        }
    };
    if !written.text().is_empty() {
        let draft = model.composer.text();
        let between = if draft.is_empty() { "" } else { "\n" };
        model.composer.insert(&format!("{between}{}", written.text()));
        effects.extend(draft::keep(model));
    }
    effects
}

/// No session has come: what was to be said there is written on the first screen again.
pub(crate) fn not_arrived(model: &mut Model) {
    if let Some(Arrival::Say(words)) = model.arrival.take() {
        let since = std::mem::take(&mut model.picker.words);
        model.picker.words = Line::new(format!("{} {}", words.replace('\n', " "), since.text()).trim());
    }
}
