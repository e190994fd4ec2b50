//! Lists to choose from: commands, themes, models, phases, obligations, fields, places where something was said.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Position;

use super::super::commands::{COMMANDS, Command};
use super::super::effect::{Effect, Outside};
use super::super::filing;
use super::super::fuzzy;
use super::super::keymap::{Action, Context, Motion};
use super::super::layout;
use super::super::line::Line;
use super::super::model::{Model, Screen};
use super::super::picker;
use super::super::setup::{self, words};
use super::super::sidebar::said_of;
use super::task_word;
use super::{Asking, Overlay, Prompt};
use crate::engine::memory::Status;
use crate::engine::values::shaped_text;
use crate::host::protocol::{Edit, JourneyStop, ModelChoice, ModelsFound, Query, SearchHit, UseModel};
use crate::words::{Lists, SetupWords, Words};

/// What stands for an endpoint that is to be added: no model is called that.
const NEW_ENDPOINT: &str = "\0new";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A command.
    Palette,
    /// A theme; the one under the cursor is shown at once.
    Theme,
    Model,
    /// One of the models that an endpoint lists, for the form below.
    EndpointModel,
    Phase,
    /// An obligation to be set aside.
    Defer,
    /// A field to be put right.
    Correct,
    /// A place where something was said; the list comes from outside.
    Search,
    /// A session on the journey of this one; the list comes from outside.
    Journey,
    Task,
    /// An earlier course of this session; the list comes from outside.
    Courses,
    /// A tag or a project that the list of sessions is narrowed by.
    Narrow,
}

impl Purpose {
    pub fn title(self, says: &Lists) -> &str {
        match self {
            Self::Palette => says.commands(),
            Self::Theme => says.theme(),
            Self::Model => says.model(),
            Self::EndpointModel => says.models_of_endpoint(),
            Self::Phase => says.phase(),
            Self::Defer => says.defer(),
            Self::Correct => says.correct(),
            Self::Search => says.search(),
            Self::Journey => says.journey(),
            Self::Task => says.tasks(),
            Self::Courses => says.courses(),
            Self::Narrow => says.narrow(),
        }
    }
}

/// Something to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What it stands for: a name of a command, theme, model, phase, obligation, field, session.
    pub id: String,
    pub label: String,
    pub detail: String,
    /// What stands at the right: a key, a state.
    pub note: String,
    /// The turn it leads to.
    pub turn: Option<u32>,
}

impl Choice {
    /// A place where something was said.
    pub fn hit(hit: SearchHit, says: &Lists) -> Self {
        let note = says.turn(hit.turn);
        Self { id: hit.session, label: hit.title, detail: hit.excerpt, note, turn: Some(hit.turn) }
    }

    /// A session on a journey.
    pub fn stop(stop: JourneyStop) -> Self {
        let label = format!("{}{}", "  ".repeat(stop.depth), stop.title);
        Self { id: stop.session, label, detail: stop.detail, note: String::new(), turn: None }
    }

    pub fn model(model: ModelChoice, says: &Lists) -> Self {
        let note = if model.in_use { says.in_use().to_owned() } else { String::new() };
        Self { id: model.id, label: model.label, detail: model.detail, note, turn: None }
    }

    /// The last of the models: one that is not there yet.
    fn new_endpoint(says: &SetupWords) -> Self {
        let (label, detail) = (says.add().to_owned(), says.add_detail().to_owned());
        Self { id: NEW_ENDPOINT.to_owned(), label, detail, note: String::new(), turn: None }
    }
}

/// A list that is narrowed by typing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chooser {
    pub purpose: Purpose,
    /// What stands over it, where that is more than its purpose.
    pub heading: String,
    pub input: Line,
    /// Everything there is to choose.
    pub all: Vec<Choice>,
    /// Those that fit, the best first, as positions in `all`.
    pub fitting: Vec<usize>,
    /// The one under the cursor, among those that fit.
    pub cursor: usize,
    /// Whether the list is still to come from outside.
    pub waiting: bool,
    /// What to go back to when nothing is chosen.
    pub before: String,
}

impl Chooser {
    /// A list with what was typed so far.
    pub fn new(purpose: Purpose, typed: &str, all: Vec<Choice>) -> Self {
        let mut chooser = Self {
            purpose,
            heading: String::new(),
            input: Line::new(typed),
            all,
            fitting: Vec::new(),
            cursor: 0,
            waiting: false,
            before: String::new(),
        };
        chooser.narrow();
        chooser
    }

    /// Puts another list in place.
    pub fn offer(&mut self, all: Vec<Choice>) {
        (self.all, self.waiting) = (all, false);
        self.narrow();
    }

