//! How sessions are kept: in the archive, in the trash, under tags; and letting go of what the trash has kept long enough.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Store, erase, seal, sessions, verify};
use crate::store::backend::{Backend, Row, SessionRow};
use crate::store::{
    Erasure, EventKind, Filed, Filing, Refiling, SessionId, SessionRecord, StoreError, canonical, tidy_tags,
    trash_keeps,
};

impl Store {
    /// Keeps sessions in another way, all of them or none. What was said stays as it is, and so does when it changed last.
    pub fn refile(&mut self, ids: &[SessionId], change: &Refiling) -> Result<Vec<SessionRecord>, StoreError> {
        self.write(|db, now| ids.iter().map(|id| refile(db, *id, change, now)).collect())
    }

    /// Says what the archive and the trash hold, and which tags are in use.
    pub fn filed(&mut self) -> Result<Filed, StoreError> {
        self.read(|db| db.filed())
    }

    /// Erases everything that is in the trash, and says how much that was. What another living process has a turn of under
    /// way stays: the turn takes it out of the trash. So does what was changed after the fact: erasing it would take away
    /// what shows that.
    pub fn empty_trash(&mut self) -> Result<(u32, Erasure), StoreError> {
        if self.read(|db| db.trashed(None))?.is_empty() {
            return Ok((0, Erasure::Complete));
        }
        let mut count = 0;
        let erasure = self.erase(|db, _| {
            let all = db.trashed(None)?;
            let idle = idle(db, all)?;
            let all = sound(db, idle)?;
            count = u32::try_from(all.len()).unwrap_or(u32::MAX);
            erase::sessions(db, &all)
        })?;
        Ok((count, erasure))
    }

    /// Erases what the trash has kept long enough. With nothing to erase it reads one index and writes nothing.
    ///
    /// A session stays as long as a process has a turn of it under way, or while the key is missing that it is sealed with.
    /// It also stays if it is not as its log says: somebody may have put it here past the log, so that it is erased.
    pub(super) fn purge_trash(&mut self) -> Result<(), StoreError> {
        let Ok(before) = (self.clock)().checked_sub(trash_keeps()) else { return Ok(()) };
        if self.read(|db| due(db, before))?.is_empty() {
            return Ok(());
        }
        // Another process may have restored one meanwhile, or begun a turn of it.
        self.erase(|db, _| {
            let still_due = due(db, before)?;
            erase::sessions(db, &still_due)
        })
        .map(drop)
    }
}

/// What the trash has kept since before a moment and can be let go of.
fn due(db: &mut dyn Backend, before: Timestamp) -> Result<Vec<SessionId>, StoreError> {
    let trashed = db.trashed(Some(before))?;
    let mut due = Vec::new();
    for id in idle(db, trashed)? {
        let row = sessions::get(db, id)?;
        if seal::check_key(db, &row).is_ok() {
            due.push(id);
        }
    }
    sound(db, due)
}

/// Those sessions of which nothing was changed after the fact.
fn sound(db: &mut dyn Backend, ids: Vec<SessionId>) -> Result<Vec<SessionId>, StoreError> {
    let mut sound = Vec::new();
    for id in ids {
        if verify::is_sound(db, id)? {
            sound.push(id);
        }
    }
    Ok(sound)
}

/// Those sessions of which no other living process has a turn under way.
fn idle(db: &mut dyn Backend, ids: Vec<SessionId>) -> Result<Vec<SessionId>, StoreError> {
    let mut idle = Vec::new();
    for id in ids {
        let row = sessions::get(db, id)?;
        if !sessions::is_at_work_elsewhere(db, &row) {
            idle.push(id);
        }
    }
    Ok(idle)
}

fn refile(db: &mut dyn Backend, id: SessionId, change: &Refiling, now: Timestamp) -> Result<SessionRecord, StoreError> {
    let mut row = sessions::get(db, id)?;
    let mut filing = row.record.filing.clone();
    match change {
        Refiling::Archive => filing.archived_at = filing.archived_at.or(Some(now)),
        Refiling::Unarchive => filing.archived_at = None,
        Refiling::Trash => filing.trashed_at = filing.trashed_at.or(Some(now)),
        Refiling::Restore => filing.trashed_at = None,
        Refiling::AddTags(tags) => filing.tags = tidy_tags(filing.tags.into_iter().chain(tags.iter().cloned())),
        Refiling::RemoveTags(tags) => {
            let gone = tidy_tags(tags.iter().cloned());
            filing.tags.retain(|tag| !gone.contains(tag));
        }
        Refiling::SetTags(tags) => filing.tags = tidy_tags(tags.iter().cloned()),
    }
    put(db, &mut row, filing, now)?;
    Ok(row.record)
}

/// Takes a session out of the trash and the archive: a session that one goes on with is wanted.
pub(super) fn take_out(db: &mut dyn Backend, row: &mut SessionRow, now: Timestamp) -> Result<(), StoreError> {
    let filing = Filing { tags: row.record.filing.tags.clone(), ..Filing::default() };
    put(db, row, filing, now)
}

fn put(db: &mut dyn Backend, row: &mut SessionRow, filing: Filing, now: Timestamp) -> Result<(), StoreError> {
    if filing == row.record.filing {
        return Ok(());
    }
    let payload = json!({ "filed": logged(&filing) });
    row.record.filing = filing;
    seal::append(db, row, EventKind::Filed, now, payload)?;
    db.put(Row::Session(row))
}

/// A filing as the log has it: without the words of its tags.
pub(super) fn logged(filing: &Filing) -> Value {
    if filing.is_plain() {
        return Value::Null;
    }
    json!({
        "archived_at": filing.archived_at.map(Timestamp::as_millisecond),
        "trashed_at": filing.trashed_at.map(Timestamp::as_millisecond),
        "tags": canonical::digest(&filing.tags),
    })
}
