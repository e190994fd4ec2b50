//! The guard never overshoots, and says when it must stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use elenchus::llm::{
    Budget, BudgetReached, CallRole, Cap, Caps, ChatError, ChatEvent, ChatRequest, Client, Day, Endpoint, Estimate,
    Limits, Models, OverBudget, Price, Spend, Usage,
};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use tokio::task::JoinSet;
use tokio::time::Duration;

use super::{ask_with, question};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, RawEndpoint, openai};

fn capped(caps: Caps) -> Arc<Budget> {
    Arc::new(Budget::new(Limits { caps, ..Limits::default() }))
}

fn estimate(usd: f64, tokens: u64) -> Estimate {
    Estimate { endpoint: "fake".to_owned(), tokens, usd: Some(usd) }
}

fn usage(usd: f64, tokens: u64) -> Usage {
    Usage { input_tokens: tokens, cost_usd: Some(usd), ..Usage::default() }
}

#[tokio::test]
async fn many_calls_at_once_never_spend_more_than_the_cap() {
    // Each call costs 120 + 30 tokens at 1 USD per thousand, and may cost a little more.
    let fake = FakeEndpoint::start((0..40).map(|_| Answer::stream(openai::saying("Yes.")))).await;
    let mut endpoint = fake.openai();
    endpoint.price = Some(Price { input: 1000.0, cached: None, output: 1000.0 });
    let cap = 1.0;
    let budget = capped(Caps { session_usd: Some(cap), ..Caps::default() });
    let client = Client::new(endpoint).expect("usable").guarded_by(Arc::clone(&budget), CallRole::Analyse);
    let padding = "booking ".repeat(100);
    let request = ChatRequest { system: vec![padding], max_output_tokens: Some(40), ..question() };
    let mut calls = JoinSet::new();
    for _ in 0..40 {
        let (client, request) = (client.clone(), request.clone());
        calls.spawn(async move { client.chat(&request, &mut |_| {}).await });
    }
    let outcomes = calls.join_all().await;
    let answered = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let refused = outcomes
        .iter()
        .filter(|outcome| {
            matches!(outcome, Err(ChatError::Budget(BudgetReached::Cap(OverBudget { cap: Cap::SessionUsd, .. }))))
        })
        .count();
    let standing = budget.snapshot();
    assert_eq!(answered + refused, 40);
    assert_eq!(fake.asked().len(), answered, "what is refused is never sent");
    assert!(standing.session.usd <= cap && answered >= 4, "{answered} answered: {standing:?}");
    assert_eq!(standing.reserved, Spend::default());
    assert_eq!(standing.by_role[CallRole::Analyse as usize], (CallRole::Analyse, standing.session));
}

#[tokio::test]
async fn at_the_cap_nothing_is_sent_and_raising_it_helps() {
    let fake = FakeEndpoint::start([Answer::stream(openai::saying("Yes."))]).await;
    let budget = capped(Caps { day_tokens: Some(10), ..Caps::default() });
    let client = Client::new(fake.openai()).expect("usable").guarded_by(Arc::clone(&budget), CallRole::Respond);
    let (reply, events) = ask_with(&client, &question()).await;
    let error = reply.expect_err("it is refused");
    assert!(
        matches!(error, ChatError::Budget(BudgetReached::Cap(OverBudget { cap: Cap::DayTokens, .. }))),
        "{error:?}"
    );
    assert!(error.to_string().contains("raise it, go on offline, or stop"), "{error}");
    assert_eq!((events, fake.asked().len()), (vec![], 0));
    budget.set_caps(Caps { day_tokens: Some(100_000), ..Caps::default() });
    ask_with(&client, &question()).await.0.expect("an answer");
    assert_eq!(fake.asked()[0].body["max_tokens"], 4096, "under a cap the answer is bounded");
    assert_eq!(budget.snapshot().today, Spend { usd: 0.0, tokens: 150, calls: 1 });
}

