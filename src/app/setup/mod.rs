//! Setting up in the app: adding an endpoint, the settings, the doctor.

mod about;
pub(crate) mod by_name;
pub mod examination;
pub mod form;
mod judged;
pub mod settings;
pub mod words;

pub use examination::Examination;
pub use form::EndpointForm;
pub use settings::SettingsScreen;

use super::effect::Effect;
use super::layout;
use super::model::Model;
use super::overlay::{Choice, Chooser, Confirm, Confirmed, Overlay, Purpose};
use super::toasts::Level;
use crate::host::protocol::{SetupCommand, SetupNews};

/// What is remembered between the screens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetupState {
    /// How many tests and examinations there were: findings of an earlier one are not taken for this one's.
    pub(super) runs: u32,
    /// A form that was left, so that what was typed is there again.
    pub(super) left: Option<Box<EndpointForm>>,
    /// The theme before the one that is being tried.
    pub(super) theme_before: Option<String>,
    /// What the settings last said of the mouse.
    pub(super) mouse: Option<bool>,
}

/// Takes in what came of setting something up. What came too late is of no use any more.
pub(crate) fn update(model: &mut Model, news: SetupNews) -> Vec<Effect> {
    match news {
        SetupNews::Consent { host, here, then } => ask(model, host, here, *then),
        SetupNews::Checked { profile, leads } => {
            if let Some(form) = form(model)
                && form.draft() == profile
            {
                form.leads = leads;
            }
        }
        SetupNews::Models(listed) => return models(model, listed),
        SetupNews::Found { run, finding } => {
            if let Some(examination) = examination(model, run) {
                examination.found(finding);
            }
        }
        SetupNews::Done { run } => {
            if let Some(examination) = examination(model, run) {
                examination.end();
            }
        }
        SetupNews::Saved(name) => {
            let in_use = form(model).is_some_and(|form| form.in_use);
            model.overlays.retain(|overlay| !matches!(overlay, Overlay::Endpoint(_)));
            model.setup.left = None;
            let says = &model.words.setup;
            let saved = if in_use { says.saved(name) } else { says.saved_to_choose(name) };
            model.toasts.tell(Level::Info, saved, model.now);
        }
        SetupNews::NotSaved(words) => match form(model) {
            Some(form) => form.problem = Some(words),
            None => model.toasts.tell(Level::Error, words, model.now),
        },
        SetupNews::Settings(all) => return settings::came(model, all),
        SetupNews::NotChanged { path, words } => settings::refused(model, &path, words),
    }
    Vec::new()
}

/// The form that is open, be it under a list or a question.
fn form(model: &mut Model) -> Option<&mut EndpointForm> {
    model.overlays.iter_mut().rev().find_map(|overlay| match overlay {
        Overlay::Endpoint(form) => Some(&mut **form),
        _ => None,
    })
}

/// The test or examination of this number.
fn examination(model: &mut Model, run: u32) -> Option<&mut Examination> {
    let found = model.overlays.iter_mut().find_map(|overlay| match overlay {
        Overlay::Doctor(examination) => Some(examination),
        Overlay::Endpoint(form) => form.test.as_mut(),
        _ => None,
    });
    found.filter(|examination| examination.run == run && examination.is_running())
}

/// Asks before anything is sent to a host.
fn ask(model: &mut Model, host: String, here: bool, then: SetupCommand) {
    if form(model).is_none() {
        return;
    }
    // Asked for twice, it is asked once.
    if matches!(model.overlays.last(), Some(Overlay::Confirm(Confirm { yes: Confirmed::Agree { .. }, .. }))) {
        model.overlays.pop();
    }
    let says = &model.words.setup;
    model.overlays.push(Overlay::Confirm(Confirm {
        question: says.consent(&host),
        detail: if here { says.consent_here() } else { says.consent_detail() }.to_owned(),
        yes: Confirmed::Agree { host, then: Box::new(then) },
        no: Confirmed::Nothing,
    }));
}

/// Whether the window has room for all of the question that is asked.
pub(crate) fn can_be_read(model: &Model) -> bool {
    let Some(Overlay::Confirm(Confirm { question, .. })) = model.overlays.last() else { return false };
    let inner = layout::inside(layout::centered(layout::compute(model.area(), model).body, 64, u16::MAX));
    // A row more for what wrapping leaves empty, and one for the keys.
    let rows = question.chars().count().div_ceil(usize::from(inner.width.max(1))) + 2;
    rows <= usize::from(inner.height)
}

/// The user agreed to a host: what they wanted is asked for again.
pub(crate) fn agreed(host: String, then: SetupCommand) -> Vec<Effect> {
    vec![Effect::host(SetupCommand::Agree(host)), Effect::host(then)]
}

/// A question was closed without a yes: nothing is under way that could go on.
pub(crate) fn not_agreed(model: &mut Model) {
    if let Some(form) = form(model) {
        form.asks_for_models = false;
        if let Some(test) = &mut form.test {
            test.stop();
        }
    }
}

/// The list of an endpoint has come.
fn models(model: &mut Model, listed: Result<Vec<String>, String>) -> Vec<Effect> {
    let no_list = model.words.setup.no_list();
    let Some(form) = form(model).filter(|form| form.asks_for_models) else { return Vec::new() };
    form.asks_for_models = false;
    match listed {
        Ok(names) if names.is_empty() => form.problem = Some(no_list.to_owned()),
        Ok(names) => {
            let choice = |name: String| Choice {
                id: name.clone(),
                label: name,
                detail: String::new(),
                note: String::new(),
                turn: None,
            };
            let chooser = Chooser::new(Purpose::EndpointModel, "", names.into_iter().map(choice).collect());
            model.overlays.push(Overlay::Chooser(chooser));
        }
        Err(why) => form.problem = Some(format!("{why} {no_list}")),
    }
    Vec::new()
}

/// A model was chosen from the endpoint's list.
pub(crate) fn model_chosen(model: &mut Model, name: &str) -> Vec<Effect> {
    form(model).map_or_else(Vec::new, |form| form.choose_model(name))
}
