//! The store itself: what is kept, in which order, under which checks. Written once, over any backend.
//!
//! Every public method is one transaction, whole or not at all.

mod backup;
mod beside;
mod checks;
mod claims;
mod commits;
mod courses;
mod drafts;
mod engines;
mod erase;
mod filing;
mod fork;
mod handoffs;
mod history;
mod repair;
mod replay;
mod rewind;
mod seal;
mod sessions;
mod superseded;
mod verify;
mod verify_beside;
mod verify_key;
mod verify_parts;
mod work;

pub(crate) use beside::call_the_roll;

use jiff::Timestamp;

use super::backend::{Access, Backend, Row, Tasks};
use super::{Clock, Erasure, StoreError};
use crate::engine::memory::TaskStatus;

/// Keeps sessions. Synchronous on purpose: one thread owns it, and [`StoreHandle`](super::StoreHandle) makes it
/// asynchronous for all other threads.
pub struct Store {
    backend: Box<dyn Backend>,
    clock: Clock,
}

/// A transaction. Unless it is kept, dropping it undoes it, also while a panic unwinds.
struct Open<'a>(&'a mut dyn Backend);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.rollback();
    }
}

impl Store {
    /// Keeps sessions in a database that was just opened. Tasks whose process has died are marked as
    /// interrupted, and what the trash has kept long enough is erased.
    pub(crate) fn over(backend: Box<dyn Backend>, clock: Clock) -> Result<Self, StoreError> {
        let mut store = Self { backend, clock };
        // Looked at first: an opening that has nothing to change should not wait for a lock.
        if !store.backend.is_read_only() && store.read(|db| Ok(!db.tasks(Tasks::Running)?.is_empty()))? {
            store.write(interrupt_orphans)?;
        }
        if !store.backend.is_read_only() {
            store.purge_trash()?;
        }
        Ok(store)
    }

    /// Reads, seeing one moment of the database throughout.
    fn read<T>(&mut self, work: impl FnOnce(&mut dyn Backend) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.backend.begin(Access::Read)?;
        work(Open(self.backend.as_mut()).0)
    }

    /// Writes, whole or not at all.
    fn write<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Backend, Timestamp) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.write_with(Access::Write, work)
    }

    /// The same for what is written often and need not outlive a power cut.
    fn write_lightly<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Backend, Timestamp) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.write_with(Access::WriteLightly, work)
    }

    fn write_with<T>(
        &mut self,
        access: Access,
        work: impl FnOnce(&mut dyn Backend, Timestamp) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let now = whole_millis((self.clock)());
        self.backend.begin(access)?;
        let open = Open(self.backend.as_mut());
        // What was changed by others stays to be found: only a list that is right is brought up to date.
        let intact = access == Access::Write && beside::roll_is_intact(open.0)?;
        let done = work(open.0, now)?;
        if intact {
            beside::call_the_roll(open.0)?;
        }
        open.0.commit()?;
        Ok(done)
    }

    /// Deletes, and then removes the last traces of it.
    fn erase(
        &mut self,
        work: impl FnOnce(&mut dyn Backend, Timestamp) -> Result<(), StoreError>,
    ) -> Result<Erasure, StoreError> {
        self.write(work)?;
        Ok(self.backend.wipe())
    }
}

/// Cuts a moment to what a column keeps, so that what is read is what was written.
fn whole_millis(at: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at)
}

/// Marks the running tasks of dead processes as interrupted.
fn interrupt_orphans(db: &mut dyn Backend, now: Timestamp) -> Result<(), StoreError> {
    for row in db.tasks(Tasks::Running)? {
        if !row.owner.is_some_and(|owner| db.is_alive(owner)) {
            let mut task = row.task;
            task.record.status = TaskStatus::Interrupted;
            task.updated_at = now;
            db.put(Row::Task(&task, None))?;
            beside::vouch_for_task(db, task.id)?;
        }
    }
    Ok(())
}
