//! What the program has to tell: good news goes away by itself, bad news stays until it was read.

use std::collections::VecDeque;
use std::time::Duration;

pub use crate::host::protocol::Level;
use crate::host::protocol::Notice;

/// How long good news stays at least, and for each of its characters.
const SHOWN: Duration = Duration::from_secs(5);
const PER_CHARACTER: Duration = Duration::from_millis(60);

/// How many are kept; the oldest good news goes first.
const KEPT: usize = 50;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    pub level: Level,
    /// What to tell, as a sentence.
    pub text: String,
    /// When it was first shown.
    pub since: Duration,
    /// Whether it tells of a turn that failed, so that the next one that does not takes it back.
    pub of_turn: bool,
}

impl Toast {
    /// How long it stays, if it is good news: as long as it takes to read.
    fn lasts(&self) -> Duration {
        SHOWN.max(PER_CHARACTER * self.text.chars().count() as u32)
    }
}

/// Everything that is still to be read, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toasts {
    waiting: VecDeque<Toast>,
}

impl Toasts {
    /// Tells something. The same words twice are told once.
    pub fn tell(&mut self, level: Level, text: impl Into<String>, now: Duration) {
        let text = text.into();
        self.waiting.retain(|toast| toast.text != text && (toast.level != Level::Info || level != Level::Info));
        self.waiting.push_back(Toast { level, text, since: now, of_turn: false });
        if self.waiting.len() > KEPT {
            let first = self.waiting.iter().position(|toast| toast.level == Level::Info).unwrap_or(0);
            self.waiting.remove(first);
        }
    }

    /// Tells why a turn failed.
    pub(crate) fn trouble(&mut self, text: impl Into<String>, now: Duration) {
        self.tell(Level::Error, text, now);
        if let Some(toast) = self.waiting.back_mut() {
            toast.of_turn = true;
        }
    }

    /// Takes back why turns failed: one has not.
    pub(crate) fn retract_trouble(&mut self) {
        self.waiting.retain(|toast| !toast.of_turn);
    }

    /// Takes back what no longer holds.
    pub(crate) fn retract(&mut self, text: &str) {
        self.waiting.retain(|toast| toast.text != text);
    }

    pub fn take(&mut self, notice: Notice, now: Duration) {
        self.tell(notice.level, notice.text, now);
    }

    /// Marks the one that is shown as read; tells whether there was one.
    pub(crate) fn dismiss(&mut self) -> bool {
        let worst = self.shown_index();
        worst.and_then(|at| self.waiting.remove(at)).is_some()
    }

    /// Lets good news go when its time is over.
    pub fn tick(&mut self, now: Duration) {
        self.waiting.retain(|toast| toast.level != Level::Info || now.saturating_sub(toast.since) < toast.lasts());
    }

    pub fn wants_clock(&self) -> bool {
        self.waiting.iter().any(|toast| toast.level == Level::Info)
    }

    /// The one to be shown: what must be read comes before good news.
    pub fn shown(&self) -> Option<&Toast> {
        self.waiting.get(self.shown_index()?)
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn shown_index(&self) -> Option<usize> {
        let serious = self.waiting.iter().position(|toast| toast.level != Level::Info);
        serious.or_else(|| self.waiting.len().checked_sub(1))
    }
}
