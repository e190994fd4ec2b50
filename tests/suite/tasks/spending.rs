//! What is kept in the store adds up to what the guard has counted, however calls end.

use std::sync::Arc;

use elenchus::host::{Backend, Host, Session};
use elenchus::llm::{Budget, Limits, Models, Price};
use elenchus::store::BudgetSum;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Bench, DEGRADE, shown, task};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

fn bench() -> Bench {
    let handler = "[handlers.risks]\ntype = \"llm\"\nprompt = \"Risks?\"\n\
                   output = { risks = { type = \"array\", items = { type = \"string\" } } }\n";
    Bench::new(&(task("risks", DEGRADE, "") + handler))
}

/// A model of the endpoint: three attempts, a price, and a guard that the session replaces by its own.
fn model(fake: &FakeEndpoint) -> Backend {
    let mut endpoint = fake.openai();
    endpoint.retry.attempts = 3;
    endpoint.price = Some(Price { input: 1000.0, cached: None, output: 2000.0 });
    let budget = Arc::new(Budget::new(Limits::default()));
    Backend::Models(Arc::new(Models::new(endpoint, Vec::new(), budget).expect("usable")))
}

fn said(text: &str) -> Answer {
    Answer::stream(openai::saying(text))
}

fn analysis() -> Answer {
    let signals = json!({ "trust": 0.5, "rapport": 0.5, "friction": 0.0, "techniques_used": [], "intents": [] });
    said(&json!({ "fields": [], "signals": signals }).to_string())
}

/// An answer that breaks off.
fn cut() -> Answer {
    Answer::stream(openai::delta("Half a word"))
}

/// Says that so many calls were kept, and that they are what the guard has counted.
async fn assert_kept(host: &Host, session: &Session, calls: u64, what: &str) -> BudgetSum {
    let id = session.record().id;
    let kept = host.store().call_async(move |store| store.spent_by_session(id)).await.expect("a sum");
    let counted = session.budget().expect("there is a model");
    assert_eq!((kept.entries, counted.reserved.calls), (calls, 0), "{what}");
    let both = |tokens: u64, usd: f64, calls: u64| (tokens, (usd * 1e6).round(), calls);
    let sum = both(kept.input_tokens + kept.output_tokens, kept.cost_usd, kept.entries);
    assert_eq!(sum, both(counted.session.tokens, counted.session.usd, counted.session.calls), "{what}");
    kept
}

#[tokio::test]
async fn what_is_kept_adds_up_to_what_the_guard_has_counted() {
    let (endless, feed) = Answer::fed();
    let (silent, silence) = Answer::fed();
    let refusal = || Answer::error(400, "invalid_request_error", "response_format json_schema is not supported");
    let fake = FakeEndpoint::start([
        // A turn whose analysis fails twice, and that is kept. On this machine the answer goes first.
        said("And why is that?"),
        Answer::error(502, "bad_gateway", "upstream lost"),
        cut(),
        analysis(),
        // Its research: a schema is refused, and then every answer breaks off.
        refusal(),
        cut(),
        cut(),
        cut(),
        // Research that is called off while it is under way.
        endless,
        // A turn whose analysis fails: the answer is kept.
        said("And since when?"),
        cut(),
        cut(),
        cut(),
        // A turn that is cancelled at its analysis.
        said("And since when?"),
        silent,
    ])
    .await;
    let bench = bench();
    let host = bench.host();
    bench.allow(&host).await;
    let mut session = bench.begin(&host).await;
    session.set_backend(&model(&fake));

    session.say("The phones ring all day.", &mut |_| {}).await.expect("a turn that is kept");
    session.tasks_settled().await;
    assert_eq!(shown(&session, "risks").0, "failed");
    // Of eight requests only the refusal of the schema costs nothing.
    let kept = assert_kept(&host, &session, 7, "a kept turn with failed attempts, and research that failed").await;
    assert!(kept.cost_usd > 0.36, "{kept:?}");

    session.retry_task("risks").await.expect("it is tried again");
    fake.until_asked(9).await;
    session.skip_task("risks").await.expect("it is called off");
    feed.closed().await;
    assert_kept(&host, &session, 8, "research that was called off").await;

    session.say("It started in spring.", &mut |_| {}).await.expect("an answer outlives its analysis");
    assert_kept(&host, &session, 12, "a turn whose analysis failed").await;

    {
        let mut unheard = |_| {};
        let mut turn = std::pin::pin!(session.say("It started in spring.", &mut unheard));
        tokio::select! {
            outcome = &mut turn => panic!("it ended: {:?}", outcome.is_ok()),
            () = fake.until_asked(15) => {}
        }
    }
    silence.closed().await;
    assert_kept(&host, &session, 14, "a turn that was cancelled").await;
}

#[tokio::test]
async fn research_that_is_too_slow_is_paid_for() {
    let (silent, silence) = Answer::fed();
    let fake = FakeEndpoint::conversing([analysis(), said("And why is that?"), silent]).await;
    let handler = "[handlers.risks]\ntype = \"llm\"\nprompt = \"Risks?\"\n\
                   output = { risks = { type = \"array\", items = { type = \"string\" } } }\n";
    let bench = Bench::new(&(task("risks", DEGRADE, "timeout_seconds = 1\n") + handler));
    let host = bench.host();
    bench.allow(&host).await;
    let mut session = bench.begin(&host).await;
    session.set_backend(&model(&fake));
    session.say("The phones ring all day.", &mut |_| {}).await.expect("a turn");
    session.tasks_settled().await;
    silence.closed().await;
    assert_kept(&host, &session, 3, "research that was too slow").await;
}
