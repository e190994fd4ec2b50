//! The real binary in a pseudo-terminal: start, memory, idleness.

use std::fs;
use std::time::{Duration, Instant};

use elenchus::host::Host;
use elenchus::settings::{Flags, Surroundings};
use elenchus::store::{CommitKind, MessageId, MessageRecord, Role, TurnCommit};
use jiff::Timestamp;
use serde_json::json;
use tempfile::TempDir;
use termlens::{Key, Terminal};

use super::figure::{median, ms, show};

const SAMPLE: &str = include_str!("../../tests/fixtures/ui/sample.md");

/// Prints all figures of the real binary.
pub fn figures() {
    start();
    let home = tempfile::tempdir().expect("a folder");
    let session = long_session(&home);
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
    let folder = |name: &str| home.path().join(name).to_str().expect("a path").to_owned();
    let (data, config) = (folder("data"), folder("config"));
    let settings = ["--offline", "--data-dir", &data, "--config", &config];
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

fn start() {
    let home = tempfile::tempdir().expect("a folder");
    let first_frame = || sees(&mut program(&home, &[]), "Start");
    first_frame();
    show("exec to first frame", ms(median(15, first_frame)), "ms", 100.0);
    let engines = || sees(&mut program(&home, &[]), "about 30 min");
    show("exec to the list of engines", ms(median(15, engines)), "ms", 200.0);
}

/// A session of 10,000 messages in the store, and its id.
fn long_session(home: &TempDir) -> String {
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
    for turn in 1..=5_000 {
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
            messages: vec![said(Role::User, "About forty a day."), said(Role::Assistant, SAMPLE)],
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
