//! Dropping a call closes the connection.

use std::sync::Arc;
use std::time::Instant;

use elenchus::llm::{Budget, CallRole, ChatEvent, Client, Limits};
use tokio::sync::mpsc;
use tokio::time::Duration;

use super::question;
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

#[tokio::test]
async fn dropping_a_call_closes_the_connection_at_once_and_books_what_was_consumed() {
    let (answer, feed) = Answer::fed();
    let fake = FakeEndpoint::start([answer]).await;
    let budget = Arc::new(Budget::new(Limits::default()));
    let client = Client::new(fake.openai()).expect("usable").guarded_by(Arc::clone(&budget), CallRole::Respond);
    let (sender, mut seen) = mpsc::unbounded_channel();
    let chat =
        tokio::spawn(async move { client.chat(&question(), &mut |event| sender.send(event).expect("heard")).await });
    feed.send(openai::delta("Half an answer"));
    while seen.recv().await != Some(ChatEvent::Delta("Half an answer".to_owned())) {}
    let cancelled = Instant::now();
    chat.abort();
    feed.closed().await;
    let took = cancelled.elapsed();
    assert!(took < Duration::from_millis(50), "the server saw it after {took:?}");
    assert!(chat.await.expect_err("it was cancelled").is_cancelled());
    let spent = budget.snapshot();
    assert_eq!(spent.reserved.calls, 0);
    assert_eq!(spent.session.calls, 1);
    assert!(spent.session.tokens > 5, "{spent:?}");
}

#[tokio::test]
async fn who_cancels_before_the_endpoint_has_answered_has_sent_the_prompt() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/v1", silent.local_addr().expect("bound"));
    let endpoint = elenchus::llm::Endpoint::new("x", elenchus::llm::Provider::OpenAi, &url, "m").expect("valid");
    let budget = Arc::new(Budget::new(Limits::default()));
    let client = Client::new(endpoint).expect("usable").guarded_by(Arc::clone(&budget), CallRole::Respond);
    let chat = tokio::spawn(async move { client.chat(&question(), &mut |_| {}).await });
    let (stream, _) = silent.accept().await.expect("it connects");
    stream.readable().await.expect("it sends");
    chat.abort();
    assert!(chat.await.expect_err("it was cancelled").is_cancelled());
    let spent = budget.snapshot();
    assert_eq!((spent.session.calls, spent.reserved.calls), (1, 0));
    assert!(spent.session.tokens > 0, "{spent:?}");
}

#[tokio::test]
async fn a_call_that_waits_for_its_first_byte_can_be_cancelled() {
    let (answer, feed) = Answer::fed();
    let fake = FakeEndpoint::start([answer]).await;
    let client = Client::new(fake.openai()).expect("usable");
    let (sender, mut seen) = mpsc::unbounded_channel();
    let chat =
        tokio::spawn(async move { client.chat(&question(), &mut |event| sender.send(event).expect("heard")).await });
    assert_eq!(seen.recv().await, Some(ChatEvent::Started));
    chat.abort();
    feed.closed().await;
}

#[test]
fn the_future_can_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    let endpoint = elenchus::llm::Endpoint::new("x", elenchus::llm::Provider::OpenAi, "http://127.0.0.1:9", "m");
    let client = Client::new(endpoint.expect("valid")).expect("usable");
    let request = question();
    let mut sink = |_: ChatEvent| {};
    is_send(&client.chat(&request, &mut sink));
}
