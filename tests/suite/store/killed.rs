//! SIGKILL at random moments: what was acknowledged is there, whole; what was not is there whole or not at all.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use elenchus::engine::memory::TaskStatus;
use elenchus::store::{Digest, SessionId, SqliteOptions, Store};
use pretty_assertions::assert_eq;

use super::fixture::{open, session, task, turn};

const ROUNDS: u64 = 200;
/// A new session every so many rounds, so that checking stays quick.
const ROUNDS_PER_SESSION: u64 = 20;
const FOLDER: &str = "ELENCHUS_TEST_KILLED_FOLDER";
const SESSION: &str = "ELENCHUS_TEST_KILLED_SESSION";

/// The process that is killed. Started by the test below; on its own it has nothing to do.
#[test]
fn a_process_that_commits_until_it_is_killed() {
    let (Ok(folder), Ok(id)) = (std::env::var(FOLDER), std::env::var(SESSION)) else { return };
    let id: SessionId = id.parse().unwrap();
    let path = Path::new(&folder).join("elenchus.db");
    let mut store = Store::open_sqlite(&path, SqliteOptions::default()).unwrap();
    let mut at = store.session(id).unwrap();
    store.save_task(&task(&at, "scan", TaskStatus::Running)).unwrap();
    loop {
        // The process before died with a claim of its own, as likely as not.
        store.claim_turn(id, at.turn, at.revision, None).unwrap();
        let committed = store.commit(turn(&at, &format!("word{} spoken", at.revision))).unwrap();
        println!("ack {} {}", committed.revision, committed.head);
        at = store.session(id).unwrap();
        if at.turn.is_multiple_of(5) && at.revision.is_multiple_of(2) {
            at = store.rewind(id, at.revision, at.turn - 2).unwrap();
        }
        store.save_draft(id, "unsent").unwrap();
    }
}

fn start(folder: &Path, id: SessionId) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::killed::a_process_that_commits_until_it_is_killed", "--nocapture"])
        .env(FOLDER, folder)
        .env(SESSION, id.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn acknowledgement(line: &str) -> Option<(u64, Digest)> {
    let (revision, head) = line.split_once("ack ")?.1.split_once(' ')?;
    Some((revision.parse().ok()?, head.trim().parse().ok()?))
}

/// Kills after a number of acknowledgements and a moment more, or so soon that it may still be opening.
fn run_and_kill(folder: &Path, id: SessionId, random: &mut impl FnMut(u64) -> u64) -> Vec<(u64, Digest)> {
    let mut child = start(folder, id);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut acknowledged = Vec::new();
    let early = random(5) == 0;
    let wanted = if early { 0 } else { 1 + random(6) };
    let mut line = String::new();
    while (acknowledged.len() as u64) < wanted && output.read_line(&mut line).unwrap() > 0 {
        acknowledged.extend(acknowledgement(&line));
        line.clear();
    }
    let moment = Instant::now() + Duration::from_micros(random(if early { 30_000 } else { 4_000 }));
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    // A last line without its end was cut by the kill; it may even be cut within the digest.
    acknowledged.extend(rest.split_inclusive('\n').filter(|line| line.ends_with('\n')).filter_map(acknowledgement));
    acknowledged
}

#[test]
fn every_acknowledged_turn_survives_200_kills_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let (mut total, mut id) = (0, None);
    for round in 0..ROUNDS {
        if round % ROUNDS_PER_SESSION == 0 {
            id = Some(session(&mut open(folder.path()), "Killed").id);
        }
        let id = id.unwrap();
        let acknowledged = run_and_kill(folder.path(), id, &mut random);
        total += acknowledged.len();

        let mut store = open(folder.path());
        let events = store.events(id).unwrap();
        for (revision, head) in acknowledged {
            let found = events.get(revision as usize - 1).map(|event| event.hash);
            assert_eq!(found, Some(head), "round {round}: acknowledged revision {revision}");
        }
        let resumed = store.resume(id, u32::MAX).unwrap();
        let turns = resumed.session.turn;
        assert_eq!(resumed.messages.len() as u32, 1 + 2 * turns, "round {round}: no half turn");
        assert_eq!(store.extractions(id).unwrap().len() as u32, turns, "round {round}");
        assert_eq!(store.state_at(id, turns).unwrap(), resumed.state, "round {round}");
        assert!(resumed.tasks.iter().all(|task| task.record.status == TaskStatus::Interrupted), "round {round}");
        assert_eq!(store.verify(Some(id)).unwrap().findings, [], "round {round}");
    }
    assert!(total > ROUNDS as usize, "only {total} turns were acknowledged");
    let mut store = open(folder.path());
    let report = store.verify(None).unwrap();
    assert_eq!((report.sessions, report.findings), (ROUNDS / ROUNDS_PER_SESSION, vec![]));
    drop(store);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        left.iter().all(|name| !name.to_string_lossy().contains("live")),
        "signs of the dead are taken down: {left:?}"
    );
}
