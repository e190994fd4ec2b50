//! The official Python SDK on the other side. Nothing is installed by a test: where the SDK cannot be had, that is said.

use std::process::Command;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::Program;

/// The variable that names a Python with the SDK, where it is not the usual one.
const VARIABLE: &str = "ELENCHUS_MCP_PYTHON";

/// A Python that has the SDK, or why there is none.
fn python() -> Result<String, String> {
    let python = std::env::var(VARIABLE).unwrap_or_else(|_| "python3".to_owned());
    let tried = Command::new(&python).args(["-c", "import mcp.client.stdio"]).output();
    match tried {
        Ok(output) if output.status.success() => Ok(python),
        Ok(_) => Err(format!("{python} has no package `mcp`")),
        Err(error) => Err(format!("{python} cannot be started: {error}")),
    }
}

#[test]
#[allow(clippy::print_stderr)]
fn the_official_sdk_holds_an_interview() {
    let python = match python() {
        Ok(python) => python,
        Err(why) => {
            eprintln!("NOT TESTED with the official SDK: {why}. `pip install mcp`, or name a Python in {VARIABLE}.");
            return;
        }
    };
    let program = Program::new();
    let agent = program.folder().join("agent.py");
    std::fs::write(&agent, include_str!("agent.py")).unwrap();
    let arguments = json!(["--config", program.config(), "--data-dir", program.data(), "mcp"]);
    let environment = json!({ "HOME": program.folder(), "TZ": "UTC" });
    let ran = Command::new(python)
        .arg(&agent)
        .args([env!("CARGO_BIN_EXE_elenchus"), &arguments.to_string(), &environment.to_string()])
        .output()
        .expect("it runs");
    let words = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{words}");
    let seen: Value = serde_json::from_slice(&ran.stdout).expect("a document");
    assert_eq!((&seen["server"], seen["tools"].as_array().unwrap().len()), (&json!("elenchus"), 8));
    assert!(seen["started"]["opening"].as_str().unwrap().contains('?'));
    assert_eq!(seen["answered"]["turn"], 1);
    assert!(seen["answered"]["noted"][0]["quote"].is_string(), "{seen}");
    assert!(seen["brief_text"].as_str().unwrap().contains("booking app"), "{seen}");
    assert_eq!(seen["wrong"]["is_error"], true);
    assert!(seen["wrong"]["text"].as_str().unwrap().contains("nosuch"), "{seen}");
}
