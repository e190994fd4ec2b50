//! The claim on the next turn of a session: another process that has the session open is told before it pays for a turn.

use super::ports::not_kept;
use super::session::Keeping;
use super::{Session, draft};
use crate::engine::ports::PersistError;
use crate::store::{Draft, SessionId, StoreHandle};

/// A claim on the next turn. A turn that is kept uses it up; in any other case it is given back when this is dropped, and
/// the message with it is the draft.
pub(super) struct Claim(Option<(StoreHandle, SessionId)>);

impl Claim {
    /// Claims the next turn, or says that the session goes on elsewhere. A rehearsal has nobody to claim it from.
    /// The message is written ahead with it.
    pub async fn take(session: &Session, message: Option<Draft>) -> Result<Self, PersistError> {
        let Keeping::Store(kept) = &session.keeping else { return Ok(Self(None)) };
        let (id, turn, revision) = (session.record.id, session.record.turn, session.record.revision);
        let message = message.map(|message| draft::storable(&message, session.sensitive));
        let claimed = kept.store.call_async(move |store| store.claim_turn(id, turn, revision, message.as_ref()));
        if claimed.await.map_err(not_kept)? {
            // The model is asked meanwhile.
            kept.store.leave(|store| {
                store.wipe_drafts();
                Ok(())
            });
        }
        Ok(Self(Some((kept.store.clone(), id))))
    }

    /// The message cannot be answered, so it is not kept.
    pub fn withdraw(mut self) {
        if let Some((store, id)) = self.0.take() {
            store.leave(move |store| store.withdraw_turn(id));
        }
    }

    /// The turn was kept, and the claim with it.
    pub fn used(mut self) {
        self.0 = None;
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some((store, id)) = self.0.take() {
            store.leave(move |store| store.release_turn(id));
        }
    }
}
