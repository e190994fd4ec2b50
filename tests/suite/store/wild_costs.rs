//! Costs that no call can have had, planted behind the store's back: sums hold, checking finds them, repair mends them.

use elenchus::store::{BudgetEntry, EventKind, SessionId, Store};
use pretty_assertions::assert_eq;
use rusqlite::Connection;

use super::fixture::{cost, open, session, talk, today, turn};

const MOST_TOKENS: u64 = 100_000_000;

/// A store with a session of three turns, each of which cost 100 tokens in, 40 of them cached, 20 out, and 0.25 USD.
fn three_turns(folder: &std::path::Path) -> (Store, SessionId) {
    let mut store = open(folder);
    let begun = session(&mut store, "Intake");
    talk(&mut store, begun.id, &["one", "two", "three"]);
    (store, begun.id)
}

fn raw(folder: &std::path::Path, sql: &str) {
    Connection::open(folder.join("elenchus.db")).unwrap().execute_batch(sql).unwrap();
}

/// Each of these made a sum fail, or lowered it, or is read as something else.
const WILD: [&str; 6] = [
    "input_tokens = 9223372036854775807",
    "output_tokens = 9223372036854775807, cached_tokens = 9223372036854775807",
    "input_tokens = -9223372036854775808",
    "cost_usd = -1000000.0",
    "cost_usd = 1e308",
    "cost_usd = 9e999",
];

#[test]
fn no_planted_figure_makes_a_sum_fail_or_lowers_what_others_cost() {
    for planted in WILD {
        let folder = tempfile::tempdir().unwrap();
        let (mut store, id) = three_turns(folder.path());
        let sound = store.spent_by_session(id).unwrap();
        // Twice: one such row alone does not overflow.
        raw(folder.path(), &format!("UPDATE budget SET {planted} WHERE seq > 2"));
        for sum in [store.spent_by_session(id), store.spent_on_day(today())] {
            let sum = sum.unwrap_or_else(|error| panic!("{planted}: {error}"));
            assert_eq!(sum.entries, 3, "{planted}");
            assert!(sum.input_tokens >= 100 && sum.input_tokens <= 3 * MOST_TOKENS, "{planted}: {sum:?}");
            assert!(sum.cost_usd >= sound.cost_usd / 3.0 && sum.cost_usd <= 3000.0, "{planted}: {sum:?}");
        }
        // Going on, and what a deleted session leaves, do not fail either.
        let at = store.session(id).unwrap();
        store.commit(turn(&at, "four")).unwrap();
        store.delete_sessions(&[id]).unwrap();
        assert_eq!(store.spent_on_day(today()).unwrap().entries, 4, "{planted}");
    }
}

#[test]
fn checking_finds_planted_figures_and_repair_brings_them_within_bounds() {
    for planted in WILD {
        let folder = tempfile::tempdir().unwrap();
        let (mut store, id) = three_turns(folder.path());
        let other = session(&mut store, "Other");
        store.spend(&[BudgetEntry { session_id: Some(other.id), ..cost(0.5) }], &[]).unwrap();
        // One that belongs to no commit: no digest covers it.
        raw(folder.path(), &format!("UPDATE budget SET {planted} WHERE seq IS NULL"));
        let found = store.verify(None).unwrap().findings;
        assert_eq!(found.len(), 1, "{planted}: {found:?}");
        assert!(found[0].problem.contains("out of bounds") && found[0].problem.contains("--repair"), "{found:?}");
        assert_eq!((found[0].session_id, store.verify(Some(id)).unwrap().findings), (Some(other.id), vec![]));
        assert_eq!(store.verify(Some(other.id)).unwrap().findings, found);

        let counted = store.spent_on_day(today()).unwrap();
        assert_eq!(store.repair(Some(id)).unwrap(), []);
        let repaired = store.repair(None).unwrap();
        assert_eq!(repaired.len(), 1, "{planted}");
        assert!(repaired[0].problem.contains("was brought within bounds"), "{repaired:?}");
        assert_eq!(store.verify(None).unwrap().findings, [], "{planted}");
        assert_eq!(store.spent_on_day(today()).unwrap(), counted, "{planted}: no sum changes by a repair");
        assert_eq!(store.events(other.id).unwrap().last().unwrap().kind, EventKind::Repaired);
        assert_eq!(store.repair(None).unwrap(), [], "it is done once");
    }
}

/// What the log vouches for is vouched for after the repair; what was changed behind its back stays found.
#[test]
fn a_repair_does_not_hide_that_a_cost_was_changed_after_the_fact() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, id) = three_turns(folder.path());
    raw(folder.path(), "UPDATE budget SET input_tokens = 9223372036854775807 WHERE seq = 3");
    assert_eq!(store.repair(None).unwrap().len(), 1);
    let found: Vec<_> = store.verify(None).unwrap().findings.into_iter().map(|found| found.problem).collect();
    assert_eq!(found, ["The budget part of the commit is not what the log says"]);
    assert_eq!(store.events(id).unwrap().last().unwrap().payload["costs"], 1);
}

#[test]
fn the_store_takes_no_cost_that_no_call_can_have() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, id) = three_turns(folder.path());
    let own = BudgetEntry { session_id: Some(id), ..cost(0.5) };
    for wild in [
        BudgetEntry { input_tokens: u64::MAX, ..own.clone() },
        BudgetEntry { cached_tokens: MOST_TOKENS + 1, ..own.clone() },
        BudgetEntry { output_tokens: u64::MAX, ..own.clone() },
        BudgetEntry { cost_usd: -0.01, ..own.clone() },
        BudgetEntry { cost_usd: 1e6, ..own.clone() },
        BudgetEntry { cost_usd: f64::NAN, ..own.clone() },
    ] {
        store.spend(std::slice::from_ref(&wild), &[]).expect_err("it is refused");
        let at = store.session(id).unwrap();
        let mut commit = turn(&at, "four");
        commit.budget = vec![wild];
        store.commit(commit).expect_err("it is refused with its turn");
    }
    assert_eq!(store.spent_by_session(id).unwrap().entries, 3);
}
