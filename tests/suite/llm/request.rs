//! What is sent.

use elenchus::llm::{ChatMessage, ChatRequest, Client, KeySource, OutputSchema};
use pretty_assertions::assert_eq;
use secrecy::SecretString;
use serde_json::json;

use super::ask_with;
use crate::support::fake_endpoint::{Answer, FakeEndpoint, anthropic, openai};

fn conversation() -> ChatRequest {
    ChatRequest {
        system: vec!["Stable.".to_owned(), "Changing.".to_owned()],
        messages: vec![ChatMessage::assistant("Welcome."), ChatMessage::user("We need an app.")],
        schema: None,
        max_output_tokens: Some(200),
        temperature: Some(0.5),
        ..ChatRequest::default()
    }
}

#[tokio::test]
async fn an_openai_request_has_its_whole_shape() {
    let fake = FakeEndpoint::start([Answer::stream(openai::saying("Ok."))]).await;
    let mut endpoint = fake.openai().with_key("sk-1234567", KeySource::Variable("K".to_owned()));
    endpoint.headers.push(("X-Team".to_owned(), SecretString::from("intake")));
    endpoint.extra_body.insert("reasoning_effort".to_owned(), json!("low"));
    ask_with(&Client::new(endpoint).expect("usable"), &conversation()).await.0.expect("an answer");
    let asked = fake.asked().remove(0);
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(asked.headers["authorization"], "Bearer sk-1234567");
    assert_eq!(asked.headers["x-team"], "intake");
    let expected = json!({
        "model": "test-model",
        "messages": [
            { "role": "system", "content": "Stable.\n\nChanging." },
            { "role": "assistant", "content": "Welcome." },
            { "role": "user", "content": "We need an app." },
        ],
        "stream": true,
        "stream_options": { "include_usage": true },
        "max_tokens": 200,
        "temperature": 0.5,
        "reasoning_effort": "low",
    });
    assert_eq!(asked.body, expected);
}

#[tokio::test]
async fn an_anthropic_request_has_its_whole_shape() {
    let fake = FakeEndpoint::start([Answer::stream(anthropic::saying("Ok."))]).await;
    let endpoint = fake.anthropic().with_key("sk-ant-1234567", KeySource::Variable("K".to_owned()));
    ask_with(&Client::new(endpoint).expect("usable"), &conversation()).await.0.expect("an answer");
    let asked = fake.asked().remove(0);
    assert_eq!(asked.path, "/v1/messages");
    assert_eq!(asked.headers["x-api-key"], "sk-ant-1234567");
    assert_eq!(asked.headers["anthropic-version"], "2023-06-01");
    let expected = json!({
        "model": "test-model",
        "max_tokens": 200,
        "messages": [
            { "role": "user", "content": "(The conversation begins.)" },
            { "role": "assistant", "content": "Welcome." },
            { "role": "user", "content": "We need an app." },
        ],
        "stream": true,
        "system": [
            { "type": "text", "text": "Stable." },
            { "type": "text", "text": "Changing." },
        ],
        "temperature": 0.5,
    });
    assert_eq!(asked.body, expected);
}

#[tokio::test]
async fn a_long_anthropic_request_has_marks_where_the_next_one_begins_alike() {
    let fake = FakeEndpoint::start((0..2).map(|_| Answer::stream(anthropic::saying("{\"fields\": []}")))).await;
    let client = Client::new(fake.anthropic()).expect("usable");
    let system = vec!["word ".repeat(1_100)];
    let messages = ["One.", "Two.", "Three."].map(ChatMessage::user);
    let messages = messages.into_iter().flat_map(|message| [message, ChatMessage::assistant("I see.")]).take(5);
    let answer = ChatRequest { system, messages: messages.collect(), ..ChatRequest::default() };
    let schema = json!({ "type": "object", "properties": {}, "required": ["fields"], "additionalProperties": false });
    let output = OutputSchema { name: "analysis".to_owned(), schema: schema.into(), in_parts: false };
    let report = ChatRequest { schema: Some(output), ..answer.clone() };
    for request in [&answer, &report] {
        ask_with(&client, request).await.0.expect("an answer");
    }
    let marked = |body: &serde_json::Value| -> Vec<usize> {
        let messages = body["messages"].as_array().expect("messages");
        (0..messages.len()).filter(|at| messages[*at]["content"][0]["cache_control"].is_object()).collect()
    };
    let asked = fake.asked();
    for request in &asked {
        assert!(request.body["system"][0]["cache_control"].is_object(), "what never changes");
    }
    assert_eq!(marked(&asked[0].body), [4], "the whole of what an answer is written from stays");
    assert_eq!(marked(&asked[1].body), [2], "a report ends with a task of its own");
}

#[tokio::test]
async fn a_template_that_wants_the_person_first_gets_an_opening_from_then_on() {
    let words = "Conversation roles must alternate user/assistant/user/assistant/...";
    let saying = || Answer::stream(openai::saying("Ok."));
    let fake = FakeEndpoint::start([Answer::error(500, "server_error", words), saying(), saying()]).await;
    let client = Client::new(fake.openai()).expect("usable");
    for _ in 0..2 {
        ask_with(&client, &conversation()).await.0.expect("an answer");
    }
    let openings: Vec<_> = fake.asked().iter().map(|asked| asked.body["messages"][1]["role"].clone()).collect();
    assert_eq!(openings, ["assistant", "user", "user"]);
}