#[tokio::test]
async fn a_usd_cap_without_a_price_is_refused_with_advice() {
    let budget = capped(Caps { session_usd: Some(1.0), ..Caps::default() });
    let unpriced = Estimate { endpoint: "work".to_owned(), tokens: 10, usd: None };
    let error = budget.reserve(CallRole::Respond, &unpriced).expect_err("no price");
    assert_eq!(error, BudgetReached::PriceUnknown { endpoint: "work".to_owned() });
    let tokens_only = capped(Caps { session_tokens: Some(100), ..Caps::default() });
    tokens_only.reserve(CallRole::Respond, &unpriced).expect("tokens can be counted without a price");
}

#[tokio::test]
async fn failed_calls_cost_nothing_when_the_endpoint_never_accepted_them() {
    let fake = FakeEndpoint::start([Answer::error(401, "no", "No")]).await;
    let budget = capped(Caps::default());
    let client = Client::new(fake.openai()).expect("usable").guarded_by(Arc::clone(&budget), CallRole::Respond);
    ask_with(&client, &question()).await.0.expect_err("401");
    let standing = budget.snapshot();
    assert_eq!((standing.session, standing.reserved), (Spend::default(), Spend::default()));
}

#[tokio::test]
async fn a_request_that_was_sent_and_lost_is_booked() {
    let silent = RawEndpoint::start(|stream, _| async move {
        tokio::spawn(async move { stream.readable().await.map(|()| stream) });
        std::future::pending::<()>().await;
    });
    let mut silent = silent.await.openai();
    silent.timeouts.first_byte = Duration::from_millis(30);
    let closed = RawEndpoint::start(|stream, _| async move { drop(stream) }).await.openai();
    let lost = FakeEndpoint::start([Answer::error(502, "bad_gateway", "no answer from upstream")]).await;
    let failed = FakeEndpoint::start([Answer::error(500, "internal", "it failed at the end")]).await;
    let busy = FakeEndpoint::start([Answer::error(503, "overloaded", "later")]).await;
    let nobody = Endpoint::new("x", elenchus::llm::Provider::OpenAi, "http://127.0.0.1:9", "m").expect("valid");
    for (what, mut endpoint, calls) in [
        ("silent", silent, 1),
        ("closed", closed, 1),
        ("lost", lost.openai(), 1),
        ("failed", failed.openai(), 0),
        ("busy", busy.openai(), 0),
        ("nobody", nobody, 0),
    ] {
        endpoint.retry.attempts = 1;
        let budget = capped(Caps::default());
        let client = Client::new(endpoint).expect("usable").guarded_by(Arc::clone(&budget), CallRole::Research);
        ask_with(&client, &question()).await.0.expect_err(what);
        let standing = budget.snapshot();
        assert_eq!((standing.session.calls, standing.reserved.calls), (calls, 0), "{what}");
        assert_eq!(standing.session.tokens > 0, calls > 0, "{what}");
    }
}

