//! The key shows nowhere, wherever an endpoint echoes it.

use std::sync::Arc;

use elenchus::llm::{ChatError, Client, Endpoint, KeySource, Recorder, Recordings};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::{ask, ask_with, question};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

const KEY: &str = "sk-very-secret-key-of-mine";

/// An endpoint whose key comes out of a variable that ends in a line break, as `KEY=$(cat file)` never and a file read
/// by a shell script often leaves it.
fn keyed(endpoint: Endpoint) -> Endpoint {
    endpoint.with_key(format!("{KEY} \n"), KeySource::Variable("THE_KEY".to_owned()))
}

/// Asks an endpoint that answers with an echo, and returns everything that came of it.
async fn told(answer: Answer) -> String {
    let fake = FakeEndpoint::start([answer]).await;
    let mut endpoint = keyed(fake.openai());
    endpoint.retry.attempts = 1;
    let (outcome, events) = ask(endpoint).await;
    assert_eq!(fake.asked()[0].headers["authorization"], format!("Bearer {KEY}"), "the key is what is echoed");
    let error = outcome.expect_err("an echo is no answer");
    format!("{error} {error:?} {events:?}")
}

fn page(title: &str) -> String {
    format!("<!doctype html><html><head><title>{title}</title></head><body>No</body></html>")
}

#[tokio::test]
async fn no_error_shows_a_key_that_the_endpoint_echoes() {
    let long = "x".repeat(50);
    let echoes = [
        ("a message", Answer::error(400, "no", &format!("Bad header: Bearer {KEY}"))),
        ("a message that is cut in the key", Answer::error(400, "no", &format!("{} {KEY}", "x".repeat(290)))),
        ("a plain body", Answer::new(500, "text/plain", format!("authorization: {KEY}"))),
        ("a title of a refusal", Answer::new(403, "text/html", page(KEY))),
        ("a title that is cut in the key", Answer::new(403, "text/html", page(&format!("{} {KEY}", "x".repeat(70))))),
        ("a title of a page", Answer::new(200, "text/html", page(&format!("Hello {KEY}")))),
        ("a title of a page that claims to be a stream", Answer::stream(page(KEY))),
        ("a title in a failure", Answer::new(502, "text/html", page(KEY))),
        ("an event that is not JSON", Answer::stream(format!("data: key {KEY}\n\n"))),
        ("an event that is cut in the key", Answer::stream(format!("data: {long}{KEY}\n\n"))),
        ("an answer that is not JSON", Answer::new(200, "application/json", format!("{{{long}{KEY}"))),
        ("the kind of content", Answer::new(200, &format!("application/{KEY}"), "")),
        ("an error in a stream", Answer::stream(openai::event(&json!({ "error": { "message": KEY } })))),
        ("a missing model", Answer::error(404, "model_not_found", &format!("no model for {KEY}"))),
        ("a quota", Answer::error(429, "insufficient_quota", &format!("{KEY} is used up"))),
        ("a pause", Answer::error(429, "slow", &format!("{KEY} is too quick"))),
        ("a context", Answer::error(400, "context_length_exceeded", &format!("{KEY} says too much"))),
        ("an address", Answer::error(400, "no", "POST https://up/v1?key=sk-very-secret-key-of-theirs failed")),
    ];
    for (place, answer) in echoes {
        let told = told(answer).await;
        // A piece of it is too much as well.
        assert!(!told.contains("sk-ver") && !told.contains("of-mine"), "{place}: {told}");
    }
}

#[tokio::test]
async fn a_key_in_the_address_is_in_no_message() {
    let fake = FakeEndpoint::start([Answer::error(404, "no", "Nothing here")]).await;
    let address = format!("http://127.0.0.1:{}/v1?version=2&api_key={KEY}", fake.port());
    let endpoint = Endpoint::new("t", elenchus::llm::Provider::OpenAi, &address, "m").expect("valid");
    let shown = format!("{endpoint:?} {}", endpoint.address());
    assert!(!shown.contains(KEY) && shown.contains("version=2"), "{shown}");
    let error = ask(endpoint).await.0.expect_err("404");
    assert_eq!(fake.asked()[0].path, format!("/v1/chat/completions?version=2&api_key={KEY}"), "it is sent");
    assert!(
        matches!(&error, ChatError::WrongAddress { url, .. } if url.ends_with("?version=2&api_key=***")),
        "{error:?}"
    );
}

#[tokio::test]
async fn names_of_models_are_short_legible_and_without_the_key() {
    let name = format!("m\u{1b}[2J-{KEY}-{}", "x".repeat(500));
    let words = openai::event(&json!({ "model": name, "choices": [{ "delta": { "content": "Hi" },
        "finish_reason": "stop" }] }));
    let list = json!({ "data": (0..5000).map(|_| json!({ "id": name })).collect::<Vec<_>>() });
    let fake = FakeEndpoint::start([Answer::stream(words), Answer::json(200, &list)]).await;
    let client = Client::new(keyed(fake.openai())).expect("usable");
    let answered = ask_with(&client, &question()).await.0.expect("an answer").model;
    let listed = client.models().await.expect("a list");
    assert!(listed.len() <= 2000, "{}", listed.len());
    for name in [&answered, &listed[0]] {
        assert!(name.starts_with("m [2J-[key]-x") && name.len() <= 300, "{name}");
    }
}

