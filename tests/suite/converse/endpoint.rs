//! Conversing with an endpoint: two calls a turn, counted; and every failure leaves the session as it was.

use std::io::Write;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{SUMMARY, analysis};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, anthropic, openai};
use crate::support::program::{Program, Ran, session_of};

const ENGINE: [&str; 3] = ["converse", "--engine", "project-discovery"];
const MESSAGE: &str = "We need a booking app for our clinic.\n";

/// A machine whose settings name the endpoint, with no patience for retries.
fn program(fake: &FakeEndpoint, more: &str) -> Program {
    let port = fake.port();
    Program::new().settings(&format!(
        "[profiles.fake]\nendpoint = \"http://127.0.0.1:{port}/v1\"\nmodel = \"test-model\"\nattempts = 1\n\
         price = {{ input = 1000.0, output = 2000.0 }}\n{more}"
    ))
}

/// Runs the program beside the endpoint.
async fn run(program: Program, arguments: Vec<String>, input: &str) -> (Program, Ran) {
    let input = input.to_owned();
    let task = tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = program.run_with(&arguments, input);
        (program, ran)
    });
    task.await.expect("it runs")
}

fn words(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|argument| (*argument).to_owned()).collect()
}

fn only_session(program: &Program) -> Value {
    let list = program.run(&["--offline", "sessions", "list", "--json"]).json();
    let id = list[0]["session_id"].as_str().unwrap().to_owned();
    program.run(&["--offline", "sessions", "show", &id, "--json"]).json()
}

