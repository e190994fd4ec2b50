//! Doctor's probe and the search for local servers.

use elenchus::llm::local::{LocalServer, detect_at};
use elenchus::llm::probe::{Check, Wanted, probe};
use elenchus::llm::{Client, Means};
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::net::TcpListener;

use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

fn models() -> Answer {
    Answer::json(200, &json!({ "data": [{ "id": "test-model" }, { "id": "other" }] }))
}

#[tokio::test]
async fn a_healthy_endpoint_passes_every_check() {
    let words = Answer::stream(openai::saying("one two three four five"));
    let fake = FakeEndpoint::start([models(), words, Answer::stream(openai::saying("{\"sum\":5}"))]).await;
    let report = probe(&Client::new(fake.openai()).expect("usable"), None).await;
    for check in
        [&report.reachable, &report.key, &report.model_known, &report.streaming, &report.json_schema, &report.usage]
    {
        assert!(check.works(), "{report:#?}");
    }
    assert_eq!(report.models, ["test-model", "other"]);
    assert_eq!(report.structured, Some(Means::JsonSchema));
    assert_eq!(report.spent.len(), 2);
}

#[tokio::test]
async fn the_schema_that_conversations_need_is_the_one_that_is_tried() {
    let words = Answer::stream(openai::saying("one two three four five"));
    let report = Answer::stream(openai::saying("{\"fields\": [], \"signals\": {}}"));
    let fake = FakeEndpoint::start([models(), words, report]).await;
    let schema = json!({ "type": "object", "properties": {}, "required": ["fields"], "additionalProperties": false });
    let wanted = Wanted {
        engine: "small".to_owned(),
        system: "You listen.".to_owned(),
        message: "Hello.".to_owned(),
        schema: schema.clone().into(),
    };
    let report = probe(&Client::new(fake.openai()).expect("usable"), Some(&wanted)).await;
    assert_eq!(report.json_schema, Check::Works("the answer matched the schema of small".to_owned()));
    assert_eq!(fake.asked()[2].body["response_format"]["json_schema"]["schema"], schema);
}

#[tokio::test]
async fn what_does_not_work_is_said_one_by_one() {
    let whole = json!({ "choices": [{ "message": { "content": "one two" }, "finish_reason": "stop" }] });
    let fake = FakeEndpoint::start([
        Answer::new(404, "text/plain", "no list here"),
        Answer::json(200, &whole),
        Answer::error(400, "x", "json_schema is not supported"),
        Answer::stream(openai::arguments("{\"sum\":5}") + &openai::finish("tool_calls")),
    ])
    .await;
    let report = probe(&Client::new(fake.openai()).expect("usable"), None).await;
    assert!(report.reachable.works() && report.key.works() && report.model_known.works(), "{report:#?}");
    assert_eq!(report.streaming, Check::Fails("the answer came in one piece".to_owned()));
    assert_eq!(report.json_schema, Check::Fails("not supported; a tool call is used instead".to_owned()));
    assert!(matches!(report.usage, Check::Fails(_)));
}

#[tokio::test]
async fn a_wrong_key_and_a_dead_address_end_the_probe_early() {
    let refused = || Answer::error(401, "no", "No");
    let fake = FakeEndpoint::start([refused(), refused()]).await;
    let report = probe(&Client::new(fake.openai()).expect("usable"), None).await;
    assert!(report.reachable.works() && matches!(report.key, Check::Fails(_)), "{report:#?}");
    assert_eq!(report.json_schema, Check::Unknown("not tested".to_owned()));

    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let endpoint = elenchus::llm::Endpoint::new("gone", elenchus::llm::Provider::OpenAi, &address, "m").expect("valid");
    let report = probe(&Client::new(endpoint).expect("usable"), None).await;
    assert!(matches!(report.reachable, Check::Fails(_)), "{report:#?}");
}

#[tokio::test]
async fn local_servers_are_found_and_strangers_passed_over() {
    let server = FakeEndpoint::start([models()]).await;
    let stranger = FakeEndpoint::start([Answer::new(200, "text/html", "<html><title>Admin</title></html>")]).await;
    let found = detect_at(&[("Stranger", stranger.port()), ("Ollama", server.port())]).await;
    let expected = LocalServer {
        name: "Ollama".to_owned(),
        base_url: format!("http://127.0.0.1:{}/v1", server.port()),
        models: vec!["test-model".to_owned(), "other".to_owned()],
    };
    assert_eq!(found, [expected]);
}
