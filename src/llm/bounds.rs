//! Numbers from outside, bounded where they enter: an endpoint may say anything, in an answer or in a recording of one.
//!
//! A figure that no call can have is not believed; what we know ourselves (an estimate, a price) then stands in for it.

use std::time::Duration;

use serde_json::Value;

use super::chat::Usage;
pub(super) use crate::engine::budget::{MOST_TOKENS, MOST_USD};

/// An endpoint that asks for a longer pause is not waited for anyway.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// A count of tokens inside a value, if it is one.
pub(super) fn count(value: &Value, path: &str) -> Option<u64> {
    value.pointer(path).and_then(Value::as_u64).filter(|count| *count <= MOST_TOKENS)
}

/// A count of tokens as an endpoint states it, and whether it is an estimate. Servers that do not count say zero.
pub(super) fn stated(stated: Option<u64>, estimate: u64) -> (u64, bool) {
    stated.filter(|count| *count > 0).map_or((estimate, true), |count| (count, false))
}

/// The same where a cap depends on it: an endpoint that says far less than was sent or came would lift every cap.
/// Tokenizers differ, but not by half.
pub(super) fn believed(figure: Option<u64>, estimate: u64) -> (u64, bool) {
    match stated(figure, estimate) {
        (count, _) if count < estimate / 2 => (estimate / 2, true),
        count => count,
    }
}

/// A count that a prompt can have. Providers add something to what is sent, but not many times as much.
pub(super) fn of_prompt(figure: Option<u64>, estimate: u64) -> Option<u64> {
    figure.filter(|count| *count <= estimate.saturating_mul(MOST_TIMES).saturating_add(SLACK))
}

/// A count that an answer can have which was limited to so many tokens.
pub(super) fn of_answer(figure: Option<u64>, limit: Option<u32>) -> Option<u64> {
    figure.filter(|count| limit.is_none_or(|limit| *count <= u64::from(limit).saturating_mul(2).saturating_add(SLACK)))
}

/// A prompt has at most so many times the tokens of its estimate.
const MOST_TIMES: u64 = 4;
/// What a provider may add of its own, in tokens.
const SLACK: u64 = 2_000;

/// An amount of money inside a value, if it is one.
pub(super) fn usd(value: &Value, path: &str) -> Option<f64> {
    value.pointer(path).and_then(Value::as_f64).filter(|amount| is_usd(*amount))
}

/// A context window, if it is one.
pub(super) fn window(tokens: u64) -> Option<u64> {
    (1..=MOST_TOKENS).contains(&tokens).then_some(tokens)
}

/// A pause that an endpoint asks for.
pub(super) fn wait(asked: Duration) -> Duration {
    asked.min(LONGEST_WAIT)
}

fn is_usd(amount: f64) -> bool {
    (0.0..=MOST_USD).contains(&amount)
}

impl Usage {
    /// The same within bounds, so that sums of it can be relied on.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.input_tokens = self.input_tokens.min(MOST_TOKENS);
        self.output_tokens = self.output_tokens.min(MOST_TOKENS);
        self.cached_input_tokens = self.cached_input_tokens.min(self.input_tokens);
        self.reasoning_tokens = self.reasoning_tokens.min(self.output_tokens);
        // A sum that is no number would let every call through: it is not above any cap.
        self.cost_usd = self.cost_usd.filter(|amount| !amount.is_nan()).map(|amount| amount.clamp(0.0, MOST_USD));
        self
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_that_no_call_can_have_are_not_believed() {
        for (figure, tokens, money) in [
            (json!(0), Some(0), Some(0.0)),
            (json!(120), Some(120), Some(120.0)),
            (json!(0.25), None, Some(0.25)),
            (json!(-1), None, None),
            (json!(-0.5), None, None),
            (json!(i64::MAX), None, None),
            (json!(u64::MAX), None, None),
            (json!(1e300), None, None),
            (json!("12"), None, None),
            (json!(null), None, None),
        ] {
            let value = json!({ "n": figure });
            assert_eq!((count(&value, "/n"), usd(&value, "/n")), (tokens, money), "{figure}");
        }
        assert_eq!([0, 8192, u64::MAX].map(window), [None, Some(8192), None]);
        assert_eq!(wait(Duration::from_millis(u64::MAX)), LONGEST_WAIT);
    }

    #[test]
    fn a_count_far_below_what_was_sent_is_not_believed() {
        for (stated, estimate, booked) in [
            (None, 4_000, (4_000, true)),
            (Some(0), 4_000, (4_000, true)),
            (Some(1), 4_000, (2_000, true)),
            (Some(1_999), 4_000, (2_000, true)),
            (Some(2_600), 4_000, (2_600, false)),
            (Some(9_000), 4_000, (9_000, false)),
            (Some(1), 1, (1, false)),
        ] {
            assert_eq!(believed(stated, estimate), booked, "{stated:?}");
        }
    }

    #[test]
    fn a_count_far_above_what_was_sent_or_allowed_is_not_believed() {
        assert_eq!(
            [3_400, 9_000, 200_000].map(|count| of_prompt(Some(count), 3_300)),
            [Some(3_400), Some(9_000), None]
        );
        assert_eq!([40, 1_300, 90_000].map(|count| of_answer(Some(count), Some(1_000))), [Some(40), Some(1_300), None]);
        assert_eq!(of_answer(Some(90_000), None), Some(90_000), "nothing is known of its limit");
    }

    #[test]
    fn usage_within_bounds_stays_as_it_is_and_all_other_is_brought_into_them() {
        let plain = Usage { input_tokens: 9, cached_input_tokens: 3, cost_usd: Some(0.5), ..Usage::default() };
        assert_eq!(plain.clone().bounded(), plain);
        let wild = |cost| Usage {
            input_tokens: u64::MAX,
            cached_input_tokens: u64::MAX,
            output_tokens: u64::MAX,
            reasoning_tokens: u64::MAX,
            cost_usd: Some(cost),
            estimated: false,
        };
        for (cost, expected) in
            [(f64::NAN, None), (f64::INFINITY, Some(MOST_USD)), (f64::NEG_INFINITY, Some(0.0)), (-3.0, Some(0.0))]
        {
            let usage = wild(cost).bounded();
            assert_eq!((usage.input_tokens, usage.cached_input_tokens), (MOST_TOKENS, MOST_TOKENS));
            assert_eq!((usage.output_tokens, usage.reasoning_tokens), (MOST_TOKENS, MOST_TOKENS));
            assert_eq!(usage.cost_usd, expected);
        }
    }
}
