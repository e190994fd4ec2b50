//! The card of a background task: how it stands, what it found, what it needs, and what the user can do about it.

use super::super::effect::Effect;
use super::super::keymap::Motion;
use super::super::model::Model;
use super::super::session::ShownSession;
use super::{Overlay, scrolled};
use crate::engine::memory::{TaskRecord, TaskStatus};
use crate::host::protocol::{TaskCommand, TrustQuestion};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskCard {
    pub task: String,
    pub top: usize,
}

/// What the user can do about a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Allow what the engine would do, or refuse it.
    Decide,
    /// Try again, or go on without.
    AgainOrWithout,
    Again,
    Without,
    /// Nothing; it is done.
    None,
}

impl Remedy {
    /// What there is to be done about a task as it stands.
    pub fn of(session: &ShownSession, task: &str, record: &TaskRecord) -> Self {
        match record.status {
            TaskStatus::NeedsUser if asked_about(session, task).is_some() => Self::Decide,
            TaskStatus::NeedsUser => Self::AgainOrWithout,
            TaskStatus::Failed => Self::Again,
            TaskStatus::Pending | TaskStatus::Running | TaskStatus::Waiting | TaskStatus::Interrupted => Self::Without,
            TaskStatus::Completed => Self::None,
        }
    }

    /// What accepting means, and what declining means.
    pub fn words(self) -> (Option<&'static str>, Option<&'static str>) {
        match self {
            Self::Decide => (Some("allow"), Some("refuse")),
            Self::AgainOrWithout => (Some("try again"), Some("go on without it")),
            Self::Again => (Some("try again"), None),
            Self::Without => (None, Some("go on without it")),
            Self::None => (None, None),
        }
    }
}

/// The question that a task waits for an answer to.
pub(crate) fn asked_about<'a>(session: &'a ShownSession, task: &str) -> Option<&'a TrustQuestion> {
    let name = session.task_name(task);
    session.trust.as_ref().filter(|question| question.acts.iter().any(|act| act.tasks.iter().any(|own| own == name)))
}

pub fn open(model: &mut Model, task: &str) -> Vec<Effect> {
    model.overlays.push(Overlay::Task(TaskCard { task: task.to_owned(), top: 0 }));
    Vec::new()
}

/// Scrolls, or does something about the task.
pub(crate) fn motion(model: &mut Model, motion: Motion, page: usize) -> Option<Vec<Effect>> {
    let Some(Overlay::Task(card)) = model.overlays.last_mut() else { return None };
    if let Some(top) = scrolled(card.top, motion, page) {
        card.top = top;
        return Some(Vec::new());
    }
    let task = card.task.clone();
    let session = model.session.as_ref()?;
    let remedy = Remedy::of(session, &task, session.memory.background_tasks.get(&task)?);
    let digest = asked_about(session, &task).map(|question| question.digest.clone());
    let effect = match (motion, remedy, digest) {
        (Motion::Accept, Remedy::Decide, Some(digest)) => {
            Effect::host(TaskCommand::DecideTrust { digest, trusted: true })
        }
        (Motion::Decline, Remedy::Decide, Some(digest)) => {
            Effect::host(TaskCommand::DecideTrust { digest, trusted: false })
        }
        (Motion::Accept, Remedy::Again | Remedy::AgainOrWithout, _) => Effect::host(TaskCommand::Retry(task)),
        (Motion::Decline, Remedy::Without | Remedy::AgainOrWithout, _) => Effect::host(TaskCommand::Skip(task)),
        _ => return None,
    };
    model.overlays.pop();
    Some(vec![effect])
}
