//! Every way a call fails, and what the person is told.

use elenchus::llm::{ChatError, ChatMessage, ChatRequest, Client, Endpoint, Finish, KeySource, Provider, TimeoutPhase};
use pretty_assertions::assert_eq;
use secrecy::SecretString;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{Duration, timeout};

use super::{ask_once, ask_with, question};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, RawEndpoint, anthropic, openai, write_chunk, write_head};

/// Lets a fake endpoint give one answer and returns the failure.
async fn failure(answer: Answer) -> ChatError {
    let fake = FakeEndpoint::start([answer]).await;
    let endpoint = fake.openai().with_key("sk-very-secret-key", KeySource::Variable("OPENAI_API_KEY".to_owned()));
    let error = ask_once(endpoint).await.expect_err("it fails");
    assert!(!format!("{error} {error:?}").contains("sk-very-secret-key"), "{error}");
    error
}

#[tokio::test]
async fn nothing_listens_at_the_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let endpoint = Endpoint::new("gone", Provider::OpenAi, &format!("http://{address}"), "m").expect("valid");
    let error = ask_once(endpoint).await.expect_err("it fails");
    assert!(matches!(&error, ChatError::Connect { host, .. } if *host == address.to_string()), "{error:?}");
    assert!(error.is_transient());
    assert!(error.to_string().contains("check that the endpoint is running"), "{error}");
}

