//! The form for an endpoint: provider or address, protocol, model, where the key is, a test, and keeping it.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Position;

use super::super::effect::Effect;
use super::super::keymap::Motion;
use super::super::layout;
use super::super::line::Line;
use super::super::model::Model;
use super::super::overlay::{self, Overlay};
use super::super::toasts::Level;
use super::examination::Examination;
use crate::host::protocol::{KeyDraft, LeadsTo, ProfileDraft, SetupCommand};
use crate::llm::Provider;
use crate::llm::presets::{PRESETS, Preset};
use crate::words::SetupWords;

/// A line of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Provider,
    Address,
    Protocol,
    Model,
    Key,
    /// The variable, the command or the entry of the keyring.
    KeyPlace,
    Name,
    Use,
    Test,
    Save,
}

/// Where the key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    Usual,
    Variable,
    Command,
    Keyring,
}

/// The keyring is one of them in builds that can read it.
pub(super) const KEYS: &[KeyKind] = if cfg!(feature = "keyring") {
    &[KeyKind::Usual, KeyKind::Variable, KeyKind::Command, KeyKind::Keyring]
} else {
    &[KeyKind::Usual, KeyKind::Variable, KeyKind::Command]
};

/// The protocols of a server of one's own.
pub(crate) const PROTOCOLS: &[Provider] = Provider::ALL;

/// What a protocol is called, in a language.
fn protocol_name(protocol: Provider, says: &SetupWords) -> &str {
    match protocol {
        Provider::OpenAi => says.chat_completions(),
        Provider::Responses => says.responses(),
        Provider::Anthropic => says.messages(),
        Provider::Ollama => says.ollama(),
    }
}

/// The state of the form.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointForm {
    pub at: Row,
    /// The provider; a server of one's own where there is none.
    pub provider: Option<usize>,
    pub address: Line,
    pub protocol: usize,
    pub model: Line,
    pub key: KeyKind,
    pub place: Line,
    pub name: Line,
    /// Letters that were typed on the line of the provider.
    pub(super) sought: String,
    /// Whether the name is the user's and no guess.
    pub(super) named: bool,
    pub in_use: bool,
    /// What it would lead to, as far as that is known.
    pub leads: LeadsTo,
    /// Why it was refused.
    pub problem: Option<String>,
    pub test: Option<Examination>,
    /// Whether the endpoint's list is on its way.
    pub asks_for_models: bool,
}

impl Default for EndpointForm {
    fn default() -> Self {
        Self {
            at: Row::Provider,
            provider: None,
            address: Line::default(),
            protocol: 0,
            model: Line::default(),
            key: KeyKind::Usual,
            place: Line::default(),
            name: Line::default(),
            sought: String::new(),
            named: false,
            in_use: true,
            leads: LeadsTo::default(),
            problem: None,
            test: None,
            asks_for_models: false,
        }
    }
}

impl EndpointForm {
    /// The lines there are, in order.
    pub fn rows(&self) -> Vec<Row> {
        let protocol = self.provider.is_none().then_some(Row::Protocol);
        let place = (self.key != KeyKind::Usual).then_some(Row::KeyPlace);
        let first = [Some(Row::Provider), Some(Row::Address), protocol, Some(Row::Model), Some(Row::Key), place];
        let rest = [Row::Name, Row::Use, Row::Test, Row::Save];
        first.into_iter().flatten().chain(rest).collect()
    }

