//! What background tasks may do at once: `[tasks]`.

use super::origin::{Origin, Resolved};
use super::values::Count;
use crate::decode::table;

/// Tasks that run at once, over all sessions, unless the settings say otherwise.
pub(super) const CONCURRENT: usize = 3;

table! {
    /// What background tasks may do at once.
    RawTasks called "`tasks`" {
        /// How many run at once, over all sessions.
        optional concurrent: Option<Resolved<Count>>,
    }
}

/// How many tasks run at once; at least one.
pub(super) fn resolve(raw: RawTasks) -> Resolved<usize> {
    match raw.concurrent {
        Some(stated) => {
            let value = usize::try_from(stated.value.0).unwrap_or(usize::MAX).clamp(1, 64);
            Resolved::new(value, stated.origin)
        }
        None => Resolved::new(CONCURRENT, Origin::Default),
    }
}
