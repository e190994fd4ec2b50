//! What tasks need of the outside, handed in so that a test can put its own in place.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::handler::process::Limits;
use crate::files::held;
use crate::sandbox::Sandbox;
use crate::store::{Clock, StoreHandle, system_clock};

/// How a task waits between attempts.
pub(crate) type Wait = Arc<dyn Fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;
/// A number from 0 to 1, another each time.
pub(crate) type Jitter = Arc<dyn Fn() -> f64 + Send + Sync>;

/// What tasks need of the outside.
#[derive(Clone)]
pub struct Means {
    /// Where they are kept.
    pub store: StoreHandle,
    /// Below this folder programs work.
    pub work_folder: PathBuf,
    pub slots: Arc<Semaphore>,
    /// What holds programs to what they may do.
    pub sandbox: Sandbox,
    /// What a program may use.
    pub limits: Limits,
    /// How a task waits between attempts.
    pub wait: Wait,
    /// By how much waits differ.
    pub jitter: Jitter,
    pub clock: Clock,
}

impl std::fmt::Debug for Means {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Means")
            .field("work_folder", &self.work_folder)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Means {
    /// Removes what tasks left whose process was killed.
    pub fn clear_remains(&self) {
        held::clear(&self.work_folder);
    }

    /// The means of a real program.
    pub fn new(store: StoreHandle, work_folder: PathBuf, sandbox: Sandbox, at_once: usize) -> Self {
        Self {
            store,
            work_folder,
            slots: Arc::new(Semaphore::new(at_once)),
            sandbox,
            limits: Limits::default(),
            wait: Arc::new(|time| Box::pin(tokio::time::sleep(time))),
            jitter: Arc::new(chance),
            clock: system_clock(),
        }
    }
}

/// Chance from the random part of a fresh id: good enough to keep tasks apart.
fn chance() -> f64 {
    let [.., a, b] = uuid::Uuid::now_v7().into_bytes();
    f64::from(u16::from_be_bytes([a, b])) / f64::from(u16::MAX)
}