#[tokio::test]
async fn a_recording_holds_no_key_of_header_or_address_and_fits_another_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("exchanges.jsonl");
    let echo = json!({ "model": format!("for {KEY}"), "url": format!("\\/v1?api_key={KEY}"),
        "choices": [{ "delta": { "content": "Hi" }, "finish_reason": "stop" }] });
    let answer = Answer::stream(openai::event(&echo)).header("retry-after", KEY);
    let fake = FakeEndpoint::start([answer]).await;
    let at = |key: &str| {
        let address = format!("http://127.0.0.1:{}/v1?api_key={key}", fake.port());
        Endpoint::new("t", elenchus::llm::Provider::OpenAi, &address, "m").expect("valid")
    };
    let recorder = Arc::new(Recorder::create(&path).expect("a file"));
    let client = Client::new(keyed(at(KEY))).expect("usable").recording_to(recorder);
    ask_with(&client, &question()).await.0.expect("an answer");
    let kept = std::fs::read_to_string(&path).expect("a recording");
    assert!(!kept.contains("sk-ver") && kept.contains("/v1/chat/completions?api_key=***"), "{kept}");
    let recordings = Arc::new(Recordings::open(&path).expect("recordings"));
    for endpoint in [at("another"), recordings.endpoint().expect("one model")] {
        let mut endpoint = endpoint;
        "m".clone_into(&mut endpoint.model);
        let replay = Client::new(endpoint).expect("usable").replaying(Arc::clone(&recordings));
        assert_eq!(ask_with(&replay, &question()).await.0.expect("the same answer").text, "Hi");
    }
}

#[tokio::test]
async fn a_refused_key_is_recognised_whatever_status_a_gateway_gives_it() {
    let google = json!([{ "error": { "code": 400, "status": "INVALID_ARGUMENT",
        "message": "API key not valid. Please pass a valid API key." } }]);
    let answers = [
        (400, Answer::json(400, &google)),
        (400, Answer::error(400, "invalid_request_error", "Incorrect API key provided: xa***zz.")),
        (400, Answer::error(400, "invalid_api_key", "No.")),
        (400, Answer::error(400, "400", "litellm.AuthenticationError: AuthenticationError: OpenAIException")),
        (403, Answer::json(403, &json!({ "error": "Invalid API key" }))),
        (422, Answer::json(422, &json!({ "detail": "Authentication Error, Invalid proxy server token passed" }))),
        (500, Answer::error(500, "authentication_error", "upstream")),
    ];
    for (expected, answer) in answers {
        let fake = FakeEndpoint::start([answer]).await;
        let error = ask(keyed(fake.openai())).await.0.expect_err("refused");
        let ChatError::Unauthorized { status, .. } = error else { panic!("{error:?}") };
        assert_eq!((status, fake.asked().len()), (expected, 1), "it is not tried again");
        let words = format!("The endpoint answered {status} and does not accept the key: check the key in THE_KEY.");
        assert_eq!(error.to_string(), words);
    }
    for (status, words) in
        [(400, "Unsupported parameter: 'api_key'"), (403, "Model not allowed"), (500, "no api key db")]
    {
        let fake = FakeEndpoint::start((0..2).map(|_| Answer::error(status, "no", words))).await;
        let error = ask(keyed(fake.openai())).await.0.expect_err("refused");
        assert!(!matches!(error, ChatError::Unauthorized { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_refused_key_is_recognised_in_answers_that_say_500_or_200() {
    let told = json!({ "error": { "message": "Invalid API key", "type": "server_error" } });
    let answers = [
        (500, Answer::json(500, &told)),
        (502, Answer::new(502, "text/plain", "Unauthorized")),
        (200, Answer::json(200, &told)),
        (200, Answer::json(200, &json!({ "code": 401, "msg": "token" }))),
        (200, Answer::json(200, &json!({ "success": false, "message": "Unauthorized" }))),
        (200, Answer::new(200, "text/plain", "invalid api key")),
        (200, Answer::stream(format!("data: {told}\n\n"))),
        (200, Answer::stream("data: Unauthorized\n\n")),
        (200, Answer::stream(told.to_string())),
        (200, Answer::stream("Unauthorized").untyped()),
    ];
    for (at, (expected, answer)) in answers.into_iter().enumerate() {
        let fake = FakeEndpoint::start([answer]).await;
        let error = ask(keyed(fake.openai())).await.0.expect_err("refused");
        let ChatError::Unauthorized { status, .. } = error else { panic!("{at}: {error:?}") };
        assert_eq!((at, status, fake.asked().len()), (at, expected, 1), "it is not tried again");
        let words = format!("The endpoint answered {status} and does not accept the key: check the key in THE_KEY.");
        assert_eq!(error.to_string(), words);
    }
    let fake = FakeEndpoint::start([Answer::json(200, &told)]).await;
    let listed = Client::new(keyed(fake.openai())).expect("usable").models().await;
    assert!(matches!(listed, Err(ChatError::Unauthorized { status: 200, .. })), "{listed:?}");
}

#[tokio::test]
async fn what_only_speaks_of_keys_is_no_refused_key() {
    let trouble = "The server had an error while it looked up your API key; try again later.";
    let mut endpoint = FakeEndpoint::start((0..9).map(|_| Answer::error(500, "server_error", trouble))).await;
    let error = ask(keyed(endpoint.openai())).await.0.expect_err("in trouble");
    assert!(matches!(error, ChatError::Server { status: 500, .. }), "{error:?}");
    assert!(endpoint.asked().len() > 1, "an ordinary 500 is tried again");
    let chat = json!({ "choices": [{ "message": { "content": "Invalid API key" }, "finish_reason": "stop" }] });
    for answer in [Answer::stream(openai::saying("Invalid API key")), Answer::json(200, &chat)] {
        endpoint = FakeEndpoint::start([answer]).await;
        assert_eq!(ask(keyed(endpoint.openai())).await.0.expect("an answer").text, "Invalid API key");
    }
}
