//! The review of a handoff: accept it, edit it, or stay.

use super::super::draft;
use super::super::effect::{Effect, TerminalEffect};
use super::super::keymap::Motion;
use super::super::model::Model;
use super::super::toasts::Level;
use super::Overlay;
use crate::engine::handoff::Handoff;
use crate::host::protocol::HandoffCommand;

/// The review of what would be handed over.
#[derive(Clone, Debug, PartialEq)]
pub struct HandoffReview {
    /// The engine that would go on.
    pub target: String,
    pub label: String,
    /// What would be handed over, as far as the user has edited it.
    pub handoff: Box<Handoff>,
    /// What keeps it from being valid.
    pub problems: Vec<String>,
    /// The first row in view.
    pub top: usize,
}

impl HandoffReview {
    /// What would be handed over, as the user edits it.
    pub(crate) fn as_text(&self) -> String {
        serde_json::to_string_pretty(&self.handoff).unwrap_or_default()
    }
}

/// Opens the review of the step on offer.
pub fn open(model: &mut Model) -> Vec<Effect> {
    let offer = model.session.as_ref().and_then(|session| session.memory.exit_offer.clone());
    let Some(offer) = offer else {
        let declined = model.session.as_ref().is_some_and(|session| !session.memory.declined_exits.is_empty());
        if declined {
            model.toasts.tell(Level::Info, "the step you declined is offered again after your next message", model.now);
            return vec![Effect::host(HandoffCommand::Reconsider)];
        }
        model.toasts.tell(Level::Info, "no next step is on offer yet", model.now);
        return Vec::new();
    };
    model.overlays.push(Overlay::Handoff(HandoffReview {
        target: offer.target,
        label: offer.label,
        handoff: Box::new(offer.handoff),
        problems: offer.problems,
        top: 0,
    }));
    Vec::new()
}

/// Accepts, edits or declines.
pub(crate) fn motion(model: &mut Model, motion: Motion) -> Option<Vec<Effect>> {
    let Some(Overlay::Handoff(review)) = model.overlays.last() else { return None };
    match motion {
        Motion::Accept | Motion::Open => {
            if let Some(problem) = review.problems.first() {
                let text = format!("it cannot be handed over yet: {problem}");
                model.toasts.tell(Level::Warning, text, model.now);
                return Some(Vec::new());
            }
            model.opening = Some((review.target.clone(), model.now));
            model.overlays.pop();
            Some(draft::keep(model).into_iter().chain([Effect::host(HandoffCommand::Accept)]).collect())
        }
        Motion::Change => Some(vec![TerminalEffect::OpenEditor(review.as_text()).into()]),
        Motion::Decline => {
            model.overlays.pop();
            Some(vec![Effect::host(HandoffCommand::Decline)])
        }
        _ => None,
    }
}

/// Takes the edited text back; `None` where no review was open.
pub fn edited(model: &mut Model, text: &str) -> Option<Vec<Effect>> {
    let Some(Overlay::Handoff(review)) = model.overlays.last_mut() else { return None };
    Some(match serde_json::from_str::<Handoff>(text) {
        Ok(handoff) => {
            review.problems = crate::engine::handoff::validate(&handoff);
            *review.handoff = handoff.clone();
            vec![Effect::host(HandoffCommand::Edit(Box::new(handoff)))]
        }
        Err(error) => {
            let text = format!("the edited handoff was not taken over: {error}");
            model.toasts.tell(Level::Error, text, model.now);
            Vec::new()
        }
    })
}
