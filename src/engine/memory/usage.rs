//! What a session has cost so far.

use serde::{Deserialize, Serialize};

use crate::engine::ports::CallRecord;

/// Sums over all calls of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageTotals {
    pub calls: u64,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// What they cost, where prices are known.
    #[serde(deserialize_with = "crate::engine::budget::read_usd")]
    pub cost_usd: f64,
}

impl UsageTotals {
    /// Counts one more call.
    pub fn add(&mut self, call: &CallRecord) {
        self.calls = self.calls.saturating_add(1);
        self.input_tokens = self.input_tokens.saturating_add(call.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(call.output_tokens);
        // A sum that is infinite could not be written down.
        self.cost_usd = (self.cost_usd + call.cost_usd).min(f64::MAX);
    }

    /// Tokens sent and received.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}
