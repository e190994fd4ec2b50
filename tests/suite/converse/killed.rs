//! SIGKILL at random moments while the real program converses: every printed turn is there afterwards, whole.

use std::io::{BufRead, BufReader, Read, Write};
use std::time::{Duration, Instant};

use elenchus::store::{SqliteOptions, Store};
use pretty_assertions::assert_eq;
use serde_json::Value;

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
