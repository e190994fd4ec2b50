//! `elenchus doctor`: what works, what does not, and which source of a setting won.

use elenchus::store::{BudgetSum, SqliteOptions, Store};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};
use crate::support::program::{Program, Ran};

fn origin_of<'a>(report: &'a Value, key: &str) -> &'a Value {
    let settings = report["settings"].as_array().unwrap();
    settings.iter().find(|setting| setting["key"] == key).unwrap_or_else(|| panic!("{key}: {settings:?}"))
}

#[test]
fn a_fresh_machine_works_and_is_told_so() {
    let program = Program::new();
    let ran = program.run(&["doctor"]);
    assert_eq!(ran.code, 0, "{}{}", ran.data, ran.words);
    assert!(ran.data.contains("✓ engines   5 engines, all sound"), "{}", ran.data);
    assert!(ran.data.contains("the offline interviewer serves"), "{}", ran.data);
    assert!(ran.data.contains("Settings, and where each came from"), "{}", ran.data);
    let report = program.run(&["doctor", "--json"]).json();
    for area in ["engines", "store", "terminal", "endpoint"] {
        assert_eq!(report["checks"][area]["works"], json!(true), "{area}");
    }
    assert_eq!(report["endpoint"], Value::Null);
}

#[test]
fn what_is_wrong_is_named_with_what_to_do() {
    let program = Program::new();
    program.run(&["engines", "new", "look-back"]);
    std::fs::write(program.config().join("engines/look-back/engine.toml"), "id = 3").unwrap();
    let ran = program.run(&["doctor"]);
    assert_eq!(ran.code, 1, "{}", ran.data);
    assert!(ran.data.contains("✗ engines   with errors: look-back; see `elenchus engines validate`"), "{}", ran.data);
}

#[test]
fn what_is_wrong_with_themes_and_keys_is_listed_with_its_place() {
    let program = Program::new();
    std::fs::create_dir_all(program.config().join("themes")).unwrap();
    std::fs::write(program.config().join("themes/mine.toml"), "inherits = 'drak'\ntitel = 'Mine'\n").unwrap();
    std::fs::write(program.config().join("keys.toml"), "[chat]\nfind_nxt = [\"n\"]\n").unwrap();
    let ran = program.run(&["doctor"]);
    assert_eq!(ran.code, 1, "{}", ran.data);
    for part in [
        "themes/mine.toml:1: there is no theme `drak` to inherit from; did you mean `dark`?",
        "themes/mine.toml:2: unknown key `titel`; did you mean `title`?",
        "--> keys.toml:2:1",
        "did you mean `find_next`?",
    ] {
        assert!(ran.data.contains(part), "{part} is not in\n{}", ran.data);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_is_tried_and_the_winning_sources_are_named() {
    let models = json!({ "data": [{ "id": "test-model" }] });
    let answers = (0..6).map(|n| match n {
        0 => Answer::json(200, &models),
        _ => Answer::stream(openai::saying(r#"{"ok": true}"#)),
    });
    let fake = FakeEndpoint::conversing(answers).await;
    let url = format!("http://127.0.0.1:{}/v1", fake.port());
    let program = Program::new()
        .settings("[profiles.mine]\nendpoint = \"http://127.0.0.1:9/v1\"\nmodel = \"from-file\"\nattempts = 1\n")
        .variable("ELENCHUS_ENDPOINT", &url)
        .variable("ELENCHUS_MODEL", "from-environment");
    let ran = tokio::task::spawn_blocking(move || program.run(&["--model", "test-model", "doctor", "--json"])).await;
    let ran = ran.unwrap();
    assert_eq!(ran.code, 0, "{}{}", ran.data, ran.words);
    let report = ran.json();
    let shown = |key: &str| origin_of(&report, key).to_string();
    assert!(shown("model").contains("--model") && shown("model").contains("test-model"), "{}", shown("model"));
    assert!(shown("endpoint").contains("ELENCHUS_ENDPOINT"), "{}", shown("endpoint"));
    assert!(!report["endpoint"].is_null());
}

#[test]
fn an_endpoint_that_is_not_there_is_the_endpoints_fault() {
    let program =
        Program::new().settings("[profiles.gone]\nendpoint = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\nattempts = 1\n");
    let ran = program.run(&["doctor"]);
    assert_eq!(ran.code, 3, "{}{}", ran.data, ran.words);
    assert!(ran.data.contains("✗ reachable"), "{}", ran.data);
    let offline = program.run(&["--offline", "doctor"]);
    assert_eq!(offline.code, 0, "{}{}", offline.data, offline.words);
}

/// Runs the program beside the endpoint.
async fn beside(program: Program, arguments: &'static [&'static str]) -> (Program, Ran) {
    let run = tokio::task::spawn_blocking(move || {
        let ran = program.run(arguments);
        (program, ran)
    });
    run.await.unwrap()
}

/// What the store says that today has cost.
fn spent_today(program: &Program) -> BudgetSum {
    let mut store = Store::open_sqlite(&program.database(), SqliteOptions::default()).unwrap();
    store.spent_on_day(jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_trial_costs_is_told_before_booked_and_held_to_the_caps() {
    let models = json!({ "data": [{ "id": "test-model" }] });
    let answers = (0..20).map(|n| match n {
        0 => Answer::json(200, &models),
        _ => Answer::stream(openai::saying(r#"{"ok": true}"#)),
    });
    let fake = FakeEndpoint::conversing(answers).await;
    let profile = format!("[profiles.p]\nendpoint = \"http://127.0.0.1:{}/v1\"\nmodel = \"test-model\"\n", fake.port());
    let program = Program::new().settings(&profile);
    let (program, ran) = beside(program, &["doctor"]).await;
    let requests = fake.asked().iter().filter(|asked| asked.method == "POST").count() as u64;
    assert!(
        ran.words.contains("Trying test-model at 127.0.0.1") && ran.words.contains("about 10 requests"),
        "{}",
        ran.words
    );
    let spent = spent_today(&program);
    assert!(requests > 0 && spent.input_tokens > 0, "{spent:?}");
    assert_eq!(spent.entries, requests, "each request is booked");
    let told = format!("booked      {requests} requests, {} tokens", spent.input_tokens + spent.output_tokens);
    assert!(ran.data.contains(&told), "{told} is not in\n{}", ran.data);

    // What was spent today leaves no room: nothing more is sent.
    let cap = format!("[budget]\nday_tokens = {}\n", spent.input_tokens + spent.output_tokens + 10);
    let before = fake.asked().len();
    let (_, ran) = beside(program.settings(&(profile + &cap)), &["doctor"]).await;
    let requests = fake.asked()[before..].iter().filter(|asked| asked.method == "POST").count();
    assert_eq!(requests, 0, "{}{}", ran.data, ran.words);
    assert!(ran.data.contains("cap"), "{}", ran.data);
}
