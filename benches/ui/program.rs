//! The real binary in a pseudo-terminal: start, a stream, memory, idleness. What is measured stands on the screen, and
//! processor time is that of the whole process.

use std::fs;
use std::time::{Duration, Instant};

use elenchus::host::Host;
use elenchus::settings::{Flags, Surroundings};
use elenchus::store::{CommitKind, MessageId, MessageRecord, Role, TurnCommit};
use jiff::Timestamp;
use serde_json::json;
use tempfile::TempDir;
use termlens::{Key, Terminal};

use super::endpoint::{Endpoint, LAST};
use super::figure::{median, ms, show};

const SAMPLE: &str = include_str!("../../tests/fixtures/ui/sample.md");

/// Prints all figures of the real binary.
pub fn figures() {
    start();
    stream();
    let home = tempfile::tempdir().expect("a folder");
    let session = kept_session(&home, 5_000, SAMPLE);
    let mut terminal = program(&home, &["chat", "--session", &session]);
    sees(&mut terminal, "Write here");
    for _ in 0..20 {
        terminal.send(Key::PageUp).expect("a key");
    }
    terminal.wait_idle(Duration::from_millis(300)).expect("it comes to rest");
    show("resident memory with 10,000 messages", resident(&terminal), "MB", 60.0);
    idle(&mut terminal);
}

fn program(home: &TempDir, arguments: &[&str]) -> Terminal {
    asking(home, &[&["--offline"], arguments].concat())
}

fn asking(home: &TempDir, arguments: &[&str]) -> Terminal {
    let folder = |name: &str| home.path().join(name).to_str().expect("a path").to_owned();
    let (data, config) = (folder("data"), folder("config"));
    let settings = ["--data-dir", &data, "--config", &config];
    Terminal::builder()
        .size(120, 40)
        .env_clear()
        .env("TERM", "xterm-256color")
        .env("COLORTERM", "truecolor")
        .env("HOME", home.path())
        .timeout(Duration::from_mins(1))
        .args([&settings, arguments].concat())
        .spawn(env!("CARGO_BIN_EXE_elenchus"))
        .expect("the program starts")
}

fn sees(terminal: &mut Terminal, text: &str) {
    terminal.wait_until(|screen| screen.contains(text)).expect("the screen shows it");
}

/// How often a start is measured.
const STARTS: usize = 20;

/// What a start costs on a machine with sessions: until all of the first screen is there, until a key is answered, and what
/// it takes of memory.
fn start() {
    let home = tempfile::tempdir().expect("a folder");
    for _ in 0..3 {
        kept_session(&home, 2, "About forty a day, more on Mondays.");
    }
    let whole = |screen: &termlens::Screen| screen.contains("about 30 min") && screen.contains("2 turns");
    let first = || drop(shows(program(&home, &[]), whole));
    first();
    show("exec to a frame with engines and sessions", ms(median(STARTS, first)), "ms", 15.0);
    let typed = || {
        let mut terminal = shows(program(&home, &[]), |screen| screen.contains("Start"));
        terminal.send_str("Zebra").expect("keys");
        drop(shows(terminal, |screen| screen.contains("Zebra")));
    };
    show("exec to what is typed at the first frame", ms(median(STARTS, typed)), "ms", 30.0);
    let terminal = shows(program(&home, &[]), whole);
    show("resident memory at the first frame", resident(&terminal), "MB", 30.0);
}

fn shows(mut terminal: Terminal, what: impl Fn(&termlens::Screen) -> bool) -> Terminal {
    terminal.wait_until(|screen| what(screen)).expect("the screen shows it");
    terminal
}

/// Tokens of the answer, and how many come in a second.
const TOKENS: usize = 10_000;
const PER_SECOND: u32 = 1_000;