#[tokio::test]
async fn the_name_has_no_address() {
    // A label of 64 letters is refused by the resolver itself, so no network is asked.
    let name = format!("{}.invalid", "x".repeat(64));
    let endpoint = Endpoint::new("x", Provider::OpenAi, &format!("http://{name}/v1"), "m").expect("valid");
    let error = ask_once(endpoint).await.expect_err("it fails");
    assert_eq!(error, ChatError::Dns { host: name.clone() });
    let expected = format!("The name {name} could not be resolved: check the endpoint's address and the network.");
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn the_server_does_not_speak_tls() {
    let raw = RawEndpoint::start(|mut stream, _| async move {
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.ok();
    })
    .await;
    let error = ask_once(raw.secure()).await.expect_err("it fails");
    assert!(matches!(error, ChatError::Tls { .. }), "{error:?}");
    assert!(!error.is_transient());
}

#[tokio::test]
async fn the_proxy_refuses() {
    let proxy = RawEndpoint::start(|mut stream, _| async move {
        stream.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n").await.ok();
    })
    .await;
    for (address, target) in
        [(proxy.address(), "http://model.example/v1"), (proxy.address(), "https://model.example/v1")]
    {
        let mut endpoint = Endpoint::new("x", Provider::OpenAi, target, "m").expect("valid");
        endpoint.proxy = Some(SecretString::from(format!("http://me:pass-word@{address}")));
        let error = ask_once(endpoint).await.expect_err("it fails");
        assert!(matches!(&error, ChatError::Proxy { proxy, .. } if proxy == address), "{error:?}");
        assert!(error.to_string().contains("check `proxy`") && !error.to_string().contains("pass-word"), "{error}");
    }
}

#[tokio::test]
async fn the_key_is_wrong_or_missing() {
    let error = failure(Answer::error(401, "invalid_api_key", "Incorrect API key: sk-very-secret-key")).await;
    assert_eq!(error.to_string(), "The endpoint answered 401: check the key in OPENAI_API_KEY.");
    let fake = FakeEndpoint::start([Answer::error(401, "invalid_api_key", "No key")]).await;
    let error = ask_once(fake.openai()).await.expect_err("it fails");
    assert_eq!(
        error.to_string(),
        "The endpoint answered 401: no key is set; set ELENCHUS_API_KEY or name a variable with `key_env`."
    );
}

#[tokio::test]
async fn the_key_may_not_use_the_model() {
    let error = failure(Answer::error(403, "permission", "sk-very-secret-key has no access.")).await;
    let key = KeySource::Variable("OPENAI_API_KEY".to_owned());
    let expected =
        ChatError::Forbidden { key, model: "test-model".to_owned(), detail: "[key] has no access".to_owned() };
    assert_eq!(error, expected);
}

#[tokio::test]
async fn the_model_is_not_there() {
    for answer in [
        Answer::error(404, "model_not_found", "The model `test-model` does not exist"),
        Answer::json(404, &json!({ "error": "model \"test-model\" not found, try pulling it first" })),
        Answer::json(
            404,
            &json!({ "type": "error", "error": { "type": "not_found_error", "message": "model: test-model" } }),
        ),
    ] {
        let error = failure(answer).await;
        assert!(matches!(&error, ChatError::ModelNotFound { model, .. } if model == "test-model"), "{error:?}");
    }
}

#[tokio::test]
async fn there_is_no_api_at_the_address() {
    for answer in [
        Answer::new(404, "text/plain", "404 page not found"),
        Answer::new(404, "text/html", "<html><title>Not here</title></html>"),
        Answer::new(301, "text/plain", "").header("location", "https://elsewhere.example/"),
    ] {
        let error = failure(answer).await;
        assert!(
            matches!(&error, ChatError::WrongAddress { url, .. } if url.ends_with("/v1/chat/completions")),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn the_endpoint_is_in_trouble() {
    for status in [408, 409, 500, 502, 503, 529] {
        let error = failure(Answer::error(status, "trouble", "Overloaded.").header("retry-after", "7")).await;
        let retry_after = Some(Duration::from_secs(7));
        assert_eq!(error, ChatError::Server { status, retry_after, detail: "Overloaded".to_owned() });
        assert!(error.is_transient());
    }
    let page = failure(Answer::new(502, "text/html", "<html><head><title>502 Bad Gateway</title></head></html>")).await;
    assert_eq!(page, ChatError::Server { status: 502, retry_after: None, detail: "502 Bad Gateway".to_owned() });
}

#[tokio::test]
async fn the_context_is_too_long() {
    for answer in [
        Answer::error(400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."),
        Answer::new(413, "text/plain", "Payload Too Large"),
        Answer::json(
            500,
            &json!({ "error": { "message": "the request exceeds the available context size", "n_ctx": 2048 } }),
        ),
        Answer::stream(openai::event(
            &json!({ "error": { "code": 400, "type": "exceed_context_size_error", "message": "too big", "n_ctx": 2048 } }),
        )),
    ] {
        let error = failure(answer).await;
        assert!(error.is_context_overflow() && !error.is_transient(), "{error:?}");
    }
}

#[tokio::test]
async fn how_much_a_model_takes_at_once_is_remembered_until_it_takes_more() {
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 9_000, "completion_tokens": 5 } });
    let long = format!("{}{}", openai::saying("Fine."), openai::event(&usage));
    let fake = FakeEndpoint::start([
        Answer::error(400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."),
        Answer::stream(openai::saying("Fine.")),
        Answer::stream(long),
    ])
    .await;
    let client = Client::new(fake.openai()).expect("usable");
    let long = ChatRequest { messages: vec![ChatMessage::user("word ".repeat(9_000))], ..question() };
    assert!(ask_with(&client, &long).await.0.is_err());
    assert_eq!(client.window(), Some(8192));
    assert!(ask_with(&client, &question()).await.0.is_ok());
    assert_eq!(client.window(), Some(8192));
    assert!(ask_with(&client, &long).await.0.is_ok());
    assert_eq!(client.window(), None, "it has taken more");
}

#[tokio::test]
async fn too_many_requests_with_seconds_or_a_date() {
    let error = failure(Answer::error(429, "rate_limit", "Slow down").header("retry-after", "12")).await;
    assert_eq!(error.retry_after(), Some(Duration::from_secs(12)));
    assert_eq!(error.to_string(), "The endpoint asks for a pause (429: Slow down): try again in 12 s.");
    let date = httpdate::fmt_http_date(std::time::SystemTime::now() + Duration::from_hours(1));
    let error = failure(Answer::error(429, "rate_limit", "Slow down").header("retry-after", &date)).await;
    let wait = error.retry_after().expect("a wait");
    assert!(wait > Duration::from_secs(3500) && wait <= Duration::from_hours(1), "{wait:?}");
}

#[tokio::test]
async fn an_empty_account_is_not_waited_for() {
    let error = failure(Answer::error(429, "insufficient_quota", "You exceeded your current quota")).await;
    assert!(matches!(error, ChatError::OutOfCredit { .. }) && !error.is_transient(), "{error:?}");
    let error = failure(Answer::error(402, "billing", "Payment required")).await;
    assert!(matches!(error, ChatError::OutOfCredit { .. }), "{error:?}");
}

#[tokio::test]
async fn the_stream_is_cut_in_the_middle() {
    // Closed without the end of the chunked body, closed properly but without an end, and cut within an event.
    for cut in 0..3 {
        let raw = RawEndpoint::start(move |mut stream, _| async move {
            write_head(&mut stream).await;
            write_chunk(&mut stream, openai::delta("Half an ans").as_bytes()).await;
            match cut {
                0 => {}
                1 => write_chunk(&mut stream, b"").await,
                _ => write_chunk(&mut stream, b"data: {\"choices\": [{\"del").await,
            }
            stream.shutdown().await.ok();
        })
        .await;
        let error = ask_once(raw.openai()).await.expect_err("it fails");
        assert!(matches!(error, ChatError::StreamCut { received: 11, .. }), "cut {cut}: {error:?}");
        assert!(error.is_transient());
    }
}

#[tokio::test]
async fn the_connection_closes_before_any_answer() {
    let raw = RawEndpoint::start(|stream, _| async move { drop(stream) }).await;
    let error = ask_once(raw.openai()).await.expect_err("it fails");
    assert!(matches!(error, ChatError::StreamCut { received: 0, .. }), "{error:?}");
}

#[tokio::test]
async fn the_stream_stalls() {
    let (answer, feed) = Answer::fed();
    let fake = FakeEndpoint::start([answer]).await;
    feed.send(openai::delta("Half"));
    let mut endpoint = fake.openai();
    endpoint.timeouts.stall = Duration::from_millis(50);
    let host = endpoint.host();
    let error = ask_once(endpoint).await.expect_err("it fails");
    assert_eq!(error, ChatError::Stalled { host, after: Duration::from_millis(50) });
    feed.closed().await;
}

#[tokio::test]
async fn no_connection_comes_about() {
    // A listener that never accepts lets its queue fill up; from then on the system leaves newcomers waiting.
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
    let listener = socket.listen(1).expect("it listens");
    let address = listener.local_addr().expect("an address");
    let mut queue = Vec::new();
    while let Ok(Ok(waiting)) = timeout(Duration::from_millis(100), TcpStream::connect(address)).await {
        queue.push(waiting);
    }
    let mut endpoint = Endpoint::new("full", Provider::OpenAi, &format!("http://{address}"), "m").expect("valid");
    endpoint.timeouts.connect = Duration::from_millis(50);
    let host = endpoint.host();
    let error = ask_once(endpoint).await.expect_err("it fails");
    let expected = ChatError::Timeout { host, phase: TimeoutPhase::Connect, after: Duration::from_millis(50) };
    assert_eq!(error, expected);
    assert!(error.is_transient());
}

#[tokio::test]
async fn no_first_byte_comes() {
    let raw = RawEndpoint::start(|stream, _| async move {
        std::future::pending::<()>().await;
        drop(stream);
    })
    .await;
    let (answer, _feed) = Answer::fed();
    let fake = FakeEndpoint::start([answer]).await;
    for mut endpoint in [raw.openai(), fake.openai()] {
        endpoint.timeouts.first_byte = Duration::from_millis(50);
        let error = ask_once(endpoint).await.expect_err("it fails");
        assert!(matches!(error, ChatError::Timeout { phase: TimeoutPhase::FirstByte, .. }), "{error:?}");
        assert!(error.to_string().contains("raise `timeouts.first_byte`"), "{error}");
    }
}

#[tokio::test]
async fn the_answer_never_ends() {
    let (answer, feed) = Answer::fed();
    let fake = FakeEndpoint::start([answer]).await;
    feed.send(openai::delta("On and"));
    let mut endpoint = fake.openai();
    endpoint.timeouts.total = Duration::from_millis(60);
    let error = ask_once(endpoint).await.expect_err("it fails");
    assert!(matches!(error, ChatError::Timeout { phase: TimeoutPhase::Total, .. }), "{error:?}");
    feed.closed().await;
}

#[tokio::test]
async fn the_stream_makes_no_sense() {
    for body in
        ["data: {\"choices\": [\n\ndata: more\n\n", "data: hello\n\n", "just some text\n", "\u{0}\u{1}\u{2}\n\n"]
    {
        let error = failure(Answer::stream(body)).await;
        assert!(matches!(error, ChatError::MalformedStream { .. }) && !error.is_transient(), "{body}: {error:?}");
    }
    let error = failure(Answer::json(200, &json!({ "hello": "world" }))).await;
    assert!(matches!(error, ChatError::MalformedStream { .. }), "{error:?}");
    let error = failure(Answer::new(200, "application/json", "{")).await;
    assert!(matches!(error, ChatError::MalformedStream { .. }), "{error:?}");
}

#[tokio::test]
async fn the_content_type_is_wrong() {
    let error = failure(Answer::new(200, "image/png", "PNG")).await;
    assert_eq!(error, ChatError::WrongContentType { content_type: "image/png".to_owned() });
}

#[tokio::test]
async fn a_web_page_comes_from_a_captive_proxy() {
    let page = "<!DOCTYPE html><html><head><title>Hotel Wi-Fi: sign in</title></head></html>";
    for answer in [
        Answer::new(200, "text/html; charset=utf-8", page),
        Answer::new(403, "text/html", page),
        Answer::stream(page),
        Answer::stream(page).untyped(),
    ] {
        let error = failure(answer).await;
        assert_eq!(error, ChatError::WebPage { title: "Hotel Wi-Fi: sign in".to_owned() });
        assert!(error.to_string().contains("sign in to the network"), "{error}");
    }
}

#[tokio::test]
async fn the_answer_is_empty() {
    for body in [openai::finish("stop") + openai::DONE, openai::delta("  \n") + &openai::finish("stop"), String::new()]
    {
        let error = failure(Answer::stream(body)).await;
        assert_eq!(error, ChatError::Empty { model: error_model(&error) });
        assert!(error.is_transient());
    }
}

fn error_model(error: &ChatError) -> String {
    if let ChatError::Empty { model } = error { model.clone() } else { format!("not empty: {error:?}") }
}

#[tokio::test]
async fn the_model_declines() {
    let filtered = failure(Answer::stream(openai::finish("content_filter"))).await;
    assert_eq!(filtered, ChatError::Refused { reason: String::new() });
    let fake = FakeEndpoint::start([
        Answer::stream(anthropic::start() + &anthropic::finish("refusal")),
        Answer::stream(
            openai::event(&json!({ "choices": [{ "delta": { "refusal": "I can't help with that." } }] }))
                + &openai::finish("stop"),
        ),
    ])
    .await;
    let error = ask_once(fake.anthropic()).await.expect_err("it fails");
    assert_eq!(error, ChatError::Refused { reason: String::new() });
    let reply = ask_once(fake.openai()).await.expect("words that can be shown");
    assert_eq!((reply.text.as_str(), reply.finish), ("I can't help with that.", Finish::Refusal));
}

#[tokio::test]
async fn the_answer_is_cut_by_length() {
    let cut = openai::delta("A long st") + &openai::finish("length");
    let fake = FakeEndpoint::start([
        Answer::stream(cut),
        Answer::stream(openai::reasoning("Hm") + &openai::finish("length") + &openai::usage()),
    ])
    .await;
    let reply = ask_once(fake.openai()).await.expect("words that can be shown");
    assert_eq!((reply.text.as_str(), reply.finish), ("A long st", Finish::Length));
    let error = ask_once(fake.openai()).await.expect_err("nothing but reasoning came");
    assert_eq!(error, ChatError::LengthCut { limit: 30, text: String::new() });
}

#[tokio::test]
async fn the_answer_is_too_large() {
    let endless_line = "data: ".to_owned() + &"x".repeat(5000);
    let many_events = openai::delta("x").repeat(100);
    for body in [endless_line, many_events] {
        let fake = FakeEndpoint::start([Answer::stream(body)]).await;
        let mut endpoint = fake.openai();
        endpoint.max_reply_bytes = 2000;
        assert_eq!(ask_once(endpoint).await, Err(ChatError::Oversize { limit: 2000 }));
    }
}

#[tokio::test]
async fn an_error_inside_the_stream_is_read_like_a_status() {
    let error =
        |kind: &str| anthropic::event(&json!({ "type": "error", "error": { "type": kind, "message": "Overloaded" } }));
    let fake = FakeEndpoint::start([
        Answer::stream(anthropic::start() + &error("overloaded_error")),
        Answer::stream(anthropic::start() + &error("rate_limit_error")),
    ])
    .await;
    let first = ask_once(fake.anthropic()).await;
    assert_eq!(first, Err(ChatError::Server { status: 529, retry_after: None, detail: "Overloaded".to_owned() }));
    let second = ask_once(fake.anthropic()).await;
    assert_eq!(second, Err(ChatError::RateLimited { retry_after: None, detail: "Overloaded".to_owned() }));
}

#[tokio::test]
async fn anything_else_is_passed_on_in_the_endpoints_words() {
    let error = failure(Answer::error(422, "invalid", "top_p must be below 1\u{1b}[2J")).await;
    assert_eq!(error, ChatError::Rejected { status: 422, detail: "top_p must be below 1 [2J".to_owned() });
}
