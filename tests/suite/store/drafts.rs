//! Words that are no part of the conversation yet: written ahead, given back, erased; and what calls may cost.

use elenchus::store::{BudgetEntry, BudgetSum, Draft, SearchQuery, SessionRecord, Store, StoreError};
use pretty_assertions::assert_eq;
use uuid::Uuid;

use super::erasure::files_with;
use super::fixture::{cost, open, session, talk, today, turn};

fn said(text: &str) -> Draft {
    Draft::new(text, None)
}

fn cents(sum: Result<BudgetSum, StoreError>) -> u64 {
    (sum.unwrap().cost_usd * 100.0).round() as u64
}

fn begun(store: &mut Store) -> SessionRecord {
    session(store, "Intake")
}

#[test]
fn a_message_under_way_in_a_process_that_died_is_the_draft_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut killed = open(folder.path());
    let at = begun(&mut killed);
    killed.claim_turn(at.id, 0, 1, Some(&said("We need a booking app."))).unwrap();
    killed.save_draft(at.id, "and then").unwrap();
    let mut next = open(folder.path());
    assert_eq!(next.draft(at.id).unwrap(), said("and then"), "what is under way elsewhere is not ours to take");
    drop(killed);
    let back = Draft { unanswered: true, ..said("We need a booking app.\nand then") };
    assert_eq!(next.draft(at.id).unwrap(), back);
    assert_eq!(next.resume(at.id, 1).unwrap().draft, back);
    next.recover_draft(at.id).unwrap();
    next.recover_draft(at.id).unwrap();
    assert_eq!(next.draft(at.id).unwrap(), back);
    assert_eq!(next.verify(None).unwrap().findings, []);
    // Said again, it is no draft any more.
    next.claim_turn(at.id, 0, 1, Some(&back)).unwrap();
    next.commit(turn(&at, "We need a booking app.\nand then")).unwrap();
    assert_eq!(next.draft(at.id).unwrap(), Draft::default());
    drop(next);
    assert_eq!(open(folder.path()).draft(at.id).unwrap(), Draft::default());
}

#[test]
fn a_message_of_a_dead_process_is_not_lost_when_another_is_said_without_looking() {
    let folder = tempfile::tempdir().unwrap();
    let mut killed = open(folder.path());
    let at = begun(&mut killed);
    killed.claim_turn(at.id, 0, 1, Some(&Draft::new("first", Some(3)))).unwrap();
    drop(killed);
    let mut next = open(folder.path());
    next.claim_turn(at.id, 0, 1, Some(&said("second"))).unwrap();
    next.commit(turn(&at, "second")).unwrap();
    let back = Draft { text: "first".to_owned(), replaces: Some(3), unanswered: true };
    assert_eq!(next.draft(at.id).unwrap(), back);
}

#[test]
fn a_message_that_came_to_nothing_is_the_draft_unless_it_cannot_be_answered() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let at = begun(&mut store);
    store.claim_turn(at.id, 0, 1, Some(&said("one"))).unwrap();
    store.save_draft(at.id, "two").unwrap();
    store.release_turn(at.id).unwrap();
    assert_eq!(store.draft(at.id).unwrap(), said("one\ntwo"));
    store.save_draft(at.id, "three").unwrap();
    store.claim_turn(at.id, 0, 1, Some(&said("nonsense"))).unwrap();
    store.withdraw_turn(at.id).unwrap();
    assert_eq!(store.draft(at.id).unwrap(), said("three"), "another draft stays as it is");
    assert_eq!(store.verify(None).unwrap().findings, []);
}

#[test]
fn what_was_typed_and_not_said_is_in_no_file_and_no_search() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    // Drafts of other sessions around it, so that rows are moved about.
    let others: Vec<SessionRecord> = (0..30).map(|n| session(&mut store, &format!("Other {n}"))).collect();
    let at = begun(&mut store);
    for (number, other) in others.iter().enumerate() {
        store.save_draft(other.id, &*"brgmtlhnd ".repeat(1 + number * 7)).unwrap();
        for length in [1, 40, 400, 3, 900] {
            store.save_draft(at.id, &*"qxzvkwjfp ".repeat(length)).unwrap();
        }
        if number % 3 == 0 {
            store.save_draft(other.id, "").unwrap();
        }
    }
    assert!(!files_with(folder.path(), "qxzvkwjfp").is_empty());
    let query = SearchQuery { text: "qxzvkwjfp".to_owned(), ..SearchQuery::default() };
    assert_eq!(store.search(&query).unwrap(), []);
    // The message is said: the draft goes with it.
    store.save_draft(at.id, "qxzvkwjfp said").unwrap();
    let message = said("qxzvkwjfp said");
    assert!(store.claim_turn(at.id, 0, 1, Some(&message)).unwrap(), "it was the draft");
    store.commit(turn(&at, "something else altogether")).unwrap();
    store.wipe_drafts();
    assert_eq!(files_with(folder.path(), "qxzvkwjfp"), [""; 0]);
    // Cleared without being said, it goes at once.
    store.save_draft(at.id, &*"qxzvkwjfp ".repeat(700)).unwrap();
    store.save_draft(at.id, "").unwrap();
    assert_eq!(files_with(folder.path(), "qxzvkwjfp"), [""; 0]);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

#[test]
fn what_a_call_may_cost_counts_as_spent_when_its_process_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut killed = open(folder.path());
    let at = begun(&mut killed);
    talk(&mut killed, at.id, &["one"]);
    let most = BudgetEntry { session_id: Some(at.id), ..cost(5.0) };
    let (answered, under_way) = (Uuid::now_v7(), Uuid::now_v7());
    killed.reserve(answered, &most, |_| true).unwrap();
    killed.reserve(under_way, &most, |_| true).unwrap();
    assert_eq!(cents(killed.spent_by_session(at.id)), 25, "it counts its own reservations itself");
    let real = BudgetEntry { session_id: Some(at.id), ..cost(0.5) };
    killed.spend(&[real], &[answered]).unwrap();
    drop(killed);
    let mut next = open(folder.path());
    assert_eq!(cents(next.spent_by_session(at.id)), 25 + 50 + 500);
    assert_eq!(cents(next.spent_on_day(today())), 25 + 50 + 500);
    assert_eq!(next.verify(None).unwrap().findings, []);
}
