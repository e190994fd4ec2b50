//! The store: sessions that survive a crash, a second process and a change of mind.
//!
//! One thread owns the [`Store`] ([`StoreOwner`]); other threads hold a [`StoreHandle`] and send it jobs, which run in
//! order and are drained at shutdown. What a store does (turns, rewinds, forks, the sealed log, checking it) is written
//! once, in `ledger`, over the narrow trait of `backend`; SQLite is the first database behind that trait, and the
//! conformance suite among the tests is what any other must pass as well.
//!
//! **Invariant:** the store knows nothing of engines. The working memory is a JSON document that goes in and comes out
//! exactly as it was, key order and last bit of every number included.
//!
//! **Invariant:** the event log holds digests, never words. What was said stands in exactly one place, so erasing it
//! there erases it.

mod backend;
pub mod canonical;
pub mod delta;
mod digest;
mod error;
mod ids;
mod key;
mod ledger;
pub mod query;
mod records;
mod worker;

pub use backend::sqlite::{Restored, SqliteOptions, restore_sqlite, set_aside, sqlite_version};
pub use digest::Digest;
pub use error::StoreError;
pub use ids::{ArtifactId, ExtractionId, HandoffId, MessageId, ProjectId, SessionId, TaskId};
pub use key::LogKey;
pub use ledger::Store;
pub use records::*;
pub use worker::{Opened, StoreHandle, StoreOwner};

use std::sync::Arc;

/// Tells the time. Handed in at opening, so that a test decides what "now" is.
pub type Clock = Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;

/// Returns the clock of the machine.
pub(crate) fn system_clock() -> Clock {
    Arc::new(jiff::Timestamp::now)
}
