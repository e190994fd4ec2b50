//! Requests per minute and concurrent calls: a call that would exceed them waits for its turn.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

const MINUTE: Duration = Duration::from_mins(1);

/// Lets calls through at the configured pace.
#[derive(Debug)]
pub(super) struct Limiter {
    per_minute: Option<usize>,
    one_at_a_time: bool,
    concurrent: Option<Arc<Semaphore>>,
    /// When the calls of the last minute began or will begin.
    starts: Mutex<VecDeque<Instant>>,
}

/// The right to have a call under way.
#[derive(Debug)]
pub(super) struct Permit {
    _concurrent: Option<OwnedSemaphorePermit>,
}

impl Limiter {
    pub fn new(per_minute: Option<u32>, concurrent: Option<u32>) -> Self {
        Self {
            per_minute: per_minute.map(|limit| limit.max(1) as usize),
            one_at_a_time: concurrent.is_some_and(|limit| limit <= 1),
            concurrent: concurrent.map(|limit| Arc::new(Semaphore::new(limit.max(1) as usize))),
            starts: Mutex::new(VecDeque::new()),
        }
    }

    /// Whether no two calls may be under way at once.
    pub fn is_one_at_a_time(&self) -> bool {
        self.one_at_a_time
    }

    /// Waits until a call may begin. `on_wait` hears about it first, with the time when it is known.
    pub async fn admit(&self, on_wait: &mut (dyn FnMut(Option<Duration>) + Send)) -> Permit {
        let permit = match &self.concurrent {
            Some(semaphore) => Some(acquire(semaphore, on_wait).await),
            None => None,
        };
        let wait = self.book(Instant::now());
        if !wait.is_zero() {
            on_wait(Some(wait));
            tokio::time::sleep(wait).await;
        }
        Permit { _concurrent: permit.flatten() }
    }

    /// Books the next free start and says how far off it is. A booking that is then cancelled stays: too slow is safe.
    fn book(&self, now: Instant) -> Duration {
        let Some(limit) = self.per_minute else { return Duration::ZERO };
        let mut starts = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        while starts.front().is_some_and(|&start| start + MINUTE <= now) {
            starts.pop_front();
        }
        let start = match starts.len().checked_sub(limit) {
            Some(blocking) => starts[blocking] + MINUTE,
            None => now,
        };
        starts.push_back(start);
        start.saturating_duration_since(now)
    }
}

async fn acquire(
    semaphore: &Arc<Semaphore>,
    on_wait: &mut (dyn FnMut(Option<Duration>) + Send),
) -> Option<OwnedSemaphorePermit> {
    if let Ok(permit) = Arc::clone(semaphore).try_acquire_owned() {
        return Some(permit);
    }
    on_wait(None);
    // The semaphore is never closed, so there is always a permit in the end.
    Arc::clone(semaphore).acquire_owned().await.ok()
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_minute_has_more_starts_than_allowed() {
        let limiter = Limiter::new(Some(3), None);
        let began = Instant::now();
        let mut starts = Vec::new();
        for _ in 0..7 {
            limiter.admit(&mut |_| {}).await;
            starts.push(began.elapsed().as_secs());
        }
        assert_eq!(starts, [0, 0, 0, 60, 60, 60, 120]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_waits_until_another_ends_and_says_so() {
        let limiter = Limiter::new(None, Some(1));
        let first = limiter.admit(&mut |_| {}).await;
        let mut waits = Vec::new();
        {
            let mut on_wait = |wait| waits.push(wait);
            let mut second = std::pin::pin!(limiter.admit(&mut on_wait));
            assert!(tokio::time::timeout(Duration::from_secs(1), &mut second).await.is_err());
            drop(first);
            second.await;
        }
        assert_eq!(waits, [None]);
    }
}
