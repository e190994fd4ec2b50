//! What is tried again, when, and how it is announced.

use elenchus::llm::{ChatError, ChatEvent, Client};
use pretty_assertions::assert_eq;
use tokio::time::{Duration, Instant};

use super::{ask, ask_with, question};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

#[tokio::test]
async fn a_transient_failure_is_tried_again_and_announced() {
    let fake = FakeEndpoint::start([Answer::error(503, "busy", "Busy"), Answer::stream(openai::saying("Back."))]).await;
    let (reply, events) = ask(fake.openai()).await;
    assert_eq!(reply.expect("an answer").text, "Back.");
    let ChatEvent::Retrying { attempt: 1, wait, error } = &events[0] else { panic!("{events:?}") };
    assert_eq!(*error, ChatError::Server { status: 503, retry_after: None, detail: "Busy".to_owned() });
    assert!(*wait <= Duration::from_millis(2), "{wait:?}");
    assert_eq!(events[1..], [ChatEvent::Started, ChatEvent::Delta("Back.".to_owned())]);
}

#[tokio::test]
async fn a_cut_stream_is_tried_again_and_its_deltas_are_declared_void() {
    let fake =
        FakeEndpoint::start([Answer::stream(openai::delta("Half")), Answer::stream(openai::saying("Whole."))]).await;
    let (reply, events) = ask(fake.openai()).await;
    assert_eq!(reply.expect("an answer").text, "Whole.");
    let kinds: Vec<&str> = events.iter().map(kind).collect();
    assert_eq!(kinds, ["started", "delta", "retrying", "started", "delta"]);
}

fn kind(event: &ChatEvent) -> &'static str {
    match event {
        ChatEvent::Queued { .. } => "queued",
        ChatEvent::Started => "started",
        ChatEvent::Delta(_) => "delta",
        ChatEvent::Reasoning(_) => "reasoning",
        ChatEvent::Retrying { .. } => "retrying",
    }
}

#[tokio::test]
async fn attempts_are_limited() {
    let fake = FakeEndpoint::start((0..9).map(|_| Answer::error(500, "x", "Broken"))).await;
    let mut endpoint = fake.openai();
    endpoint.retry.attempts = 3;
    let (reply, events) = ask(endpoint).await;
    assert!(matches!(reply, Err(ChatError::Server { status: 500, .. })));
    assert_eq!(fake.asked().len(), 3);
    assert_eq!(events.iter().filter(|event| kind(event) == "retrying").count(), 2);
}

#[tokio::test]
async fn what_cannot_change_is_not_tried_again() {
    for status in [400, 401, 403, 404, 413, 422] {
        let fake = FakeEndpoint::start([Answer::error(status, "no", "No model")]).await;
        let (reply, _) = ask(fake.openai()).await;
        assert!(reply.is_err_and(|error| !error.is_transient()));
        assert_eq!(fake.asked().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_longer_pause_than_allowed_is_reported_instead_of_waited_for() {
    let fake = FakeEndpoint::start([Answer::error(429, "limit", "Later").header("retry-after", "31")]).await;
    let (reply, events) = ask(fake.openai()).await;
    assert_eq!(reply.expect_err("it fails").retry_after(), Some(Duration::from_secs(31)));
    assert_eq!(events, []);
}

/// Time is paused, so the answers come from a recording: without a socket nothing depends on the clock of the machine.
#[tokio::test]
async fn the_pause_an_endpoint_asks_for_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("exchanges.jsonl");
    let limited = Answer::error(429, "limit", "Later").header("retry-after", "7");
    let fake = FakeEndpoint::start([limited, Answer::stream(openai::saying("Now."))]).await;
    let mut endpoint = fake.openai();
    endpoint.retry.attempts = 1;
    let recorder = std::sync::Arc::new(elenchus::llm::Recorder::create(&path).expect("a file"));
    let client = Client::new(endpoint).expect("usable").recording_to(recorder);
    ask_with(&client, &question()).await.0.expect_err("the limit");
    ask_with(&client, &question()).await.0.expect("an answer");

    let recordings = std::sync::Arc::new(elenchus::llm::Recordings::open(&path).expect("recordings"));
    let client = Client::new(fake.openai()).expect("usable").replaying(recordings);
    tokio::time::pause();
    let began = Instant::now();
    let (reply, events) = ask_with(&client, &question()).await;
    assert_eq!(reply.expect("an answer").text, "Now.");
    assert_eq!(began.elapsed().as_secs(), 7);
    assert!(matches!(&events[0], ChatEvent::Retrying { wait, .. } if *wait == Duration::from_secs(7)), "{events:?}");
}
