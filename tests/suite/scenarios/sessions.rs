//! A session becomes a test that passes, and is replayed through a draft.

use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};

fn elenchus(place: &Path, arguments: &[&str], input: &str) -> (bool, String) {
    let output = Command::cargo_bin("elenchus")
        .expect("the program is built")
        .current_dir(place)
        .args(["--config", ".", "--data-dir", "data", "--offline"])
        .args(arguments)
        .write_stdin(input)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), said + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn a_session_becomes_a_scenario_that_passes_and_a_draft_shows_what_would_differ() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let place = place.path();
    assert!(elenchus(place, &["engines", "new", "my-engine", "--path", "."], "").0);
    let lines = "We built a shed.\nThe neighbours helped.\nI don't know.\nMeasure first.\n";
    let (held, turns) = elenchus(place, &["converse", "--engine", "./my-engine"], lines);
    assert!(held, "{turns}");
    let first: Value = serde_json::from_str(turns.lines().next().expect("a turn")).expect("it is JSON");
    let id = first["session_id"].as_str().expect("it has an id");

    let (written, scenario) = elenchus(place, &["sessions", "export", id, "--format", "scenario"], "");
    assert!(written, "{scenario}");
    let scenario = scenario.replace("engine = \"my-engine\"", "engine = \"./my-engine\"");
    std::fs::write(place.join("kept.toml"), scenario).expect("it can be kept");
    let (passed, report) = elenchus(place, &["test", "kept.toml"], "");
    assert!(passed, "{report}");
    assert!(report.contains("1 passed, 0 failed"), "{report}");

    let (_, same) = elenchus(place, &["replay", id, "--engine", "./my-engine"], "");
    assert!(same.contains("0 of 4 turns would differ"), "{same}");
    let file = place.join("my-engine/engine.toml");
    let text = std::fs::read_to_string(&file).expect("it is there");
    std::fs::write(&file, text.replace("threshold = 1.0", "threshold = 0.3")).expect("kept");
    let (replayed, differs) = elenchus(place, &["replay", id, "--engine", "./my-engine", "--json"], "");
    assert!(replayed, "{differs}");
    let differs: Value = serde_json::from_str(&differs).expect("it is JSON");
    assert_eq!(differs["turns"][0]["differences"][0], json!(["phase", "STORY", "LESSON"]));
}

#[test]
fn a_failing_expectation_is_exit_code_one_with_its_file_and_line() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let place = place.path();
    assert!(elenchus(place, &["engines", "new", "my-engine", "--path", "."], "").0);
    let wrong = "name = \"x\"\n\n[[turns]]\nsays = \"We built a shed.\"\nexpect = { phase = \"LESSON\" }\n";
    std::fs::write(place.join("my-engine/scenarios/wrong.toml"), wrong).expect("it can be kept");
    let (passed, report) = elenchus(place, &["test", "./my-engine", "--junit", "report.xml"], "");
    assert!(!passed);
    assert!(report.contains("wrong.toml:5  turn 1: phase"), "{report}");
    assert!(report.contains("expected  LESSON") && report.contains("got       STORY"), "{report}");
    assert!(report.contains("obligation_satisfaction story 0.33 < 1.00"), "{report}");
    let junit = std::fs::read_to_string(place.join("report.xml")).expect("it was written");
    assert!(junit.contains("failures=\"1\""), "{junit}");
}