    /// Puts the models in place that are known by now; the cursor stays where it was, at first on the one in use.
    pub fn offer_models(&mut self, found: ModelsFound, words: &Words) {
        let before = self.chosen().map(|choice| choice.id.clone());
        let used = found.models.iter().find(|model| model.in_use).map(|model| model.id.clone());
        let all = found.models.into_iter().map(|model| Choice::model(model, &words.lists));
        let all = all.chain([Choice::new_endpoint(&words.setup)]).collect();
        self.offer(all);
        self.waiting = found.looking;
        let wanted = before.or(used.filter(|_| self.input.text().is_empty()));
        let at = wanted.and_then(|id| self.shown().position(|choice| choice.id == id));
        self.cursor = at.unwrap_or(0);
    }

    fn narrow(&mut self) {
        self.cursor = 0;
        // What a search found fits by definition.
        self.fitting = if self.purpose == Purpose::Search {
            (0..self.all.len()).collect()
        } else {
            fuzzy::ranked(self.input.text(), self.all.iter().map(|choice| (&choice.label[..], &choice.detail[..])))
        };
    }

    /// The one under the cursor.
    pub fn chosen(&self) -> Option<&Choice> {
        self.all.get(*self.fitting.get(self.cursor)?)
    }

    /// Those that fit, the best first.
    pub fn shown(&self) -> impl ExactSizeIterator<Item = &Choice> {
        self.fitting.iter().map(|at| &self.all[*at])
    }
}

pub fn open(model: &mut Model, purpose: Purpose, typed: &str) -> Vec<Effect> {
    let all = choices(model, purpose);
    let mut chooser = Chooser::new(purpose, typed, all);
    let mut effects = Vec::new();
    match purpose {
        Purpose::Theme => {
            chooser.before.clone_from(&model.theme);
            let current = chooser.shown().position(|choice| choice.id == model.theme);
            chooser.cursor = current.filter(|_| typed.is_empty()).unwrap_or(0);
        }
        Purpose::Model => {
            chooser.heading = words::in_use(&model.endpoint, model.words);
            chooser.waiting = true;
            effects.push(Effect::host(Query::Models));
        }
        Purpose::Journey => {
            chooser.waiting = true;
            effects.push(Effect::host(Query::Journey));
        }
        Purpose::Courses => {
            chooser.waiting = true;
            effects.push(Effect::host(Query::Courses));
        }
        Purpose::Search if !typed.trim().is_empty() => {
            chooser.waiting = true;
            effects.push(Effect::host(Query::Search(typed.trim().to_owned())));
        }
        _ => {}
    }
    model.overlays.push(Overlay::Chooser(chooser));
    effects
}

