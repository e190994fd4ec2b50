//! What a model is shown, as a tested output: the parts of the system prompt, the sections, the messages.

use std::fmt::Write as _;

use serde_json::Value;

use super::analysis;
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};
use crate::support::program::Program;

/// A text by its outline: headings whole, other lines by their first words, long runs counted.
fn outline(text: &str, out: &mut String) {
    let mut skipped = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let item = line.starts_with("- ") || line.starts_with(char::is_whitespace);
        if item {
            skipped += 1;
            continue;
        }
        flush(&mut skipped, out);
        let words: Vec<&str> = line.split_whitespace().collect();
        let dots = if words.len() > 8 { " …" } else { "" };
        let _ = writeln!(out, "  | {}{dots}", words[..words.len().min(8)].join(" "));
    }
    flush(&mut skipped, out);
}

fn flush(skipped: &mut usize, out: &mut String) {
    if *skipped > 0 {
        let _ = writeln!(out, "  |   ({skipped} items)");
        *skipped = 0;
    }
}

fn shape(body: &Value) -> String {
    let mut keys: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let mut out = format!("keys: {}\n", keys.join(", "));
    for message in body["messages"].as_array().unwrap() {
        let _ = writeln!(out, "{}:", message["role"].as_str().unwrap());
        match &message["content"] {
            Value::String(text) => outline(text, &mut out),
            Value::Array(parts) => {
                for part in parts {
                    outline(part["text"].as_str().unwrap_or_default(), &mut out);
                    out.push_str("  ---\n");
                }
            }
            _ => {}
        }
    }
    if let Some(schema) = body.pointer("/response_format/json_schema/schema") {
        let paths = schema.pointer("/properties/fields/items/properties/path/enum");
        let fields = paths.and_then(Value::as_array).map_or(0, Vec::len);
        let signals: Vec<&String> = schema["properties"]["signals"]["properties"].as_object().unwrap().keys().collect();
        let _ = writeln!(out, "schema: {fields} fields; signals {signals:?}");
    }
    out
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shape_of_what_is_sent_changes_only_on_purpose() {
    let answers = [
        openai::saying(&analysis()),
        openai::saying("What made it a project now?"),
        openai::saying(r#"{"fields": [], "signals": {}}"#),
        openai::saying("What goes wrong today?"),
    ];
    let fake = FakeEndpoint::conversing(answers.map(Answer::stream)).await;
    let program = Program::new()
        .variable("ELENCHUS_ENDPOINT", &format!("http://127.0.0.1:{}/v1", fake.port()))
        .variable("ELENCHUS_MODEL", "test-model");
    let ran = tokio::task::spawn_blocking(move || {
        let messages = "We need a booking app for our clinic.\nOur head receptionist resigned in March.\n";
        program.run_with(&["converse", "--engine", "project-discovery"], messages)
    });
    let ran = ran.await.unwrap();
    assert_eq!((ran.code, ran.lines().len()), (0, 2), "{}", ran.words);
    let asked = fake.asked();
    let [answer, report] = [&asked[2].body, &asked[3].body];
    insta::assert_snapshot!("analysis", shape(report));
    insta::assert_snapshot!("response", shape(answer));
    let system = |body: &Value| body["messages"][0].to_string();
    for request in &asked {
        assert_eq!(system(&request.body), system(answer), "every request of both kinds begins alike, to the byte");
    }
    let messages = |body: &Value| body["messages"].as_array().unwrap().clone();
    let before = messages(&asked[0].body);
    assert_eq!(messages(answer)[..before.len()], before, "what was sent stays as it was, with its note");
}
