//! `elenchus doctor`: what works, what does not, and which source of a setting won.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};
use crate::support::program::Program;

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