    pub fn preset(&self) -> Option<&'static Preset> {
        PRESETS.get(self.provider?)
    }

    /// The profile as it stands.
    pub fn draft(&self) -> ProfileDraft {
        let preset = self.preset();
        let address = self.address.text().trim();
        let own = preset.and_then(|preset| preset.address);
        let place = || self.place.text().trim().to_owned();
        ProfileDraft {
            name: self.name.text().trim().to_owned(),
            provider: match preset {
                Some(preset) => preset.name.to_owned(),
                // Of a server without an address nothing is named, least of all a provider.
                None if address.is_empty() => String::new(),
                None => Preset::speaking(PROTOCOLS[self.protocol]).map_or("", |preset| preset.name).to_owned(),
            },
            endpoint: if own == Some(address) { String::new() } else { address.to_owned() },
            model: self.model.text().trim().to_owned(),
            key: match self.key {
                KeyKind::Usual => KeyDraft::Usual,
                KeyKind::Variable => KeyDraft::Variable(place()),
                KeyKind::Command => KeyDraft::Command(place()),
                KeyKind::Keyring => KeyDraft::Keyring(place()),
            },
        }
    }

    /// The text of the line under the cursor, if it has one.
    pub(super) fn text(&mut self) -> Option<&mut Line> {
        match self.at {
            Row::Address => Some(&mut self.address),
            Row::Model => Some(&mut self.model),
            Row::KeyPlace => Some(&mut self.place),
            Row::Name => Some(&mut self.name),
            _ => None,
        }
    }

    fn step(&mut self, by: isize) {
        self.sought.clear();
        let rows = self.rows();
        let at = rows.iter().position(|row| *row == self.at).unwrap_or(0);
        let to = at.cast_signed().wrapping_add(by).rem_euclid(rows.len().cast_signed());
        self.at = rows[to as usize];
    }

    /// Takes the next choice of a line that has choices; tells whether it has.
    pub(super) fn turn(&mut self, by: isize) -> bool {
        let next =
            |at: usize, count: usize| at.cast_signed().wrapping_add(by).rem_euclid(count.cast_signed()).cast_unsigned();
        match self.at {
            Row::Provider => {
                // One's own server is the last of them.
                let at = next(self.provider.unwrap_or(PRESETS.len()), PRESETS.len() + 1);
                self.set_provider((at < PRESETS.len()).then_some(at));
            }
            Row::Protocol => self.protocol = next(self.protocol, PROTOCOLS.len()),
            Row::Key => {
                let at = KEYS.iter().position(|key| *key == self.key).unwrap_or(0);
                self.key = KEYS[next(at, KEYS.len())];
                self.place = Line::default();
            }
            Row::Use => self.in_use = !self.in_use,
            _ => return false,
        }
        true
    }

    /// Letters go to the next provider that begins with them; what none begins with is an address.
    fn seek(&mut self, letter: char) -> bool {
        let again = self.sought.chars().all(|c| c.eq_ignore_ascii_case(&letter));
        if !again || self.sought.is_empty() {
            self.sought.push(letter.to_ascii_lowercase());
        }
        let from = self.provider.map_or(0, |at| at + usize::from(self.sought.len() < 2));
        let order = (0..PRESETS.len()).map(|step| (from + step) % PRESETS.len());
        if let Some(next) = { order }.find(|at| PRESETS[*at].name.starts_with(&self.sought)) {
            self.set_provider(Some(next));
            return true;
        }
        let typed = std::mem::take(&mut self.sought);
        self.set_provider(None);
        (self.address, self.at) = (Line::new(typed), Row::Address);
        true
    }

    fn set_provider(&mut self, provider: Option<usize>) {
        let before = self.preset().and_then(|preset| preset.address).unwrap_or_default();
        self.provider = provider;
        // An address that was typed stays.
        if [before, ""].contains(&self.address.text()) {
            self.address = Line::new(self.preset().and_then(|preset| preset.address).unwrap_or_default());
        }
        if self.at == Row::Protocol && provider.is_some() {
            self.at = Row::Model;
        }
    }

    /// Checks the form after a change. The result of an earlier test and an earlier refusal no longer apply and go.
    pub(super) fn changed(&mut self) -> Vec<Effect> {
        self.problem = None;
        if !self.named {
            self.name = Line::new(self.guessed_name());
        }
        vec![Effect::host(SetupCommand::Check(self.draft()))]
    }

    /// A name that says whose endpoint it is.
    fn guessed_name(&self) -> String {
        if let Some(preset) = self.preset() {
            return preset.name.to_owned();
        }
        let address = self.address.text().trim();
        let host = address.split_once("://").map_or(address, |(_, rest)| rest);
        let host = host.split(['/', ':', '?']).next().unwrap_or_default();
        let is_number = host.chars().all(|c| c.is_ascii_digit() || c == '.');
        if host.is_empty() || is_number || host == "localhost" {
            return if address.is_empty() { String::new() } else { "own".to_owned() };
        }
        let parts: Vec<&str> = host.split('.').filter(|part| !matches!(*part, "api" | "www")).collect();
        let name = parts.first().copied().unwrap_or("own");
        name.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    }

    /// Ends what is under way when the form is put aside.
    pub(crate) fn leave(&mut self) -> Option<Effect> {
        let asked = std::mem::take(&mut self.asks_for_models);
        let tested = self.test.as_mut().is_some_and(Examination::stop);
        (asked || tested).then(|| Effect::host(SetupCommand::Stop))
    }

    pub(super) fn choose_model(&mut self, name: &str) -> Vec<Effect> {
        self.model = Line::new(name);
        self.at = Row::Key;
        self.changed()
    }
}

