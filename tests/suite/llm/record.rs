//! Recordings: byte for byte, without keys, with a helpful miss.

use std::path::Path;
use std::sync::Arc;

use elenchus::llm::{
    ChatError, ChatMessage, ChatRequest, Client, Endpoint, KeySource, Recorder, RecordingError, Recordings,
};
use pretty_assertions::assert_eq;
use secrecy::SecretString;

use super::{ask_with, question};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

const KEY: &str = "sk-very-secret-key";

fn recording(endpoint: Endpoint, path: &Path) -> Client {
    let recorder = Arc::new(Recorder::create(path).expect("a file"));
    Client::new(endpoint).expect("usable").recording_to(recorder)
}

fn replaying(endpoint: Endpoint, path: &Path) -> Client {
    let recordings = Arc::new(Recordings::open(path).expect("recordings"));
    Client::new(endpoint).expect("usable").replaying(recordings)
}

#[tokio::test]
async fn a_conversation_replays_byte_for_byte_without_its_endpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("exchanges.jsonl");
    let (split, feed) = Answer::fed();
    let bytes = openai::saying("Größe 🌞.").into_bytes();
    // The middle of a character: such a chunk is no text.
    let middle = bytes.iter().position(|byte| *byte == 0xC3).expect("an umlaut") + 1;
    let fake =
        FakeEndpoint::start([split, Answer::error(400, "no", "Not so"), Answer::stream(openai::delta("Cut"))]).await;
    let mut endpoint = fake.openai();
    endpoint.retry.attempts = 1;
    let client = recording(endpoint.clone(), &path);
    let (request, first) = (question(), question());
    let live = tokio::spawn(async move { (ask_with(&client, &first).await, client) });
    feed.send(bytes[..middle].to_vec());
    feed.send(bytes[middle..].to_vec());
    drop(feed);
    let (live, client) = live.await.expect("it ran");
    let refused = ask_with(&client, &request).await;
    let cut = ask_with(&client, &request).await;

    let replay = replaying(endpoint, &path);
    for (expected, expected_events) in [live, refused, cut] {
        let (outcome, events) = ask_with(&replay, &request).await;
        assert_eq!(events, expected_events);
        let timeless = |outcome: Result<elenchus::llm::ChatReply, ChatError>| {
            outcome.map(|reply| (reply.text, reply.reasoning, reply.usage, reply.finish, reply.model))
        };
        assert_eq!(timeless(outcome), timeless(expected));
    }
    assert_eq!(fake.asked().len(), 3, "the replay never asks");
}

#[tokio::test]
async fn keys_are_in_no_recording_even_when_an_endpoint_echoes_them_in_pieces() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("exchanges.jsonl");
    let (answer, feed) = Answer::fed();
    let fake = FakeEndpoint::start([answer]).await;
    let mut endpoint = fake.openai().with_key(KEY, KeySource::Variable("K".to_owned()));
    endpoint.headers.push(("X-Auth".to_owned(), SecretString::from("header-secret")));
    let client = recording(endpoint.clone(), &path);
    let request = ChatRequest { messages: vec![ChatMessage::user(format!("My key is {KEY}."))], ..question() };
    let asked = request.clone();
    let chat = tokio::spawn(async move { ask_with(&client, &asked).await.0 });
    let pieces: String =
        KEY.as_bytes().chunks(10).map(|piece| openai::delta(&String::from_utf8_lossy(piece))).collect();
    let stream = format!("{pieces}{}", openai::saying(&format!(" You said {KEY} and header-secret.")));
    let middle = stream.find(KEY).expect("the key") + 5;
    feed.send(stream.as_bytes()[..middle].to_vec());
    feed.send(stream.as_bytes()[middle..].to_vec());
    drop(feed);
    let live = chat.await.expect("it ran").expect("an answer");
    assert_eq!(
        live.text, "[key] You said [key] and [key].",
        "what an endpoint echoes is taken out of its answer as well"
    );
    let kept = std::fs::read_to_string(&path).expect("a recording");
    assert!(kept.contains("said "), "{kept}");
    for secret in ["sk-very", "secret-key", "header-secret", "Bearer", "authorization"] {
        assert!(!kept.contains(secret), "{secret} in {kept}");
    }
    let (outcome, _) = ask_with(&replaying(endpoint, &path), &request).await;
    assert_eq!(outcome.expect("the masked request is found again").usage, live.usage);
}

#[tokio::test]
async fn a_miss_shows_the_nearest_recording_and_where_it_differs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("exchanges.jsonl");
    let fake = FakeEndpoint::start((0..2).map(|_| Answer::stream(openai::saying("Ok.")))).await;
    let client = recording(fake.openai(), &path);
    let asking = |words: &str| ChatRequest { messages: vec![ChatMessage::user(words)], ..question() };
    for words in ["How many nurses are there?", "We lose three hours a day."] {
        ask_with(&client, &asking(words)).await.0.expect("an answer");
    }
    let replay = replaying(fake.openai(), &path);
    let (outcome, _) = ask_with(&replay, &asking("We lose three weeks a day.")).await;
    let Err(ChatError::NotRecorded { nearest }) = outcome else { panic!("{outcome:?}") };
    assert!(nearest.contains("number 2"), "{nearest}");
    assert!(nearest.contains("hours a day") && nearest.contains("weeks a day"), "{nearest}");
}

#[tokio::test]
async fn a_file_that_is_no_recording_is_refused_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("exchanges.jsonl");
    assert!(matches!(Recordings::open(&path), Err(RecordingError::Unreadable { .. })));
    std::fs::write(&path, "\nnonsense\n").expect("written");
    let error = Recordings::open(&path).expect_err("not a recording");
    assert!(error.to_string().starts_with("Line 2 of the recording"), "{error}");
}
