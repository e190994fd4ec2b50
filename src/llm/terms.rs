//! The terms on which an endpoint is used: how patiently, how often, at what price.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::chat::Usage;

/// How long each part of a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Duration,
    /// Until the first byte of the answer; a local model reads a long prompt for a minute.
    pub first_byte: Duration,
    /// Between two pieces of the answer.
    pub stall: Duration,
    /// Altogether, for one attempt.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_mins(2),
            stall: Duration::from_mins(1),
            total: Duration::from_mins(10),
        }
    }
}

/// How often and how long to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts altogether, the first one included.
    pub attempts: u32,
    /// The wait after the first failure; it doubles from then on, with jitter.
    pub first_wait: Duration,
    /// No wait is longer, an endpoint's `Retry-After` included: asked for more, the call fails and says how long.
    pub longest_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts: 4, first_wait: Duration::from_millis(500), longest_wait: Duration::from_secs(30) }
    }
}

/// Prices in USD per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Prompt tokens.
    pub input: f64,
    /// Prompt tokens out of the cache; like `input` when not given.
    pub cached: Option<f64>,
    /// Answer tokens, reasoning included.
    pub output: f64,
}

impl Price {
    /// What `usage` costs.
    pub fn cost(&self, usage: &Usage) -> f64 {
        let cached = usage.cached_input_tokens.min(usage.input_tokens);
        let fresh = (usage.input_tokens - cached) as f64 * self.input;
        let cached = cached as f64 * self.cached.unwrap_or(self.input);
        (fresh + cached + usage.output_tokens as f64 * self.output) / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_have_their_own_price() {
        let price = Price { input: 2.0, cached: Some(0.5), output: 10.0 };
        let usage =
            Usage { input_tokens: 1_000_000, cached_input_tokens: 400_000, output_tokens: 100_000, ..Usage::default() };
        assert!((price.cost(&usage) - (1.2 + 0.2 + 1.0)).abs() < 1e-9);
    }
}
