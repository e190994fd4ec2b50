//! Erasing: what goes, what stays, and what the log says of it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::json;

use super::{Store, beside, seal, sessions};
use crate::store::backend::{Backend, Gone, Row, Span};
use crate::store::{Erasure, EventKind, SessionId, StoreError};

impl Store {
    /// Erases sessions: messages, states, checkpoints, handoffs they produced, artifacts made in them, the index and
    /// the log, and engines that nothing is pinned to any more. What forks copied from them, and what they cost, stays.
    /// All of them or none: one of which another living process has a turn under way is not erased.
    pub fn delete_sessions(&mut self, ids: &[SessionId]) -> Result<Erasure, StoreError> {
        self.erase(|db, _| sessions(db, ids))
    }

    /// Erases what rewinds took out of view. The log keeps digests and numbers of it only, and says which commits are
    /// gone, so that checking it does not miss them.
    pub fn erase_rewound(&mut self, id: SessionId) -> Result<Erasure, StoreError> {
        self.erase(|db, now| erase_rewound(db, id, now, None))
    }

    /// Erases what was taken out of view before a moment, in all sessions, and says how far that went; none where there
    /// was nothing to erase.
    pub fn erase_rewound_before(&mut self, moment: Timestamp) -> Result<Option<Erasure>, StoreError> {
        let sessions = self.read(|db| {
            let mut due = Vec::new();
            for id in db.sessions_with_rewound()? {
                if !rewinds(db, id, Some(moment))?.is_empty() {
                    due.push(id);
                }
            }
            Ok(due)
        })?;
        if sessions.is_empty() {
            return Ok(None);
        }
        self.erase(|db, now| sessions.iter().try_for_each(|id| erase_rewound(db, *id, now, Some(moment)))).map(Some)
    }
}

/// Erases sessions with all that hangs on them.
pub(super) fn sessions(db: &mut dyn Backend, ids: &[SessionId]) -> Result<(), StoreError> {
    for id in ids {
        let row = sessions::get(db, *id)?;
        sessions::check_not_at_work(db, &row)?;
        seal::check_key(db, &row)?;
    }
    db.delete(Gone::Sessions(ids))?;
    db.delete(Gone::UnusedEngines)
}

/// The rewinds of a session whose turns are still there, before a moment or at any; each with its turns.
fn rewinds(
    db: &mut dyn Backend,
    id: SessionId,
    before: Option<Timestamp>,
) -> Result<BTreeMap<u64, BTreeSet<u64>>, StoreError> {
    let moments: BTreeMap<u64, Timestamp> = db.events(id)?.into_iter().map(|event| (event.seq, event.at)).collect();
    let mut found: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for commit in db.commits(id, Span::OutOfView)? {
        let Some(by) = commit.rewound_by else { continue };
        let due = before.is_none_or(|before| moments.get(&by).is_some_and(|at| *at < before));
        if due {
            found.entry(by).or_default().insert(commit.seq);
        }
    }
    Ok(found)
}

/// What a later rewind took stands on nothing that an earlier one took, so a part of it can go.
fn erase_rewound(
    db: &mut dyn Backend,
    id: SessionId,
    now: Timestamp,
    before: Option<Timestamp>,
) -> Result<(), StoreError> {
    let mut row = sessions::get(db, id)?;
    let rewinds = rewinds(db, id, before)?;
    if rewinds.is_empty() {
        return Ok(());
    }
    let gone: Vec<u64> = rewinds.values().flatten().copied().collect();
    seal::append(db, &mut row, EventKind::RewoundErased, now, json!({ "commits": gone }))?;
    db.put(Row::Session(&row))?;
    for by in rewinds.into_keys() {
        db.delete(Gone::Rewound(id, by))?;
    }
    beside::forget_tasks(db, id)
}
