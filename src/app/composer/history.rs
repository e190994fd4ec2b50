//! What was written before, to be recalled line by line as in a shell.

use std::collections::VecDeque;

use crate::engine::turn::MAX_MESSAGE;

/// How many drafts are remembered.
const KEPT: usize = 500;
/// How much of them, in bytes: drafts may be as long as messages.
const KEPT_BYTES: usize = 4 * MAX_MESSAGE;

/// Earlier drafts and where the user is among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    drafts: VecDeque<String>,
    /// The bytes of all drafts.
    bytes: usize,
    /// The one shown, and what was being written when the user went looking.
    at: Option<(usize, String)>,
}

impl History {
    /// Starts over with what was said in a session.
    pub fn fill<'a>(&mut self, drafts: impl Iterator<Item = &'a str>) {
        *self = Self::default();
        drafts.for_each(|draft| self.add(draft));
    }

    /// Remembers a draft. The same twice in a row is remembered once.
    pub fn add(&mut self, draft: &str) {
        self.at = None;
        if draft.trim().is_empty() || self.drafts.back().is_some_and(|last| last == draft) {
            return;
        }
        self.bytes += draft.len();
        self.drafts.push_back(draft.to_owned());
        while self.drafts.len() > KEPT || self.bytes > KEPT_BYTES {
            self.bytes -= self.drafts.pop_front().map_or(0, |oldest| oldest.len());
        }
    }

    /// The draft before or after the one shown; after the newest comes what was being written.
    pub(crate) fn recall(&mut self, draft: &str, earlier: bool) -> Option<String> {
        let (at, kept) = match self.at.take() {
            Some((at, kept)) => (at, kept),
            None => (self.drafts.len(), draft.to_owned()),
        };
        let next = if earlier { at.checked_sub(1) } else { Some(at + 1) };
        match next {
            Some(next) if next < self.drafts.len() => {
                self.at = Some((next, kept));
                self.drafts.get(next).cloned()
            }
            Some(_) if at < self.drafts.len() => Some(kept),
            _ => {
                self.at = (at < self.drafts.len()).then_some((at, kept));
                None
            }
        }
    }

    /// What was being written when the user went looking, and the earlier draft that is shown in its place.
    pub(crate) fn aside(&self) -> Option<(&str, &str)> {
        let (at, kept) = self.at.as_ref()?;
        Some((kept, self.drafts.get(*at)?))
    }

    /// Whether an earlier draft is shown.
    pub(crate) fn is_recalling(&self) -> bool {
        self.at.is_some()
    }

    /// Stops looking.
    pub fn leave(&mut self) {
        self.at = None;
    }
}
