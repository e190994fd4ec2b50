//! The question at the cap: raise it, go on offline, or stop. Nothing is spent before it is answered.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::super::composer;
use super::super::effect::Effect;
use super::super::keymap::Motion;
use super::super::model::Model;
use super::super::turn;
use super::{Asking, Overlay, Prompt};
use crate::engine::budget::{Cap, OverBudget};
use crate::host::protocol::{SessionCommand, UseModel};
use crate::words::BudgetWords;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetQuestion {
    pub reached: OverBudget,
    /// From when on letters answer it.
    pub answered_from: Duration,
}

/// The window comes by itself: letters that follow each other faster than this belong to what is being written.
const PAUSE: Duration = Duration::from_secs(1);

impl BudgetQuestion {
    /// A cap that leaves room for a while: twice the one there is, or what the call needs and half as much again.
    pub(crate) fn suggested(&self) -> f64 {
        let room = (self.reached.limit * 2.0).max(self.reached.enough() * 1.5);
        match self.reached.cap {
            Cap::SessionUsd | Cap::DayUsd => (room * 100.0).ceil() / 100.0,
            Cap::SessionTokens | Cap::DayTokens => (room / 1000.0).ceil() * 1000.0,
        }
    }

    /// What was reached, in words.
    pub(crate) fn in_words(&self, says: &BudgetWords) -> String {
        let reached = &self.reached;
        let cap = reached.cap;
        let (name, limit) = (cap_name(cap, says), cap.amount(reached.limit));
        let (spent, needed) = (cap.figure(reached.spent), cap.figure(reached.needed));
        match cap {
            Cap::SessionUsd | Cap::DayUsd => says.spent_money(name, spent, limit, needed),
            Cap::SessionTokens | Cap::DayTokens => says.spent_tokens(name, spent, limit, needed),
        }
    }

    /// How it can be answered.
    pub(crate) fn ways(&self, says: &BudgetWords) -> [(Motion, String); 4] {
        [
            (Motion::Accept, says.raise(self.reached.cap.amount(self.suggested()))),
            (Motion::Change, says.raise_other().to_owned()),
            (Motion::Later, says.offline().to_owned()),
            (Motion::Decline, says.stop().to_owned()),
        ]
    }
}

/// What a cap is for.
pub(super) fn cap_name(cap: Cap, says: &BudgetWords) -> &str {
    match cap {
        Cap::SessionUsd => says.session_usd(),
        Cap::SessionTokens => says.session_tokens(),
        Cap::DayUsd => says.day_usd(),
        Cap::DayTokens => says.day_tokens(),
    }
}

pub fn ask(model: &mut Model, reached: OverBudget) {
    model.overlays.push(Overlay::Budget(BudgetQuestion { reached, answered_from: model.now + PAUSE }));
}

/// Takes a letter of somebody who writes on while the window came up.
pub(crate) fn written_on(model: &mut Model, event: KeyEvent) -> bool {
    let now = model.now;
    let Some(Overlay::Budget(question)) = model.overlays.last_mut() else { return false };
    let is_text = matches!(event.code, KeyCode::Char(_)) && event.modifiers.difference(KeyModifiers::SHIFT).is_empty();
    if !is_text || now >= question.answered_from {
        return false;
    }
    question.answered_from = now + PAUSE;
    composer::key(model, event);
    true
}

/// Takes the answer. The message waits in the composer, and is sent again where the turn can go on.
pub(crate) fn motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    let Some(Overlay::Budget(question)) = model.overlays.last() else { return None };
    let question = *question;
    let cap = question.reached.cap;
    match motion {
        Motion::Accept => {
            model.overlays.pop();
            Some(raise(model, cap, question.suggested()))
        }
        Motion::Change => {
            model.overlays.pop();
            let suggested = question.suggested().to_string();
            model.overlays.push(Overlay::Prompt(Prompt::new(Asking::Cap(cap), &suggested)));
            Some(Vec::new())
        }
        Motion::Later => {
            model.overlays.pop();
            let mut effects = vec![Effect::host(UseModel(String::new()))];
            effects.extend(turn::send_draft(model));
            Some(effects)
        }
        Motion::Decline => Some(super::close(model)),
        _ => None,
    }
}

/// Raises a cap and sends the message that waits.
pub fn raise(model: &mut Model, cap: Cap, limit: f64) -> Vec<Effect> {
    let mut effects = vec![Effect::host(SessionCommand::RaiseCap { cap, limit })];
    effects.extend(turn::send_draft(model));
    effects
}
