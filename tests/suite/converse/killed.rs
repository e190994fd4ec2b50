//! SIGKILL while the real program converses: what was under way is not lost. (Printed turns are among the trials.)

use std::io::Write;

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::fake_endpoint::{Answer, FakeEndpoint};
use crate::support::program::{Program, session_of};

const SENT: &str = "We need a booking app for our clinic.";

/// A conversation that is killed while the endpoint says nothing to the message.
async fn killed_under_way(program: &Program, fake: &FakeEndpoint, arguments: &[&str], calls: usize) {
    let mut child = program.start(arguments);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("{SENT}\n").as_bytes()).unwrap();
    fake.until_asked(calls).await;
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Settings with an endpoint that costs something.
fn endpoint(fake: &FakeEndpoint, more: &str) -> String {
    format!(
        "[profiles.fake]\nendpoint = \"http://127.0.0.1:{}/v1\"\nmodel = \"m\"\nprice = {{ input = 1.0, output = 100.0 }}\n{more}",
        fake.port()
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_whose_answer_was_under_way_is_the_draft_and_what_it_may_have_cost_counts() {
    let (silent, _feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([silent]).await;
    let program = Program::new().settings(&endpoint(&fake, ""));
    killed_under_way(&program, &fake, &["converse", "--engine", "project-discovery"], 1).await;
    let list = program.run(&["sessions", "list", "--json"]).json();
    let id = list[0]["session_id"].as_str().unwrap().to_owned();
    let shown = program.run(&["sessions", "show", &id, "--json"]).json();
    assert_eq!((&shown["draft"], &shown["turn"]), (&json!(SENT), &json!(0)));
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
    // It is in no search and no export.
    assert_eq!(program.run(&["sessions", "search", "booking", "--json"]).json(), json!([]));
    for format in ["json", "transcript", "brief", "scenario"] {
        let exported = program.run(&["sessions", "export", &id, "--format", format]);
        assert!(!exported.data.contains("booking app"), "{format}: {}", exported.data);
    }
    // The next conversation tells of it. What the call may have cost is gone from the day's cap: another such call is refused.
    let raw = rusqlite::Connection::open(program.database()).unwrap();
    let most: f64 = raw.query_row("SELECT total(cost_usd) FROM budget", [], |row| row.get(0)).unwrap();
    assert!(most > 0.0);
    let program = program.settings(&endpoint(&fake, &format!("[budget]\nday_usd = {}\n", most * 1.5)));
    let (program, ran) = tokio::task::spawn_blocking(move || {
        let ran = program.run_with(&["converse", "--session", &id], "And now?\n");
        (program, ran)
    })
    .await
    .unwrap();
    assert!(ran.words.contains("was under way when the program ended; it was not kept"), "{}", ran.words);
    assert!(ran.words.contains(SENT), "{}", ran.words);
    assert_eq!(ran.code, 3, "{}", ran.words);
    assert_eq!(ran.lines()[0]["error"]["budget"]["cap"], json!("day_usd"), "{}", ran.data);
    assert_eq!(fake.asked().len(), 1, "nothing more was sent");
    let shown = program.run(&["sessions", "show", &session_of(&ran.lines()[0]), "--json"]).json();
    assert_eq!(shown["draft"], json!(format!("And now?\n{SENT}")), "neither message is lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_is_written_ahead_obeys_what_is_said_about_sensitive_data() {
    let (silent, _feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([silent]).await;
    let program = Program::new().settings(&format!(
        "sensitive = \"redact\"\n[profiles.fake]\nendpoint = \"http://127.0.0.1:{}/v1\"\nmodel = \"m\"\n",
        fake.port()
    ));
    let mut child = program.start(&["converse", "--engine", "project-discovery"]);
    child.stdin.take().unwrap().write_all(b"Write to jane.roe@example.org about it.\n").unwrap();
    fake.until_asked(1).await;
    child.kill().unwrap();
    child.wait().unwrap();
    let list = program.run(&["sessions", "list", "--json"]).json();
    let shown = program.run(&["sessions", "show", list[0]["session_id"].as_str().unwrap(), "--json"]).json();
    assert_eq!(shown["draft"], json!("Write to [email] about it."));
    for entry in std::fs::read_dir(program.data()).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        let bytes = std::fs::read(entry.path()).unwrap();
        assert!(memchr::memmem::find(&bytes, b"jane.roe").is_none(), "{:?}", entry.file_name());
    }
}
