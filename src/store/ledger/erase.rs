//! Erasing: what goes, what stays, and what the log says of it.

use serde_json::json;

use super::{Store, seal, sessions};
use crate::store::backend::{Gone, Row, Span};
use crate::store::{Erasure, EventKind, SessionId, StoreError};

impl Store {
    /// Erases sessions: messages, states, checkpoints, handoffs they produced, artifacts made in them, the index and
    /// the log, and engines that nothing is pinned to any more. What forks copied from them, and what they cost, stays.
    pub fn delete_sessions(&mut self, ids: &[SessionId]) -> Result<Erasure, StoreError> {
        self.erase(|db, _| {
            for id in ids {
                sessions::get(db, *id)?;
            }
            db.delete(Gone::Sessions(ids))?;
            db.delete(Gone::UnusedEngines)
        })
    }

    /// Erases what rewinds took out of view. The log keeps digests and numbers of it only, and says which commits are
    /// gone, so that checking it does not miss them.
    pub fn erase_rewound(&mut self, id: SessionId) -> Result<Erasure, StoreError> {
        self.erase(|db, now| {
            let mut row = sessions::get(db, id)?;
            let gone: Vec<u64> = db.commits(id, Span::OutOfView)?.into_iter().map(|commit| commit.seq).collect();
            if gone.is_empty() {
                return Ok(());
            }
            seal::append(db, &mut row, EventKind::RewoundErased, now, json!({ "commits": gone }))?;
            db.put(Row::Session(&row))?;
            db.delete(Gone::Rewound(id))
        })
    }
}
