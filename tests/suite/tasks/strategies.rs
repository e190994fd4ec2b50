//! Every failure strategy, with a failing program and a failing address.

use elenchus::engine::memory::TaskStatus::{Completed, Running, Waiting};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Bench, DEGRADE, GAP, RETRY, STALL, kept, say, script, script_with, shown, task, told};
use crate::support::fake_endpoint::{Answer, FakeEndpoint};

const FAILS: &str = "echo no figures today >&2; exit 3";
const STATUS: &str = "it ended with status 3: no figures today";

fn failing_program(strategy: &str) -> Bench {
    Bench::new(&(task("figures", strategy, "") + &script("figures", FAILS)))
}

fn failing_address(strategy: &str, endpoint: &FakeEndpoint) -> Bench {
    let url = format!("http://127.0.0.1:{}/figures", endpoint.port());
    let handler = format!("[handlers.figures]\ntype = \"http\"\nurl = \"{url}\"\n");
    Bench::new(&(task("figures", strategy, "") + &handler))
}

async fn broken() -> FakeEndpoint {
    FakeEndpoint::conversing((0..9).map(|_| Answer::new(503, "text/plain", "\u{1b}[31mclosed for today"))).await
}

const ANSWER: &str = "127.0.0.1 answered 503: closed for today";

/// Status, note, attempts and waits of the task once everything has come to an end.
async fn outcome(bench: &Bench) -> (String, String, u32, Vec<u64>) {
    let host = bench.host();
    bench.allow(&host).await;
    let (session, _) = bench.settle(&host).await;
    let (status, note) = shown(&session, "figures");
    let attempts = kept(&host, session.record().id, "figures").await.attempts;
    (status, note, attempts, bench.waits())
}

#[tokio::test]
async fn retry_waits_five_ten_and_twenty_seconds_and_gives_up() {
    let endpoint = broken().await;
    for (bench, why) in [(failing_program(RETRY), STATUS), (failing_address(RETRY, &endpoint), ANSWER)] {
        let note = format!("given up after 4 attempts: {why}; we go on without it");
        assert_eq!(outcome(&bench).await, ("failed".to_owned(), note, 4, vec![5, 10, 20]));
    }
    assert_eq!(endpoint.asked().len(), 4);
}

#[tokio::test]
async fn degrade_says_what_happens_instead() {
    let endpoint = broken().await;
    for (bench, why) in [(failing_program(DEGRADE), STATUS), (failing_address(DEGRADE, &endpoint), ANSWER)] {
        let note = format!("We use your own figures ({why})");
        assert_eq!(outcome(&bench).await, ("failed".to_owned(), note, 1, vec![]));
    }
}

#[tokio::test]
async fn stall_shows_what_is_awaited_and_then_needs_the_user() {
    let endpoint = broken().await;
    for (bench, why) in [(failing_program(STALL), STATUS), (failing_address(STALL, &endpoint), ANSWER)] {
        let note = format!("{why}; the conversation waits for it: try it again, or go on without it");
        assert_eq!(outcome(&bench).await, ("needs_user".to_owned(), note, 5, vec![5, 10, 20, 40]));
    }
}

#[tokio::test]
async fn a_gap_is_flagged() {
    let endpoint = broken().await;
    for (bench, why) in [(failing_program(GAP), STATUS), (failing_address(GAP, &endpoint), ANSWER)] {
        assert_eq!(outcome(&bench).await, ("failed".to_owned(), format!("gap: {why}"), 1, vec![]));
    }
}

#[tokio::test]
async fn a_gap_is_offered_again_and_can_be_filled_later() {
    let bench = Bench::new("");
    let shared = bench.path("shared");
    std::fs::create_dir(&shared).unwrap();
    let flag = shared.join("open");
    let text = format!("test -e {} || exit 1; echo '{{\"figure\": 7}}'", flag.display());
    let read = format!("read = [\"{}\"]", shared.display());
    bench.write_engine(&(task("figures", GAP, "") + &script_with("figures", &text, &read)));
    let host = bench.host();
    bench.allow(&host).await;
    let (mut session, _) = bench.settle(&host).await;
    assert_eq!(session.gaps(), ["figures"]);
    std::fs::write(&flag, "").unwrap();
    session.retry_task("figures").await.unwrap();
    session.tasks_settled().await;
    assert_eq!(session.gaps(), [""; 0]);
    // Shown at once, and known to the conversation from the next turn on.
    assert_eq!(shown(&session, "figures"), ("completed".to_owned(), "from the program /bin/sh".to_owned()));
    say(&mut session, "It has been like that since spring.").await;
    let record = session.memory().background_tasks.get("figures").unwrap();
    assert_eq!(record.result, Some(json!({ "figure": 7 })));
}

