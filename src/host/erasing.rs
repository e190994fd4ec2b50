//! Erasing sessions: all but those that somebody in this process has open.

use std::collections::BTreeSet;

use super::registry::Gate;
use super::{Host, HostError};
use crate::engine::memory::KeptParts;
use crate::store::{Erasure, SessionId, SessionRecord, Store, StoreError, TitleSource};

/// What came of erasing sessions.
#[derive(Debug)]
pub struct Erased {
    /// Those that are gone.
    pub sessions: Vec<SessionRecord>,
    /// How many are still there because somebody has them open.
    pub left_open: usize,
    /// Whether the last traces of them are gone too.
    pub erasure: Erasure,
}

impl Host {
    /// Erases sessions at once, all but those that are open; the beginnings of their ids will do.
    pub async fn erase(&self, ids: Vec<String>) -> Result<Erased, HostError> {
        let find = move |store: &mut Store| ids.iter().map(|id| store.find_session(id)).collect::<Result<Vec<_>, _>>();
        let all = self.store().call_async(find).await?;
        // Gates are always taken in one order, so that two who erase the same sessions do not wait for each other.
        let in_order: BTreeSet<SessionId> = all.iter().map(|session| session.id).collect();
        for id in &in_order {
            self.registry.finished(*id).await;
        }
        let mut gates: Vec<Gate> = Vec::new();
        for id in in_order {
            gates.push(self.registry.gate(id).await);
        }
        let (open, sessions): (Vec<_>, Vec<_>) = all.into_iter().partition(|session| self.registry.is_open(session.id));
        let gone: Vec<SessionId> = sessions.iter().map(|session| session.id).collect();
        let erasure = if gone.is_empty() {
            Erasure::Complete
        } else {
            self.store().call_async(move |store| store.delete_sessions(&gone)).await?
        };
        Ok(Erased { sessions, left_open: open.len(), erasure })
    }

    /// Erases a session in which nothing was said or written, unless somebody has it open: to have looked at an engine
    /// leaves nothing behind.
    pub(super) async fn forget_if_empty(&self, id: SessionId) -> Result<(), HostError> {
        self.registry.finished(id).await;
        let _gate = self.registry.gate(id).await;
        if self.registry.is_open(id) {
            return Ok(());
        }
        let forget = move |store: &mut Store| {
            if is_empty(store, id)? {
                store.delete_sessions(&[id])?;
            }
            Ok(())
        };
        Ok(self.store().call_async(forget).await?)
    }
}

/// Whether nothing was said or done in a session yet.
pub(super) fn is_empty(store: &mut Store, id: SessionId) -> Result<bool, StoreError> {
    let session = store.session(id)?;
    let is_new = session.turn == 0 && session.title_source == TitleSource::Default;
    let leads_nowhere = session.inbound_handoff_id.is_none() && session.forked_from.is_none();
    let is_unwritten = is_new && leads_nowhere && store.draft(id)?.text.is_empty();
    // What was said beside a conversation that has not begun is worth keeping, too.
    let has_asides = is_unwritten && KeptParts::of(store.state_at(id, 0)?).is_none_or(|parts| !parts.asides.is_empty());
    Ok(is_unwritten && !has_asides && store.rewound(id)?.is_empty() && store.tasks(id)?.is_empty())
}
