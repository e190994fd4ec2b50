//! Words that are no part of the conversation yet: what stands in the composer, and the message whose answer is under way.
//!
//! A message is written ahead before anything is asked of a model. When its turn is kept it goes; when the turn comes to
//! nothing it becomes the draft; and when the process is killed in between, the next one finds it.

use super::{Store, beside, sessions};
use crate::store::backend::{Backend, Gone, Row, SessionRow, Unsent};
use crate::store::{Draft, SessionId, StoreError};

impl Store {
    /// Keeps what stands in the composer; nothing there leaves no trace of what was. Written often, so the disk is not
    /// waited for: it outlives the process, though perhaps not a power cut.
    pub fn save_draft(&mut self, id: SessionId, draft: impl Into<Draft>) -> Result<(), StoreError> {
        let draft = draft.into();
        let erased = self.write_lightly(|db, _| {
            sessions::get(db, id)?;
            if draft.text.is_empty() {
                erase(db, id, Unsent::Draft)
            } else {
                put(db, id, Unsent::Draft, &draft).map(|()| false)
            }
        })?;
        if erased {
            self.wipe_drafts();
        }
        Ok(())
    }

    /// What stands in the composer. A message whose answer was under way in a process that has died stands before it.
    pub fn draft(&mut self, id: SessionId) -> Result<Draft, StoreError> {
        self.read(|db| {
            let row = sessions::get(db, id)?;
            of(db, &row)
        })
    }

    /// Makes a message whose answer was under way in a process that has died the draft.
    pub fn recover_draft(&mut self, id: SessionId) -> Result<(), StoreError> {
        let left = self.read(|db| {
            let row = sessions::get(db, id)?;
            Ok(left_behind(db, &row)?.is_some())
        })?;
        if !left {
            return Ok(());
        }
        self.write(|db, _| {
            let mut row = sessions::get(db, id)?;
            recover(db, &mut row)?;
            db.put(Row::Session(&row))
        })
    }

    /// Removes the traces of drafts that were sent or deleted from the log of the database. Where another process is
    /// reading, they go later.
    pub fn wipe_drafts(&mut self) {
        self.backend.wipe_drafts();
    }
}

/// The draft of a session as a front end is to show it.
pub(super) fn of(db: &mut dyn Backend, row: &SessionRow) -> Result<Draft, StoreError> {
    let draft = db.unsent(row.record.id, Unsent::Draft)?.unwrap_or_default();
    Ok(match left_behind(db, row)? {
        Some(sent) => draft.after(Draft { unanswered: true, ..sent }),
        None => draft,
    })
}

/// The message whose answer was under way in a process that has died.
fn left_behind(db: &mut dyn Backend, row: &SessionRow) -> Result<Option<Draft>, StoreError> {
    if row.claimed_by.is_some_and(|owner| db.is_alive(owner)) {
        return Ok(None);
    }
    db.unsent(row.record.id, Unsent::Sent)
}

/// Makes what a dead process has left the draft. The caller writes the row.
pub(super) fn recover(db: &mut dyn Backend, row: &mut SessionRow) -> Result<(), StoreError> {
    if left_behind(db, row)?.is_some() {
        let draft = of(db, row)?;
        put(db, row.record.id, Unsent::Draft, &draft)?;
        erase(db, row.record.id, Unsent::Sent)?;
        row.claimed_by = None;
    }
    Ok(())
}

/// Makes a message that came to nothing the draft, before what has been written since.
pub(super) fn give_back(db: &mut dyn Backend, id: SessionId) -> Result<(), StoreError> {
    let Some(sent) = db.unsent(id, Unsent::Sent)? else { return Ok(()) };
    let draft = db.unsent(id, Unsent::Draft)?.unwrap_or_default().after(sent);
    put(db, id, Unsent::Draft, &draft)?;
    erase(db, id, Unsent::Sent).map(drop)
}

/// Writes a message ahead. A draft that it is made of goes; says whether one went.
pub(super) fn send(db: &mut dyn Backend, id: SessionId, message: &Draft) -> Result<bool, StoreError> {
    put(db, id, Unsent::Sent, message)?;
    let is_draft = db.unsent(id, Unsent::Draft)?.is_some_and(|draft| draft.text.trim() == message.text.trim());
    if is_draft { erase(db, id, Unsent::Draft) } else { Ok(false) }
}

/// Forgets a message that was answered, or cannot be. Says whether there was one.
pub(super) fn forget_sent(db: &mut dyn Backend, id: SessionId) -> Result<bool, StoreError> {
    erase(db, id, Unsent::Sent)
}

fn put(db: &mut dyn Backend, id: SessionId, place: Unsent, draft: &Draft) -> Result<(), StoreError> {
    db.put(Row::Unsent(id, place, draft))?;
    beside::vouch_for_draft(db, id, place, draft)
}

/// Says whether there was anything to erase.
fn erase(db: &mut dyn Backend, id: SessionId, place: Unsent) -> Result<bool, StoreError> {
    if db.unsent(id, place)?.is_none() {
        return Ok(false);
    }
    db.delete(Gone::Unsent(id, place))?;
    beside::forget_draft(db, id, place)?;
    Ok(true)
}
