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

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    #[test]
    fn sums_neither_overflow_nor_become_what_cannot_be_written_down() {
        let mut sum = UsageTotals::default();
        let call = CallRecord { input_tokens: u64::MAX, output_tokens: 1, cost_usd: f64::MAX, ..CallRecord::default() };
        for _ in 0..3 {
            sum.add(&call);
        }
        assert_eq!((sum.calls, sum.input_tokens, sum.output_tokens, sum.tokens()), (3, u64::MAX, 3, u64::MAX));
        let written = serde_json::to_value(sum).expect("a document");
        assert_eq!(serde_json::from_value::<UsageTotals>(written).expect("it is read again"), sum);
    }

    #[test]
    fn a_cost_that_was_written_as_no_number_is_read_as_nothing() {
        for cost in [json!(null), json!(-3.0)] {
            let kept = json!({ "calls": 2, "input_tokens": 1, "output_tokens": 1, "cost_usd": cost });
            let read: UsageTotals = serde_json::from_value(kept).expect("the session can be opened");
            assert_eq!((read.calls, read.cost_usd), (2, 0.0));
        }
    }
}
