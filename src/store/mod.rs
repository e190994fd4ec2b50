//! The store: sessions that survive a crash, a second process and a change of mind.
//!
//! One thread owns the database ([`StoreOwner`]); everybody else holds a [`StoreHandle`] and sends it jobs, which run in
//! order and are drained at shutdown. What a database must be able to do is the [`Store`] trait; [`SqliteStore`] is the
//! embedded one, and the conformance suite among the tests is what any other must pass as well.
//!
//! **Invariant:** the store knows nothing of how an engine works. The working memory is a JSON document that goes in and
//! comes out exactly as it was, key order and last bit of every number included; the figures of a turn are the engine's
//! own record.
//!
//! **Invariant:** the event log holds digests, never words. What was said stands in exactly one place, so erasing it
//! there erases it.

pub mod canonical;
pub mod delta;
mod digest;
mod error;
mod ids;
pub mod query;
mod records;
mod sqlite;
mod traits;
mod worker;

pub use digest::Digest;
pub use error::StoreError;
pub use ids::{ArtifactId, ExtractionId, HandoffId, MessageId, ProjectId, SessionId, TaskId};
pub use records::Session as SessionRecord;
pub use records::*;
pub use sqlite::{SqliteOptions, SqliteStore};
pub use traits::Store;
pub use worker::{StoreHandle, StoreOwner};

use std::sync::Arc;

/// Tells the time. Handed in at opening, so that a test decides what "now" is.
pub type Clock = Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;

/// Returns the clock of the machine.
pub fn system_clock() -> Clock {
    Arc::new(jiff::Timestamp::now)
}
