//! What all trials share: chance that can be repeated, how long to go on, what was counted, and what must hold after a kill.

use std::path::Path;
use std::time::{Duration, Instant};

use elenchus::store::{SqliteOptions, Store};
use termlens::Terminal;

use crate::support::program::Program;

/// The processes of this file's users that work until they are killed are this program itself, started again.
pub const WORK: &str = "ELENCHUS_TRIAL_WORK";

/// Chance from a seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Seeds that are near each other begin far from each other.
    pub fn new(seed: u64) -> Self {
        Self((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// How many kills.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    Count(u64),
    /// As many as there is time for, and at least one.
    Time(Duration),
}

impl Until {
    /// Calls a trial with its number until there were enough.
    pub fn each(self, mut trial: impl FnMut(u64)) {
        let begun = Instant::now();
        for round in 0.. {
            trial(round);
            let done = match self {
                Self::Count(count) => round + 1 >= count,
                Self::Time(time) => begun.elapsed() >= time,
            };
            if done {
                break;
            }
        }
    }
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub kills: u64,
    /// Things that the program had said it did, all of which were there afterwards.
    pub acknowledged: u64,
    /// Letters typed longer than two seconds before a kill, all of which were there afterwards.
    pub typed: u64,
}

/// The app without a model in a terminal of its own.
pub fn terminal(program: &Program, arguments: &[&str]) -> Terminal {
    let (data, config) = (program.data(), program.config());
    let folders = ["--data-dir", data.to_str().expect("a path"), "--config", config.to_str().expect("a path")];
    Terminal::builder()
        .size(100, 30)
        .env_clear()
        .env("TERM", "xterm-256color")
        .env("HOME", program.folder().to_str().expect("a path"))
        .env("LANG", "C.UTF-8")
        .env("PATH", "/usr/bin:/bin")
        // An editor that ends at once: keys that open one must not leave the trial in it.
        .env("EDITOR", "true")
        // What is exported lands here.
        .current_dir(program.folder())
        .timeout(Duration::from_mins(1))
        .args([&folders[..], &["--offline"], arguments].concat())
        .spawn(env!("CARGO_BIN_EXE_elenchus"))
        .expect("it starts")
}

/// Waits without being busy.
pub fn pass(time: Duration) {
    let (_kept, never) = std::sync::mpsc::channel::<()>();
    let _ = never.recv_timeout(time);
}

/// Waits a moment that is too short for a timer.
pub fn spin(time: Duration) {
    let moment = Instant::now() + time;
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
}

/// Opens a database as the next process would, and checks that all of it is sound.
pub fn sound(database: &Path, what: &str) -> Store {
    let mut store = Store::open_sqlite(database, SqliteOptions::default())
        .unwrap_or_else(|error| panic!("{what}: the store cannot be opened: {error}"));
    let findings = store.verify(None).unwrap_or_else(|error| panic!("{what}: {error}")).findings;
    assert!(findings.is_empty(), "{what}: {findings:?}");
    store
}
