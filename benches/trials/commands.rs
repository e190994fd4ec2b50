//! Kills of commands that change or copy a lot at once: rewind, delete, backup, restore. Each is done, or not at all.

use std::path::{Path, PathBuf};
use std::time::Duration;

use elenchus::store::{SqliteOptions, Store};

use crate::support::program::{Program, Ran, session_of};
use crate::trials::trial::{Random, Tally, Until, sound, spin};

/// Turns of the sessions that are changed.
const TURNS: u32 = 6;

/// The moment at which a command is killed: anywhere between its start and its end. How long it takes is learned from
/// kill to kill, because the load of the machine changes while trials run.
struct Moment {
    /// In microseconds.
    within: u64,
}

impl Moment {
    /// Begins with what the command takes when it is left alone.
    fn of(program: &Program, arguments: &[&str]) -> Self {
        let begun = std::time::Instant::now();
        let ran = program.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.words);
        Self { within: begun.elapsed().as_micros() as u64 * 5 / 4 }
    }

    /// Starts a command and kills it. Returns what it had printed, and whether it had ended.
    fn kill(&mut self, program: &Program, arguments: &[&str], random: &mut Random) -> Ran {
        let mut child = program.start(arguments);
        spin(Duration::from_micros(random.below(self.within)));
        child.kill().expect("it is killed");
        let ran = Ran::of(child.wait_with_output().expect("it ends"));
        // One in four comes too late at the balance of these two: the others are spread over the whole work.
        self.within = if ran.code == 0 { self.within - self.within / 4 } else { self.within + self.within / 12 };
        self.within = self.within.clamp(1_000, 2_000_000);
        ran
    }
}

fn session(program: &Program) -> String {
    let messages: Vec<String> = (0..TURNS).map(|n| format!("Answer number {n}: qxzvkwjfp.\n")).collect();
    session_of(&program.converse("project-discovery", &messages.concat())[0])
}

pub fn rewinds(until: Until, seed: u64) -> Tally {
    let program = Program::new();
    let (mut random, mut tally) = (Random::new(seed), Tally::default());
    let mut moment = Moment::of(&program, &["sessions", "rewind", &session(&program), "--turn", "2"]);
    let mut id = session(&program);
    until.each(|round| {
        let what = format!("rewind, seed {seed}, kill {round}");
        let ran = moment.kill(&program, &["sessions", "rewind", &id, "--turn", "2"], &mut random);
        tally.kills += 1;
        let mut store = sound(&program.database(), &what);
        let found = store.find_session(&id).expect("the session");
        let resumed = store.resume(found.id, u32::MAX).expect("the session");
        let (turn, taken) = (resumed.session.turn, store.rewound(found.id).expect("what was taken back").len() as u32);
        assert!((turn, taken) == (TURNS, 0) || (turn, taken) == (2, TURNS - 2), "{what}: turn {turn}, {taken} taken");
        assert_eq!(resumed.messages.len() as u32, 1 + 2 * turn, "{what}");
        if ran.data.contains("stands at turn") {
            assert_eq!(turn, 2, "{what}: it was acknowledged");
            tally.acknowledged += 1;
        }
        if turn == 2 {
            drop(store);
            id = session(&program);
        }
    });
    tally
}

pub fn deletions(until: Until, seed: u64) -> Tally {
    let program = Program::new();
    let (mut random, mut tally) = (Random::new(seed), Tally::default());
    let mut moment = Moment::of(&program, &["sessions", "delete", "--now", &session(&program)]);
    let mut id = session(&program);
    until.each(|round| {
        let what = format!("delete, seed {seed}, kill {round}");
        let ran = moment.kill(&program, &["sessions", "delete", "--now", &id], &mut random);
        tally.kills += 1;
        let mut store = sound(&program.database(), &what);
        let there = store.find_session(&id).map(|found| found.turn);
        if ran.data.contains("erased") {
            assert!(there.is_err(), "{what}: it was acknowledged");
            tally.acknowledged += 1;
        }
        drop(store);
        if let Ok(turn) = there {
            assert_eq!(turn, TURNS, "{what}: it is there whole");
        } else {
            // Opening the store again has finished what the kill broke off.
            let bytes = std::fs::read(program.database()).expect("the file");
            assert!(memchr::memmem::find(&bytes, b"qxzvkwjfp").is_none(), "{what}: words are left");
            id = session(&program);
        }
    });
    tally
}

fn turns(database: &Path, id: &str, what: &str) -> u32 {
    let mut store = Store::open_sqlite_to_read(database, SqliteOptions::default())
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    let findings = store.verify(None).unwrap_or_else(|error| panic!("{what}: {error}")).findings;
    assert!(findings.is_empty(), "{what}: {findings:?}");
    store.find_session(id).unwrap_or_else(|error| panic!("{what}: {error}")).turn
}

pub fn backups(until: Until, seed: u64) -> Tally {
    let program = Program::new();
    let (mut random, mut tally) = (Random::new(seed), Tally::default());
    let id = session(&program);
    let file = program.folder().join("copy");
    let name = file.to_str().expect("a path").to_owned();
    let mut moment = Moment::of(&program, &["backup", &name]);
    let mut kept = TURNS;
    until.each(|round| {
        let what = format!("backup, seed {seed}, kill {round}");
        if random.below(4) == 0 {
            let ran = program.run_with(&["converse", "--session", &id], "And another.\n");
            assert_eq!(ran.code, 0, "{what}: {}", ran.words);
        }
        let now = sound(&program.database(), &what).find_session(&id).expect("the session").turn;
        let ran = moment.kill(&program, &["backup", &name, "--force"], &mut random);
        tally.kills += 1;
        drop(sound(&program.database(), &what));
        // There is always a whole backup: this one, or the one before.
        let copied = turns(&file, &id, &what);
        assert!(copied == kept || copied == now, "{what}: {copied} turns");
        if ran.data.contains("copied") {
            assert_eq!(copied, now, "{what}: it was acknowledged");
            tally.acknowledged += 1;
        }
        kept = copied;
    });
    tally
}

pub fn restorations(until: Until, seed: u64) -> Tally {
    let program = Program::new();
    let (mut random, mut tally) = (Random::new(seed), Tally::default());
    let id = session(&program);
    let file = program.folder().join("copy");
    let name = file.to_str().expect("a path").to_owned();
    assert_eq!(program.run(&["backup", &name]).code, 0);
    let mut moment = Moment::of(&program, &["restore", &name]);
    until.each(|round| {
        let what = format!("restore, seed {seed}, kill {round}");
        let later = program.run_with(&["converse", "--session", &id], "And another.\n");
        assert_eq!(later.code, 0, "{what}: {}", later.words);
        let before = sound(&program.database(), &what).find_session(&id).expect("the session").turn;
        let ran = moment.kill(&program, &["restore", &name], &mut random);
        tally.kills += 1;
        let now = sound(&program.database(), &what).find_session(&id).expect("the session").turn;
        assert!(now == before || now == TURNS, "{what}: {now} turns");
        if ran.data.contains("checked and restored") {
            assert_eq!(now, TURNS, "{what}: it was acknowledged");
            tally.acknowledged += 1;
        }
        let entries = std::fs::read_dir(program.data()).expect("the folder").flatten().map(|entry| entry.path());
        let set_aside: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().contains(".before-")).collect();
        if now != before {
            let held = set_aside.iter().filter(|path| !path.to_string_lossy().ends_with("-wal"));
            assert!(held.clone().any(|path| turns(path, &id, &what) == before), "{what}: what was there is kept");
        }
        for path in set_aside {
            std::fs::remove_file(path).expect("it can go");
        }
    });
    tally
}
