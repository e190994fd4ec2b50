//! What the fuzz targets try compiles with every change, and the inputs that are kept for them hold.

use std::fs;

#[path = "../../fuzz/src/lib.rs"]
#[allow(dead_code, unreachable_pub, clippy::pedantic, reason = "it is written for the fuzz targets")]
mod tried;

fn kept_for(target: &str) -> Vec<Vec<u8>> {
    let files = fs::read_dir(format!("fuzz/corpus/{target}")).unwrap();
    let kept: Vec<_> = files.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(!kept.is_empty(), "{target} has inputs to begin with");
    kept
}

fn bytes(target: &str, try_input: fn(&[u8])) {
    for bytes in kept_for(target) {
        try_input(&bytes);
    }
}

fn texts(target: &str, try_input: fn(&str)) {
    for bytes in kept_for(target) {
        try_input(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn what_others_wrote_is_read_or_refused() {
    bytes("engine_file", tried::engine_file::try_input);
    texts("expression", tried::expression::try_input);
    bytes("scenario_file", tried::scenario_file::try_input);
    bytes("settings", tried::settings::try_input);
    texts("store_delta", tried::store_delta::try_input);
    bytes("documents", tried::documents::try_input);
}

#[test]
fn whatever_an_agent_or_the_command_of_a_key_says_is_answered() {
    bytes("mcp", tried::mcp::try_input);
    #[cfg(unix)]
    bytes("key_command", tried::key_command::try_input);
}

#[test]
fn whatever_an_endpoint_answers_a_conversation_goes_on() {
    bytes("sse", tried::sse::try_input);
    bytes("answer", tried::answer::try_input);
    texts("analysis", tried::analysis::try_input);
}

#[test]
fn whatever_is_said_is_read_and_drawn() {
    texts("readings", tried::readings::try_input);
    bytes("markdown", tried::markdown::try_input);
    bytes("terminal_text", tried::terminal_text::try_input);
}
