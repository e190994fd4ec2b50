//! The draft of an open session: what was written and not sent. It can be kept at any time, also in the middle of a turn.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{HostError, Session};
use crate::engine::sensitive::{self, SensitivePolicy};
use crate::store::Draft;

/// The draft as front ends have it. What the store has of it is without sensitive data where the settings say so.
#[derive(Debug, Default)]
pub(super) struct SessionDraft(Mutex<Draft>);

impl SessionDraft {
    pub fn new(draft: Draft) -> Self {
        Self(Mutex::new(draft))
    }

    pub fn get(&self) -> Draft {
        self.locked().clone()
    }

    fn locked(&self) -> MutexGuard<'_, Draft> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The draft as it may be stored.
pub(super) fn storable(draft: &Draft, policy: SensitivePolicy) -> Draft {
    Draft { text: sensitive::storable(&draft.text, policy), ..draft.clone() }
}

impl Session {
    /// What was written and not sent.
    pub fn draft(&self) -> Draft {
        self.draft.get()
    }

    /// Keeps what stands in the composer.
    pub async fn save_draft(&self, draft: &Draft) -> Result<(), HostError> {
        let (id, kept) = (self.record.id, storable(draft, self.sensitive));
        draft.clone_into(&mut self.draft.locked());
        Ok(self.kept()?.store.call_async(move |store| store.save_draft(id, kept)).await?)
    }

    /// Clears the draft because it is the message being sent. In the store it is cleared when the turn is claimed.
    pub(super) fn draft_is_sent(&self, message: &str) {
        let mut draft = self.draft.locked();
        if draft.text.trim() == message.trim() {
            *draft = Draft::default();
        }
    }

    /// A message that came to nothing is the draft again. The store hears of it when the claim on the turn is released.
    pub(super) fn draft_is_back(&self, message: &str, replaces: Option<u32>) {
        let mut draft = self.draft.locked();
        *draft = std::mem::take(&mut *draft).after(Draft::new(message, replaces));
    }
}
