//! Why an attempt brought nothing, and what follows from it: the four failure strategies as one pure function.

use std::time::Duration;

use crate::engine::config::{FailureStrategy, MOST_RETRIES, SHORTEST_DELAY_MS};

/// What the note of a task begins with whose result is done without.
pub const GAP: &str = "gap: ";
/// What the note of a task begins with that was tried in vain, and what it ends with.
pub const GIVEN_UP: &str = "given up after ";
pub const GOES_ON: &str = "; we go on without it";

/// The first wait of a task that stalls, and of one that was stuck.
const FIRST_WAIT: Duration = Duration::from_secs(5);
/// No wait grows beyond this.
const LONGEST_WAIT: Duration = Duration::from_mins(5);
/// A task that stalls is tried so often before the user is asked.
const STALL_ATTEMPTS: u32 = 5;
/// A task that goes on without its result is tried again once where it was not the handler that failed.
const SECOND_CHANCE: u32 = 2;

/// Why an attempt brought nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptFailure {
    pub kind: FailureKind,
    /// What happened, in words the user reads.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The handler failed; another attempt may succeed.
    Failed,
    /// It did not finish in its time, nor say why.
    Stuck,
    /// The program ended while it ran.
    Interrupted,
    /// Another attempt would fail the same way.
    Hopeless,
}

impl AttemptFailure {
    /// A failure after which another attempt may succeed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Failed, message: message.into() }
    }

    /// A failure that another attempt would repeat.
    pub(crate) fn hopeless(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Hopeless, message: message.into() }
    }
}

/// What follows from a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Again {
        /// After how long.
        after: Duration,
        /// What is awaited.
        note: String,
    },
    /// Go on without the result.
    GiveUp {
        /// What the conversation does without it.
        note: String,
    },
    /// Only the user can help.
    AskUser {
        /// What the user should know.
        note: String,
    },
}

/// Decides what follows when attempt number `attempts` has failed. `jitter` from 0 to 1 lengthens a wait by up to a
/// tenth, so that tasks that failed together are not tried again together.
pub(crate) fn after_failure(strategy: &FailureStrategy, failure: &AttemptFailure, attempts: u32, jitter: f64) -> Next {
    let why = &failure.message;
    let hopeless = failure.kind == FailureKind::Hopeless;
    let again = |first: Duration| {
        let after = match failure.kind {
            FailureKind::Interrupted => Duration::ZERO,
            _ => backoff(first, attempts, jitter),
        };
        let note = match after.as_secs() {
            0 => format!("{why}; tried again"),
            seconds => format!("{why}; tried again in {seconds} s"),
        };
        Next::Again { after, note }
    };
    // Being interrupted or stuck says little about the next attempt, so even a task that is not retried gets a second.
    let second_chance =
        matches!(failure.kind, FailureKind::Interrupted | FailureKind::Stuck) && attempts < SECOND_CHANCE;
    match strategy {
        // An engine that a session began with may be older than what is checked today.
        FailureStrategy::Retry(retry) if !hopeless && attempts <= retry.max_retries.min(MOST_RETRIES) => {
            again(Duration::from_millis(u64::from(retry.retry_delay_ms.max(SHORTEST_DELAY_MS))))
        }
        FailureStrategy::Retry(_) => Next::GiveUp { note: format!("{GIVEN_UP}{}: {why}{GOES_ON}", times(attempts)) },
        FailureStrategy::Degrade(_) | FailureStrategy::ProceedWithGap(_) if second_chance => again(FIRST_WAIT),
        FailureStrategy::Degrade(degrade) => {
            Next::GiveUp { note: format!("{} ({why})", degrade.degraded_behavior.trim().trim_end_matches('.')) }
        }
        FailureStrategy::ProceedWithGap(_) => Next::GiveUp { note: format!("{GAP}{why}") },
        FailureStrategy::Stall(_) if !hopeless && attempts < STALL_ATTEMPTS => again(FIRST_WAIT),
        FailureStrategy::Stall(_) => {
            Next::AskUser { note: format!("{why}; the conversation waits for it: try it again, or go on without it") }
        }
    }
}

/// How often a task is tried at most, by its strategy.
pub(crate) fn most_attempts(strategy: &FailureStrategy) -> u32 {
    match strategy {
        FailureStrategy::Retry(retry) => retry.max_retries.min(MOST_RETRIES) + 1,
        FailureStrategy::Degrade(_) | FailureStrategy::ProceedWithGap(_) => SECOND_CHANCE,
        FailureStrategy::Stall(_) => STALL_ATTEMPTS,
    }
}

/// The wait after attempt number `attempts`: the first, doubled each time.
fn backoff(first: Duration, attempts: u32, jitter: f64) -> Duration {
    let doubled = first.saturating_mul(1u32.checked_shl(attempts.saturating_sub(1)).unwrap_or(u32::MAX));
    let wait = doubled.min(LONGEST_WAIT.max(first));
    wait + wait.mul_f64(0.1 * jitter.clamp(0.0, 1.0))
}

