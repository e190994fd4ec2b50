//! Sessions that are kept nowhere: what scenarios, simulations and replays run on. They go through the same actor and
//! the same turn as real ones; only the outermost edge is another: no store, a clock that counts, a script for the model
//! and for background tasks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::actor;
use super::backend::Backend;
use super::by_hand::ByHand;
use super::draft::SessionDraft;
use super::handle::SessionHandle;
use super::session::{Keeping, Session};
use super::spending::Untold;
use super::waiting::Waiting;
use crate::engine::Engine;
use crate::engine::expression::Fault;
use crate::engine::handoff::Handoff;
use crate::engine::memory::TaskRecord;
use crate::engine::opening::{self, Begun};
use crate::engine::outline::EngineOutline;
use crate::engine::sensitive::SensitivePolicy;
use crate::engine::transcript::Transcript;
use crate::store::{Digest, Filing, ProjectId, SessionId, SessionRecord, TitleSource};

/// Each look at the clock of a rehearsal takes so long, whatever machine it runs on.
const TICK_MICROS: u64 = 100;

/// The background of a session that is kept nowhere.
#[derive(Debug, Default)]
pub struct Rehearsal {
    news: Mutex<Vec<TaskRecord>>,
    orders: Mutex<Vec<TaskRecord>>,
    clock: AtomicU64,
}

impl Rehearsal {
    /// Has the next turn hear this of background tasks.
    pub fn tell(&self, news: Vec<TaskRecord>) {
        *locked(&self.news) = news;
    }

    /// What was ordered since the last time.
    pub fn take_orders(&self) -> Vec<TaskRecord> {
        std::mem::take(&mut locked(&self.orders))
    }

    pub(super) fn take_news(&self) -> Vec<TaskRecord> {
        std::mem::take(&mut locked(&self.news))
    }

    pub(super) fn order(&self, orders: &[TaskRecord]) {
        locked(&self.orders).extend_from_slice(orders);
    }

    pub(super) fn tick(&self) -> u64 {
        self.clock.fetch_add(TICK_MICROS, Ordering::Relaxed) + TICK_MICROS
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a rehearsal begins with.
#[derive(Clone, Debug)]
pub struct Rehearsed {
    /// Who answers.
    pub backend: Backend,
    /// What an earlier session hands over.
    pub handoff: Option<Handoff>,
    /// What it may cost.
    pub cap_usd: Option<f64>,
}

/// Opens a session that is kept nowhere.
pub fn rehearse(engine: &Arc<Engine>, with: Rehearsed) -> Result<(SessionHandle, Arc<Rehearsal>), Fault> {
    let Rehearsed { backend, handoff, cap_usd } = with;
    let Begun { memory, first, .. } = opening::begin(engine, handoff, None)?;
    let rehearsal = Arc::new(Rehearsal::default());
    let definition = engine.definition();
    let record = SessionRecord {
        id: SessionId::new(Timestamp::UNIX_EPOCH),
        project_id: ProjectId::new(Timestamp::UNIX_EPOCH),
        engine_id: definition.id.to_string(),
        engine_version: definition.version.value.clone(),
        engine_hash: Digest::of(engine.hash().as_bytes()),
        title: definition.name.clone(),
        title_source: TitleSource::Default,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        turn: 0,
        revision: 0,
        phase: memory.phase.current.clone(),
        completeness: memory.completeness.overall,
        inbound_handoff_id: None,
        outbound_handoff_id: None,
        forked_from: None,
        engine_folder: None,
        filing: Filing::default(),
    };
    let session = Session {
        record,
        project: None,
        engine: Arc::clone(engine),
        outline: Arc::new(EngineOutline::of(engine)),
        memory: Arc::new(memory),
        transcript: Transcript::from_messages([first]),
        backend,
        keeping: Keeping::Nowhere(Arc::clone(&rehearsal)),
        sensitive: SensitivePolicy::default(),
        cap_usd,
        engine_change: None,
        draft: SessionDraft::default(),
        searchable: false,
        allowed: false.into(),
        waiting: Waiting::default(),
        untold: Untold::default(),
        changes: ByHand::default(),
        analysed: Mutex::default(),
    };
    Ok((actor::spawn(session, None), rehearsal))
}
