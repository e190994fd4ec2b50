//! Many kills: `cargo bench --bench trials -- --count 1000 --seed 1`, or `--seconds 60` of each kind; `--only storm` is one
//! kind of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "mod.rs"]
mod trials;

#[path = "../../tests/suite/support/program.rs"]
#[allow(
    dead_code,
    clippy::pedantic,
    clippy::new_without_default,
    unreachable_pub,
    reason = "it is written for the tests"
)]
pub mod program;

/// As the tests know it.
mod support {
    pub(crate) use crate::program;
}

use std::time::{Duration, Instant};

use trials::trial::{Tally, Until, WORK};
use trials::{app, commands, conversation, ledger, storm};

type Trials = fn(Until, u64) -> Tally;

fn of_ledger(until: Until, seed: u64) -> Tally {
    ledger::trials(until, seed, &[])
}

/// What is tried, the share of all kills in percent, and how many run side by side: the app mostly waits.
const KINDS: [(&str, Trials, u64, u64); 8] = [
    ("ledger, drafts and tasks", of_ledger, 25, 1),
    ("converse", conversation::trials, 20, 1),
    ("app", app::trials, 20, 5),
    ("rewind", commands::rewinds, 12, 1),
    ("delete", commands::deletions, 9, 1),
    ("backup", commands::backups, 9, 1),
    ("restore", commands::restorations, 5, 1),
    // Of 100 keys each: `--only storm --count 1000` presses 20,000.
    ("storm", storm::trials, 20, 1),
];

fn word(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

fn number(name: &str, usual: u64) -> u64 {
    word(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name} wants a number, not {text}")))
}

fn main() {
    if std::env::var_os(WORK).is_some() {
        ledger::work();
        return;
    }
    let (count, seconds, seed) = (number("--count", 100), number("--seconds", 0), number("--seed", 1));
    let only = word("--only");
    let begun = Instant::now();
    let tallies = std::thread::scope(|scope| {
        let started: Vec<_> = KINDS
            .iter()
            .filter(|(name, ..)| only.as_deref().is_none_or(|only| name.contains(only)))
            .flat_map(|(name, trials, share, beside)| (0..*beside).map(move |n| (name, trials, share, beside, n)))
            .map(|(name, trials, share, beside, n)| {
                let until = match seconds {
                    0 => Until::Count((count * share / 100 / beside).max(1)),
                    seconds => Until::Time(Duration::from_secs(seconds)),
                };
                (name, scope.spawn(move || trials(until, seed + n)))
            })
            .collect();
        started.into_iter().map(|(name, thread)| (name, thread.join().expect("nothing is lost"))).collect::<Vec<_>>()
    });
    let mut all = Tally::default();
    println!("{:<26}{:>7}{:>14}{:>9}", "", "kills", "acknowledged", "typed");
    for (name, ..) in KINDS {
        let of_kind =
            tallies.iter().filter(|(found, _)| **found == name).fold(Tally::default(), |sum, (_, tally)| Tally {
                kills: sum.kills + tally.kills,
                acknowledged: sum.acknowledged + tally.acknowledged,
                typed: sum.typed + tally.typed,
            });
        println!("{name:<26}{:>7}{:>14}{:>9}", of_kind.kills, of_kind.acknowledged, of_kind.typed);
        all.kills += of_kind.kills;
        all.acknowledged += of_kind.acknowledged;
        all.typed += of_kind.typed;
    }
    println!("{:<26}{:>7}{:>14}{:>9}", "all", all.kills, all.acknowledged, all.typed);
    println!("nothing lost; seed {seed}, {} s", begun.elapsed().as_secs());
}
