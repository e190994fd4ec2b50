//! Nothing from outside runs before the user has seen exactly what.

use std::path::Path;
use std::sync::Arc;

use assert_cmd::Command;
use elenchus::host::Host;
use elenchus::host::consent::question;
use elenchus::llm::{Budget, Limits, Models};
use elenchus::sandbox::Allowance;
use elenchus::settings::Surroundings;
use pretty_assertions::assert_eq;
use serde_json::Value;

use super::support::{Bench, DEGRADE, GAP, RETRY, STALL, say, script, shown, task};
use crate::support::fake_endpoint::{Answer, FakeEndpoint, openai};

fn program(bench: &Bench) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_elenchus"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    command.arg("--config").arg(bench.path("config")).arg("--data-dir").arg(bench.path("data"));
    command
}

fn bench() -> Bench {
    Bench::new(&(task("scan", DEGRADE, "") + &script("scan", "echo '{\"seen\": true}'")))
}

#[tokio::test]
async fn a_program_waits_for_the_user_who_sees_what_would_run() {
    let bench = bench();
    let host = bench.host();
    let (session, _) = bench.settle(&host).await;
    let (status, note) = shown(&session, "scan");
    assert_eq!(status, "needs_user");
    assert!(note.contains("run /bin/sh -c \"echo '{\\\"seen\\\": true}'\""), "{note}");
    let wanted = session.trust_request().unwrap();
    assert_eq!(wanted.acts.iter().map(elenchus::tasks::Act::words).collect::<Vec<_>>().len(), 1);

    session.decide_trust(&wanted, true).await.unwrap();
    session.tasks_settled().await;
    assert_eq!(shown(&session, "scan").0, "completed");
    assert_eq!(session.trust_request(), None);

    // Remembered for the next session.
    let (again, _) = bench.settle(&host).await;
    assert_eq!(shown(&again, "scan").0, "completed");
}

#[tokio::test]
async fn a_refusal_is_an_answer() {
    let bench = bench();
    let host = bench.host();
    let (session, _) = bench.settle(&host).await;
    session.decide_trust(&session.trust_request().unwrap(), false).await.unwrap();
    session.tasks_settled().await;
    let note = "We use your own figures (you have not allowed this engine to do it)".to_owned();
    assert_eq!(shown(&session, "scan"), ("failed".to_owned(), note));
}

#[tokio::test]
async fn a_changed_file_asks_again() {
    let bench = Bench::new("");
    let own = "[handlers.scan]\ntype = \"command\"\nprogram = \"/bin/sh\"\nargs = [\"./scan.sh\"]\n";
    bench.write_engine(&(task("scan", GAP, "") + own));
    let file = bench.engine().join("scan.sh");
    std::fs::write(&file, "echo '{\"seen\": 1}'").unwrap();
    let host = bench.host();
    bench.allow(&host).await;
    let (first, _) = bench.settle(&host).await;
    assert_eq!(shown(&first, "scan").0, "completed");
    // The script is no part of what an engine is loaded from, and still part of what was agreed to.
    std::fs::write(&file, "echo '{\"seen\": 2}'").unwrap();
    let (second, _) = bench.settle(&host).await;
    assert_eq!(shown(&second, "scan").0, "needs_user");
    bench.allow(&host).await;
    let (third, _) = bench.settle(&host).await;
    assert_eq!(shown(&third, "scan").0, "completed");
    std::fs::write(bench.engine().join("brief.md"), "# Another brief\n").unwrap();
    let (fourth, _) = bench.settle(&host).await;
    assert_eq!(shown(&fourth, "scan").0, "needs_user");
}

#[tokio::test]
async fn an_address_waits_for_the_user_too() {
    let handler = "[handlers.scan]\ntype = \"http\"\nurl = \"https://example.invalid/scan?key=1\"\n";
    let bench = Bench::new(&(task("scan", GAP, "") + handler));
    let host = bench.host();
    let (session, _) = bench.settle(&host).await;
    let note = "this engine would send what is known of the conversation to https://example.invalid/scan?key=1: look at \
                it, then allow or refuse it";
    assert_eq!(shown(&session, "scan"), ("needs_user".to_owned(), note.to_owned()));
}

