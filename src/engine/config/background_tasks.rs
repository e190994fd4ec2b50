//! Surface 5, background tasks: work that goes on while the conversation does.

use super::rule::Rule;
use crate::decode::{Id, Named, Places, Spanned, table, tagged};

/// A task is tried again at most so often, whatever its engine says.
pub const MOST_RETRIES: u32 = 10;
/// It waits at least so long before.
pub const SHORTEST_DELAY_MS: u32 = 250;
/// It may take at most so long.
pub const LONGEST_TIMEOUT_SECONDS: u32 = 3_600;

table! {
    /// Work done beside the conversation.
    BackgroundTask called "a background task" {
        /// Name by which expressions refer to it.
        required id: Id,
        /// What people read.
        required name: String,
        /// The same in other languages, by language.
        optional name_in: Named<String>,
        /// What it is for.
        required description: String,
        /// What sets it off.
        required when: Spanned<Rule>,
        /// Who does it: a name under `[handlers]`.
        required handler: Id,
        /// Tasks whose results it needs.
        optional after: Vec<Id>,
        /// Phases in which it may start; all, when empty.
        optional phases: Vec<Id>,
        /// About how long it takes.
        optional estimated_seconds: u32 = 30,
        /// How long it may take; an hour at most.
        optional timeout_seconds: u32 = 120,
        /// What to do when it fails.
        required failure_strategy: Spanned<FailureStrategy>,
        /// Whether the phase waits for it.
        optional block_phase_transition: bool,
        places at: Places,
    }
}

tagged! {
    /// What to do when a task fails.
    FailureStrategy called "a failure strategy" by "type" {
        /// Try again, waiting twice as long each time; then go on with the gap.
        Retry(Retry) = "retry",
        /// Go on without it, in a way that is said.
        Degrade(Degrade) = "degrade",
        /// Wait until it succeeds.
        Stall(Stall) = "stall",
        /// Go on and flag the gap.
        ProceedWithGap(ProceedWithGap) = "proceed-with-gap",
    }
}

table! {
    /// Try again.
    Retry called "the `retry` strategy" {
        /// How often; 10 times at most.
        optional max_retries: u32 = 3,
        /// The first wait, 250 or more; it doubles each time.
        optional retry_delay_ms: u32 = 5000,
        places at: Places,
    }
}

table! {
    /// Go on without it.
    Degrade called "the `degrade` strategy" {
        /// What happens instead, in words the user sees.
        required degraded_behavior: String,
    }
}

table! {
    /// Wait until it succeeds.
    Stall called "the `stall` strategy" {}
}

table! {
    /// Go on and flag the gap.
    ProceedWithGap called "the `proceed-with-gap` strategy" {}
}
