//! A model that looks something up while it answers, with the real program from end to end.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::analysis;
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};
use crate::support::program::Program;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_model_looks_up_is_told_as_it_happens_and_kept_with_the_turn() {
    let answers = [
        Answer::stream(openai::calling("search_project", &json!({ "query": "kegs" }))),
        Answer::stream(openai::saying(&analysis())),
        Answer::stream(openai::saying("Forty kegs, you said. What made it a project now?")),
    ];
    let fake = FakeEndpoint::conversing(answers).await;
    let program = Program::new().settings(&format!(
        "[profiles.fake]\nendpoint = \"http://127.0.0.1:{}/v1\"\nmodel = \"test-model\"\nattempts = 1\n",
        fake.port()
    ));
    let ran = tokio::task::spawn_blocking(move || {
        let converse = ["converse", "--engine", "project-discovery", "--project", "brewery"];
        let first = program.run_with(&[&["--offline"], &converse[..]].concat(), "We rent out forty kegs to pubs.\n");
        assert_eq!(first.code, 0, "{}", first.words);
        let second = program.run_with(&converse, "We need a booking app for our clinic.\n");
        let id = crate::support::program::session_of(&second.lines()[0]);
        (second, program.run(&["--offline", "sessions", "show", &id, "--json"]).json())
    });
    let (ran, _) = ran.await.expect("it runs");
    assert_eq!(ran.code, 0, "{}", ran.words);
    assert!(ran.words.contains("searching earlier sessions for “kegs” …"), "{}", ran.words);
    assert!(ran.words.contains("looked up “kegs” and found "), "{}", ran.words);
    let turn = &ran.lines()[0];
    assert_eq!(turn["response"], json!("Forty kegs, you said. What made it a project now?"));
    assert_eq!((&turn["tools"][0]["tool"], &turn["tools"][0]["query"]), (&json!("search"), &json!("kegs")));
    assert!(!turn["tools"][0]["places"].as_array().expect("places").is_empty(), "{}", turn["tools"]);
    assert_eq!(turn["usage"]["calls"], json!(3));
    let written = fake.asked().last().expect("it was asked").body.to_string();
    assert!(written.contains("forty kegs to pubs"), "{written}");
}
