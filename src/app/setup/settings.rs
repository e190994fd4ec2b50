//! The settings: all of config.toml by section, with what holds and where it comes from, changed in place.

use crossterm::event::KeyEvent;
use ratatui::layout::Position;

use super::super::effect::Effect;
use super::super::keymap::Motion;
use super::super::layout;
use super::super::line::Line;
use super::super::model::{Model, View};
use super::super::overlay::{self, Overlay};
use super::super::pointer;
use super::super::toasts::Level;
use super::words;
use crate::host::protocol::{Kind, Setting, SetupCommand};
use crate::settings::check;

/// The state of the screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SettingsScreen {
    pub all: Vec<Setting>,
    pub cursor: usize,
    pub editing: Option<SettingEdit>,
    /// Why the last change was refused.
    pub problem: Option<String>,
}

/// A setting that is being typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SettingEdit {
    pub input: Line,
    pub problem: Option<String>,
    /// Whether it is on its way to the file.
    pub sent: bool,
}

impl SettingsScreen {
    pub fn current(&self) -> Option<&Setting> {
        self.all.get(self.cursor)
    }

    /// The rows of the list: headings, an empty row before each, and settings by their place.
    pub fn rows(&self) -> Vec<SettingRow<'_>> {
        let mut rows = Vec::new();
        let mut section = "";
        for (at, setting) in self.all.iter().enumerate() {
            if setting.section != section {
                section = &setting.section;
                if at > 0 {
                    rows.push(SettingRow::Gap);
                }
                rows.push(SettingRow::Heading(section));
            }
            rows.push(SettingRow::Setting(at));
        }
        rows
    }

    fn step(&mut self, by: isize) {
        let last = self.all.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(by).min(last);
        self.problem = None;
    }
}

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingRow<'a> {
    Gap,
    Heading(&'a str),
    Setting(usize),
}

pub(crate) fn open(model: &mut Model) -> Vec<Effect> {
    if matches!(model.overlays.last(), Some(Overlay::Settings(_))) {
        return overlay::close(model);
    }
    model.overlays.push(Overlay::Settings(SettingsScreen::default()));
    vec![Effect::host(SetupCommand::Settings)]
}

/// Takes in all settings as they stand, and has those hold that hold at once.
pub(super) fn came(model: &mut Model, all: Vec<Setting>) -> Vec<Effect> {
    let find = |name: &str| all.iter().find(|setting| setting.path == [name] && !setting.overridden);
    let is_on = |setting: &Setting| setting.value == "true";
    if let Some(designer) = find("designer") {
        model.view = if is_on(designer) { View::Designer } else { View::Interviewee };
    }
    if let Some(hints) = find("hints") {
        model.hints.on = is_on(hints);
    }
    if let Some(theme) = find("theme").filter(|theme| theme.stated.is_some() && model.themes.contains(&theme.value)) {
        model.theme.clone_from(&theme.value);
    }
    if let Some(still) = find("reduced_motion") {
        model.still = is_on(still);
    }
    if let Some(cards) = find("answer_cards") {
        model.card.on = is_on(cards);
    }
    let mouse = find("mouse").map(is_on);
    let mouse = mouse_setting(model, mouse);
    let all: Vec<Setting> = all.into_iter().map(|setting| words::told(setting, model.words)).collect();
    let Some(screen) = screen(model) else { return mouse.into_iter().collect() };
    // The line that was changed is the one that is looked at, wherever it stands now.
    let path = screen.current().map(|setting| setting.path.clone());
    (screen.all, screen.editing, screen.problem) = (all, None, None);
    screen.cursor = screen.all.iter().position(|setting| Some(&setting.path) == path.as_ref()).unwrap_or(0);
    mouse.into_iter().collect()
}

/// Follows the setting of the mouse where it was changed; the key that changes it for a while is not undone by a look at
/// the settings.
fn mouse_setting(model: &mut Model, now: Option<bool>) -> Option<Effect> {
    let before = std::mem::replace(&mut model.setup.mouse, now)?;
    now.filter(|now| *now != before).and_then(|now| pointer::capture(model, now))
}

