//! Scenarios that a model answers: live, several times over, recorded and played again.

use elenchus::store::{SqliteOptions, Store};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};
use crate::support::program::{Program, Ran};

/// An analysis that finds the subject, or nothing.
fn analysis(finds: bool) -> String {
    let reading = json!({ "path": "story.subject", "value": "a shed", "confidence": 0.9, "quote": "We built a shed",
        "reasoning": "They say so." });
    let fields = if finds { vec![reading] } else { Vec::new() };
    json!({ "fields": fields, "signals": {} }).to_string()
}

/// What the endpoint says in runs of one turn each: whether it finds the subject.
pub(super) async fn endpoint(runs: &[bool]) -> FakeEndpoint {
    let answers = runs.iter().flat_map(|finds| [openai::saying(&analysis(*finds)), openai::saying("Who was there?")]);
    FakeEndpoint::conversing(answers.map(Answer::stream)).await
}

/// A machine with that endpoint, and an engine with this one scenario.
pub(super) fn program(fake: &FakeEndpoint, model: &str) -> (Program, String) {
    let settings = format!(
        "[profiles.fake]\nendpoint = \"http://127.0.0.1:{}/v1\"\nmodel = \"test-model\"\nattempts = 1\n",
        fake.port()
    );
    let program = Program::new().settings(&settings);
    let scenarios = program.new_engine("look-back").join("scenarios");
    let text = format!(
        "name = \"The subject is found\"\nmodel = {{ {model} }}\n\n[[turns]]\nsays = \"We built a shed.\"\n\
         expect = {{ fields = [{{ path = \"story.subject\", status = \"known\" }}], budget = {{ max_calls = 2 }} }}\n"
    );
    let file = scenarios.join("model.toml");
    std::fs::write(&file, text).expect("a file");
    (program, file.display().to_string())
}

/// Runs the program beside the endpoint.
pub(super) async fn run(program: Program, arguments: &[&str]) -> (Program, Ran) {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let task = tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = program.run(&arguments);
        (program, ran)
    });
    task.await.expect("it runs")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_model_is_run_several_times_and_its_reliability_is_told() {
    let fake = endpoint(&[true, true, false, true]).await;
    let (program, file) = program(&fake, "type = \"live\"");
    let (program, skipped) = run(program, &["test", &file]).await;
    assert_eq!(skipped.code, 0);
    assert!(skipped.data.contains("(skipped: it needs `--live`)"), "{}", skipped.data);

    let (program, ran) = run(program, &["test", &file, "--live", "--runs", "4", "--json"]).await;
    assert_eq!(ran.code, 1, "{}", ran.words);
    let report = ran.json();
    assert_eq!(report["reliability"], json!({ "pass_1": 0.75, "pass_k": 0.0, "k": 4 }));
    let passed: Vec<&Value> =
        report["engines"][0]["scenarios"][0]["runs"].as_array().unwrap().iter().map(|run| &run["passed"]).collect();
    assert_eq!(passed, [&json!(true), &json!(true), &json!(false), &json!(true)]);
    assert_eq!(fake.asked().len(), 8, "two calls a turn");
    let mut store = Store::open_sqlite(&program.database(), SqliteOptions::default()).unwrap();
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    assert_eq!(store.spent_on_day(today).unwrap().entries, 8, "what no session has spent is kept, too");
    drop(store);

    let (_, offline) = run(program, &["--offline", "test", &file, "--live"]).await;
    assert_eq!(offline.code, 2, "{}", offline.words);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reliability_is_told_to_people_as_well() {
    let fake = endpoint(&[true, true]).await;
    let (program, file) = program(&fake, "type = \"offline\"");
    let (_, ran) = run(program, &["test", &file, "--live", "--runs", "2"]).await;
    assert_eq!(ran.code, 0, "{}{}", ran.data, ran.words);
    assert!(ran.data.contains("2 of 2 runs") && ran.data.contains("pass^1 1.00, pass^2 1.00"), "{}", ran.data);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_is_made_once_and_played_without_any_endpoint() {
    let fake = endpoint(&[true]).await;
    let (program, file) = program(&fake, "type = \"recorded\", file = \"shed.jsonl\"");
    let (program, missing) = run(program, &["test", &file]).await;
    assert_eq!(missing.code, 1);
    assert!(missing.data.contains("shed.jsonl could not be read"), "{}", missing.data);
    let (program, recorded) = run(program, &["test", &file, "--record"]).await;
    assert_eq!(recorded.code, 0, "{}{}", recorded.data, recorded.words);
    assert!(recorded.words.contains("shed.jsonl was recorded"), "{}", recorded.words);
    assert_eq!(fake.asked().len(), 2, "what was recorded is played at once");

    for arguments in [&["test", &file, "--runs", "3"][..], &["--offline", "test", &file, "--runs", "3"]] {
        let ran = program.run(arguments);
        assert_eq!(ran.code, 0, "{}{}", ran.data, ran.words);
        assert!(ran.data.contains("1 passed, 0 failed\npass^1 1.00, pass^3 1.00"), "{}", ran.data);
    }
    assert_eq!(fake.asked().len(), 2, "nobody was asked again");
    let text = std::fs::read_to_string(&file).expect("the scenario");
    std::fs::write(&file, text.replace("a shed.", "a boat.")).expect("a file");
    let other = program.run(&["--offline", "test", &file]);
    assert_eq!(other.code, 1, "{}", other.data);
    assert!(other.data.contains("The nearest is number"), "{}", other.data);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_fails_is_not_a_failing_engine() {
    let fake = FakeEndpoint::conversing([Answer::error(401, "invalid_api_key", "No such key")]).await;
    let (program, file) = program(&fake, "type = \"live\"");
    let (_, ran) = run(program, &["test", &file, "--live"]).await;
    assert_eq!(ran.code, 3, "{}{}", ran.data, ran.words);
    assert!(ran.data.contains("turn 1: ") && ran.data.contains("401"), "{}", ran.data);
}