#[tokio::test]
async fn asking_a_model_waits_for_the_user_too() {
    let handler = "[handlers.scan]\ntype = \"llm\"\nprompt = \"Risks?\"\n\
                   output = { risks = { type = \"array\", items = { type = \"string\" } } }\n";
    let endpoint = FakeEndpoint::conversing([Answer::stream(openai::saying("{\"risks\": [\"one\"]}"))]).await;
    let models = Models::new(endpoint.openai(), Vec::new(), Arc::new(Budget::new(Limits::default()))).unwrap();
    let bench = Bench::new(&(task("scan", RETRY, "") + handler));
    let host = bench.host();
    let mut session = bench.begin(&host).await;
    session.research_with(Some(&models));
    say(&mut session, "The phones ring all day.").await;
    session.tasks_settled().await;
    let note = "this engine would spend money at your endpoint: ask your model at most 16 times, with at most 17500 \
                tokens each: look at it, then allow or refuse it";
    assert_eq!(shown(&session, "scan"), ("needs_user".to_owned(), note.to_owned()));
    assert_eq!(endpoint.asked().len(), 0, "nothing was spent");

    let wanted = session.trust_request().unwrap();
    assert_eq!(wanted.acts[0].deed.grant.money, Some(Allowance { calls: 16, tokens: 17_500 }));
    session.decide_trust(&wanted, true).await.unwrap();
    session.tasks_settled().await;
    assert_eq!((shown(&session, "scan").0.as_str(), endpoint.asked().len()), ("completed", 1));
}

#[test]
fn who_agrees_is_told_that_other_sessions_are_searched_and_where_their_words_go() {
    let handlers = "[handlers.look]\ntype = \"llm\"\nprompt = \"Risks?\"\nlook_up = \"kettle\"\n\
                    output = { risks = { type = \"string\" } }\n\n\
                    [handlers.send]\ntype = \"http\"\nurl = \"https://example.org/collect\"\n";
    let tasks = task("look", GAP, "") + &task("send", GAP, "after = [\"look\"]\n");
    let bench = Bench::new(&(tasks + handlers));
    let shown = program(&bench).args(["engines", "trust"]).arg(bench.engine()).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("search the other sessions of a project"), "{shown}");
    let passed_on = "to https://example.org/collect; with words of other sessions in it, which look looks up";
    assert!(shown.contains(passed_on), "{shown}");
}

#[tokio::test]
async fn a_question_to_a_model_is_no_longer_than_was_agreed_to() {
    let handler = "[handlers.scan]\ntype = \"llm\"\nprompt = \"{% for a in '0123456789' %}{% for b in '0123456789' %}\
                   {% for c in '0123456789' %}{% for d in '0123456789' %}word and word {% endfor %}{% endfor %}\
                   {% endfor %}{% endfor %}\"\noutput = { risks = { type = \"string\" } }\n";
    let endpoint = FakeEndpoint::conversing([]).await;
    let models = Models::new(endpoint.openai(), Vec::new(), Arc::new(Budget::new(Limits::default()))).unwrap();
    let bench = Bench::new(&(task("scan", GAP, "") + handler));
    let host = bench.host();
    bench.allow(&host).await;
    let mut session = bench.begin(&host).await;
    session.research_with(Some(&models));
    say(&mut session, "The phones ring all day.").await;
    session.tasks_settled().await;
    let (status, note) = shown(&session, "scan");
    assert_eq!((status.as_str(), endpoint.asked().len()), ("failed", 0));
    assert!(note.contains("at most 16000 are sent in the background"), "{note}");
}

#[tokio::test]
async fn a_task_that_stalls_is_no_question_of_leave() {
    let bench = Bench::new(&(task("scan", STALL, "") + &script("scan", "exit 1")));
    let host = bench.host();
    bench.allow(&host).await;
    let (session, _) = bench.settle(&host).await;
    assert_eq!(shown(&session, "scan").0, "needs_user");
    assert_eq!(session.trust_request(), None);
    let id = session.record().id.to_string();
    drop(session);
    assert_eq!(host.resume(&id).await.unwrap().trust_request(), None);
}

#[tokio::test]
async fn a_question_of_leave_is_still_one_after_a_restart() {
    let bench = bench();
    let host = bench.host();
    let (session, _) = bench.settle(&host).await;
    let (id, wanted) = (session.record().id.to_string(), session.trust_request().unwrap());
    drop(session);
    host.close().unwrap();
    let host = bench.host();
    let session = host.resume(&id).await.unwrap();
    assert_eq!(session.trust_request().as_ref(), Some(&wanted));
    session.decide_trust(&wanted, true).await.unwrap();
    session.tasks_settled().await;
    assert_eq!(shown(&session, "scan").0, "completed");
}

