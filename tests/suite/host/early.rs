//! The answer that is begun before the analysis is in, as a front end sees it.

use std::path::Path;
use std::sync::{Arc, Mutex};

use elenchus::catalogue::Catalogue;
use elenchus::engine::figures::EarlyFigures;
use elenchus::engine::step::Step;
use elenchus::host::protocol::{Command, Event, News, TurnCommand, TurnNews};
use elenchus::host::{Backend, Rehearsed, rehearse};
use elenchus::llm::{Budget, CallRole, Capabilities, Limits, Models};
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::sync::mpsc;

use super::saying;
use crate::support::PATIENCE;
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

/// Models that have shown to serve two requests at once.
fn at_once(fake: &FakeEndpoint) -> Backend {
    let models = Models::new(fake.openai(), Vec::new(), Arc::new(Budget::new(Limits::default()))).expect("usable");
    let mut known = Capabilities::default();
    known.at_once = Some(true);
    models.client(CallRole::Analyse).restore(known);
    Backend::Models(Arc::new(models))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_that_hold_no_longer_when_they_come_are_never_shown() {
    let found = json!({ "fields": [{
        "path": "purpose_and_problem.core_problem", "quote": "Blorp zang", "value": "Blorp zang", "confidence": 0.9,
    }], "signals": {} });
    let (slow, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([saying(&found.to_string()), slow, saying("Noted. Why just now?")]).await;
    let catalogue = Catalogue::open(Path::new("/nonexistent")).expect("a folder that does not exist is empty");
    let engine = catalogue.load("project-discovery").expect("it is in the binary").0.engine.expect("no errors");
    let (session, _) =
        rehearse(&engine, Rehearsed { backend: at_once(&fake), handoff: None, cap_usd: None }).expect("it opens");
    let shown: Arc<Mutex<String>> = Arc::default();
    let (made_room, mut has_made_room) = mpsc::unbounded_channel();
    let words = Arc::clone(&shown);
    let listener = move |news: News| match news.event {
        Event::Turn(TurnNews::Delta(text)) => words.lock().expect("unpoisoned").push_str(&text),
        Event::Turn(TurnNews::Step(entry)) if entry.step == Step::CompressionCheck => {
            made_room.send(()).expect("the test goes on");
        }
        _ => {}
    };
    let _listening = session.listen(Arc::new(listener)).await;
    let turn = tokio::spawn({
        let session = session.clone();
        async move { session.say("We want a booking app for our clinic. Blorp zang.").await }
    });
    // The analysis is in; the first words of the answer come only now.
    let room = has_made_room.recv();
    tokio::time::timeout(PATIENCE, room).await.expect("the analysis comes").expect("it is told");
    feed.send(openai::saying("I see. What goes wrong today that this should put right?"));
    drop(feed);
    let turn = tokio::time::timeout(PATIENCE, turn).await.expect("it ends").expect("it runs").expect("a turn");
    let Some(EarlyFigures::Discarded { why, shown: seen }) = &turn.figures.early else {
        panic!("{:?}", turn.figures.early)
    };
    assert!(!seen, "{why}");
    assert_eq!(*shown.lock().expect("unpoisoned"), "Noted. Why just now?");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_wait_for_the_analysis_keeps_the_answer() {
    let (slow, _feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([slow.for_data(), saying("A booking app. Why just now?")]).await;
    let catalogue = Catalogue::open(Path::new("/nonexistent")).expect("a folder that does not exist is empty");
    let engine = catalogue.load("project-discovery").expect("it is in the binary").0.engine.expect("no errors");
    let models = Models::new(fake.openai(), Vec::new(), Arc::new(Budget::new(Limits::default()))).expect("usable");
    let backend = Backend::Models(Arc::new(models));
    let (session, _) = rehearse(&engine, Rehearsed { backend, handoff: None, cap_usd: None }).expect("it opens");
    let (waits, mut is_waiting) = mpsc::unbounded_channel();
    let listener = move |news: News| {
        let event = news.event;
        if matches!(event, Event::Turn(TurnNews::Reading)) {
            waits.send(()).expect("the test goes on");
        }
    };
    let _listening = session.listen(Arc::new(listener)).await;
    let turn = tokio::spawn({
        let session = session.clone();
        async move { session.say("We want a booking app for our clinic.").await }
    });
    // The answer comes first here, so the message is looked at only when all of it is there.
    tokio::time::timeout(PATIENCE, is_waiting.recv()).await.expect("it comes").expect("it is told");
    let told = session.perform(Command::Turn(TurnCommand::Cancel)).await;
    assert!(told.is_ok());
    let turn = tokio::time::timeout(PATIENCE, turn).await.expect("it ends").expect("it runs").expect("a turn");
    assert_eq!(&*turn.answer.text, "A booking app. Why just now?");
    assert!(turn.figures.warnings[0].contains("you did not wait for it"), "{:?}", turn.figures.warnings);
}