#[tokio::test]
async fn a_stalling_task_holds_the_phase_until_the_user_goes_on_without_it() {
    let bench = Bench::new(&(task("figures", STALL, "block_phase_transition = true") + &script("figures", FAILS)));
    let host = bench.host();
    bench.allow(&host).await;
    let (mut session, _) = bench.settle(&host).await;
    say(&mut session, "It started when two colleagues left in spring.").await;
    let blocked = say(&mut session, "The staff is tired of it.").await;
    assert_eq!(blocked.memory.phase.current, "START");
    session.skip_task("figures").await.unwrap();
    let freed = say(&mut session, "They want it to end.").await;
    assert_eq!(freed.memory.phase.current, "MIDDLE");
    assert_eq!(shown(&session, "figures").1, "called off by you; we go on without it");
}

#[tokio::test]
async fn a_task_waits_for_the_one_before_it_and_gets_its_result() {
    let first = task("first", DEGRADE, "") + &script("first", "echo '{\"seen\": \"three\"}'");
    let second = task("second", DEGRADE, "after = [\"first\"]") + &script("second", "cat");
    let bench = Bench::new(&(second + &first));
    let host = bench.host();
    bench.allow(&host).await;
    let (session, events) = bench.settle(&host).await;
    let row = kept(&host, session.record().id, "second").await;
    let read = row.result.unwrap();
    assert_eq!(read["results"], json!({ "first": { "seen": "three" } }));
    assert_eq!(read["fields"], json!({ "purpose.problem": "The phones ring all day" }));
    // First that it was set off, then what it waits for.
    assert_eq!(told(&events, "second"), [Waiting, Waiting, Running, Completed]);
}

#[tokio::test]
async fn a_task_that_needs_a_failed_one_fails_by_its_own_strategy() {
    let first = task("first", GAP, "") + &script("first", FAILS);
    let second = task("second", DEGRADE, "after = [\"first\"]") + &script("second", "cat");
    let bench = Bench::new(&(second + &first));
    let host = bench.host();
    bench.allow(&host).await;
    let (session, _) = bench.settle(&host).await;
    let note = "We use your own figures (it needs the result of “first”, which brought nothing)";
    assert_eq!(shown(&session, "second"), ("failed".to_owned(), note.to_owned()));
}

#[tokio::test]
async fn no_more_tasks_run_at_once_than_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().display();
    // A folder can be made only once: whoever finds it taken does not run alone.
    let text = format!("mkdir {place}/alone || exit 1; rmdir {place}/alone; echo '{{}}'");
    let write = format!("write = [\"{place}\"]");
    let tasks: String =
        (0..6).map(|n| task(&format!("t{n}"), GAP, "") + &script_with(&format!("t{n}"), &text, &write)).collect();
    let bench = Bench::new(&tasks);
    let mut host = bench.host();
    host.means.slots = std::sync::Arc::new(tokio::sync::Semaphore::new(1));
    bench.allow(&host).await;
    let (session, _) = bench.settle(&host).await;
    for n in 0..6 {
        assert_eq!(shown(&session, &format!("t{n}")).0, "completed", "{:?}", shown(&session, &format!("t{n}")));
    }
}

#[tokio::test]
async fn redirects_to_elsewhere_are_not_followed() {
    let elsewhere = FakeEndpoint::conversing([Answer::json(200, &json!({ "stolen": true }))]).await;
    let target = format!("http://127.0.0.1:{}/", elsewhere.port());
    let endpoint = FakeEndpoint::conversing([Answer::new(307, "text/plain", "").header("location", &target)]).await;
    let bench = failing_address(RETRY, &endpoint);
    let (status, note, attempts, waits) = outcome(&bench).await;
    assert_eq!((status.as_str(), attempts, waits), ("failed", 1, vec![]));
    assert!(note.contains("sends elsewhere, which is not followed"), "{note}");
    assert!(elsewhere.asked().is_empty());
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off() {
    let endpoint = FakeEndpoint::conversing([Answer::new(200, "application/json", vec![b' '; 400_000])]).await;
    let (_, note, ..) = outcome(&failing_address(GAP, &endpoint)).await;
    assert_eq!(note, "gap: 127.0.0.1 answered more than 256 KiB");
}
