//! What a front end without panes and keys does: it names a command, a motion or a line where a key would move a cursor,
//! and brings whole lines where letters would be typed.

use super::commands::Command;
use super::composer;
use super::effect::Effect;
use super::keymap::Motion;
use super::line::Line;
use super::model::Model;
use super::overlay::{self, Overlay};
use super::picker::List;
use super::review::Input;
use super::setup;

/// One thing done without a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Direct {
    /// Runs a command, with what follows its name.
    Run(Command, String),
    /// Does what a key does, in whatever is on top.
    Do(Motion),
    /// Puts the cursor of what is on top on one of its lines. On the first screen the sessions follow the engines, and
    /// behind them comes the end of their list.
    Point(usize),
    /// Puts words in the place of what stands where one types.
    Write(String),
    /// Shows what is known of an obligation.
    Show(String),
}

pub(crate) fn update(model: &mut Model, direct: Direct) -> Vec<Effect> {
    match direct {
        Direct::Run(command, argument) => super::update::run(model, command, &argument),
        Direct::Do(motion) => {
            let context = model.context();
            super::update::motion(model, context, motion).unwrap_or_default()
        }
        Direct::Point(at) => {
            point(model, at);
            Vec::new()
        }
        Direct::Write(text) => write(model, &text),
        Direct::Show(obligation) => {
            model.overlays.push(Overlay::evidence(&obligation));
            Vec::new()
        }
    }
}

fn point(model: &mut Model, at: usize) {
    match model.overlays.last_mut() {
        Some(Overlay::Chooser(list)) => list.cursor = at,
        Some(Overlay::Review(review)) => match review.editing.as_mut().map(|edit| &mut edit.input) {
            Some(Input::Choice { at: chosen, .. }) => *chosen = Some(at),
            Some(Input::Text(_)) => {}
            None => review.cursor = at,
        },
        Some(Overlay::Handoff(review)) => review.cursor = at,
        Some(Overlay::Settings(screen)) => screen.cursor = at,
        Some(Overlay::Evidence(card)) => card.field = at,
        Some(Overlay::Endpoint(form)) => form.at = form.rows().get(at).copied().unwrap_or(form.at),
        Some(
            Overlay::Help(_)
            | Overlay::About(_)
            | Overlay::Prompt(_)
            | Overlay::Task(_)
            | Overlay::Budget(_)
            | Overlay::Course(_)
            | Overlay::Confirm(_)
            | Overlay::Doctor(_)
            | Overlay::Inspector(_),
        ) => {}
        None => {
            let picker = &mut model.picker;
            (picker.list, picker.words) = match at.checked_sub(picker.engines.len()) {
                None => (List::Engines, std::mem::take(&mut picker.words)),
                Some(_) => (List::Sessions, Line::default()),
            };
            match at.checked_sub(picker.engines.len()) {
                None => picker.engine = at,
                Some(session) => picker.session = session.min(picker.sessions.len().saturating_sub(1)),
            }
        }
    }
}

fn write(model: &mut Model, text: &str) -> Vec<Effect> {
    let area = || Box::new(composer::area_of(&composer::harmless(text)));
    match model.overlays.last_mut() {
        Some(Overlay::Chooser(list)) => {
            list.input = Line::default();
            overlay::paste(model, text)
        }
        Some(Overlay::Prompt(prompt)) => {
            prompt.input = Line::default();
            overlay::paste(model, text)
        }
        Some(Overlay::Review(review)) => {
            match review.editing.as_mut().map(|edit| &mut edit.input) {
                Some(Input::Text(typed)) => *typed = area(),
                Some(Input::Choice { options, at }) => {
                    let wanted = text.trim().to_lowercase();
                    *at = options.iter().position(|(label, _)| label.to_lowercase() == wanted).or(*at);
                }
                None => {}
            }
            Vec::new()
        }
        Some(Overlay::Handoff(review)) => {
            if let Some(edit) = &mut review.editing {
                edit.area = area();
            }
            Vec::new()
        }
        Some(Overlay::Settings(_)) => {
            setup::settings::write(model, text);
            Vec::new()
        }
        Some(Overlay::Endpoint(_)) => setup::by_name::write(model, text),
        Some(_) => Vec::new(),
        None if model.screen == super::Screen::Picker => {
            model.picker.words = Line::default();
            super::picker::paste(model, text)
        }
        None => {
            model.composer.pastes = composer::Pastes::default();
            model.composer.set(&composer::harmless(text));
            Vec::new()
        }
    }
}
