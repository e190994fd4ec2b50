//! Kills of `elenchus converse`: every printed turn is kept whole, and the message under way is the draft.

use std::io::{BufRead, BufReader, Read, Write};
use std::time::Duration;

use serde_json::Value;

use crate::support::program::{Program, session_of};
use crate::trials::trial::{Random, Tally, Until, sound, spin};

/// A new session every so many rounds.
const ROUNDS_PER_SESSION: u64 = 8;

/// Converses, kills after some turns and a moment more, and returns what was printed.
fn run_and_kill(program: &Program, arguments: &[&str], random: &mut Random) -> Vec<Value> {
    let mut child = program.start(arguments);
    let mut stdin = child.stdin.take().expect("its input");
    let mut stdout = BufReader::new(child.stdout.take().expect("its output"));
    // All at once: the program is always busy with a turn when the signal comes.
    let messages: Vec<String> =
        (0..12).map(|n| format!("Answer number {n} about the move to the new office.\n")).collect();
    stdin.write_all(messages.concat().as_bytes()).expect("it reads");
    let early = random.below(6) == 0;
    let wanted = if early { 0 } else { 1 + random.below(4) };
    let mut printed = String::new();
    for _ in 0..wanted {
        if stdout.read_line(&mut printed).expect("its output") == 0 {
            break;
        }
    }
    spin(Duration::from_micros(random.below(if early { 60_000 } else { 8_000 })));
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    stdout.read_to_string(&mut printed).expect("its output");
    let whole = printed.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.map(|line| serde_json::from_str(line).expect("a turn")).collect()
}

pub fn trials(until: Until, seed: u64) -> Tally {
    let program = Program::new();
    let engine = program.new_engine("look-back");
    let (mut random, mut tally) = (Random::new(seed), Tally::default());
    let mut id: Option<String> = None;
    until.each(|round| {
        let what = format!("converse, seed {seed}, kill {round}");
        if round % ROUNDS_PER_SESSION == 0 {
            id = None;
        }
        let printed = match &id {
            Some(id) => run_and_kill(&program, &["converse", "--session", id], &mut random),
            None => run_and_kill(&program, &["converse", "--engine", engine.to_str().expect("a path")], &mut random),
        };
        tally.kills += 1;
        tally.acknowledged += printed.len() as u64;
        id = id.take().or_else(|| printed.first().map(session_of));
        let mut store = sound(&program.database(), &what);
        let Some(last) = printed.last() else { return };
        let found = store.find_session(&session_of(last)).expect("the session").id;
        let resumed = store.resume(found, u32::MAX).expect("the session");
        let turns = resumed.session.turn;
        assert!(u64::from(turns) >= last["turn"].as_u64().expect("a number"), "{what}: a printed turn is missing");
        assert_eq!(resumed.messages.len() as u32, 1 + 2 * turns, "{what}: no half turn");
        assert_eq!(resumed.state["turn"], u64::from(turns), "{what}: the state is that of the last turn");
        let under_way = &resumed.draft.text;
        assert!(under_way.is_empty() || under_way.starts_with("Answer number"), "{what}: {under_way:?}");
        for turn in &printed {
            let number = turn["turn"].as_u64().expect("a number");
            let answer = resumed.messages.iter().rfind(|message| u64::from(message.turn) == number).expect("it");
            assert_eq!(turn["response"], answer.content.as_str(), "{what}: what was printed is what was kept");
        }
    });
    tally
}
