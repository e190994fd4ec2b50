//! Ollama's own protocol and OpenAI's responses: what is sent, what is read, how they fail; keys that a program prints.

use elenchus::llm::presets::PRESETS;
use elenchus::llm::{ChatError, ChatMessage, ChatRequest, Client, Endpoint, Finish, Key, OutputSchema, Provider};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{ask, ask_once, ask_with, deltas};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, anthropic, openai};

fn conversation() -> ChatRequest {
    ChatRequest {
        system: vec!["Stable.".to_owned(), "Changing.".to_owned()],
        messages: vec![ChatMessage::assistant("Welcome."), ChatMessage::user("We need an app.")],
        schema: Some(OutputSchema {
            name: "data".to_owned(),
            schema: json!({ "type": "object" }).into(),
            in_parts: false,
        }),
        max_output_tokens: Some(200),
        temperature: Some(0.5),
        ..ChatRequest::default()
    }
}

fn lines(values: &[Value]) -> Answer {
    let lines: Vec<String> = values.iter().map(|value| format!("{value}\n")).collect();
    Answer::new(200, "application/x-ndjson", lines.concat())
}

fn events(values: &[Value]) -> Answer {
    let events: Vec<String> = values.iter().map(|value| format!("data: {value}\n\n")).collect();
    Answer::stream(events.concat())
}

#[tokio::test]
async fn an_ollama_request_names_the_window_and_takes_a_schema() {
    let answer = lines(&[
        json!({ "model": "qwen3:8b", "message": { "content": "{}" }, "done": false }),
        json!({ "done": true, "done_reason": "stop", "prompt_eval_count": 120, "eval_count": 30 }),
    ]);
    let fake = FakeEndpoint::start([answer]).await;
    let mut endpoint = fake.ollama();
    endpoint.context_window = Some(8192);
    ask_with(&Client::new(endpoint).expect("usable"), &conversation()).await.0.expect("an answer");
    let asked = fake.asked().remove(0);
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/api/chat"));
    let expected = json!({
        "model": "test-model",
        "messages": [
            { "role": "system", "content": "Stable.\n\nChanging." },
            { "role": "assistant", "content": "Welcome." },
            { "role": "user", "content": "We need an app." },
        ],
        "stream": true,
        "options": { "num_ctx": 8192, "num_predict": 200, "temperature": 0.5 },
        "format": { "type": "object" },
    });
    assert_eq!(asked.body, expected);
}

#[tokio::test]
async fn ollama_streams_lines_with_thoughts_apart_and_says_why_it_stopped() {
    let answer = lines(&[
        json!({ "model": "qwen3:8b", "message": { "content": "", "thinking": "Hm." }, "done": false }),
        json!({ "message": { "content": "What " }, "done": false }),
        json!({ "message": { "content": "else?" }, "done": false }),
        json!({ "done": true, "done_reason": "length", "prompt_eval_count": 120, "eval_count": 30 }),
    ]);
    let fake = FakeEndpoint::start([answer]).await;
    let (reply, events) = ask(fake.ollama()).await;
    let reply = reply.expect("an answer");
    assert_eq!(
        (deltas(&events).as_str(), reply.text.as_str(), reply.reasoning.as_str()),
        ("What else?", "What else?", "Hm.")
    );
    assert_eq!((reply.finish, reply.model.as_str()), (Finish::Length, "qwen3:8b"));
    assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (120, 30));
}

#[tokio::test]
async fn what_ollama_refuses_is_said_in_its_words() {
    let missing = Answer::json(404, &json!({ "error": "model 'qwen9' not found" }));
    let broken = lines(&[json!({ "error": "llama runner process has terminated" })]);
    let cut = lines(&[json!({ "message": { "content": "half" }, "done": false })]);
    let fake = FakeEndpoint::start([missing, broken, cut]).await;
    assert!(matches!(ask_once(fake.ollama()).await, Err(ChatError::ModelNotFound { .. })));
    let error = ask_once(fake.ollama()).await.expect_err("it failed").to_string();
    assert!(error.contains("llama runner process has terminated"), "{error}");
    assert!(matches!(ask_once(fake.ollama()).await, Err(ChatError::StreamCut { .. })));
}

#[tokio::test]
async fn the_models_of_ollama_are_listed() {
    let list = json!({ "models": [{ "name": "qwen3:8b", "size": 5 }, { "name": "llama3.2:1b" }] });
    let fake = FakeEndpoint::start([Answer::json(200, &list)]).await;
    let models = Client::new(fake.ollama()).expect("usable").models().await.expect("a list");
    assert_eq!(models, ["qwen3:8b", "llama3.2:1b"]);
    assert_eq!(fake.asked()[0].path, "/api/tags");
}

