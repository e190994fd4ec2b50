//! Answers of an endpoint on their way.

use serde_json::json;
use termlens::{Key, Terminal};
use tokio::task::block_in_place;

use super::{kept, quit, sees, start};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, Feed, openai};
use crate::support::program::Program;

const MESSAGE: &str = "We need a booking app for our clinic.";

/// An analysis that finds nothing.
fn analysis() -> Answer {
    let found = json!({
        "fields": [],
        "signals": { "trust": 0.5, "rapport": 0.5, "friction": 0.0, "techniques_used": [], "intents": [] },
    });
    Answer::stream(openai::saying(&found.to_string()))
}

/// A session whose first message was sent, and the answer to it to be fed.
async fn asked() -> (Terminal, Program, FakeEndpoint, Feed) {
    let (answer, feed) = Answer::fed();
    let (terminal, program, fake) = asking([analysis(), answer]).await;
    (terminal, program, fake, feed)
}

/// A session whose first message was sent to an endpoint that has these answers.
async fn asking(answers: impl IntoIterator<Item = Answer>) -> (Terminal, Program, FakeEndpoint) {
    let fake = FakeEndpoint::conversing(answers).await;
    let program = Program::new();
    let url = format!("http://127.0.0.1:{}/v1", fake.port());
    let arguments = ["--endpoint", &url, "--model", "test-model", "chat", "--engine", "project-discovery"];
    let terminal = block_in_place(|| {
        let mut terminal = start(&program, (120, 40), &[], &arguments);
        sees(&mut terminal, "Write here");
        terminal.send_str(MESSAGE).unwrap();
        sees(&mut terminal, MESSAGE);
        terminal.send(Key::Enter).unwrap();
        terminal
    });
    fake.until_asked(1).await;
    (terminal, program, fake)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_word_of_an_answer_is_shown_while_the_rest_is_on_its_way() {
    let (mut t, program, _fake, feed) = asked().await;
    feed.send(openai::delta("Certainly"));
    block_in_place(|| sees(&mut t, "Certainly"));
    feed.send(openai::delta(": who books?"));
    feed.send(openai::finish("stop"));
    feed.send(openai::DONE);
    drop(feed);
    block_in_place(|| {
        sees(&mut t, "Certainly: who books?");
        t.wait_until(|screen| !screen.contains("Esc cancel")).unwrap();
        quit(t);
        assert_eq!(kept(&program)["turn"], json!(1));
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_answer_leaves_the_session_as_it_was_and_the_words_in_the_composer() {
    let (mut t, program, _fake, feed) = asked().await;
    feed.send(openai::delta("Half an answer"));
    block_in_place(|| sees(&mut t, "Half an answer"));
    t.send(Key::Esc).unwrap();
    feed.closed().await;
    block_in_place(|| {
        sees(&mut t, "nothing was changed");
        t.wait_until(|screen| screen.contains(MESSAGE) && !screen.contains("Half an answer")).unwrap();
        quit(t);
        let kept = kept(&program);
        assert_eq!((&kept["turn"], &kept["draft"]), (&json!(0), &json!(MESSAGE)));
        assert_eq!(kept["messages"].as_array().unwrap().len(), 1);
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaving_in_the_middle_of_an_answer_keeps_the_words_as_a_draft() {
    let (mut t, program, _fake, feed) = asked().await;
    feed.send(openai::delta("Half an answer"));
    block_in_place(|| {
        sees(&mut t, "Half an answer");
        t.signal(termlens::Signal::Term).unwrap();
        assert!(t.wait_exit().unwrap().signal().is_some(), "it ends as the signal wants it");
        super::assert_given_back(&t);
        let kept = kept(&program);
        assert_eq!((&kept["turn"], &kept["draft"]), (&json!(0), &json!(MESSAGE)));
    });
    feed.closed().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_under_way_when_the_program_was_killed_is_back_with_a_word_about_it() {
    let (mut t, program, _fake, feed) = asked().await;
    feed.send(openai::delta("Half an answer"));
    block_in_place(|| {
        sees(&mut t, "Half an answer");
        t.send_str("and another thing").unwrap();
        sees(&mut t, "and another thing");
        t.signal(termlens::Signal::Kill).unwrap();
        t.wait_exit().unwrap();
    });
    feed.closed().await;
    block_in_place(|| {
        let before = kept(&program);
        assert_eq!(before["turn"], json!(0));
        assert!(before["draft"].as_str().unwrap().starts_with(MESSAGE), "{before}");
        let id = before["session_id"].as_str().unwrap();
        let mut again = super::start(&program, (100, 30), &[], &["--offline", "chat", "--session", id]);
        sees(&mut again, "was under way when the");
        sees(&mut again, MESSAGE);
        again.send(Key::Enter).unwrap();
        sees(&mut again, "1/");
        quit(again);
        let after = kept(&program);
        assert_eq!((&after["turn"], &after["draft"]), (&json!(1), &json!("")));
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_killed_while_it_asks_for_another_answer_has_kept_the_first() {
    let (second, feed) = Answer::fed();
    let first = Answer::stream(openai::saying("Who books today?"));
    let (mut t, program, _fake) = asking([analysis(), first, analysis(), second]).await;
    block_in_place(|| {
        sees(&mut t, "Who books today?");
        sees(&mut t, "Write here");
        t.send_str("/retry").unwrap();
        t.send(Key::Enter).unwrap();
    });
    feed.send(openai::delta("Half an answer"));
    block_in_place(|| {
        sees(&mut t, "Half an answer");
        t.signal(termlens::Signal::Kill).unwrap();
        t.wait_exit().unwrap();
        let kept = kept(&program);
        assert_eq!((&kept["turn"], kept["messages"].as_array().unwrap().len()), (&json!(1), 3));
    });
}
