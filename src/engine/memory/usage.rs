//! What a session has cost so far.

use serde::{Deserialize, Serialize};

/// Sums over all calls of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageTotals {
    pub calls: u64,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// What they cost, where prices are known.
    pub cost_usd: f64,
}