/// The turn did not happen, the message waits as a draft, and the store is whole.
fn assert_untouched(program: &Program, draft: &str) {
    let session = only_session(program);
    assert_eq!((&session["turn"], &session["draft"]), (&json!(0), &json!(draft)));
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_is_two_calls_and_both_are_counted() {
    let answers = [openai::saying(&analysis()), openai::saying("What made it a project now?")];
    let fake = FakeEndpoint::conversing(answers.map(Answer::stream)).await;
    let (program, ran) = run(program(&fake, ""), words(&ENGINE), MESSAGE).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let turn = &ran.lines()[0];
    assert_eq!(turn["response"], json!("What made it a project now?"));
    assert_eq!(turn["extraction_changes"][0]["value"], json!(SUMMARY));
    // Each call: 120 tokens in at 1 USD per thousand, 30 out at 2.
    assert_eq!(turn["usage"], json!({ "input_tokens": 240, "output_tokens": 60, "cost_usd": 0.36, "calls": 2 }));
    let asked = fake.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].body.get("response_format"), None, "on this machine the answer comes first, and has no schema");
    assert_eq!(asked[1].body["response_format"]["type"], json!("json_schema"), "the analysis has one");
    assert_eq!(only_session(&program)["turn"], json!(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_is_given_by_variables_alone_and_offline_overrides_it() {
    let answers = [anthropic::saying(&analysis()), anthropic::saying("What made it a project now?")];
    let fake = FakeEndpoint::conversing(answers.map(Answer::stream)).await;
    let program = Program::new()
        .variable("ELENCHUS_ENDPOINT", &format!("http://127.0.0.1:{}", fake.port()))
        .variable("ELENCHUS_MODEL", "test-model")
        .variable("ELENCHUS_PROVIDER", "anthropic")
        .variable("ELENCHUS_API_KEY", "sk-test-0123456789");
    let (program, ran) = run(program, words(&ENGINE), MESSAGE).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    assert_eq!(ran.lines()[0]["usage"]["calls"], json!(2));
    let asked = fake.asked();
    assert_eq!(asked.iter().map(|asked| asked.path.as_str()).collect::<Vec<_>>(), ["/v1/messages", "/v1/messages"]);
    assert_eq!(asked[0].headers["x-api-key"], "sk-test-0123456789");
    let (program, ran) = run(program, words(&["--offline", "converse", "--engine", "ideation"]), MESSAGE).await;
    assert_eq!((ran.code, &ran.lines()[0]["usage"]["calls"]), (0, &json!(0)));
    assert_eq!(fake.asked().len(), 2, "nothing was asked");
    let kept = std::fs::read(program.database()).unwrap();
    assert!(!kept.windows(18).any(|bytes| bytes == b"sk-test-0123456789"), "the key reaches no file");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sloppy_analysis_still_gives_a_turn() {
    let sloppy = format!("Sure! Here is the JSON:\n```json\n{}\n```\nHope that helps.", analysis().replace('}', ",}"));
    let answers = [openai::saying(&sloppy), openai::saying("And why now?")];
    let fake = FakeEndpoint::conversing(answers.map(Answer::stream)).await;
    let (_, ran) = run(program(&fake, ""), words(&ENGINE), MESSAGE).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    assert_eq!(ran.lines()[0]["extraction_changes"][0]["value"], json!(SUMMARY));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_thinks_for_three_thousand_tokens_holds_a_conversation() {
    let thoughts = openai::reasoning(&"Let me see what they said. ".repeat(500));
    let said = |text: &str| Answer::stream(format!("{thoughts}{}", openai::saying(text)));
    let fake = FakeEndpoint::conversing([said(&analysis()), said("What made it a project now?")]).await;
    let (_, ran) = run(program(&fake, ""), words(&ENGINE), MESSAGE).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let turn = &ran.lines()[0];
    assert_eq!(turn["response"], json!("What made it a project now?"), "no thought is part of it");
    assert_eq!(turn["extraction_changes"][0]["value"], json!(SUMMARY));
    assert_eq!((&turn["usage"]["calls"], &turn["warnings"]), (&json!(2), &json!([])));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schema_that_is_refused_costs_a_request_that_is_counted_and_only_once() {
    let answers = [
        openai::saying("What made it a project now?"),
        openai::arguments(&analysis()) + &openai::finish("tool_calls") + &openai::usage(),
        openai::saying("Who books with it?"),
        openai::arguments("{\"fields\": [], \"signals\": {}}") + &openai::finish("tool_calls") + &openai::usage(),
    ];
    let refused = Answer::error(400, "invalid_request_error", "Invalid schema for response_format 'analysis'");
    let mut answers: Vec<Answer> = answers.into_iter().map(Answer::stream).collect();
    answers.insert(1, refused);
    let fake = FakeEndpoint::start(answers).await;
    let (_, ran) = run(program(&fake, ""), words(&ENGINE), &format!("{MESSAGE}Hello again.\n")).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let turns = ran.lines();
    assert_eq!(turns[0]["extraction_changes"][0]["value"], json!(SUMMARY));
    let calls: Vec<&Value> = turns.iter().map(|turn| &turn["usage"]["calls"]).collect();
    assert_eq!((calls, fake.asked().len()), (vec![&json!(3), &json!(2)], 5), "all that was sent is counted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_an_analysis_that_was_cut_the_whole_entries_count() {
    let whole = analysis();
    let entry = &whole[..=whole.find("}]").expect("an entry")];
    let cut = openai::delta(&format!("{entry}, {{\"path\": \"constraints.budget\", \"quote\": \"boo"))
        + &openai::finish("length");
    let answers = [Answer::stream(cut), Answer::stream(openai::saying("And why now?"))];
    let fake = FakeEndpoint::conversing(answers).await;
    let (_, ran) = run(program(&fake, ""), words(&ENGINE), MESSAGE).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let turn = &ran.lines()[0];
    assert_eq!(turn["extraction_changes"][0]["value"], json!(SUMMARY));
    assert!(turn["warnings"].to_string().contains("1 entry of it could be kept"), "{}", turn["warnings"]);
    assert_eq!(turn["usage"]["calls"], json!(2), "what was cut is counted, and nothing is asked twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_small_model_is_asked_back_rules_answer_whole_and_without_it() {
    let fake = FakeEndpoint::conversing([]).await;
    let small = program(&fake, "small_model = true\nwarm_up = false\n");
    let (_, ran) = run(small, words(&ENGINE), "How many more questions are there?\n").await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let turn = &ran.lines()[0];
    let response = turn["response"].as_str().unwrap();
    assert!(response.contains(char::is_numeric), "how many are left: {response}");
    assert!(response.ends_with('?') || response.contains("? "), "and the question again: {response}");
    assert!(!response.contains("No model is connected"), "{response}");
    assert_eq!((fake.asked().len(), &turn["usage"]["calls"]), (0, &json!(0)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_analysis_of_no_use_is_paid_for_and_the_turn_goes_on() {
    let fake = FakeEndpoint::conversing((0..8).map(|_| Answer::stream(openai::saying("Tell me more.")))).await;
    let (program, ran) = run(program(&fake, ""), words(&ENGINE), MESSAGE).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let turn = &ran.lines()[0];
    assert!(
        turn["warnings"].to_string().contains("cannot be read: what rules hear in it is kept"),
        "{}",
        turn["warnings"]
    );
    let calls = fake.asked().len();
    let cost = turn["usage"]["cost_usd"].as_f64().unwrap();
    assert!((cost - 0.18 * calls as f64).abs() < 1e-9, "{calls} calls cost {cost}");
    let connection = rusqlite::Connection::open(program.database()).unwrap();
    let kept: f64 = connection.query_row("SELECT sum(cost_usd) FROM budget", [], |row| row.get(0)).unwrap();
    assert!((kept - cost).abs() < 1e-9, "kept {kept} of {cost}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_key_is_told_and_the_message_is_kept_as_a_draft() {
    let fake = FakeEndpoint::conversing([Answer::error(401, "invalid_api_key", "Incorrect API key provided")]).await;
    let (program, ran) =
        run(program(&fake, "key_env = \"MY_KEY\"\n").variable("MY_KEY", "sk-wrong"), words(&ENGINE), MESSAGE).await;
    assert_eq!((ran.code, &ran.lines()[0]["error"]["kind"]), (3, &json!("endpoint")), "{}", ran.words);
    assert!(ran.words.contains("401") && ran.words.contains("MY_KEY"), "{}", ran.words);
    assert!(ran.words.contains("The message is kept as the draft of session"), "{}", ran.words);
    assert!(!ran.words.contains("sk-wrong"), "{}", ran.words);
    assert_untouched(&program, MESSAGE.trim_end());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_analysis_that_fails_leaves_the_answer_and_what_it_cost() {
    let overloaded = Answer::error(502, "bad_gateway", "Overloaded").for_data();
    let answers = [Answer::stream(openai::counted("What made it a project now?")), overloaded];
    let fake = FakeEndpoint::conversing(answers).await;
    let (program, ran) = run(program(&fake, "[budget]\nsession_tokens = 100_000\n"), words(&ENGINE), MESSAGE).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let turn = &ran.lines()[0];
    assert_eq!(turn["response"], json!("What made it a project now?"));
    assert!(turn["warnings"].to_string().contains("looked at again with your next one"), "{}", ran.words);
    let connection = rusqlite::Connection::open(program.database()).unwrap();
    let mut rows = connection.prepare("SELECT cost_usd FROM budget ORDER BY key").unwrap();
    let costs: Vec<f64> = rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(costs.len() >= 2 && (costs[0] - 4.4).abs() < 1e-9, "the call that worked was paid for: {costs:?}");
    assert!(costs[1..].iter().all(|cost| *cost > 0.5), "what was sent for the other counts: {costs:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_context_that_is_too_long_shrinks() {
    let fake = FakeEndpoint::conversing([
        Answer::stream(openai::saying(&analysis())),
        // Refused when it is begun early, and when it is asked for again.
        Answer::error(400, "context_length_exceeded", "This model's maximum context length is 4096 tokens."),
        Answer::error(400, "context_length_exceeded", "This model's maximum context length is 4096 tokens."),
        Answer::stream(openai::saying("And what does it cost you?")),
    ])
    .await;
    let program = program(&fake, "");
    let long = (0..14).map(|n| format!("Point {n} of many. ").repeat(60)).collect::<Vec<_>>().join("\n");
    let begun = program.run_with(&["--offline", "converse", "--engine", "project-discovery"], &long);
    let id = session_of(&begun.lines()[0]);
    let (_, ran) = run(program, words(&["converse", "--session", &id]), MESSAGE).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let turn = &ran.lines()[0];
    assert!(turn["warnings"].to_string().contains("older turns were left out"), "{}", turn["warnings"]);
    let sizes: Vec<usize> = fake.asked().iter().map(|asked| asked.body["messages"].to_string().len()).collect();
    assert!(sizes.last() < sizes.first(), "{sizes:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_cut_is_written_on_and_one_that_stays_cut_is_told() {
    let cut = |text: &str| Answer::stream(openai::delta(text) + &openai::finish("length") + &openai::usage());
    let fake = FakeEndpoint::conversing([
        Answer::stream(openai::saying(&analysis())),
        cut("What made it a pro"),
        Answer::stream(openai::saying("ject now?")),
    ])
    .await;
    let (_, ran) = run(program(&fake, ""), words(&ENGINE), MESSAGE).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let turn = &ran.lines()[0];
    assert_eq!(turn["response"], "What made it a project now?");
    assert!(!turn["warnings"].to_string().contains("cut"), "{}", turn["warnings"]);
    let goes_on = json!({ "role": "assistant", "content": "What made it a pro" });
    let told = |body: &Value| body["messages"].as_array().is_some_and(|messages| messages.contains(&goes_on));
    assert_eq!(fake.asked().iter().filter(|asked| told(&asked.body)).count(), 1, "it is told what it wrote");

    let answers = [Answer::stream(openai::saying(&analysis())), cut("A clinic. What "), cut("made "), cut("it a pro")];
    let fake = FakeEndpoint::conversing(answers).await;
    let (_, ran) = run(program(&fake, ""), words(&ENGINE), MESSAGE).await;
    let turn = &ran.lines()[0];
    assert!(turn["warnings"].to_string().contains("its limit of tokens cut it"), "{}", ran.words);
    assert!(
        turn["response"].as_str().unwrap().starts_with("A clinic.\n\n"),
        "half a sentence is left out: {}",
        ran.words
    );

    let answers = [Answer::stream(openai::saying(&analysis())), cut("What "), cut("made "), cut("it a pro")];
    let fake = FakeEndpoint::conversing(answers).await;
    let (_, ran) = run(program(&fake, ""), words(&ENGINE), MESSAGE).await;
    let turn = &ran.lines()[0];
    assert!(!turn["response"].as_str().unwrap().contains("it a pro"), "a question takes its place: {}", ran.words);
    assert_eq!(turn["warnings"], json!([]), "nothing of it is left that could be cut");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_is_sent_than_the_window_of_the_model_holds() {
    let mut sizes = Vec::new();
    for window in ["", "context_window = 6000\n"] {
        // Less room may want a summary first.
        let said = [&analysis(), "What made it a project now?", "What made it a project now?"];
        let answers = said.map(|text| Answer::stream(openai::saying(text)));
        let fake = FakeEndpoint::conversing(answers).await;
        let program = program(&fake, window);
        let long = (0..14).map(|n| format!("Point {n} of many. ").repeat(60)).collect::<Vec<_>>().join("\n");
        let begun = program.run_with(&["--offline", "converse", "--engine", "project-discovery"], &long);
        let id = session_of(&begun.lines()[0]);
        let (_, ran) = run(program, words(&["converse", "--session", &id]), MESSAGE).await;
        assert_eq!(ran.code, 0, "{}", ran.words);
        sizes.extend(fake.asked().iter().map(|asked| asked.body["messages"].to_string().len()).max());
    }
    assert!(sizes[1] < sizes[0] && sizes[1] < 6000 * 5, "{sizes:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_analysis_that_is_too_long_shrinks() {
    let fake = FakeEndpoint::conversing([
        Answer::error(413, "request_too_large", "Request exceeds the maximum size").for_data(),
        Answer::stream(openai::saying(&analysis())),
        Answer::stream(openai::saying("What made it a project now?")),
    ])
    .await;
    let (_, ran) = run(program(&fake, ""), words(&ENGINE), MESSAGE).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let turn = &ran.lines()[0];
    assert!(turn["warnings"].to_string().contains("it looked for less"), "{}", turn["warnings"]);
    let sizes: Vec<usize> = fake.asked().iter().map(|asked| asked.body.to_string().len()).collect();
    assert!(sizes[2] < sizes[1], "{sizes:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn how_an_endpoint_takes_a_schema_is_found_out_once_and_remembered_across_runs() {
    let refused = "response_format: json_schema is not supported";
    let unsupported = || Answer::error(400, "invalid_request_error", refused).for_data();
    let called = |data: &str| openai::arguments(data) + &openai::finish("tool_calls") + &openai::usage();
    let answers = [
        unsupported(),
        Answer::stream(called(&analysis())),
        Answer::stream(openai::saying("What made it a project now?")),
        Answer::stream(called(&analysis())),
        Answer::stream(openai::saying("And why now?")),
    ];
    let fake = FakeEndpoint::conversing(answers).await;
    let (program, first) = run(program(&fake, ""), words(&ENGINE), MESSAGE).await;
    let (program, second) = run(program, words(&ENGINE), MESSAGE).await;
    assert_eq!((first.code, second.code), (0, 0), "{}{}", first.words, second.words);
    let asked = fake.asked();
    let by_schema: Vec<bool> = asked.iter().map(|asked| asked.body.get("response_format").is_some()).collect();
    assert_eq!(by_schema, [false, true, false, false, false], "only the first run had to find out");
    assert!(asked[4].body.get("tools").is_some());
    let kept: Value = serde_json::from_slice(&std::fs::read(program.data().join("endpoints.json")).unwrap()).unwrap();
    let key = format!("127.0.0.1:{}/v1/chat/completions test-model", fake.port());
    assert_eq!(kept[key]["structured"], json!("tool_call"), "{kept}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_sent_beyond_the_budget_not_even_after_a_restart() {
    let answers = [openai::counted(&analysis()), openai::counted("What made it a project now?")];
    let fake = FakeEndpoint::conversing(answers.map(Answer::stream)).await;
    let budget = "max_output_tokens = 100\n[budget]\nsession_tokens = 30_000\n";
    let (program, ran) = run(program(&fake, budget), words(&ENGINE), MESSAGE).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let id = session_of(&ran.lines()[0]);
    // The session has used up most of its cap, as an earlier run left it.
    let connection = rusqlite::Connection::open(program.database()).unwrap();
    let raised = connection.execute("UPDATE budget SET input_tokens = 14_000", []).unwrap();
    assert_eq!(raised, 2);
    drop(connection);
    let (program, ran) = run(program, words(&["converse", "--session", &id]), "It was time.\n").await;
    assert_eq!(ran.code, 3, "{}", ran.words);
    let error = &ran.lines()[0]["error"];
    assert_eq!((&error["kind"], &error["budget"]["cap"]), (&json!("over_budget"), &json!("session_tokens")), "{error}");
    assert_eq!(error["budget"]["spent"], json!(28_400.0));
    let raise = error["what_to_do"]["raise"].as_str().unwrap();
    assert!(raise.starts_with("set `session_tokens` under [budget] in config.toml to 3"), "{raise}");
    assert_eq!(error["what_to_do"]["offline"], json!(format!("elenchus --offline converse --session {id}")));
    assert!(ran.words.contains("The budget for the tokens of this session is reached"), "{}", ran.words);
    assert!(ran.words.contains("raise it, go on offline, or stop"), "{}", ran.words);
    assert_eq!(fake.asked().len(), 2, "nothing more was sent");
    let session = only_session(&program);
    assert_eq!((&session["turn"], &session["draft"]), (&json!(1), &json!("It was time.")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_leaves_the_session_as_it_was_and_the_message_as_its_draft() {
    let (waiting, feed) = Answer::fed();
    let fake = FakeEndpoint::conversing([Answer::stream(openai::saying(&analysis())), waiting]).await;
    let program = program(&fake, "");
    let mut child = program.start(&ENGINE);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(MESSAGE.as_bytes()).unwrap();
    fake.until_asked(1).await;
    feed.send(openai::delta("What made "));
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let output = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap()).await.unwrap();
    assert_eq!((output.status.code(), output.stdout), (None, Vec::new()), "ended by the signal, nothing printed");
    feed.closed().await;
    assert_untouched(&program, MESSAGE.trim());
    drop(stdin);
}

/// An answer with figures that no call can have.
fn boasting(text: &str) -> Answer {
    let usage = json!({ "prompt_tokens": i64::MAX, "completion_tokens": u64::MAX, "cost": -1e300 });
    let words = json!({ "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": "stop" }],
        "usage": usage });
    Answer::stream(openai::event(&words))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_boasts_spoils_neither_this_session_nor_the_next() {
    let asked = |question: &str| [boasting(&analysis()), boasting(question)];
    let [first, second] = ["What made it a project now?", "Who is hit hardest when it fails?"].map(asked);
    let fake = FakeEndpoint::conversing(first.into_iter().chain(second).chain(asked("And why now?"))).await;
    let (mut program, mut ran) =
        run(program(&fake, "[budget]\nday_tokens = 1_000_000\n"), words(&ENGINE), MESSAGE).await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let id = session_of(&ran.lines()[0]);
    for arguments in [words(&["converse", "--session", &id]), words(&ENGINE)] {
        (program, ran) = run(program, arguments, MESSAGE).await;
        assert_eq!(ran.code, 0, "{}", ran.words);
        let tokens = ran.lines()[0]["usage"]["input_tokens"].as_u64().unwrap();
        assert!(tokens > 0 && tokens < 100_000, "our own estimate: {tokens}");
        assert!(ran.lines()[0]["usage"]["cost_usd"].as_f64().unwrap() > 0.0, "and our own price");
    }
    assert_eq!(program.run(&["sessions", "verify"]).code, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_with_figures_of_long_ago_is_listed_resumed_checked_and_repaired() {
    let answers = [openai::saying(&analysis()), openai::saying("What made it a project now?")];
    let fake =
        FakeEndpoint::conversing(answers.iter().chain(&answers).map(|answer| Answer::stream(answer.clone()))).await;
    let (program, ran) = run(program(&fake, ""), words(&ENGINE), MESSAGE).await;
    let id = session_of(&ran.lines()[0]);
    let connection = rusqlite::Connection::open(program.database()).unwrap();
    connection
        .execute_batch(
            "INSERT INTO budget SELECT NULL, session_id, NULL, day, role, model, 9223372036854775807, -7, 1, 9e999, NULL, NULL FROM budget",
        )
        .unwrap();
    drop(connection);
    assert_eq!(program.run(&["sessions", "list", "--json"]).json()[0]["session_id"], json!(id));
    let (program, ran) = run(program, words(&["converse", "--session", &id]), "It was time.\n").await;
    assert_eq!(ran.code, 0, "{}", ran.words);
    let found = program.run(&["sessions", "verify"]);
    assert_eq!(found.code, 1, "{}", found.words);
    assert_eq!(found.data.matches("out of bounds").count(), 2, "{}", found.data);
    let repaired = program.run(&["sessions", "verify", "--repair"]);
    assert_eq!(repaired.code, 0, "{}", repaired.data);
    assert_eq!(repaired.data.matches("It was brought within bounds").count(), 2, "{}", repaired.data);
    assert_eq!(program.run(&["sessions", "verify", "--repair", "--json"]).json()["repaired"], json!([]));
}