/// Opens the form, as it was left where it was.
pub(crate) fn open(model: &mut Model) -> Vec<Effect> {
    // What was typed is there again; one begins at the top all the same.
    let mut form = model.setup.left.take().unwrap_or_default();
    (form.at, form.sought) = (Row::Provider, String::new());
    let check = Effect::host(SetupCommand::Check(form.draft()));
    model.overlays.push(Overlay::Endpoint(form));
    vec![check]
}

/// Puts the form aside; a test under way is stopped first.
pub(crate) fn back(model: &mut Model) -> Vec<Effect> {
    if let Some(stop) = top(model).and_then(EndpointForm::leave) {
        return vec![stop];
    }
    let typed = top(model).is_some_and(|form| form.is_typed());
    let effects = overlay::close(model);
    if typed {
        model.toasts.tell(Level::Info, model.words.setup.form_left(), model.now);
    }
    effects
}

pub(super) fn top(model: &mut Model) -> Option<&mut EndpointForm> {
    match model.overlays.last_mut() {
        Some(Overlay::Endpoint(form)) => Some(form),
        _ => None,
    }
}

pub(crate) fn motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    let form = top(model)?;
    match motion {
        Motion::Up => form.step(-1),
        Motion::Down => form.step(1),
        Motion::PageUp | Motion::Top => form.at = Row::Provider,
        Motion::PageDown | Motion::Bottom => form.at = Row::Save,
        Motion::Open => return Some(enter(model)),
        _ => return None,
    }
    Some(Vec::new())
}

/// What Enter does on a line.
fn enter(model: &mut Model) -> Vec<Effect> {
    let Some(form) = top(model) else { return Vec::new() };
    match form.at {
        Row::Use => {
            form.in_use = !form.in_use;
            Vec::new()
        }
        // Who has typed a name goes on with it; without one the endpoint is asked for its list.
        Row::Model if form.model.text().trim().is_empty() => {
            (form.asks_for_models, form.problem) = (true, None);
            vec![Effect::host(SetupCommand::ListModels(form.draft()))]
        }
        Row::Test => {
            let profile = form.draft();
            let test = Examination::begun(model);
            let run = test.run;
            if let Some(form) = top(model) {
                (form.test, form.problem) = (Some(test), None);
            }
            vec![Effect::host(SetupCommand::Test { run, profile })]
        }
        Row::Save => {
            form.problem = None;
            vec![Effect::host(SetupCommand::Save { profile: form.draft(), in_use: form.in_use })]
        }
        _ => {
            form.step(1);
            Vec::new()
        }
    }
}

pub(crate) fn key(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    let Some(form) = top(model) else { return Vec::new() };
    if let Some(line) = form.text() {
        if !line.key(key) {
            return Vec::new();
        }
        form.named |= form.at == Row::Name;
        return form.changed();
    }
    let turned = match key.code {
        KeyCode::Left => form.turn(-1),
        KeyCode::Right | KeyCode::Char(' ') => form.turn(1),
        KeyCode::Char(c) if form.at == Row::Provider => form.seek(c),
        _ => false,
    };
    if turned { form.changed() } else { Vec::new() }
}