/// A change was refused: what was typed stays to be put right.
pub(super) fn refused(model: &mut Model, path: &[String], words: String) {
    let theme = model.setup.theme_before.take();
    if let Some(theme) = theme.filter(|_| path == ["theme"]) {
        model.theme = theme;
    }
    match screen(model).filter(|screen| screen.current().is_some_and(|setting| setting.path == path)) {
        Some(screen) => match &mut screen.editing {
            Some(edit) => (edit.problem, edit.sent) = (Some(words), false),
            None => screen.problem = Some(words),
        },
        None => model.toasts.tell(Level::Error, words, model.now),
    }
}

fn screen(model: &mut Model) -> Option<&mut SettingsScreen> {
    model.overlays.iter_mut().rev().find_map(|overlay| match overlay {
        Overlay::Settings(screen) => Some(screen),
        _ => None,
    })
}

pub(crate) fn motion(model: &mut Model, motion: Motion, page: usize) -> Option<Vec<Effect>> {
    let screen = screen(model)?;
    if screen.editing.is_some() {
        return Some(match motion {
            Motion::Open => keep(model),
            Motion::Back | Motion::Interrupt => {
                screen.editing = None;
                Vec::new()
            }
            _ => Vec::new(),
        });
    }
    let page = isize::try_from(page).unwrap_or(isize::MAX);
    match motion {
        Motion::Up => screen.step(-1),
        Motion::Down => screen.step(1),
        Motion::PageUp => screen.step(-page),
        Motion::PageDown => screen.step(page),
        Motion::Top => screen.step(isize::MIN + 1),
        Motion::Bottom => screen.step(isize::MAX),
        Motion::Open | Motion::Change => return Some(change(model, 1)),
        Motion::Right => return Some(turn(model, 1)),
        Motion::Left => return Some(turn(model, -1)),
        Motion::Clear => return Some(clear(model)),
        _ => return None,
    }
    Some(Vec::new())
}

/// Says what stands in the way of a change: a flag or a variable that goes before the file.
fn is_fixed(model: &mut Model) -> bool {
    let says = &model.words.setup;
    let Some(screen) = screen(model) else { return true };
    let Some(setting) = screen.current().cloned() else { return true };
    if setting.overridden {
        screen.problem = Some(says.overridden(&setting.from));
    }
    setting.overridden
}

/// Begins to type, or takes the next choice.
fn change(model: &mut Model, by: isize) -> Vec<Effect> {
    if is_fixed(model) {
        return Vec::new();
    }
    let Some(screen) = screen(model) else { return Vec::new() };
    let Some(setting) = screen.all.get(screen.cursor) else { return Vec::new() };
    if matches!(setting.kind, Kind::Flag | Kind::Choice(_)) {
        return turn(model, by);
    }
    let input = Line::new(setting.stated.clone().unwrap_or_default());
    screen.editing = Some(SettingEdit { input, ..SettingEdit::default() });
    Vec::new()
}

/// Takes the next choice of a setting that has choices, and keeps it at once.
fn turn(model: &mut Model, by: isize) -> Vec<Effect> {
    if is_fixed(model) {
        return Vec::new();
    }
    let themes = model.themes.clone();
    let Some(setting) = screen(model).and_then(|screen| screen.current().cloned()) else { return Vec::new() };
    let choices = match &setting.kind {
        Kind::Flag => vec!["true".to_owned(), "false".to_owned()],
        Kind::Choice(_) if setting.path == ["theme"] => themes,
        Kind::Choice(choices) => choices.clone(),
        _ => return Vec::new(),
    };
    let at = choices.iter().position(|choice| *choice == setting.value);
    let count = choices.len().cast_signed();
    let next = match at {
        _ if count == 0 => return Vec::new(),
        Some(at) => (at.cast_signed() + by).rem_euclid(count),
        None if by < 0 => count - 1,
        None => 0,
    };
    let value = choices[next as usize].clone();
    if setting.path == ["theme"] {
        model.setup.theme_before = Some(std::mem::replace(&mut model.theme, value.clone()));
    }
    if let Some(known) = screen(model).and_then(|screen| screen.all.get_mut(screen.cursor)) {
        // Shown at once, so that a key that is held goes on from here; what the file says comes back.
        known.value.clone_from(&value);
    }
    vec![Effect::host(SetupCommand::Change { path: setting.path, value: Some(value) })]
}

