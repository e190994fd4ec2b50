//! The listeners of a session, and what one who joins in the middle of a turn has missed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::protocol::{Conclusion, Event, News, RequestId, TurnNews, TurnUnderWay};
use crate::store::SessionId;

/// Is told what happens. Must not wait.
pub type Listener = Arc<dyn Fn(News) + Send + Sync>;

/// Tells one front end what comes of what it asked for.
#[derive(Clone)]
pub(super) struct Teller {
    pub listener: Listener,
    /// The request that this is about.
    pub answers: Option<RequestId>,
    /// The session that this is about.
    pub session: Option<SessionId>,
}

impl Teller {
    pub fn tell(&self, event: Event) {
        (self.listener)(News { session: self.session, answers: self.answers, event });
    }

    /// Tells how a command has ended, if anybody waits for that.
    pub fn conclude(&self, how: Conclusion) {
        if self.answers.is_some() {
            self.tell(Event::Concluded(how));
        }
    }
}

/// Everybody who listens to a session.
pub(super) struct Audience {
    session: SessionId,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    listeners: Vec<(u64, Listener)>,
    next: u64,
    under_way: Option<TurnUnderWay>,
}

impl std::fmt::Debug for Audience {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Audience").field("listeners", &self.inner().listeners.len()).finish_non_exhaustive()
    }
}

impl Audience {
    /// Nobody yet.
    pub fn of(session: SessionId) -> Self {
        Self { session, inner: Mutex::default() }
    }

    /// An event of this session, as its listeners are told of it.
    pub fn news(&self, event: Event) -> News {
        News { session: Some(self.session), answers: None, event }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a listener; the number is what it leaves by.
    pub fn add(&self, listener: Listener) -> u64 {
        let mut inner = self.inner();
        inner.next += 1;
        let number = inner.next;
        inner.listeners.push((number, listener));
        number
    }

    pub fn remove(&self, number: u64) {
        self.inner().listeners.retain(|(other, _)| *other != number);
    }

    pub fn is_empty(&self) -> bool {
        self.inner().listeners.is_empty()
    }

    pub fn under_way(&self) -> Option<TurnUnderWay> {
        self.inner().under_way.clone()
    }

    /// Tells everybody.
    pub fn tell(&self, event: Event) {
        let mut inner = self.inner();
        if let Event::Turn(news) = &event {
            inner.follow(news);
        }
        let Some(((_, last), others)) = inner.listeners.split_last() else { return };
        for (_, listener) in others {
            listener(self.news(event.clone()));
        }
        last(self.news(event));
    }
}

impl Inner {
    fn follow(&mut self, news: &TurnNews) {
        match (news, &mut self.under_way) {
            (TurnNews::Begun { message, replaces, aside }, under_way) => {
                let (message, replaces, aside) = (message.clone(), *replaces, *aside);
                let begun = TurnUnderWay { message, replaces, aside, ..TurnUnderWay::default() };
                *under_way = Some(begun);
            }
            (TurnNews::Done(_) | TurnNews::AsideDone(_) | TurnNews::Failed(_) | TurnNews::Cancelled, under_way) => {
                *under_way = None;
            }
            (TurnNews::Delta(text), Some(turn)) => turn.answer.push_str(text),
            (TurnNews::Revising(_) | TurnNews::Retrying { voids: true, .. }, Some(turn)) => turn.answer.clear(),
            (TurnNews::Step(entry), Some(turn)) => turn.trace.push((**entry).clone()),
            (
                TurnNews::Reading
                | TurnNews::Writing
                | TurnNews::Summarising
                | TurnNews::Tool(_)
                | TurnNews::ToolDone(_)
                | TurnNews::Reasoning(_)
                | TurnNews::Queued
                | TurnNews::Retrying { .. }
                | TurnNews::Compressed(_),
                _,
            )
            | (_, None) => {}
        }
    }
}
