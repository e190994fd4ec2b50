//! A few kills of each kind; `cargo bench --bench trials` runs many.

#[path = "../../benches/trials/mod.rs"]
#[allow(clippy::module_inception, reason = "the bench knows it by this name too")]
mod trials;

pub use trials::trial;

use std::time::Duration;

use trial::{Until, WORK};
use trials::{app, commands, conversation, ledger, storm};

const A_WHILE: Until = Until::Time(Duration::from_secs(3));

/// The process that is killed. Started by the test below; on its own it has nothing to do.
#[test]
fn a_process_that_works_until_it_is_killed() {
    if std::env::var_os(WORK).is_some() {
        ledger::work();
    }
}

#[test]
fn a_killed_ledger_has_lost_nothing() {
    let again = ["--exact", "trials::a_process_that_works_until_it_is_killed", "--nocapture"];
    let tally = ledger::trials(A_WHILE, 1, &again);
    assert!(tally.kills > 0 && tally.acknowledged > 0, "{tally:?}");
}

#[test]
fn a_killed_conversation_has_lost_nothing() {
    assert!(conversation::trials(A_WHILE, 1).kills > 0);
}

#[test]
fn a_killed_app_has_lost_nothing() {
    assert_eq!(app::trials(Until::Count(1), 1).kills, 1);
}

#[test]
fn a_killed_rewind_is_done_or_not_at_all() {
    assert!(commands::rewinds(A_WHILE, 1).kills > 0);
}

#[test]
fn a_killed_deletion_is_done_or_not_at_all() {
    assert!(commands::deletions(A_WHILE, 1).kills > 0);
}

#[test]
fn a_killed_backup_leaves_a_whole_one() {
    assert!(commands::backups(A_WHILE, 1).kills > 0);
}

#[test]
fn a_killed_restoration_leaves_a_whole_database() {
    assert!(commands::restorations(A_WHILE, 1).kills > 0);
}

#[test]
fn whatever_is_pressed_no_message_is_lost() {
    let tally = storm::trials(Until::Count(1), 1);
    assert!(tally.typed > 0 && tally.acknowledged > 0, "{tally:?}");
}
