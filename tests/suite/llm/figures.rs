//! Numbers from outside are bounded before they are believed, and a cost never undercuts the price.

use std::sync::Arc;

use elenchus::llm::{Budget, CallRole, Caps, ChatRequest, Client, Limits, Price, Recorder, Recordings, Spend, Usage};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{ask, ask_with, question};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, anthropic, openai};

fn answer(usage: &Value) -> Answer {
    let end = json!({ "choices": [{ "index": 0, "delta": { "content": "Yes." }, "finish_reason": "stop" }],
        "usage": usage });
    Answer::stream(openai::event(&end))
}

async fn counted(usage: &Value, price: Option<Price>) -> Usage {
    let fake = FakeEndpoint::start([answer(usage)]).await;
    let mut endpoint = fake.openai();
    endpoint.price = price;
    ask(endpoint).await.0.expect("an answer").usage
}

#[tokio::test]
async fn counts_that_no_call_can_have_are_replaced_by_our_estimate() {
    for wild in [json!(i64::MAX), json!(u64::MAX), json!(1e30), json!(-5), json!("many")] {
        let usage = json!({ "prompt_tokens": wild, "completion_tokens": wild,
            "prompt_tokens_details": { "cached_tokens": wild },
            "completion_tokens_details": { "reasoning_tokens": wild } });
        let counted = counted(&usage, None).await;
        assert!(counted.estimated && counted.total_tokens() < 100, "{wild}: {counted:?}");
        assert_eq!((counted.cached_input_tokens, counted.reasoning_tokens), (0, 0), "{wild}");
    }
}

#[tokio::test]
async fn parts_of_a_prompt_that_overflow_together_do_not() {
    let usage = json!({ "input_tokens": 90_000_000, "cache_read_input_tokens": 90_000_000,
        "cache_creation_input_tokens": 90_000_000 });
    let start = json!({ "type": "message_start", "message": { "model": "m", "usage": usage } });
    let words = json!({ "type": "content_block_delta", "delta": { "text": "Yes." } });
    let end =
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 3 } });
    let events = [start, words, end, json!({ "type": "message_stop" })];
    let fake = FakeEndpoint::start([Answer::stream(events.map(|event| anthropic::event(&event)).concat())]).await;
    let counted = ask(fake.anthropic()).await.0.expect("an answer").usage;
    assert!(counted.estimated && counted.input_tokens < 100, "no such prompt was sent: {counted:?}");
    assert_eq!((counted.cached_input_tokens, counted.output_tokens), (0, 3));
}

#[tokio::test]
async fn the_higher_of_our_price_and_the_endpoints_own_cost_counts() {
    // 120 tokens in and 30 out at 1 USD per thousand.
    let price = Some(Price { input: 1000.0, cached: None, output: 1000.0 });
    for (stated, expected) in [
        (json!(-5.0), 0.15),
        (json!(0), 0.15),
        (json!(0.1), 0.15),
        (json!(0.2), 0.2),
        (json!(1e300), 0.15),
        (json!("NaN"), 0.15),
        (json!(null), 0.15),
    ] {
        let usage = json!({ "prompt_tokens": 120, "completion_tokens": 30, "cost": stated });
        let cost = counted(&usage, price).await.cost_usd.expect("there is a price");
        assert!((cost - expected).abs() < 1e-9, "{stated}: {cost}");
    }
}

#[tokio::test]
async fn without_a_price_of_ours_a_sane_cost_counts_and_no_other() {
    // An endpoint of this machine would have a price, which is nothing.
    let folder = tempfile::tempdir().expect("a folder");
    for (stated, expected) in [(json!(0.02), Some(0.02)), (json!(-1), None), (json!(1e9), None)] {
        let path = folder.path().join(format!("{stated}.jsonl"));
        let usage = json!({ "prompt_tokens": 120, "completion_tokens": 30, "cost": stated });
        let fake = FakeEndpoint::start([answer(&usage)]).await;
        let recorder = Arc::new(Recorder::create(&path).expect("a file"));
        let client = Client::new(fake.openai()).expect("usable").recording_to(recorder);
        ask_with(&client, &question()).await.0.expect("an answer");
        let recordings = Arc::new(Recordings::open(&path).expect("recordings"));
        let remote = recordings.endpoint().expect("one model");
        let replay = Client::new(remote).expect("usable").replaying(recordings);
        assert_eq!(ask_with(&replay, &question()).await.0.expect("an answer").usage.cost_usd, expected, "{stated}");
    }
}

#[tokio::test]
async fn a_cap_holds_against_an_endpoint_that_pays_us() {
    let usage = json!({ "prompt_tokens": 120, "completion_tokens": 30, "cost": -1000.0 });
    let fake = FakeEndpoint::start((0..20).map(|_| answer(&usage))).await;
    let mut endpoint = fake.openai();
    endpoint.price = Some(Price { input: 1000.0, cached: None, output: 1000.0 });
    endpoint.max_output_tokens = Some(30);
    let caps = Caps { session_usd: Some(1.0), ..Caps::default() };
    let budget = Arc::new(Budget::new(Limits { caps, ..Limits::default() }));
    let client = Client::new(endpoint).expect("usable").guarded_by(Arc::clone(&budget), CallRole::Respond);
    let request = ChatRequest { system: vec!["booking ".repeat(100)], ..question() };
    let mut answered = 0;
    while ask_with(&client, &request).await.0.is_ok() {
        answered += 1;
    }
    assert_eq!(answered, 6, "six calls of 0.15 are all that one USD pays for");
    assert!(budget.snapshot().session.usd <= 1.0);
}

#[test]
fn the_guard_takes_nothing_in_that_would_spoil_its_sums() {
    let budget = Arc::new(Budget::new(Limits::default()));
    let estimate = elenchus::llm::Estimate { endpoint: "x".to_owned(), tokens: 1, usd: None };
    for cost in [f64::NAN, -7.0, f64::NEG_INFINITY] {
        let mut claim = budget.reserve(CallRole::Respond, &estimate).expect("no cap");
        claim.consume(Usage { cost_usd: Some(cost), ..Usage::default() });
    }
    assert_eq!(budget.snapshot().session, Spend { usd: 0.0, tokens: 0, calls: 3 });
}