fn decision(bench: &Bench, more: &[&str]) -> (Option<i32>, Value) {
    let output =
        program(bench).args(["engines", "trust"]).arg(bench.engine()).arg("--json").args(more).output().unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn the_command_shows_asks_remembers_and_takes_back() {
    let bench = bench();
    let (code, shown) = decision(&bench, &[]);
    assert_eq!((code, &shown["decision"]), (Some(1), &Value::Null));
    let act = &shown["request"]["acts"][0];
    assert_eq!((&act["program"], &act["args"][1]), (&"/bin/sh".into(), &"echo '{\"seen\": true}'".into()));
    assert_eq!(decision(&bench, &["--yes"]).1["decision"], "trusted");
    assert_eq!(decision(&bench, &[]), (Some(0), decision(&bench, &[]).1));
    assert_eq!(decision(&bench, &["--revoke"]).1["decision"], "refused");
}

#[test]
fn without_a_terminal_nothing_is_agreed_to() {
    let bench = bench();
    let output = program(&bench).args(["engines", "trust"]).arg(bench.engine()).write_stdin("y\n").output().unwrap();
    let (out, words) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(1));
    assert!(out.contains("  run /bin/sh -c \"echo '{\\\"seen\\\": true}'\"\n"), "{out}");
    assert!(words.contains("Nothing was decided"), "{words}");
}

#[test]
fn an_engine_of_the_binary_needs_no_leave() {
    let bench = bench();
    let output = program(&bench).args(["engines", "trust", "exploration", "--json"]).output().unwrap();
    assert!(output.status.success());
    assert!(Path::new(&bench.path("data")).exists());
}

#[tokio::test]
async fn a_model_is_not_asked_more_often_than_was_agreed_to() {
    let handler = "[handlers.scan]\ntype = \"llm\"\nprompt = \"Risks?\"\n\
                   output = { risks = { type = \"array\", items = { type = \"string\" } } }\n";
    // Prose in the place of data, so that every means is tried, and failures that pass, which are tried again.
    let prose = (0..20).map(|_| Answer::stream(openai::saying("I would rather not.")));
    let lost = (0..20).map(|_| Answer::error(503, "overloaded", "later"));
    for answers in [prose.collect::<Vec<_>>(), lost.collect()] {
        let endpoint = FakeEndpoint::start(answers).await;
        let mut address = endpoint.openai();
        address.retry.attempts = 9;
        let models = Models::new(address, Vec::new(), Arc::new(Budget::new(Limits::default()))).unwrap();
        let bench = Bench::new(&(task("scan", "{ type = \"retry\", max_retries = 1 }", "") + handler));
        let host = bench.host();
        let mut session = bench.begin(&host).await;
        session.research_with(Some(&models));
        say(&mut session, "The phones ring all day.").await;
        session.tasks_settled().await;
        let wanted = session.trust_request().unwrap();
        let most = wanted.acts[0].deed.grant.money.unwrap().calls as usize;
        session.decide_trust(&wanted, true).await.unwrap();
        session.tasks_settled().await;
        assert_eq!((most, shown(&session, "scan").0.as_str()), (8, "failed"));
        assert!(endpoint.asked().len() <= most, "{} of {most}", endpoint.asked().len());
    }
}

#[tokio::test]
async fn an_agreement_that_the_log_key_has_not_sealed_is_asked_for_anew_and_it_is_said_why() {
    let bench = bench();
    let host = bench.host();
    bench.allow(&host).await;
    host.close().unwrap();
    let key = "0123456789abcdef0123456789abcdef";
    let why = "does not count, because the log key has not sealed it: it was made without the key, or somebody else has \
               written it";
    let asked = program(&bench).env("ELENCHUS_LOG_KEY", key).args(["engines", "trust"]).arg(bench.engine()).output();
    let asked = asked.unwrap();
    let words = String::from_utf8(asked.stdout).unwrap();
    assert_eq!(asked.status.code(), Some(1), "{words}");
    assert!(words.contains(why), "{words}");

    let variable = |name: &str| (name == "ELENCHUS_LOG_KEY").then(|| key.to_owned());
    let surroundings = Surroundings { variable: &variable, keyring: &|_| Err(String::new()), program: None };
    let mut host = Host::open(&bench.flags(), &surroundings).unwrap();
    host.means.sandbox = host.means.sandbox.with_helper(env!("CARGO_BIN_EXE_elenchus").into());
    let (session, _) = bench.settle(&host).await;
    let (status, note) = shown(&session, "scan");
    assert_eq!(status, "needs_user");
    assert!(note.contains(why) && note.contains("this engine would run /bin/sh"), "{note}");
    let wanted = session.trust_request().unwrap();
    assert!(question(&wanted).doubt.is_some_and(|told| told.contains(why)), "the card says it too");
    session.decide_trust(&wanted, true).await.unwrap();
    session.tasks_settled().await;
    assert_eq!(shown(&session, "scan").0, "completed");
}
