//! Which request an event answers, and which session it is about.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::command::Command;
use super::event::{AsideDone, Event, Level, Notice, TurnDone, TurnFailure};
use crate::store::SessionId;

/// The number under which a front end asks for something. The front end counts for itself; the host only repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub u64);

/// A command, under a number where the front end wants to know how it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Under which number. One event that repeats it ends the request: an answer, a refusal, or [`Event::Concluded`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    /// What is wanted.
    pub command: Command,
}

impl Request {
    /// A command whose end nobody waits for.
    pub fn plain(command: impl Into<Command>) -> Self {
        Self { id: None, command: command.into() }
    }
}

/// How a command ended that is no question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// It was carried out; the events before this one tell what is different.
    Done,
    /// This turn was kept.
    Turn(Arc<TurnDone>),
    /// This aside was kept.
    Aside(Arc<AsideDone>),
    /// The turn did not happen.
    Failed(TurnFailure),
    /// The turn was cancelled.
    Cancelled,
}

/// An event as a front end is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct News {
    /// The session that it is about. Who shows another one by now has no use for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The request of this front end that it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<RequestId>,
    /// What happened.
    pub event: Event,
}

impl From<Event> for News {
    fn from(event: Event) -> Self {
        Self { session: None, answers: None, event }
    }
}

impl News {
    /// Whether it may be shown beside a session, by the id of that one. A session that is opened is always news.
    pub fn concerns(&self, shown: Option<&str>) -> bool {
        let Some(about) = self.session else { return true };
        matches!(self.event, Event::Opened(_)) || shown.is_some_and(|shown| about.to_string() == shown)
    }

    /// Why a request was not carried out, where this is what says so.
    pub fn refusal(&self, request: RequestId) -> Option<String> {
        if self.answers != Some(request) {
            return None;
        }
        match &self.event {
            Event::Notice(Notice { level: Level::Error, text }) => Some(text.clone()),
            Event::NotOpened(why) => Some(why.message().to_owned()),
            _ => None,
        }
    }
}