fn times(attempts: u32) -> String {
    if attempts == 1 { "one attempt".to_owned() } else { format!("{attempts} attempts") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::config::{Degrade, ProceedWithGap, Retry, Stall};

    fn waits(strategy: &FailureStrategy, failure: &AttemptFailure, jitter: f64) -> (Vec<u64>, Next) {
        let mut waits = Vec::new();
        for attempt in 1.. {
            match after_failure(strategy, failure, attempt, jitter) {
                Next::Again { after, .. } => waits.push(u64::try_from(after.as_millis()).unwrap()),
                last => return (waits, last),
            }
        }
        unreachable!()
    }

    #[test]
    fn three_retries_at_five_seconds_wait_five_ten_and_twenty() {
        let strategy = FailureStrategy::Retry(Retry::default());
        let (found, last) = waits(&strategy, &AttemptFailure::failed("it failed"), 0.0);
        assert_eq!(found, [5_000, 10_000, 20_000]);
        let note = "given up after 4 attempts: it failed; we go on without it".to_owned();
        assert_eq!(last, Next::GiveUp { note });
        assert_eq!(waits(&strategy, &AttemptFailure::failed("it failed"), 1.0).0, [5_500, 11_000, 22_000]);
    }

    #[test]
    fn what_is_hopeless_is_not_tried_again() {
        for strategy in [FailureStrategy::Retry(Retry::default()), FailureStrategy::Stall(Stall {})] {
            assert_eq!(waits(&strategy, &AttemptFailure::hopeless("no model"), 0.0).0, [0; 0]);
        }
    }

    #[test]
    fn degrading_says_what_happens_instead_and_a_gap_is_flagged() {
        let degrade = FailureStrategy::Degrade(Degrade { degraded_behavior: "We use your own options.".to_owned() });
        let note = "We use your own options (it failed)".to_owned();
        assert_eq!(waits(&degrade, &AttemptFailure::failed("it failed"), 0.0), (vec![], Next::GiveUp { note }));
        let gap = FailureStrategy::ProceedWithGap(ProceedWithGap {});
        let note = "gap: it failed".to_owned();
        assert_eq!(waits(&gap, &AttemptFailure::failed("it failed"), 0.0), (vec![], Next::GiveUp { note }));
    }

    #[test]
    fn stuck_and_interrupted_tasks_get_a_second_chance_under_every_strategy() {
        let gap = FailureStrategy::ProceedWithGap(ProceedWithGap {});
        let stuck = AttemptFailure { kind: FailureKind::Stuck, message: "it was stuck".to_owned() };
        assert_eq!(waits(&gap, &stuck, 0.0).0, [5_000]);
        let interrupted = AttemptFailure { kind: FailureKind::Interrupted, message: "it was interrupted".to_owned() };
        assert_eq!(waits(&gap, &interrupted, 0.0).0, [0]);
    }

    #[test]
    fn a_stalling_task_waits_longer_each_time_and_then_asks_the_user() {
        let (found, last) = waits(&FailureStrategy::Stall(Stall {}), &AttemptFailure::failed("it failed"), 0.0);
        assert_eq!(found, [5_000, 10_000, 20_000, 40_000]);
        assert!(matches!(last, Next::AskUser { note } if note.contains("it failed") && note.contains("waits for it")));
    }

    #[test]
    fn no_engine_can_have_a_task_tried_without_end_or_without_a_pause() {
        let greedy = FailureStrategy::Retry(Retry { max_retries: u32::MAX, retry_delay_ms: 0, ..Retry::default() });
        let (found, _) = waits(&greedy, &AttemptFailure::failed("it failed"), 0.0);
        assert_eq!(found[..3], [250, 500, 1_000]);
        assert_eq!((found.len(), most_attempts(&greedy)), (10, 11));
    }

    #[test]
    fn a_strategy_never_tries_more_often_than_it_says() {
        let stuck = AttemptFailure { kind: FailureKind::Stuck, message: "it was stuck".to_owned() };
        let gap = FailureStrategy::ProceedWithGap(ProceedWithGap {});
        let degrade = FailureStrategy::Degrade(Degrade { degraded_behavior: String::new() });
        for strategy in [FailureStrategy::Retry(Retry::default()), FailureStrategy::Stall(Stall {}), gap, degrade] {
            assert_eq!(waits(&strategy, &stuck, 0.0).0.len() as u32 + 1, most_attempts(&strategy));
        }
    }

    #[test]
    fn no_delay_overflows_a_wait() {
        let retry = Retry { max_retries: 10, retry_delay_ms: u32::MAX, ..Retry::default() };
        let strategy = FailureStrategy::Retry(retry);
        let next = after_failure(&strategy, &AttemptFailure::failed("it failed"), 10, 1.0);
        assert!(matches!(next, Next::Again { after, .. } if after < Duration::from_secs(5_000_000)));
    }
}
