//! Doctor's probe and the search for local servers.

use elenchus::llm::local::{LocalServer, detect_at};
use elenchus::llm::probe::{Check, Wanted, probe};
use elenchus::llm::{Capabilities, Client, Means};
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::fake_endpoint::{Answer, FakeEndpoint, RawEndpoint, openai, write_chunk, write_head};

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
        said: "Hello.".to_owned(),
        tells: false,
        report: "Write JSON.".to_owned(),
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

/// Writes a whole answer and waits until the client has taken it: the next one is served only then.
async fn serve_alone(mut stream: TcpStream, connection: usize) {
    let said = if connection == 2 { "{\"sum\":5}" } else { "one two three" };
    if connection == 0 {
        stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await.expect("the client listens");
    } else {
        write_head(&mut stream).await;
        write_chunk(&mut stream, openai::saying(said).as_bytes()).await;
        stream.write_all(b"0\r\n\r\n").await.expect("the client listens");
    }
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.ok();
}

#[tokio::test]
async fn a_server_that_serves_one_request_at_a_time_is_found_out() {
    let raw = RawEndpoint::start(serve_alone).await;
    let client = Client::new(raw.openai()).expect("usable");
    let report = probe(&client, None).await;
    let told = "no: the answer goes first, the analysis after it".to_owned();
    assert_eq!(report.at_once, Check::Works(told), "{report:#?}");
    assert_eq!(client.capabilities().at_once, Some(false), "and remembered");
}

#[tokio::test]
async fn a_model_that_reports_what_was_not_said_gets_help_unless_the_settings_say_no() {
    for (quote, stated, small) in
        [("since 2019", None, false), ("40 people", None, true), ("40 people", Some(false), false)]
    {
        let report = json!({ "fields": [{ "path": "a", "quote": quote, "value": "x", "confidence": 1 }] });
        let answers = [openai::saying("one two three"), openai::saying(&report.to_string())];
        let fake = FakeEndpoint::start([models()].into_iter().chain(answers.map(Answer::stream))).await;
        let wanted = Wanted {
            engine: "small".to_owned(),
            system: "You listen.".to_owned(),
            said: "We have been here since 2019.".to_owned(),
            tells: true,
            report: "Write JSON.".to_owned(),
            schema: json!({ "type": "object", "required": ["fields"] }).into(),
        };
        let mut endpoint = fake.openai();
        endpoint.small_model = stated;
        let client = Client::new(endpoint).expect("usable");
        let report = probe(&client, Some(&wanted)).await;
        assert_eq!(client.is_small(), small, "{report:#?}");
        let Check::Works(words) = &report.size else { panic!("{report:#?}") };
        assert_eq!(words.starts_with("small"), small, "{words}");
    }
}

#[tokio::test]
async fn a_model_that_hears_nothing_or_sends_no_report_gets_help() {
    for (report, why) in [
        ("{\"fields\": []}", "it reported nothing of a plain message"),
        ("Sure! They have been there for years.", "its report cannot be read"),
    ] {
        let words = || Answer::stream(openai::saying("one two three"));
        let reports = (0..4).map(|_| Answer::stream(openai::saying(report)));
        let answers = [models(), words()].into_iter().chain(reports).chain((0..6).map(|_| words()));
        let fake = FakeEndpoint::start(answers).await;
        let wanted = Wanted {
            engine: "small".to_owned(),
            system: "You listen.".to_owned(),
            said: "We have been here since 2019.".to_owned(),
            tells: true,
            report: "Write JSON.".to_owned(),
            schema: json!({ "type": "object", "required": ["fields"] }).into(),
        };
        let client = Client::new(fake.openai()).expect("usable");
        let report = probe(&client, Some(&wanted)).await;
        assert!(client.is_small(), "{report:#?}");
        assert!(matches!(&report.size, Check::Works(words) if words.contains(why)), "{report:#?}");
    }
}

/// The answers of a probe before tools are tried: the list of models, words, and data.
fn until_tools() -> [Answer; 3] {
    let words = ["one two three", "{\"sum\":5}"].map(|said| Answer::stream(openai::saying(said)));
    let [words, data] = words;
    [models(), words, data]
}

/// What a client that believes that there are none finds out about tools, whether it remembers that there are none, and
/// how many requests had some.
async fn tried(answers: impl IntoIterator<Item = Answer>) -> (Check, bool, usize) {
    let fake = FakeEndpoint::start(until_tools().into_iter().chain(answers)).await;
    let client = Client::new(fake.openai()).expect("usable");
    let mut before = Capabilities::default();
    before.no_tools = true;
    client.restore(before);
    let report = probe(&client, None).await;
    let offered = fake.asked().iter().filter(|asked| asked.body.get("tools").is_some()).count();
    (report.tools, client.capabilities().no_tools, offered)
}

#[tokio::test]
async fn tools_are_tried_anew_and_what_was_found_is_remembered() {
    let calling = || Answer::stream(openai::calling("search_project", &json!({ "query": "kegs" })));
    let words = || Answer::stream(openai::saying("Forty kegs."));
    let refused = |detail: &str| Answer::error(400, "bad_request", detail);
    let taken = Check::Works("the model calls them and goes on with what they bring".to_owned());
    assert_eq!(tried([calling(), words()]).await, (taken, false, 2));
    let unused = Check::Unknown("they are taken, but the model did not call one".to_owned());
    assert_eq!(tried([words()]).await, (unused, false, 1));
    let (check, none, _) = tried([refused("test-model does not support tools"), words()]).await;
    assert!(matches!(&check, Check::Fails(why) if why.starts_with("not taken")) && none, "{check:?}");
    let (check, none, _) = tried([calling(), refused("messages[2] is not valid"), words()]).await;
    assert!(matches!(&check, Check::Fails(why) if why.starts_with("what they bring")) && none, "{check:?}");
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
