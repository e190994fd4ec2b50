//! From exploration to project discovery by the real binary: a model on this machine plays both engines.

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::support::fake_endpoint::openai;

const MESSAGE: &str = "We have to decide how patients book appointments at our clinic. Today the phone is the only way. \
    We want fewer missed calls. I am unsure what data protection asks of us. We looked at a shared calendar, a booking \
    service and an app of our own. I lean towards the booking service. An app of our own takes too long. The shared \
    calendar is out because it shows names to everybody. The budget is at most 5000 euros a year. It has to run before \
    the summer holidays. In my own words: the service costs money each month but somebody else keeps it running. We take \
    the booking service because it runs within weeks and needs no staff of ours.";

const TAKEN_UP: &str = "You decided to take the booking service; the budget is at most 5000 euros a year, it has to run \
    before the summer holidays, and what data protection asks is still open. What happened that makes this a project now?";

/// What the analysis of the message finds.
fn found() -> Value {
    let said = |path: &str, value: Value, quote: &str| json!({ "path": path, "value": value, "confidence": 0.9, "quote": quote, "reasoning": "said so" });
    let fields = json!([
        said("initial_state.topic", json!("how patients book appointments"), "how patients book appointments"),
        said("initial_state.current_situation", json!("the phone is the only way"), "the phone is the only way"),
        said("initial_state.goals", json!(["fewer missed calls"]), "We want fewer missed calls"),
        said(
            "initial_state.knowledge_gaps",
            json!(["what data protection asks"]),
            "unsure what data protection asks of us"
        ),
        said(
            "solution_landscape.options_considered",
            json!(["shared calendar", "booking service", "app of our own"]),
            "a shared calendar, a booking service and an app of our own"
        ),
        said("solution_landscape.leaning", json!("the booking service"), "I lean towards the booking service"),
        said("solution_landscape.drawbacks", json!(["An app takes too long"]), "An app of our own takes too long"),
        said("solution_landscape.eliminated", json!(["shared calendar"]), "The shared calendar is out"),
        said(
            "solution_landscape.key_tradeoff",
            json!("costs money each month but somebody else keeps it running"),
            "the service costs money each month but somebody else keeps it running"
        ),
        said(
            "understanding.teach_back",
            json!("the service costs money each month but somebody else keeps it running"),
            "the service costs money each month but somebody else keeps it running"
        ),
        said(
            "decision.constraints",
            json!(["The budget is at most 5000 euros a year", "It has to run before the summer holidays"]),
            "The budget is at most 5000 euros a year"
        ),
        said("decision.choice", json!("the booking service"), "We take the booking service"),
        said(
            "decision.reasoning",
            json!("it runs within weeks and needs no staff of ours"),
            "because it runs within weeks and needs no staff of ours"
        ),
    ]);
    json!({ "fields": fields, "signals": { "trust": 0.7, "rapport": 0.7, "friction": 0.1, "techniques_used": [], "intents": [] } })
}

/// What the model says, by what it is asked.
fn answer(asked: &str) -> String {
    let nothing = json!({ "fields": [], "signals": { "trust": 0.6, "rapport": 0.6, "friction": 0.1, "techniques_used": [], "intents": [] } });
    let analysis = asked.contains("response_format");
    match () {
        () if asked.contains("You work in the background") => {
            json!({ "options": [], "cases": [], "questions": [] }).to_string()
        }
        () if analysis && !asked.contains("HANDED OVER FROM exploration") => found().to_string(),
        () if analysis => nothing.to_string(),
        () if asked.contains("HANDED OVER FROM exploration") => TAKEN_UP.to_owned(),
        () => "That is a clear decision. What would make you look at it again?".to_owned(),
    }
}

/// A model on this machine; everything that project discovery was asked is not needed, only what it says.
async fn model() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let app = Router::new().fallback(|request: axum::extract::Request| async {
        let bytes = axum::body::to_bytes(request.into_body(), 16 << 20).await.unwrap();
        let body = openai::saying(&answer(&String::from_utf8_lossy(&bytes)));
        Response::builder().header("content-type", "text/event-stream").body(Body::from(body)).unwrap()
    });
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    address
}

struct Program {
    folder: tempfile::TempDir,
    endpoint: String,
}

impl Program {
    /// Runs the binary and returns the JSON documents that it prints.
    async fn run(&self, args: &[&str], input: &str) -> Vec<Value> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_elenchus"))
            .env_clear()
            .env("ELENCHUS_ENDPOINT", &self.endpoint)
            .env("ELENCHUS_MODEL", "test-model")
            .args(["--config", "config", "--data-dir", "data"])
            .args(args)
            .current_dir(self.folder.path())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
        let output = child.wait_with_output().await.unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::Deserializer::from_slice(&output.stdout).into_iter().map(Result::unwrap).collect()
    }
}

#[tokio::test]
async fn project_discovery_opens_knowing_what_exploration_settled_and_asks_none_of_it_again() {
    let program = Program { folder: tempfile::tempdir().unwrap(), endpoint: model().await };
    let talk = ["converse", "--engine", "exploration", "--project", "clinic", "--wait-tasks", "20"];
    let turns = program.run(&talk, &format!("{MESSAGE}\n")).await;
    let offer = &turns[0]["handoff"];
    assert_eq!(
        (&offer["target"], &offer["problems"]),
        (&json!("project-discovery"), &json!([])),
        "{}",
        turns[0]["completeness"]
    );
    let source = turns[0]["session_id"].as_str().unwrap();

    let review = &program.run(&["sessions", "handoff", source, "--json"], "").await[0];
    assert_eq!(review["handoff"]["action_list"]["options_eliminated"][0]["option"], "shared calendar");

    let accepted = &program.run(&["sessions", "handoff", source, "--accept", "--json"], "").await[0];
    let opening = accepted["opening"].as_str().unwrap();
    for settled in ["the booking service", "shared calendar", "5000 euros", "summer holidays"] {
        assert!(opening.contains(settled), "{settled} in: {opening}");
    }
    let budget = &accepted["extraction"]["constraints.budget"];
    assert_eq!(
        (&budget["value"], &budget["source"]),
        (&json!("The budget is at most 5000 euros a year"), &json!("handoff"))
    );

    let target = accepted["session_id"].as_str().unwrap();
    let turn = &program.run(&["converse", "--session", target], "Patients should book without calling.\n").await[0];
    let inbound = &turn["inbound_handoff"];
    assert_eq!(
        (&inbound["source"], &inbound["verification"]["verified"]),
        (&json!("exploration"), &json!(true)),
        "{inbound}"
    );
    assert_eq!(inbound["verification"]["missing"], json!([]));
    assert_eq!(turn["qa"], json!([]));
    let status = |id: &str| {
        let all = turn["obligations"].as_array().unwrap();
        all.iter().find(|obligation| obligation["id"] == id).unwrap()["status"].clone()
    };
    // The way that was chosen is the project: it is not asked for again.
    assert_eq!((status("budget_known"), status("project_summarised")), (json!("satisfied"), json!("satisfied")));

    let journey = &program.run(&["sessions", "journey", "clinic", "--json"], "").await[0];
    let stations: Vec<&Value> = journey["stations"].as_array().unwrap().iter().collect();
    assert_eq!(
        stations.iter().map(|s| &s["session"]["engine_id"]).collect::<Vec<_>>(),
        ["exploration", "project-discovery"]
    );
    assert_eq!(stations[1]["inbound"]["verified"], true);
}
