//! SIGKILL at random moments while the real program converses: every printed turn is there afterwards, whole, and what was
//! under way is not lost.

use std::io::{BufRead, BufReader, Read, Write};
use std::time::{Duration, Instant};

use elenchus::store::{SqliteOptions, Store};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::fake_endpoint::{Answer, FakeEndpoint};
use crate::support::program::{Program, session_of};

const ROUNDS: u64 = 48;
/// A new session every so many rounds.
const ROUNDS_PER_SESSION: u64 = 8;

/// Converses, kills after some turns and a moment more, and returns what was printed.
fn run_and_kill(program: &Program, arguments: &[&str], random: &mut impl FnMut(u64) -> u64) -> Vec<Value> {
    let mut child = program.start(arguments);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let messages: Vec<String> =
        (0..12).map(|n| format!("Answer number {n} about the move to the new office.\n")).collect();
    // All at once: the program is always busy with a turn when the signal comes.
    stdin.write_all(messages.concat().as_bytes()).unwrap();
    let early = random(6) == 0;
    let wanted = if early { 0 } else { 1 + random(4) };
    let mut printed = String::new();
    for _ in 0..wanted {
        if stdout.read_line(&mut printed).unwrap() == 0 {
            break;
        }
    }
    let moment = Instant::now() + Duration::from_micros(random(if early { 60_000 } else { 8_000 }));
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    stdout.read_to_string(&mut printed).unwrap();
    let whole = printed.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_printed_turn_survives_a_kill_whole() {
    let program = Program::new();
    let engine = program.new_engine("look-back");
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut id: Option<String> = None;
    let mut total = 0;
    for round in 0..ROUNDS {
        if round % ROUNDS_PER_SESSION == 0 {
            id = None;
        }
        let begin = ["converse", "--engine", engine.to_str().unwrap()];
        let printed = match &id {
            Some(id) => run_and_kill(&program, &["converse", "--session", id], &mut random),
            None => run_and_kill(&program, &begin, &mut random),
        };
        total += printed.len();
        id = id.or_else(|| printed.first().map(session_of));
        let mut store = Store::open_sqlite(&program.database(), SqliteOptions::default()).unwrap();
        assert_eq!(store.verify(None).unwrap().findings, [], "round {round}");
        let Some(last) = printed.last() else { continue };
        let resumed = {
            let found = store.find_session(&session_of(last)).unwrap().id;
            store.resume(found, u32::MAX).unwrap()
        };
        let turns = resumed.session.turn;
        assert!(u64::from(turns) >= last["turn"].as_u64().unwrap(), "round {round}: a printed turn is missing");
        assert_eq!(resumed.messages.len() as u32, 1 + 2 * turns, "round {round}: no half turn");
        assert_eq!(resumed.state["turn"], u64::from(turns), "round {round}: the state is that of the last turn");
        for turn in &printed {
            let number = u32::try_from(turn["turn"].as_u64().unwrap()).unwrap();
            let answer = resumed.messages.iter().rfind(|message| message.turn == number).unwrap();
            assert_eq!(turn["response"], answer.content.as_str(), "round {round}: what was printed is what was kept");
        }
    }
    assert!(total >= ROUNDS as usize, "only {total} turns were printed");
    let verified = program.run(&["sessions", "verify"]);
    assert_eq!(verified.code, 0, "{}{}", verified.data, verified.words);
}

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
    let fake = FakeEndpoint::start([silent]).await;
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
    let fake = FakeEndpoint::start([silent]).await;
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