#[tokio::test]
async fn a_request_for_responses_has_its_whole_shape() {
    let done = json!({ "type": "response.completed", "response": { "model": "gpt-x", "status": "completed" } });
    let fake =
        FakeEndpoint::start([events(&[json!({ "type": "response.output_text.delta", "delta": "{}" }), done])]).await;
    ask_with(&Client::new(fake.responses()).expect("usable"), &conversation()).await.0.expect("an answer");
    let asked = fake.asked().remove(0);
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/v1/responses"));
    let expected = json!({
        "model": "test-model",
        "input": [
            { "role": "assistant", "content": "Welcome." },
            { "role": "user", "content": "We need an app." },
        ],
        "stream": true,
        "store": false,
        "instructions": "Stable.\n\nChanging.",
        "max_output_tokens": 200,
        "temperature": 0.5,
        "text": { "format": {
            "type": "json_schema", "name": "data", "schema": { "type": "object" }, "strict": false } },
    });
    assert_eq!(asked.body, expected);
}

#[tokio::test]
async fn responses_stream_words_thoughts_and_figures() {
    let usage = json!({ "input_tokens": 120, "output_tokens": 30, "input_tokens_details": { "cached_tokens": 80 },
        "output_tokens_details": { "reasoning_tokens": 10 } });
    let end = |name: &str, details: Value| {
        json!({ "type": name, "response": {
            "model": "gpt-x", "status": name.strip_prefix("response."), "usage": usage, "incomplete_details": details } })
    };
    let said = [
        json!({ "type": "response.created", "response": {} }),
        json!({ "type": "response.reasoning_summary_text.delta", "delta": "Hm." }),
        json!({ "type": "response.output_text.delta", "delta": "What " }),
        json!({ "type": "response.output_text.delta", "delta": "else?" }),
    ];
    let whole = [&said[..], &[end("response.completed", Value::Null)]].concat();
    let cut = [&said[..], &[end("response.incomplete", json!({ "reason": "max_output_tokens" }))]].concat();
    let fake = FakeEndpoint::start([events(&whole), events(&cut)]).await;
    let (reply, heard) = ask(fake.responses()).await;
    let reply = reply.expect("an answer");
    assert_eq!((deltas(&heard).as_str(), reply.reasoning.as_str()), ("What else?", "Hm."));
    assert_eq!((reply.finish, reply.model.as_str()), (Finish::Stop, "gpt-x"));
    let figures = (reply.usage.input_tokens, reply.usage.cached_input_tokens, reply.usage.reasoning_tokens);
    assert_eq!(figures, (120, 80, 10));
    assert_eq!(ask(fake.responses()).await.0.expect("an answer").finish, Finish::Length);
}

#[tokio::test]
async fn responses_come_whole_refuse_and_fail() {
    let whole = json!({ "model": "gpt-x", "status": "completed", "output": [
        { "type": "reasoning", "summary": [{ "type": "summary_text", "text": "Hm." }] },
        { "type": "message", "content": [{ "type": "output_text", "text": "What else?" }] } ] });
    let refusal = events(&[
        json!({ "type": "response.refusal.delta", "delta": "I cannot." }),
        json!({ "type": "response.completed", "response": { "status": "completed" } }),
    ]);
    let failed = events(&[json!({ "type": "response.failed", "response": { "error": {
        "code": "server_error", "message": "The model had a bad day." } } })]);
    let fake = FakeEndpoint::start([Answer::json(200, &whole), refusal, failed]).await;
    assert_eq!(ask_once(fake.responses()).await.expect("an answer").text, "What else?");
    let refused = ask_once(fake.responses()).await.expect("its words");
    assert_eq!((refused.finish, refused.text.as_str()), (Finish::Refusal, "I cannot."));
    let error = ask_once(fake.responses()).await.expect_err("it failed").to_string();
    assert!(error.contains("The model had a bad day"), "{error}");
}

/// What a server of a protocol says, as that protocol has it.
fn saying(protocol: Provider) -> Answer {
    match protocol {
        Provider::OpenAi => Answer::stream(openai::saying("What else?")),
        Provider::Anthropic => Answer::stream(anthropic::saying("What else?")),
        Provider::Ollama => lines(&[
            json!({ "model": "m", "message": { "content": "What else?" }, "done": false }),
            json!({ "done": true, "done_reason": "stop", "prompt_eval_count": 12, "eval_count": 3 }),
        ]),
        Provider::Responses => events(&[
            json!({ "type": "response.output_text.delta", "delta": "What else?" }),
            json!({ "type": "response.completed", "response": { "model": "m", "status": "completed" } }),
        ]),
    }
}

