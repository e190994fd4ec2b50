//! Who has a turn of a session under way, and with which message. As long as a claim is held by a living process, no other
//! one changes the session. It is no part of the log.

use super::{Store, drafts, sessions};
use crate::store::backend::Row;
use crate::store::{Draft, SessionId, StoreError};

impl Store {
    /// Claims the next turn of a session for this process, so that another one is told before it pays for one. Fails
    /// with [`StoreError::Conflict`] if the session has moved on since the caller read it, and with
    /// [`StoreError::TurnUnderWay`] if another living process has claimed it. Storing the turn releases the claim.
    ///
    /// The message is written ahead with it: should this process be killed, it is the draft when the session is opened
    /// next. Says whether a draft went because it was that message; its traces are removed by
    /// [`wipe_drafts`](Self::wipe_drafts).
    pub fn claim_turn(
        &mut self,
        id: SessionId,
        expected_turn: u32,
        expected_revision: u64,
        message: Option<&Draft>,
    ) -> Result<bool, StoreError> {
        self.write(|db, _| {
            let mut row = sessions::get_to_change_at_turn(db, id, expected_turn, expected_revision)?;
            drafts::recover(db, &mut row)?;
            row.claimed_by = Some(db.owner());
            db.put(Row::Session(&row))?;
            message.map_or(Ok(false), |message| drafts::send(db, id, message))
        })
    }

    /// Releases a claim of this process, after a turn that was not stored. Its message becomes the draft. Another
    /// process's claim stays.
    pub fn release_turn(&mut self, id: SessionId) -> Result<(), StoreError> {
        self.release(id, true)
    }

    /// Releases a claim of this process whose message cannot be answered: it is not kept.
    pub fn withdraw_turn(&mut self, id: SessionId) -> Result<(), StoreError> {
        self.release(id, false)
    }

    fn release(&mut self, id: SessionId, keep: bool) -> Result<(), StoreError> {
        self.write(|db, _| {
            let mut row = sessions::get(db, id)?;
            if row.claimed_by.is_some_and(|owner| owner != db.owner()) {
                return Ok(());
            }
            if keep {
                drafts::give_back(db, id)?;
            } else {
                drafts::forget_sent(db, id)?;
            }
            if row.claimed_by.is_none() {
                return Ok(());
            }
            row.claimed_by = None;
            db.put(Row::Session(&row))
        })
    }
}
