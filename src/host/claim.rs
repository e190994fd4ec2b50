//! The claim on the next turn of a session: another process that has the session open is told before it pays for a turn.

use super::Session;
use super::ports::not_kept;
use super::session::Keeping;
use crate::engine::ports::PersistError;
use crate::store::{SessionId, StoreHandle};

/// A claim on the next turn. A turn that is kept uses it up; in any other case it is given back when this is dropped.
pub(super) struct Claim(Option<(StoreHandle, SessionId)>);

impl Claim {
    /// Claims the next turn, or says that the session goes on elsewhere. A rehearsal has nobody to claim it from.
    pub async fn take(session: &Session) -> Result<Self, PersistError> {
        let Keeping::Store(kept) = &session.keeping else { return Ok(Self(None)) };
        let (id, turn, revision) = (session.record.id, session.record.turn, session.record.revision);
        kept.store.call_async(move |store| store.claim_turn(id, turn, revision)).await.map_err(not_kept)?;
        Ok(Self(Some((kept.store.clone(), id))))
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
