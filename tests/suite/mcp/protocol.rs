//! The protocol itself: what is no message, what is too long, what is called off, and the end.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::Agent;
use crate::support::fake_endpoint::{Answer, FakeEndpoint};
use crate::support::program::Program;

#[test]
fn every_tool_has_a_description_and_a_schema_that_refuses_what_is_not_in_it() {
    let program = Program::new();
    let mut agent = Agent::greeted(&program, &[]);
    let listed = agent.request("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "list_engines",
            "start_interview",
            "answer",
            "take_back",
            "get_brief",
            "show_session",
            "list_sessions",
            "search_sessions"
        ]
    );
    for tool in tools {
        let schema = &tool["inputSchema"];
        jsonschema::validator_for(schema).expect("a schema");
        assert_eq!(schema["additionalProperties"], false, "{tool}");
        assert!(tool["description"].as_str().unwrap().len() > 40, "{tool}");
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{name} of {tool}");
            let bounded = ["maxLength", "maximum", "enum"].iter().any(|bound| property.get(bound).is_some());
            assert!(bounded, "{name} of {tool} has no bounds");
        }
    }
    agent.leave();
}

#[test]
fn what_is_no_message_is_answered_and_the_next_one_is_heard() {
    let program = Program::new();
    let mut agent = Agent::greeted(&program, &[]);
    let code = |message: &Value| message["error"]["code"].as_i64();
    agent.write(b"{ this is no JSON\n");
    assert_eq!(code(&agent.next()), Some(-32700));
    agent.write(b"\xff\xfe\n\n   \n");
    assert_eq!(code(&agent.next()), Some(-32700));
    agent.write(b"[1, 2, 3]\n");
    assert_eq!(code(&agent.next()), Some(-32600));
    agent.write(b"{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":5}\n");
    let refused = agent.next();
    assert_eq!((code(&refused), &refused["id"]), (Some(-32600), &json!(77)));
    agent.write(format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000)).as_bytes());
    assert_eq!(code(&agent.next()), Some(-32700));
    // Seven mebibytes on one line: more than any message can have.
    agent.write(&vec![b'x'; 7 * 1024 * 1024]);
    agent.write(b"\n");
    let refused = agent.next();
    assert!(refused["error"]["message"].as_str().unwrap().contains("at most"), "{refused}");
    let unknown = agent.request("tools/call", &json!({ "name": "delete_everything", "arguments": {} }));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("start_interview"), "{unknown}");
    assert!(agent.request("no/such/method", &json!({})).get("error").is_some());
    assert!(agent.data("list_engines", &json!({}))["engines"].is_array());
    assert_eq!(agent.leave().code, 0);
}

#[test]
fn a_client_that_says_nothing_or_breaks_off_is_no_fault() {
    let program = Program::new();
    assert_eq!(Agent::start(&program, &[]).leave().code, 0);
    let mut agent = Agent::greeted(&program, &[]);
    // The last line has no end; what was asked for before it is answered.
    agent.send("tools/list", &json!({}));
    agent.write(b"{\"jsonrpc\":\"2.0\",\"id\":99,\"meth");
    assert!(agent.next()["result"]["tools"].is_array());
    assert_eq!(agent.leave().code, 0);
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let program = Program::new();
    let mut agent = Agent::greeted(&program, &[]);
    let id = agent.interview();
    for turn in 0..8 {
        let arguments = json!({ "session_id": id, "message": format!("It is number {turn} of our wishes.") });
        agent.send("tools/call", &json!({ "name": "answer", "arguments": arguments }));
    }
    let mut turns: Vec<u64> = (0..8)
        .map(|_| {
            let answer = agent.next();
            answer["result"]["structuredContent"]["turn"].as_u64().unwrap_or_else(|| panic!("{answer}"))
        })
        .collect();
    turns.sort_unstable();
    assert_eq!(turns, (1..=8).collect::<Vec<_>>(), "each heard of its own turn");
    agent.leave();
}

fn machine(fake: &FakeEndpoint) -> Program {
    let url = format!("http://127.0.0.1:{}/v1", fake.port());
    Program::new()
        .settings(&format!("[profiles.fake]\nendpoint = \"{url}\"\nmodel = \"test-model\"\nattempts = 1\n"))
        .variable("ELENCHUS_LOG", "trace")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_cancelled_stops_the_turn_and_leaves_the_session_as_it_was() {
    let (silent, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([silent]).await;
    let program = machine(&fake);
    let mut agent = tokio::task::block_in_place(|| Agent::greeted(&program, &[]));
    let id = agent.interview();
    let arguments = json!({ "session_id": id, "message": "We need a booking app for our clinic." });
    let call = agent.send("tools/call", &json!({ "name": "answer", "arguments": arguments }));
    fake.until_asked(1).await;
    agent.notify("notifications/cancelled", &json!({ "requestId": call, "reason": "the user has changed their mind" }));
    tokio::time::timeout(crate::support::PATIENCE, feed.closed()).await.expect("the endpoint is left alone");
    let program = tokio::task::block_in_place(|| {
        let shown = agent.data("show_session", &json!({ "session_id": id }));
        assert_eq!((&shown["turn"], &shown["known"]), (&json!(0), &json!([])));
        assert_eq!(agent.leave().code, 0);
        let shown = program.run(&["sessions", "show", &id, "--json"]).json();
        assert_eq!((&shown["turn"], &shown["draft"]), (&json!(0), &json!("")));
        assert_eq!(program.run(&["sessions", "verify"]).code, 0);
        program
    });
    let mut logged = String::new();
    for file in std::fs::read_dir(program.data().join("log")).unwrap() {
        logged += &std::fs::read_to_string(file.unwrap().path()).unwrap();
    }
    assert!(!logged.is_empty() && !logged.contains("booking"), "the log has no words of a conversation");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_another_process_has_under_way_is_respected_and_told() {
    let (silent, _feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([silent]).await;
    let program = machine(&fake);
    let mut agent = tokio::task::block_in_place(|| Agent::greeted(&program, &[]));
    let id = agent.interview();
    let mut other = program.start(&["converse", "--session", &id]);
    let mut stdin = other.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, b"We need a booking app.\n").unwrap();
    fake.until_asked(1).await;
    tokio::task::block_in_place(|| {
        let told = agent.refusal("answer", &json!({ "session_id": id, "message": "A shop." }));
        assert!(told.contains("another"), "{told}");
        assert_eq!(fake.asked().len(), 1, "nothing was sent for it");
        other.kill().unwrap();
        other.wait().unwrap();
        agent.leave();
    });
}
