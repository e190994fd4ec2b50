//! What the program has to tell. It goes away by itself when there was time to read it; what failed stays until it was
//! read, since something is to be done about it.

use std::collections::VecDeque;
use std::time::Duration;

use unicode_width::UnicodeWidthStr as _;

pub use crate::host::protocol::Level;
use crate::host::protocol::Notice;

/// How long good news stays at least, and for each of its characters.
const SHOWN: Duration = Duration::from_secs(5);
const PER_CHARACTER: Duration = Duration::from_millis(60);

/// A warning stays so many times as long.
const WARNING: u32 = 4;

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
    /// How long it stays: as long as it takes to read. What failed stays.
    fn lasts(&self) -> Option<Duration> {
        let read = SHOWN.max(PER_CHARACTER * self.text.chars().count() as u32);
        match self.level {
            Level::Info => Some(read),
            Level::Warning => Some(read * WARNING),
            Level::Error => None,
        }
    }

    /// The rows it takes at a width, and no less.
    pub(crate) fn rows(&self, width: u16) -> u16 {
        let width = usize::from(width.max(1));
        let mut rows = 1;
        let mut used = 0;
        for word in self.text.split_whitespace() {
            let columns = word.width();
            let gap = usize::from(used > 0);
            if used + gap + columns > width && used > 0 {
                (rows, used) = (rows + 1, 0);
            }
            rows += (columns.saturating_sub(1)) / width;
            used += usize::from(used > 0) + columns.min(width);
        }
        u16::try_from(rows).unwrap_or(u16::MAX)
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
        let shown = self.shown_index();
        shown.and_then(|at| self.waiting.remove(at)).is_some()
    }

    /// Takes all there is to tell, the oldest first.
    pub(crate) fn take_all(&mut self) -> Vec<Toast> {
        std::mem::take(&mut self.waiting).into()
    }

    /// Lets go what there was time to read.
    pub fn tick(&mut self, now: Duration) {
        let over = |toast: &Toast| toast.lasts().is_some_and(|lasts| now.saturating_sub(toast.since) >= lasts);
        self.waiting.retain(|toast| !over(toast));
    }

    pub fn wants_clock(&self) -> bool {
        self.waiting.iter().any(|toast| toast.lasts().is_some())
    }

    /// The one to be shown: good news about what was done last, for as long as it stays; else the last thing that failed.
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
        let last = self.waiting.len().checked_sub(1)?;
        if self.waiting[last].level == Level::Info {
            return Some(last);
        }
        Some(self.waiting.iter().rposition(|toast| toast.level == Level::Error).unwrap_or(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_last_is_shown_and_what_failed_before_comes_back_after_it() {
        let mut toasts = Toasts::default();
        toasts.tell(Level::Error, "the first failed", Duration::ZERO);
        toasts.tell(Level::Error, "the second failed", Duration::ZERO);
        assert_eq!(toasts.shown().map(|toast| &*toast.text), Some("the second failed"));
        toasts.tell(Level::Info, "the third is there", Duration::ZERO);
        assert_eq!(toasts.shown().map(|toast| &*toast.text), Some("the third is there"));
        toasts.tick(Duration::from_mins(1));
        assert_eq!(toasts.shown().map(|toast| &*toast.text), Some("the second failed"));
        assert!(toasts.dismiss() && toasts.dismiss() && !toasts.dismiss());
    }
}