/// Keeps what was typed; nothing typed takes the setting out of the file.
fn keep(model: &mut Model) -> Vec<Effect> {
    let Some(screen) = screen(model) else { return Vec::new() };
    let Some(setting) = screen.all.get(screen.cursor).cloned() else { return Vec::new() };
    let Some(edit) = &mut screen.editing else { return Vec::new() };
    let text = edit.input.text().trim().to_owned();
    if text == setting.stated.clone().unwrap_or_default() {
        screen.editing = None;
        return Vec::new();
    }
    if text.is_empty() {
        screen.editing = None;
        return vec![Effect::host(SetupCommand::Change { path: setting.path, value: None })];
    }
    if let Err(words) = check(&setting.path, &setting.kind, &text) {
        edit.problem = Some(words);
        return Vec::new();
    }
    edit.sent = true;
    vec![Effect::host(SetupCommand::Change { path: setting.path, value: Some(text) })]
}

/// Takes a setting out of the file, so that the default holds.
fn clear(model: &mut Model) -> Vec<Effect> {
    let Some(screen) = screen(model) else { return Vec::new() };
    let Some(setting) = screen.current().filter(|setting| setting.stated.is_some()).cloned() else {
        return Vec::new();
    };
    model.toasts.tell(Level::Info, model.words.setup.cleared(&setting.name), model.now);
    vec![Effect::host(SetupCommand::Change { path: setting.path, value: None })]
}

/// Checks what is typed as it is typed.
fn typed(screen: &mut SettingsScreen) {
    let Some(setting) = screen.all.get(screen.cursor) else { return };
    if let Some(edit) = &mut screen.editing {
        let text = edit.input.text().trim();
        edit.problem = if text.is_empty() { None } else { check(&setting.path, &setting.kind, text).err() };
    }
}

/// Writes a value for the setting under the cursor, to be kept.
pub(crate) fn write(model: &mut Model, text: &str) {
    if is_fixed(model) {
        return;
    }
    if let Some(screen) = screen(model) {
        screen.editing = Some(SettingEdit { input: Line::new(text), ..SettingEdit::default() });
        typed(screen);
    }
}

pub(crate) fn key(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    if let Some(screen) = screen(model) {
        if let Some(edit) = &mut screen.editing {
            edit.input.key(key);
        }
        typed(screen);
    }
    Vec::new()
}

pub(crate) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    if let Some(screen) = screen(model) {
        let whole = screen.editing.as_mut().is_none_or(|edit| edit.input.insert(text));
        typed(screen);
        if !whole {
            overlay::tell_of_cut(model);
        }
    }
    Vec::new()
}

/// Chooses a line; changes it when it was chosen before. Beside the window, the screen is closed.
pub(crate) fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    let body = layout::compute(model.area(), model).body;
    let Some(screen) = screen(model) else { return Vec::new() };
    let place = layout::settings(body, screen);
    if !place.window.contains(at) {
        return overlay::close(model);
    }
    if screen.editing.is_some() {
        return Vec::new();
    }
    let rows = screen.rows();
    let line = place.rows.at(at, rows.len()).map(|line| rows[line]);
    let Some(SettingRow::Setting(line)) = line else { return Vec::new() };
    if screen.cursor == line {
        return change(model, 1);
    }
    (screen.cursor, screen.problem) = (line, None);
    Vec::new()
}
