//! What lies over the panes: lists to choose from, cards, reviews, questions. A stack; the topmost has the keys.

mod chooser;
mod evidence;
mod handoff;
mod prompt;

pub use chooser::{Choice, Chooser, Purpose, open as choose_from};
pub use evidence::{Evidence, FieldCard, clear_obligation, correct_obligation, field_cards};
pub use handoff::{HandoffReview, edited as handoff_edited, open as review_handoff};
pub use prompt::{Asking, Prompt, answered, ask, correct};

use crossterm::event::KeyEvent;

use super::effect::Effect;
use super::inspector::{self, Inspector};
use super::keymap::Motion;
use super::layout;
use super::model::Model;
use super::msg::OverlayMsg;
use super::turn;

/// What lies over the panes.
#[derive(Clone, Debug, PartialEq)]
pub enum Overlay {
    /// Commands and keys, from this row on.
    Help(usize),
    /// A list that is narrowed by typing.
    Chooser(Chooser),
    /// One line of text.
    Prompt(Prompt),
    /// What is known of an obligation, and why.
    Evidence(Evidence),
    /// The next step on offer.
    Handoff(HandoffReview),
    /// A question with yes and no.
    Confirm(Confirm),
    /// Why the last turns went as they did.
    Inspector(Inspector),
}

/// A question with yes and no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirm {
    /// The question.
    pub question: String,
    /// What follows from a yes.
    pub detail: String,
    /// What a yes does.
    pub yes: Confirmed,
}

/// What a yes does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// Takes back the last turn.
    Undo,
    /// Forgets a field.
    Clear(String),
    /// Leaves although a turn is under way.
    Quit,
}

impl Overlay {
    /// The evidence card of an obligation.
    pub fn evidence(obligation: &str) -> Self {
        Self::Evidence(Evidence { obligation: obligation.to_owned(), field: 0 })
    }

    /// Whether keys are typed into it.
    pub fn takes_text(&self) -> bool {
        matches!(self, Self::Chooser(_) | Self::Prompt(_))
    }
}

/// Moves about in the topmost overlay; `None` where the motion is not one of its own.
pub fn motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    if motion == Motion::Back {
        return Some(close(model));
    }
    let page = usize::from(layout::compute(model.area(), model).chat.height.max(4) - 2);
    match model.overlays.last_mut()? {
        Overlay::Help(top) => {
            *top = scrolled(*top, motion, page)?;
            Some(Vec::new())
        }
        Overlay::Inspector(_) => inspector::motion(model, motion, page),
        Overlay::Chooser(_) => chooser::motion(model, motion, page),
        Overlay::Prompt(_) => prompt::motion(model, motion),
        Overlay::Evidence(_) => evidence::motion(model, motion),
        Overlay::Handoff(review) => match scrolled(review.top, motion, page) {
            Some(top) => {
                review.top = top;
                Some(Vec::new())
            }
            None => handoff::motion(model, motion),
        },
        Overlay::Confirm(_) => match motion {
            Motion::Accept | Motion::Open => Some(confirm(model)),
            Motion::Decline => Some(close(model)),
            _ => None,
        },
    }
}

/// The first row after a motion; `None` where it does not scroll. The end is found when drawing.
pub fn scrolled(top: usize, motion: Motion, page: usize) -> Option<usize> {
    Some(match motion {
        Motion::Up => top.saturating_sub(1),
        Motion::Down => top.saturating_add(1),
        Motion::PageUp => top.saturating_sub(page),
        Motion::PageDown => top.saturating_add(page),
        Motion::Top => 0,
        _ => return None,
    })
}

fn confirm(model: &mut Model) -> Vec<Effect> {
    let Some(Overlay::Confirm(confirm)) = model.overlays.pop() else { return Vec::new() };
    match confirm.yes {
        Confirmed::Undo => turn::undo_now(model),
        Confirmed::Clear(path) => vec![Effect::Edit(super::effect::EditRequest::Clear { path })],
        Confirmed::Quit => super::update::quit_now(model),
    }
}

/// Closes the topmost overlay.
pub fn close(model: &mut Model) -> Vec<Effect> {
    match model.overlays.pop() {
        Some(Overlay::Chooser(chooser)) => chooser::closed(model, &chooser),
        _ => Vec::new(),
    }
}

/// Types a key into the topmost overlay.
pub fn key(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    match model.overlays.last_mut() {
        Some(Overlay::Chooser(chooser)) => {
            let changed = chooser.input.key(key);
            if changed { chooser::typed(model) } else { Vec::new() }
        }
        Some(Overlay::Prompt(prompt)) => {
            prompt.input.key(key);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// Pastes into the topmost overlay.
pub fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    match model.overlays.last_mut() {
        Some(Overlay::Chooser(chooser)) => {
            chooser.input.insert(text);
            chooser::typed(model)
        }
        Some(Overlay::Prompt(prompt)) => {
            prompt.input.insert(text);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// Takes in an answer for an overlay. One that came too late is for nobody.
pub fn update(model: &mut Model, msg: OverlayMsg) -> Vec<Effect> {
    match msg {
        OverlayMsg::Telemetry(turns) => {
            for (turn, telemetry) in turns {
                inspector::keep(model, turn, telemetry);
            }
        }
        OverlayMsg::Found { query, hits } => {
            if let Some(Overlay::Chooser(chooser)) = model.overlays.last_mut()
                && chooser.purpose == Purpose::Search
                && chooser.input.text().trim() == query
            {
                chooser.offer(hits.into_iter().map(Choice::hit).collect());
            }
        }
        OverlayMsg::Models(models) => {
            if let Some(Overlay::Chooser(chooser)) = model.overlays.last_mut()
                && chooser.purpose == Purpose::Model
            {
                chooser.offer(models.into_iter().map(Choice::model).collect());
            }
        }
    }
    Vec::new()
}
