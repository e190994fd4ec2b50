//! The sessions of this process: one actor for each that is open, one scheduler and one budget for each that is open or
//! has tasks under way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::OwnedMutexGuard;

use super::Host;
use super::actor;
use super::handle::{SessionHandle, WeakHandle};
use super::session::Kept;
use super::{HostError, Session};
use crate::engine::Engine;
use crate::llm::Budget;
use crate::store::{SessionId, SessionRecord, StoreError};
use crate::tasks::{Provenance, Scheduler, ahead};

/// The sessions of this process.
#[derive(Debug, Default)]
pub(super) struct Registry {
    slots: Mutex<HashMap<SessionId, Slot>>,
    /// One for each session. It is held while the session is begun, opened or erased, so that two who do so at once get
    /// the same one, or none. An actor may open another session before it ends; so nobody waits for an actor with one of
    /// these in hand. One that nobody holds or waits for is gone.
    gates: Mutex<HashMap<SessionId, Weak<tokio::sync::Mutex<()>>>>,
}

/// The right to begin, open or erase a session, for as long as this lives.
pub(super) type Gate = OwnedMutexGuard<()>;

/// What there is of a session as long as somebody has it open or its tasks go on, so that they do while the user looks at
/// another one.
#[derive(Debug)]
struct Slot {
    kept: Kept,
    actor: Option<WeakHandle>,
}

impl Slot {
    /// Whether it would be missed. Everything else of a session that nobody has open is in the store.
    fn is_in_use(&self) -> bool {
        let is_open = self.actor.as_ref().is_some_and(|actor| !actor.has_ended());
        // Every session holds the scheduler as well.
        is_open || Arc::strong_count(&self.kept.scheduler) > 1 || !self.kept.scheduler.is_idle()
    }
}

impl Registry {
    fn slots(&self) -> MutexGuard<'_, HashMap<SessionId, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a session works with, and whether it was made just now.
    pub fn kept(&self, host: &Host, record: &SessionRecord, engine: &Arc<Engine>, from: Provenance) -> (Kept, bool) {
        let mut slots = self.slots();
        if let Some(slot) = slots.get(&record.id) {
            return (slot.kept.clone(), false);
        }
        slots.retain(|_, slot| slot.is_in_use());
        let kept = Kept {
            store: host.store(),
            scheduler: scheduler(host, record, engine, from),
            budget: Arc::new(Budget::of_session(Arc::clone(&host.day)).writing_ahead(ahead(&host.store(), record.id))),
        };
        slots.insert(record.id, Slot { kept: kept.clone(), actor: None });
        (kept, true)
    }

    /// Gives a session a new scheduler, because its engine is another.
    pub fn replace_scheduler(
        &self,
        host: &Host,
        record: &SessionRecord,
        engine: &Arc<Engine>,
        from: Provenance,
    ) -> Option<Kept> {
        let mut slots = self.slots();
        let slot = slots.get_mut(&record.id)?;
        slot.kept.scheduler = scheduler(host, record, engine, from);
        Some(slot.kept.clone())
    }

    /// Waits until nobody else begins, opens or erases a session.
    pub async fn gate(&self, id: SessionId) -> Gate {
        let gate = {
            let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
            gates.retain(|_, gate| gate.strong_count() > 0);
            let gate = gates.get(&id).and_then(Weak::upgrade).unwrap_or_default();
            gates.insert(id, Arc::downgrade(&gate));
            gate
        };
        gate.lock_owned().await
    }

    /// The actor of a session that is open, or that is still finishing what was asked of it.
    fn actor(&self, id: SessionId) -> Option<WeakHandle> {
        self.slots().get(&id)?.actor.clone().filter(|actor| !actor.has_ended())
    }

    /// Whether a session is open in this process, or still finishing what was asked of it.
    pub fn is_open(&self, id: SessionId) -> bool {
        self.actor(id).is_some()
    }