fn choices(model: &Model, purpose: Purpose) -> Vec<Choice> {
    let plain = |id: &str, label: &str, detail: String, note: &str| Choice {
        id: id.to_owned(),
        label: label.to_owned(),
        detail,
        note: note.to_owned(),
        turn: None,
    };
    match (purpose, &model.session) {
        (Purpose::Palette, _) => {
            let open = model.session.is_some() && model.screen == Screen::Chat;
            let usable = COMMANDS.iter().filter(|entry| entry.anywhere || open);
            let key = |command| model.keymap.chord(Context::Global, Action::Run(command));
            usable
                .map(|entry| {
                    let key = key(entry.command).map_or(String::new(), |chord| chord.named(&model.words.key_names));
                    plain(entry.name, entry.name, entry.about(&model.words.commands).to_owned(), &key)
                })
                .collect()
        }
        (Purpose::Narrow, _) => filing::narrowings(model),
        (Purpose::Theme, _) => model.themes.iter().map(|theme| plain(theme, theme, String::new(), "")).collect(),
        (Purpose::Phase, Some(session)) => {
            let current = &session.memory.phase.current;
            let phases = session.engine.phases.iter();
            phases
                .filter(|phase| phase.id != *current)
                .map(|phase| plain(&phase.id, &phase.name, String::new(), ""))
                .collect()
        }
        (Purpose::Defer, Some(session)) => {
            let open = session.engine.obligations.iter().filter(|obligation| {
                !matches!(session.memory.obligations.status(&obligation.id), Status::Satisfied | Status::Deferred)
            });
            open.map(|obligation| plain(&obligation.id, &obligation.name, obligation.question.clone(), "")).collect()
        }
        (Purpose::Correct, Some(session)) => {
            let fields = session.engine.fields.iter();
            fields
                .map(|field| {
                    let known = session.memory.extraction.get(&field.path).and_then(|field| field.value.as_ref());
                    let shown = known.map_or_else(String::new, |value| shaped_text(value, &field.shape));
                    plain(&field.path, &field.name, shown, "")
                })
                .collect()
        }
        (Purpose::Task, Some(session)) => {
            let tasks = session.sidebar.tasks.iter();
            tasks
                .map(|task| {
                    let note = task.note.as_deref().map_or_else(String::new, |note| said_of(note, &model.words.tasks));
                    plain(&task.id, &task.name, note, task_word(task.status, &model.words.tasks))
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// What happens after typing.
pub fn typed(model: &mut Model) -> Vec<Effect> {
    let Some(Overlay::Chooser(chooser)) = model.overlays.last_mut() else { return Vec::new() };
    if chooser.purpose == Purpose::Search {
        let words = chooser.input.text().trim().to_owned();
        chooser.waiting = !words.is_empty();
        if words.is_empty() {
            chooser.offer(Vec::new());
            return Vec::new();
        }
        return vec![Effect::host(Query::Search(words))];
    }
    chooser.narrow();
    preview(model);
    Vec::new()
}

pub(crate) fn motion(model: &mut Model, motion: Motion, page: usize) -> Option<Vec<Effect>> {
    let Some(Overlay::Chooser(chooser)) = model.overlays.last_mut() else { return None };
    let count = chooser.fitting.len();
    let last = count.saturating_sub(1);
    chooser.cursor = match motion {
        // Round the ends: the lists are short.
        Motion::Up => chooser.cursor.checked_sub(1).unwrap_or(last),
        Motion::Down => {
            if chooser.cursor >= last {
                0
            } else {
                chooser.cursor + 1
            }
        }
        Motion::PageUp => chooser.cursor.saturating_sub(page),
        Motion::PageDown => (chooser.cursor + page).min(last),
        Motion::Open => return Some(choose(model)),
        _ => return None,
    };
    preview(model);
    Some(Vec::new())
}

/// Whether the list goes no further that way: keys go round its ends, the wheel does not.
pub(crate) fn is_at_end(list: &Chooser, motion: Motion) -> bool {
    let end = if motion == Motion::Up { 0 } else { list.fitting.len().saturating_sub(1) };
    list.cursor == end
}

/// Chooses the line at a place when it was under the cursor already, else puts the cursor there. Beside the window, the
/// list is closed.
pub fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    let body = layout::compute(model.area(), model).body;
    let Some(Overlay::Chooser(chooser)) = model.overlays.last_mut() else { return Vec::new() };
    let (window, _, lines) = layout::chooser(body, chooser);
    if !window.contains(at) {
        return super::close(model);
    }
    let Some(line) = lines.at(at, chooser.fitting.len()) else { return Vec::new() };
    if chooser.cursor == line {
        return choose(model);
    }
    chooser.cursor = line;
    preview(model);
    Vec::new()
}

impl Chooser {
    /// Home and End go to the ends of the list where the cursor of what is typed is at that end already.
    pub(super) fn goes_to_end(&mut self, key: KeyEvent) -> bool {
        let (before, after) = self.input.halves();
        let to = match key.code {
            KeyCode::Home if before.is_empty() => 0,
            KeyCode::End if after.is_empty() => self.fitting.len().saturating_sub(1),
            _ => return false,
        };
        self.cursor = to;
        true
    }
}

/// Shows a theme at once.
pub(super) fn preview(model: &mut Model) {
    let Some(Overlay::Chooser(chooser)) = model.overlays.last() else { return };
    if chooser.purpose == Purpose::Theme {
        let theme = chooser.chosen().map_or(&chooser.before, |choice| &choice.id);
        model.theme.clone_from(theme);
    }
}

/// Nothing was chosen.
pub fn closed(model: &mut Model, chooser: &Chooser) -> Vec<Effect> {
    if chooser.purpose == Purpose::Theme {
        model.theme.clone_from(&chooser.before);
    }
    Vec::new()
}

fn choose(model: &mut Model) -> Vec<Effect> {
    let Some(Overlay::Chooser(chooser)) = model.overlays.pop() else { return Vec::new() };
    let Some(choice) = chooser.chosen().cloned() else {
        model.overlays.push(Overlay::Chooser(chooser));
        return Vec::new();
    };
    match chooser.purpose {
        Purpose::Palette => {
            Command::named(&choice.id).map_or_else(Vec::new, |command| super::super::update::run(model, command, ""))
        }
        Purpose::Theme => {
            model.theme.clone_from(&choice.id);
            vec![Effect::Outside(Outside::SaveTheme(choice.id))]
        }
        Purpose::Model if choice.id == NEW_ENDPOINT => setup::form::open(model),
        Purpose::Model => vec![Effect::host(UseModel(choice.id))],
        Purpose::EndpointModel => setup::model_chosen(model, &choice.id),
        Purpose::Phase => vec![Effect::host(Edit::Phase { phase: choice.id })],
        Purpose::Defer => vec![Effect::host(Edit::Defer { obligation: choice.id })],
        Purpose::Correct => {
            let asking = Asking::Correct { path: choice.id, name: choice.label };
            model.overlays.push(Overlay::Prompt(Prompt::new(asking, &choice.detail)));
            Vec::new()
        }
        Purpose::Task => super::show_task(model, &choice.id),
        Purpose::Courses => super::course::open(model, &choice.id),
        Purpose::Narrow => filing::narrowed(model, &choice.id),
        Purpose::Search => {
            let words = chooser.input.text().trim();
            picker::land(model, choice.id, &choice.label, choice.turn.unwrap_or(0), words)
        }
        Purpose::Journey => picker::resume(model, choice.id, &choice.label),
    }
}
