//! The card of a background task: how it stands, what it found, what it needs, and what the user can do about it.

use super::super::effect::Effect;
use super::super::keymap::Motion;
use super::super::model::Model;
use super::super::msg::CardMsg;
use super::super::session::ShownSession;
use super::{Overlay, scrolled};
use crate::engine::memory::{TaskRecord, TaskStatus};
use crate::host::protocol::{TaskCommand, TrustQuestion};
use crate::text::spelled_out;
use crate::words::Tasks;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskCard {
    pub task: String,
    pub top: usize,
    seen: Seen,
}

/// How much of what is to be agreed to has been on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    /// Which question it was.
    digest: String,
    /// The columns and rows that it took.
    size: (u16, usize),
    /// Rows from the first on that have been shown, without a gap.
    rows: usize,
    whole: bool,
}

impl TaskCard {
    fn of(task: &str) -> Self {
        Self { task: task.to_owned(), ..Self::default() }
    }

    /// Whether all of a question has been on the screen, and it is one that can be agreed to.
    pub(crate) fn has_shown(&self, question: &TrustQuestion) -> bool {
        self.seen.whole && self.seen.digest == question.digest && question.obstacles.is_empty()
    }
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
    pub fn words(self, says: &Tasks) -> (Option<&str>, Option<&str>) {
        match self {
            Self::Decide => (Some(says.allow()), Some(says.refuse())),
            Self::AgainOrWithout => (Some(says.try_again()), Some(says.go_on_without())),
            Self::Again => (Some(says.try_again()), None),
            Self::Without => (None, Some(says.go_on_without())),
            Self::None => (None, None),
        }
    }
}

/// How a task stands, in a word.
pub(crate) fn task_word(status: TaskStatus, says: &Tasks) -> &str {
    match status {
        TaskStatus::Pending => says.pending_short(),
        TaskStatus::Running => says.running_short(),
        TaskStatus::Waiting => says.waiting_short(),
        TaskStatus::Completed => says.completed_short(),
        TaskStatus::Failed => says.failed_short(),
        TaskStatus::NeedsUser => says.needs_user_short(),
        TaskStatus::Interrupted => says.interrupted_short(),
    }
}

/// The question that a task waits for an answer to.
pub(crate) fn asked_about<'a>(session: &'a ShownSession, task: &str) -> Option<&'a TrustQuestion> {
    let name = spelled_out(session.task_name(task));
    session.trust.as_ref().filter(|question| question.acts.iter().any(|act| act.tasks.contains(&name)))
}

/// Takes in what of the card is on the screen.
pub fn shown(model: &mut Model, msg: &CardMsg) -> Vec<Effect> {
    let (Some(Overlay::Task(card)), Some(session)) = (model.overlays.last_mut(), &model.session) else {
        return Vec::new();
    };
    card.top = msg.top;
    let Some(question) = asked_about(session, &card.task) else { return Vec::new() };
    let (size, seen) = ((msg.columns, msg.rows), &mut card.seen);
    if seen.digest != question.digest {
        *seen = Seen { digest: question.digest.clone(), size, ..Seen::default() };
    } else if seen.size != size {
        // Laid out anew: rows are others now. What was seen whole stays so.
        (seen.size, seen.rows) = (size, 0);
    }
    if msg.top <= seen.rows {
        seen.rows = seen.rows.max(msg.top + msg.visible);
    }
    seen.whole |= msg.rows > 0 && seen.rows >= msg.rows;
    Vec::new()
}

pub fn open(model: &mut Model, task: &str) -> Vec<Effect> {
    model.overlays.push(Overlay::Task(TaskCard::of(task)));
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
    let question = asked_about(session, &task);
    if motion == Motion::Accept && question.is_some_and(|question| !card.has_shown(question)) {
        // The card says that it has to be read to its end first.
        return Some(Vec::new());
    }
    let digest = question.map(|question| question.digest.clone());
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