    /// Waits until a session that nobody has open has finished what was asked of it.
    pub async fn finished(&self, id: SessionId) {
        if let Some(actor) = self.actor(id)
            && actor.upgrade().is_none()
        {
            actor.ended().await;
        }
    }

    fn put_actor(&self, id: SessionId, handle: &SessionHandle) {
        if let Some(slot) = self.slots().get_mut(&id) {
            slot.actor = Some(handle.downgrade());
        }
    }
}

fn scheduler(host: &Host, record: &SessionRecord, engine: &Arc<Engine>, from: Provenance) -> Arc<Scheduler> {
    let means = host.means.clone();
    Arc::new(Scheduler::new(record.id, record.project_id, Arc::clone(engine), from, means))
}

impl Host {
    /// Opens an earlier session, or joins it where it is open in this process already.
    pub async fn join(self: &Arc<Self>, id: &str) -> Result<SessionHandle, HostError> {
        let prefix = id.to_owned();
        let id = self
            .store()
            .call_async(move |store| {
                let id = store.find_session(&prefix)?.id;
                match store.recover_draft(id) {
                    // What can only be read is shown as it would be.
                    Ok(()) | Err(StoreError::ReadOnly { .. }) => Ok(id),
                    Err(error) => Err(error),
                }
            })
            .await?;
        loop {
            let gate = self.registry.gate(id).await;
            let Some(actor) = self.registry.actor(id) else {
                let session = self.resume(&id.to_string()).await?;
                return Ok(self.open_for_all(session, &gate));
            };
            if let Some(handle) = actor.upgrade() {
                return Ok(handle);
            }
            // The last front end has left; what it asked for is still being finished. Then somebody else may be first.
            drop(gate);
            actor.ended().await;
        }
    }

    /// Makes an actor of a session, so that others in this process can join it. Who does so has held the gate since before
    /// the session could be found.
    pub(super) fn open_for_all(self: &Arc<Self>, session: Session, _gate: &Gate) -> SessionHandle {
        let id = session.record().id;
        let handle = actor::spawn(session, Some(Arc::clone(self)));
        self.registry.put_actor(id, &handle);
        handle
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::settings::{Flags, Surroundings};

    fn host(folder: &std::path::Path) -> Host {
        std::fs::write(folder.join("config.toml"), "").unwrap();
        let flags =
            Flags { config: Some(folder.join("config.toml")), data_dir: Some(folder.into()), ..Flags::default() };
        let surroundings =
            Surroundings { variable: &|_| None, keyring: &|_| Err("there is none".to_owned()), program: None };
        Host::open(&flags, &surroundings).unwrap().offline()
    }

    #[tokio::test]
    async fn what_nobody_has_open_is_not_held_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let host = Arc::new(host(folder.path()));
        let count = |host: &Host| {
            (
                host.registry.slots().len(),
                host.registry.gates.lock().unwrap().values().filter(|g| g.strong_count() > 0).count(),
            )
        };
        let engine = host.catalogue.ids().remove(0);
        let mut ids = Vec::new();
        for _ in 0..4 {
            ids.push(host.start(&engine, None).await.unwrap().record().id);
        }
        assert_eq!(count(&host), (1, 0), "the last one goes when the next comes");
        let open = host.join(&ids[0].to_string()).await.unwrap();
        for id in &ids[1..] {
            host.join(&id.to_string()).await.unwrap();
            host.registry.finished(*id).await;
        }
        assert!(count(&host).0 <= 2, "{:?}", count(&host));
        assert!(host.registry.is_open(ids[0]));
        let again = host.join(&ids[0].to_string()).await.unwrap();
        assert_eq!(again.id(), open.id());
        let before = count(&host).0;
        for id in &ids[1..] {
            host.brief_basis(&id.to_string()).await.unwrap();
        }
        assert_eq!(count(&host).0, before, "to look at the brief of a session does not open it");
    }
}
