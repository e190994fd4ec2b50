//! What a turn still waits for when its answer is there: the analysis of the message. It can be told to wait no longer;
//! the answer is kept then, and the message is looked at again with the next one.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// An endpoint that asks for a longer pause is not waited for where the answer does not depend on it.
const PATIENCE: Duration = Duration::from_secs(4);

/// How far the two calls of a turn are.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    state: Mutex<State>,
    left: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the answer is being written, or is there.
    answering: bool,
    /// Whether all of it is there.
    answered: bool,
    /// Whether the message is being analysed.
    analysing: bool,
    /// Why the analysis is not waited for.
    left: Option<String>,
}

impl Waiting {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn begins.
    pub fn begin(&self) {
        *self.state() = State::default();
    }

    /// The answer is asked for.
    pub fn answers(&self) {
        self.state().answering = true;
    }

    /// The answer is there; says whether the turn now waits for the analysis.
    pub fn answered(&self) -> bool {
        let mut state = self.state();
        state.answered = true;
        state.analysing
    }

    /// The analysis is asked for, or over.
    pub fn analyses(&self, under_way: bool) {
        self.state().analysing = under_way;
    }

    /// Waits for the analysis no longer, where nothing else is waited for; says whether that is so.
    pub fn leave(&self, why: &str) -> bool {
        let mut state = self.state();
        let leaves = state.answered && state.analysing && state.left.is_none();
        if leaves {
            state.left = Some(why.to_owned());
            self.left.notify_waiters();
        }
        leaves
    }

    /// The endpoint asks for a pause before the analysis. Where an answer is under way, a long one is not waited for.
    pub fn pause(&self, wait: Duration, why: &str) {
        let mut state = self.state();
        if state.answering && state.left.is_none() && wait > PATIENCE {
            state.left = Some(why.to_owned());
            self.left.notify_waiters();
        }
    }

    /// Returns why the analysis is not waited for, once that is so.
    pub async fn left(&self) -> String {
        loop {
            let mut told = std::pin::pin!(self.left.notified());
            told.as_mut().enable();
            if let Some(why) = self.state().left.clone() {
                return why;
            }
            told.await;
        }
    }
}
