//! What several groups of tests share.

pub mod fake_endpoint;
pub mod program;
pub mod scripted;

use std::time::Duration;

/// Longer than anything here takes; a test that waits so long has failed.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for something that runs on a task of its own, on this thread.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(future)
}
