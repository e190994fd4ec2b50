//! The host: where the pure parts meet the world. It holds the settings, the engines, the store and the models, keeps
//! every open session in a task of its own, and speaks one [`protocol`] with every front end.

mod actor;
mod artifacts;
mod asides;
mod audience;
mod backend;
mod brief_changes;
mod by_hand;
mod carry_out;
mod claim;
mod client;
pub mod consent;
mod courses;
pub mod doctor;
mod draft;
mod engine_watch;
mod engines;
mod erasing;
mod error;
pub mod export;
mod figures;
pub mod filing;
pub mod form;
mod handle;
mod handoff;
mod journey;
mod listing;
mod meanwhile;
mod migration;
mod opening;
mod ports;
mod project;
pub mod protocol;
mod queries;
mod records;
mod registry;
mod rehearsal;
mod scripted;
mod session;
mod setup;
mod spending;
mod task_news;
mod tasks;
mod title;
mod tools;
mod waiting;
mod warm_up;
mod write_on;

pub use audience::Listener;
pub use backend::Backend;
pub use brief_changes::BriefBasis;
pub use client::{Client, Connection};
pub use erasing::Erased;
pub use error::{AtFault, HostError};
pub use handle::{Done, Listening, Refused, Reply, SessionHandle};
pub use journey::{Journey, Station};
pub use ports::OnNews;
pub use rehearsal::{Rehearsal, Rehearsed, rehearse};
pub use scripted::{Script, ScriptedModel};
pub use session::Session;

use std::path::Path;
use std::sync::Arc;

use crate::catalogue::Catalogue;
use crate::llm::Day;
use crate::sandbox::Sandbox;
use crate::settings::{Flags, Settings, Surroundings};
use crate::store::{Opened, SqliteOptions, Store, StoreError, StoreHandle, StoreOwner};
use crate::tasks::{Account, Means, apart};
use registry::Registry;

pub use crate::store::DEFAULT_PROJECT;

/// What holds programs of engines to what they may do: they never see the settings or the database.
pub fn sandbox(settings: &Settings) -> Sandbox {
    let config = settings.paths.config_file.value.parent().unwrap_or(Path::new(".")).to_owned();
    // Where the program itself cannot be found, nothing can be started in a sandbox, and it will say so.
    let helper = std::env::current_exe().unwrap_or_default();
    Sandbox::new(helper, [config, settings.paths.data_dir.value.clone()])
}

/// Everything the program works with.
#[derive(Debug)]
pub struct Host {
    /// What is configured.
    pub settings: Settings,
    /// The engines.
    pub catalogue: Catalogue,
    // Dropped before the store, so that what background tasks were doing is kept.
    registry: Registry,
    /// What background tasks need of the outside.
    pub means: Means,
    /// What all sessions may spend today, and how fast.
    day: Arc<Day>,
    /// Whether nothing was set and nothing kept here before.
    pub(crate) is_new: bool,
    store: StoreOwner,
    backend: Backend,
}

impl Host {
    /// Reads the settings, finds the engines and opens the store.
    pub fn open(flags: &Flags, surroundings: &Surroundings<'_>) -> Result<Self, HostError> {
        let (host, opened) = Self::opening(flags, surroundings)?;
        // The sender is gone only if opening has panicked.
        opened.recv().unwrap_or(Err(StoreError::Closed))?;
        Ok(host)
    }

    /// The same without waiting for the store: it is opened beside, and what is asked of it waits.
    pub fn opening(flags: &Flags, surroundings: &Surroundings<'_>) -> Result<(Self, Opened), HostError> {
        let settings = Settings::load(flags, surroundings)?;
        let catalogue = Catalogue::open(&settings.paths.engines())?;
        let options = SqliteOptions { log_key: settings.log_key.clone(), ..SqliteOptions::default() };
        let database = settings.paths.database();
        // Asked before the store is opened, which makes the file.
        let is_new = settings.paths.are_unused();
        let (store, opened) = StoreOwner::opening(move || Store::open_sqlite(&database, options))?;
        let backend = Backend::configured(&settings)?;
        let work = settings.paths.data_dir.value.join("work");
        let means = Means::new(store.handle(), work, sandbox(&settings), settings.tasks_at_once.value);
        means.clear_remains();
        let day = Arc::new(Day::new(settings.limits.clone()));
        let registry = Registry::default();
        Ok((Self { settings, catalogue, registry, means, day, is_new, store, backend }, opened))
    }

    /// The same, asking no endpoint.
    #[must_use]
    pub fn offline(self) -> Self {
        Self { backend: Backend::Offline, ..self }
    }

    /// Who answers by default.
    pub fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Who answers where no session is kept. What that costs is kept all the same, as long as the account is held.
    pub fn on_trial(&self) -> (Backend, Account) {
        let (budget, account) = apart(Arc::clone(&self.day), &self.store());
        (self.backend.under(&budget), account)
    }

    /// The way to the store.
    pub fn store(&self) -> StoreHandle {
        self.store.handle()
    }

    /// Erases turns that were taken back longer ago than the settings say. Done in the background, after what the user
    /// waits for; what fails is tried again the next time.
    pub fn forget_old(&self) {
        let Some(days) = &self.settings.rewound_days else { return };
        let age = jiff::SignedDuration::from_hours(24 * i64::from(days.value));
        let Ok(moment) = jiff::Timestamp::now().checked_sub(age) else { return };
        self.store().leave(move |store| {
            let erased = store.erase_rewound_before(moment);
            if let Err(error) = &erased {
                tracing::warn!(%error, "turns that were taken back could not be erased");
            }
            erased.map(drop)
        });
    }

    /// Closes a host that front ends have shared, once the last of them has left.
    pub fn close_shared(self: Arc<Self>) -> Result<(), HostError> {
        Arc::try_unwrap(self).map_or(Ok(()), Self::close)
    }

    /// Ends background tasks, runs what was sent to the store, and closes it.
    pub fn close(self) -> Result<(), HostError> {
        drop(self.registry);
        Ok(self.store.close()?)
    }
}
