//! The embedded store: SQLite, one connection, one file.

mod artifacts;
mod budget;
mod columns;
mod commits;
mod engines;
mod erase;
mod events;
mod failure;
mod files;
mod fork;
mod handoffs;
mod history;
mod instance;
mod open;
mod replay;
mod rewind;
mod search;
mod sessions;
mod store;
mod tasks;
mod verify;
mod verify_parts;

pub use open::SqliteOptions;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use self::failure::Outcome;
use super::{Clock, Erasure, StoreError};

/// Keeps sessions in an SQLite database. Not shared between threads: see [`StoreOwner`](super::StoreOwner).
pub struct SqliteStore {
    conn: Connection,
    path: PathBuf,
    clock: Clock,
    instance: instance::Instance,
}

impl SqliteStore {
    /// Returns where the database is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads, seeing one moment of the database throughout.
    fn read<T>(&mut self, work: impl FnOnce(&Connection) -> Outcome<T>) -> Result<T, StoreError> {
        let read = || {
            let tx = self.conn.transaction()?;
            let found = work(&tx)?;
            tx.finish()?;
            Ok(found)
        };
        read().map_err(|failure: failure::Failure| failure.at(&self.path))
    }

    /// Writes, whole or not at all. The lock is taken at the start: a transaction that began by reading could fail
    /// halfway because another process wrote meanwhile.
    fn write<T>(&mut self, work: impl FnOnce(&Transaction<'_>, Timestamp) -> Outcome<T>) -> Result<T, StoreError> {
        let now = columns::whole_millis((self.clock)());
        let write = || {
            let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&tx, now)?;
            tx.commit()?;
            Ok(done)
        };
        write().map_err(|failure: failure::Failure| failure.at(&self.path))
    }

    /// Deletes, and then rewrites the files so that nothing is left in them.
    fn erase(&mut self, work: impl FnOnce(&Transaction<'_>, Timestamp) -> Outcome<()>) -> Result<Erasure, StoreError> {
        self.write(work)?;
        Ok(erase::rewrite(&self.conn))
    }
}