/// A long answer of an endpoint: how late its end is, and what all of it costs.
fn stream() {
    let home = tempfile::tempdir().expect("a folder");
    let letters: Vec<char> = SAMPLE.repeat((TOKENS * 4).div_ceil(SAMPLE.len())).chars().collect();
    let tokens = letters.chunks(4).take(TOKENS).map(|token| token.iter().collect()).collect();
    let endpoint = Endpoint::writing(tokens, PER_SECOND);
    let arguments = ["--endpoint", &endpoint.url, "--model", "m", "chat", "--engine", "project-discovery"];
    let mut terminal = asking(&home, &arguments);
    sees(&mut terminal, "Write here");
    terminal.send_str("We need a booking app.").expect("keys");
    sees(&mut terminal, "booking app");
    let before = ticks(&terminal);
    terminal.send(Key::Enter).expect("a key");
    sees(&mut terminal, LAST);
    let late = endpoint.wrote_last().map_or(Duration::ZERO, |wrote| wrote.elapsed());
    show("last token of a stream: written to seen", ms(late), "ms", 25.0);
    show("processor for 10,000 streamed tokens", (ticks(&terminal) - before) / 100.0, "s", 1.0);
}

/// A session of so many turns in the store, and its id.
fn kept_session(home: &TempDir, turns: u32, answer: &str) -> String {
    let flags = Flags {
        config: Some(home.path().join("config")),
        data_dir: Some(home.path().join("data")),
        ..Flags::default()
    };
    let host = Host::open(&flags, &Surroundings::system()).expect("a host").offline();
    let mut session = pollster::block_on(host.start("project-discovery", None)).expect("a session").record().clone();
    let store = host.store();
    let state = store
        .call({
            let id = session.id;
            move |store| store.state_at(id, 0)
        })
        .expect("a state");
    for turn in 1..=turns {
        let now = Timestamp::now();
        let said = |role, content: &str| MessageRecord {
            id: MessageId::new(now),
            turn,
            role,
            content: content.to_owned(),
            created_at: now,
            meta: json!({ "tokens": content.len() / 4 }),
        };
        let mut state = state.clone();
        state["turn"] = json!(turn);
        let commit = TurnCommit {
            session_id: session.id,
            kind: CommitKind::Turn,
            expected_turn: session.turn,
            expected_revision: session.revision,
            messages: vec![said(Role::User, "About forty a day."), said(Role::Assistant, answer)],
            state,
            phase: session.phase.clone(),
            completeness: 0.0,
            title: None,
            extractions: Vec::new(),
            checkpoint: None,
            tasks: Vec::new(),
            figures: None,
            budget: Vec::new(),
            settled: Vec::new(),
            verification: None,
        };
        let committed = store.call(move |store| store.commit(commit)).expect("a turn");
        (session.turn, session.revision) = (committed.turn, committed.revision);
    }
    host.close().expect("all is written");
    session.id.to_string()
}

/// Megabytes that the process has in memory.
fn resident(terminal: &Terminal) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", terminal.pid().expect("a process"))).expect("a status");
    let line = status.lines().find(|line| line.starts_with("VmRSS")).expect("a figure");
    let kilobytes: f64 = line.split_whitespace().nth(1).and_then(|figure| figure.parse().ok()).expect("a number");
    kilobytes / 1024.0
}

/// Hundredths of a second that the process has computed for.
fn ticks(terminal: &Terminal) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", terminal.pid().expect("a process"))).expect("a stat");
    let fields: Vec<&str> = stat.rsplit(") ").next().expect("fields").split(' ').collect();
    fields[11..13].iter().map(|field| field.parse::<f64>().expect("a number")).sum()
}

/// Nobody does anything for a while: no byte is drawn and no time is spent.
fn idle(terminal: &mut Terminal) {
    let (before, start) = (ticks(terminal), Instant::now());
    let drawn = terminal.screen().repaints();
    let _ = terminal.wait_until_for(|screen| screen.repaints() != drawn, Duration::from_secs(10));
    let share = (ticks(terminal) - before) / start.elapsed().as_secs_f64();
    show("frames of an idle app in 10 s", (terminal.screen().repaints() - drawn) as f64, "", 0.0);
    show("processor of an idle app, of one core", share, "%", 0.1);
}
