//! Who has a turn of a session under way. A claim is told to other processes only; it is no part of the log.

use super::{Store, sessions};
use crate::store::backend::Row;
use crate::store::{SessionId, StoreError};

impl Store {
    /// Claims the next turn of a session for this process, so that another one is told before it pays for one. Fails
    /// with [`StoreError::Conflict`] if the session has moved on since the caller read it, and with
    /// [`StoreError::TurnUnderWay`] if another living process has claimed it. Storing the turn releases the claim.
    pub fn claim_turn(&mut self, id: SessionId, expected_turn: u32, expected_revision: u64) -> Result<(), StoreError> {
        self.write(|db, _| {
            let mut row = sessions::get_at_turn(db, id, expected_turn, expected_revision)?;
            let owner = db.owner();
            match row.claimed_by {
                Some(other) if other != owner && db.is_alive(other) => Err(StoreError::TurnUnderWay { session: id }),
                Some(own) if own == owner => Ok(()),
                _ => {
                    row.claimed_by = Some(owner);
                    db.put(Row::Session(&row))
                }
            }
        })
    }

    /// Releases a claim of this process, after a turn that was not stored. Another process's claim stays.
    pub fn release_turn(&mut self, id: SessionId) -> Result<(), StoreError> {
        self.write(|db, _| {
            let mut row = sessions::get(db, id)?;
            if row.claimed_by != Some(db.owner()) {
                return Ok(());
            }
            row.claimed_by = None;
            db.put(Row::Session(&row))
        })
    }
}