pub(crate) fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    let Some(form) = top(model) else { return Vec::new() };
    // An address that is pasted on the first line is one.
    if form.at == Row::Provider && text.contains("://") {
        form.set_provider(None);
        (form.address, form.at) = (Line::default(), Row::Address);
    }
    let Some(whole) = form.text().map(|line| line.insert(text.trim())) else { return Vec::new() };
    form.named |= form.at == Row::Name;
    let effects = form.changed();
    if !whole {
        overlay::tell_of_cut(model);
    }
    effects
}

/// Chooses a line; does what it does when it was chosen before. Beside the window, the form is put aside.
pub(crate) fn click(model: &mut Model, at: Position) -> Vec<Effect> {
    let body = layout::compute(model.area(), model).body;
    let Some(form) = top(model) else { return Vec::new() };
    let place = layout::endpoint(body, form);
    if !place.window.contains(at) {
        return back(model);
    }
    let rows = form.rows();
    let Some(row) = place.rows.at(at, rows.len()).map(|line| rows[line]) else { return Vec::new() };
    if form.at != row {
        form.at = row;
        return Vec::new();
    }
    if form.turn(1) { form.changed() } else { enter(model) }
}

impl Row {
    /// What stands before the line.
    pub fn label<'w>(self, form: &EndpointForm, says: &'w SetupWords) -> &'w str {
        match (self, form.key) {
            (Self::Provider, _) => says.provider(),
            (Self::Address, _) => says.address(),
            (Self::Protocol, _) => says.protocol(),
            (Self::Model, _) => says.model(),
            (Self::Key, _) => says.key(),
            (Self::KeyPlace, KeyKind::Variable) => says.variable(),
            (Self::KeyPlace, KeyKind::Command) => says.command(),
            (Self::KeyPlace, _) => says.entry(),
            (Self::Name, _) => says.name(),
            (Self::Use, _) => says.use_it(),
            (Self::Test, _) => says.test_it(),
            (Self::Save, _) => says.keep_it(),
        }
    }

    /// What the line is for; shown while the cursor is on it.
    pub fn hint<'w>(self, form: &EndpointForm, says: &'w SetupWords) -> &'w str {
        match (self, form.key) {
            (Self::Provider, _) => says.provider_hint(),
            (Self::Address, _) if form.provider.is_some() => says.address_hint_provider(),
            (Self::Address, _) => says.address_hint(),
            (Self::Protocol, _) => says.protocol_hint(),
            (Self::Model, _) if form.model.text().trim().is_empty() => says.model_hint(),
            (Self::Model, _) => says.model_typed_hint(),
            (Self::Key, _) => says.key_hint(),
            (Self::KeyPlace, KeyKind::Variable) => says.variable_hint(),
            (Self::KeyPlace, KeyKind::Command) => says.command_hint(),
            (Self::KeyPlace, _) => says.entry_hint(),
            (Self::Name, _) => says.name_hint(),
            (Self::Use, _) => says.use_hint(),
            (Self::Test, _) => says.test_hint(),
            (Self::Save, _) => says.keep_hint(),
        }
    }
}

impl EndpointForm {
    /// What a line that has choices shows.
    pub fn choice(&self, row: Row, says: &SetupWords) -> Option<String> {
        Some(match row {
            Row::Provider => self.preset().map_or(says.other(), |preset| preset.name).to_owned(),
            Row::Protocol => protocol_name(PROTOCOLS[self.protocol], says).to_owned(),
            Row::Key => match (self.key, self.preset()) {
                (KeyKind::Usual, Some(Preset { key_variable: Some(variable), .. })) => says.usual_key(variable),
                (KeyKind::Usual, _) => says.no_key().to_owned(),
                (KeyKind::Variable, _) => says.key_in_variable().to_owned(),
                (KeyKind::Command, _) => says.key_by_command().to_owned(),
                (KeyKind::Keyring, _) => says.key_in_keyring().to_owned(),
            },
            _ => return None,
        })
    }
}