#[tokio::test]
async fn every_provider_by_name_is_spoken_to_in_its_protocol_below_its_path() {
    for preset in PRESETS {
        let fake = FakeEndpoint::start([saying(preset.protocol)]).await;
        // The same path on this machine.
        let path = preset
            .address
            .and_then(|address| address.split_once("://")?.1.split_once('/'))
            .map_or("", |(_, path)| path);
        let address = format!("http://127.0.0.1:{}/{path}", fake.port());
        let endpoint = Endpoint::new(preset.name, preset.protocol, &address, "m").expect("usable");
        let reply = ask_once(endpoint).await.unwrap_or_else(|error| panic!("{}: {error}", preset.name));
        assert_eq!(reply.text, "What else?", "{}", preset.name);
        let asked = fake.asked().remove(0).path;
        assert!(asked.starts_with(&format!("/{path}")) && asked.len() > path.len() + 1, "{}: {asked}", preset.name);
    }
}

/// A program that prints a key, and counts how often it was asked.
fn prints(key: &str) -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let count = folder.path().join("count");
    let script = format!("echo x >> '{}'; echo '{key}'", count.display());
    (folder, vec!["/bin/sh".to_owned(), "-c".to_owned(), script])
}

#[tokio::test]
async fn a_key_that_a_program_prints_is_asked_for_once_and_shows_nowhere() {
    let echo = Answer::error(400, "bad", "no such parameter in sk-printed-1234567");
    let answers = [Answer::stream(openai::saying("Ok.")), Answer::stream(openai::saying("Ok.")), echo];
    let fake = FakeEndpoint::start(answers).await;
    let (folder, command) = prints("sk-printed-1234567");
    let mut endpoint = fake.openai();
    endpoint.retry.attempts = 1;
    endpoint.key = Some(Key::printed_by(command));
    let client = Client::new(endpoint).expect("usable");
    assert!(!folder.path().join("count").exists(), "nothing is run before it is needed");
    for _ in 0..2 {
        ask_with(&client, &super::question()).await.0.expect("an answer");
    }
    let asked = fake.asked();
    assert!(asked.iter().all(|asked| asked.headers["authorization"] == "Bearer sk-printed-1234567"));
    assert_eq!(std::fs::read_to_string(folder.path().join("count")).expect("it ran"), "x\n");
    let error = ask_with(&client, &super::question()).await.0.expect_err("refused").to_string();
    assert!(!error.contains("sk-printed") && error.contains("[key]"), "{error}");
}

#[tokio::test]
async fn a_program_that_prints_no_key_is_named_with_its_words() {
    let fake = FakeEndpoint::start([]).await;
    let shows_it = "echo \"+ curl -H 'Authorization: Bearer sk-ant-0123456789abcdefghij0123'\" >&2; exit 3";
    let ways = [
        ("echo locked >&2; exit 3", "failed: locked"),
        ("true", "printed no key"),
        ("yes", "prints more than a key"),
        ("yes >&2", "failed: y"),
        (shows_it, "failed: + curl"),
    ];
    for (script, words) in ways {
        let mut endpoint = fake.openai();
        endpoint.key = Some(Key::printed_by(vec!["/bin/sh".to_owned(), "-c".to_owned(), script.to_owned()]));
        let error = ask_once(endpoint).await.expect_err("no key").to_string();
        assert!(error.contains("`key_command`: `/bin/sh`") && error.contains(words), "{error}");
        assert!(!error.contains("0123456789"), "{error}");
    }
    let mut endpoint = fake.openai();
    endpoint.key = Some(Key::printed_by(vec!["/nonexistent/keys".to_owned()]));
    assert!(ask_once(endpoint).await.expect_err("no program").to_string().contains("cannot be started"));
    assert_eq!(fake.asked().len(), 0, "nothing is sent without the key");
}

#[tokio::test]
async fn a_program_that_prints_a_key_does_not_get_the_others() {
    let fake = FakeEndpoint::start([Answer::stream(openai::saying("Ok."))]).await;
    let mut endpoint = fake.openai();
    // PATH stands for a variable that holds a key: it is surely set.
    let command = ["/bin/sh", "-c", "echo \"<$PATH>\""].map(str::to_owned).to_vec();
    let mut key = Key::printed_by(command);
    key.without(&["PATH".to_owned()]);
    endpoint.key = Some(key);
    ask_once(endpoint).await.expect("an answer");
    let usual = std::env::var("PATH").expect("a path");
    assert!(!fake.asked()[0].headers["authorization"].to_str().expect("text").contains(&usual));
}

#[tokio::test]
async fn no_answer_may_be_longer_than_the_settings_say() {
    let fake = FakeEndpoint::start((0..2).map(|_| Answer::stream(openai::saying("Ok.")))).await;
    let mut endpoint = fake.openai();
    endpoint.max_output_tokens = Some(50);
    let client = Client::new(endpoint).expect("usable");
    let wants = |tokens| ChatRequest { max_output_tokens: tokens, ..super::question() };
    for request in [wants(Some(200)), wants(None)] {
        ask_with(&client, &request).await.0.expect("an answer");
    }
    assert!(fake.asked().iter().all(|asked| asked.body["max_tokens"] == 50));
}