#[tokio::test]
async fn a_count_that_hides_what_was_sent_does_not_lift_a_cap() {
    let usage = serde_json::json!({ "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 });
    let body = openai::delta(&"word ".repeat(400))
        + &openai::finish("stop")
        + &openai::event(&serde_json::json!({ "choices": [], "usage": usage }));
    let fake = FakeEndpoint::start([Answer::stream(body)]).await;
    let budget = capped(Caps { session_tokens: Some(100_000), ..Caps::default() });
    let client = Client::new(fake.openai()).expect("usable").guarded_by(Arc::clone(&budget), CallRole::Respond);
    let mut request = question();
    request.system = vec!["One of many rules. ".repeat(500)];
    ask_with(&client, &request).await.0.expect("an answer");
    // At least half of the 2,500 words that were sent and the 400 that came.
    assert!(budget.snapshot().session.tokens > 1_000, "{:?}", budget.snapshot().session);
}

#[tokio::test]
async fn every_booking_is_handed_out_once_and_comes_back_if_it_is_not_kept() {
    let fake = FakeEndpoint::start((0..2).map(|_| Answer::stream(openai::saying("Yes.")))).await;
    let budget = capped(Caps::default());
    let client = Client::new(fake.openai()).expect("usable").guarded_by(Arc::clone(&budget), CallRole::Respond);
    ask_with(&client, &question()).await.0.expect("an answer");
    let owed = budget.owed();
    assert_eq!(owed.bookings().len(), 1);
    assert_eq!((owed.bookings()[0].model.as_str(), owed.bookings()[0].usage.total_tokens()), ("test-model-1", 150));
    assert_eq!(budget.owed().bookings(), []);
    ask_with(&client, &question()).await.0.expect("an answer");
    drop(owed);
    let owed = budget.owed();
    assert_eq!(owed.bookings().len(), 2);
    owed.kept();
    assert_eq!(budget.owed().bookings(), []);
}

#[test]
fn each_threshold_is_reported_once() {
    let budget = capped(Caps { session_usd: Some(1.0), session_tokens: Some(1000), ..Caps::default() });
    let spend = |usd: f64, tokens: u64| {
        let mut claim = budget.reserve(CallRole::Respond, &estimate(usd, tokens)).expect("within the cap");
        claim.consume(usage(usd, tokens));
        drop(claim);
        budget.take_alerts().iter().map(|alert| (alert.cap, alert.percent)).collect::<Vec<_>>()
    };
    assert_eq!(spend(0.4, 100), []);
    assert_eq!(spend(0.2, 100), [(Cap::SessionUsd, 50)]);
    assert_eq!(spend(0.0, 0), []);
    assert_eq!(spend(0.38, 100), [(Cap::SessionUsd, 80), (Cap::SessionUsd, 95)]);
    assert_eq!(spend(0.0, 700), [(Cap::SessionTokens, 50), (Cap::SessionTokens, 80), (Cap::SessionTokens, 95)]);
}

#[test]
fn what_was_raised_holds_for_one_session_and_a_cap_is_never_lowered_by_raising() {
    let caps = Caps { session_tokens: Some(100), day_tokens: Some(1000), ..Caps::default() };
    let day = Arc::new(Day::new(Limits { caps, ..Limits::default() }));
    let budget = Budget::of_session(Arc::clone(&day));
    budget.raise(Cap::SessionTokens, 300.0);
    budget.raise(Cap::DayTokens, 500.0);
    budget.raise(Cap::DayUsd, 5.0);
    let caps = budget.snapshot().caps;
    assert_eq!(caps, Caps { session_tokens: Some(300), day_tokens: Some(1000), ..Caps::default() });
    assert_eq!(Budget::of_session(day).snapshot().caps.session_tokens, Some(100));
}

#[test]
fn a_new_day_starts_at_zero_and_a_session_resumes_where_it_was() {
    let day = Arc::new(AtomicU64::new(1));
    let clock = Arc::clone(&day);
    let limits = Limits { caps: Caps { day_usd: Some(1.0), ..Caps::default() }, ..Limits::default() };
    let day_of_test = Day::numbered(limits, move || clock.load(Ordering::Relaxed));
    let budget = Arc::new(Budget::of_session(Arc::new(day_of_test)));
    let before = Spend { usd: 0.9, tokens: 500, calls: 7 };
    budget.resume(before, before);
    assert_eq!(budget.take_alerts(), [], "what was crossed before is no news");
    budget.reserve(CallRole::Respond, &estimate(0.2, 1)).expect_err("the day is nearly used up");
    day.store(2, Ordering::Relaxed);
    budget.reserve(CallRole::Respond, &estimate(0.2, 1)).expect("a new day");
    let standing = budget.snapshot();
    assert_eq!((standing.session, standing.today), (before, Spend::default()));
}

#[tokio::test]
async fn calls_beyond_the_limit_at_once_wait_and_say_so() {
    let (first, feed) = Answer::fed();
    let fake = FakeEndpoint::start([first, Answer::stream(openai::saying("Second."))]).await;
    let budget = Arc::new(Budget::new(Limits { concurrent: Some(1), ..Limits::default() }));
    let models = Models::new(fake.openai(), Vec::new(), budget).expect("usable");
    let (sender, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let ask = |role| {
        let (models, sender) = (models.clone(), sender.clone());
        async move { models.chat(role, &question(), &mut |event| sender.send(event).expect("heard")).await }
    };
    let one = tokio::spawn(ask(CallRole::Respond));
    assert_eq!(seen.recv().await, Some(ChatEvent::Started));
    let two = tokio::spawn(ask(CallRole::Analyse));
    assert_eq!(seen.recv().await, Some(ChatEvent::Queued { wait: None }));
    assert_eq!(fake.asked().len(), 1);
    feed.send(openai::saying("First."));
    drop(feed);
    assert_eq!(one.await.expect("it ran").expect("an answer").text, "First.");
    assert_eq!(two.await.expect("it ran").expect("an answer").text, "Second.");
}

#[tokio::test]
async fn each_role_has_its_own_model_and_the_default_where_it_has_none() {
    let fake = FakeEndpoint::start((0..2).map(|_| Answer::stream(openai::saying("Ok.")))).await;
    let mut small = fake.openai();
    small.model = "small".to_owned();
    let budget = Arc::new(Budget::new(Limits::default()));
    let models = Models::new(fake.openai(), vec![(CallRole::Analyse, small)], budget).expect("usable");
    for role in [CallRole::Respond, CallRole::Analyse] {
        models.chat(role, &question(), &mut |_| {}).await.expect("an answer");
    }
    let asked: Vec<_> = fake.asked().iter().map(|asked| asked.body["model"].clone()).collect();
    assert_eq!(asked, ["test-model", "small"]);
    let by_role = models.budget().snapshot().by_role;
    let spend = Spend { usd: 0.0, tokens: 150, calls: 1 };
    assert_eq!(by_role[..2], [(CallRole::Respond, spend), (CallRole::Analyse, spend)]);
}

#[test]
fn sessions_share_the_day_and_nothing_else() {
    let caps = Caps { session_tokens: Some(100), day_tokens: Some(150), ..Caps::default() };
    let day = Arc::new(Day::new(Limits { caps, ..Limits::default() }));
    let [one, two] = [(); 2].map(|()| Arc::new(Budget::of_session(Arc::clone(&day))));
    let mut claim = one.reserve(CallRole::Research, &estimate(0.0, 90)).expect("within both caps");
    claim.consume(usage(0.0, 90));
    drop(claim);
    assert_eq!((one.snapshot().session.tokens, two.snapshot().session.tokens), (90, 0));
    assert_eq!(two.snapshot().today.tokens, 90);
    let refused = two.reserve(CallRole::Respond, &estimate(0.0, 80)).expect_err("the day has 60 left");
    assert!(matches!(refused, BudgetReached::Cap(OverBudget { cap: Cap::DayTokens, .. })), "{refused:?}");
    two.reserve(CallRole::Respond, &estimate(0.0, 60)).expect("the session has spent nothing");
    // Opening another session reads the store again; what is counted already stays counted.
    two.resume(Spend::default(), Spend::default());
    assert_eq!((one.snapshot().session.tokens, one.snapshot().today.tokens), (90, 90));
}

proptest! {
    #[test]
    fn whatever_is_reserved_and_consumed_stays_within_the_cap(
        steps in proptest::collection::vec((1_u64..60, 0.0_f64..1.0, any::<bool>()), 1..60)
    ) {
        let budget = capped(Caps { session_tokens: Some(200), session_usd: Some(2.0), ..Caps::default() });
        let mut open = Vec::new();
        for (tokens, share, settle) in steps {
            let usd = tokens as f64 / 100.0;
            if let Ok(claim) = budget.reserve(CallRole::Respond, &estimate(usd, tokens)) {
                open.push((claim, tokens, share));
            }
            if settle && !open.is_empty() {
                let (mut claim, tokens, share) = open.remove(0);
                let consumed = (tokens as f64 * share) as u64;
                claim.consume(usage(consumed as f64 / 100.0, consumed));
            }
            let standing = budget.snapshot();
            prop_assert!(standing.session.tokens + standing.reserved.tokens <= 200);
            prop_assert!(standing.session.usd + standing.reserved.usd <= 2.0 + 1e-6);
        }
    }
}
