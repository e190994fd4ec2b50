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
async fn a_mark_is_set_only_where_the_model_keeps_so_short_a_prompt() {
    for (model, tokens, marked) in [
        ("claude-sonnet-4-5", 1_100, true),
        ("claude-haiku-4-5", 1_100, false),
        ("claude-haiku-4-5", 4_200, true),
        ("claude-3-5-haiku", 1_100, false),
        ("claude-opus-4-6", 2_100, false),
    ] {
        let fake = FakeEndpoint::start([Answer::stream(anthropic::saying("Ok."))]).await;
        let mut endpoint = fake.anthropic();
        model.clone_into(&mut endpoint.model);
        let request = ChatRequest { system: vec!["word ".repeat(tokens)], ..conversation() };
        ask_with(&Client::new(endpoint).expect("usable"), &request).await.0.expect("an answer");
        let mark = &fake.asked()[0].body["system"][0]["cache_control"];
        assert_eq!(mark.is_object(), marked, "{model} {tokens}");
    }
}

#[tokio::test]
async fn the_limit_of_an_answer_is_none_of_a_report() {
    let fake = FakeEndpoint::start((0..2).map(|_| Answer::stream(openai::saying("{\"fields\": []}")))).await;
    let mut endpoint = fake.openai();
    endpoint.max_output_tokens = Some(150);
    let client = Client::new(endpoint).expect("usable");
    let schema = json!({ "type": "object", "properties": {}, "required": ["fields"], "additionalProperties": false });
    let output = OutputSchema { name: "analysis".to_owned(), schema: schema.into(), in_parts: true };
    let report = ChatRequest { schema: Some(output), max_output_tokens: Some(2_000), ..conversation() };
    for request in [conversation(), report] {
        ask_with(&client, &request).await.0.expect("an answer");
    }
    let limits: Vec<_> = fake.asked().iter().map(|asked| asked.body["max_tokens"].clone()).collect();
    assert_eq!(limits, [150, 2_000]);
}

#[tokio::test]
async fn where_the_key_of_a_provider_is_not_set_nothing_is_sent() {
    let mut endpoint =
        elenchus::llm::Endpoint::new("or", elenchus::llm::Provider::OpenAi, "https://openrouter.ai/api/v1", "m")
            .expect("an address");
    endpoint.key_variable = Some("OPENROUTER_API_KEY".to_owned());
    let error = ask_with(&Client::new(endpoint).expect("usable"), &conversation()).await.0.expect_err("no key");
    assert_eq!(
        error.to_string(),
        "There is no key for openrouter.ai: OPENROUTER_API_KEY is not set; put the key there."
    );
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
