//! Two processes on one database.

use elenchus::engine::memory::TaskStatus;
use elenchus::store::{Erasure, Filing, Refiling, SessionRecord, Store, StoreError};
use pretty_assertions::assert_eq;
use rusqlite::Connection;
use serde_json::json;

use super::fixture::{amendment, engine, impatient, open, session, talk, task, turn};

#[test]
fn the_second_writer_of_a_session_is_told_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut two) = (open(folder.path()), open(folder.path()));
    let begun = session(&mut one, "Shared");
    let seen: SessionRecord = two.session(begun.id).unwrap();
    one.commit(turn(&begun, "mine")).unwrap();
    assert!(matches!(two.commit(turn(&seen, "yours")), Err(StoreError::Conflict { found_turn: 1, .. })));
    let after = two.session(begun.id).unwrap();
    two.commit(turn(&after, "yours, then")).unwrap();
    assert_eq!(one.state_at(begun.id, 2).unwrap()["extraction"]["last"], "yours, then");
    assert_eq!(one.verify(None).unwrap().findings, []);
}

#[test]
fn a_writer_that_waits_in_vain_says_so_and_readers_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let begun = session(&mut open(folder.path()), "Shared");
    let path = folder.path().join("elenchus.db");
    let mut store = Store::open_sqlite(&path, impatient()).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE sessions SET phase = 'X'").unwrap();
    let refused = store.commit(turn(&begun, "words")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "The sessions in {} are in use by another Elenchus process: wait for it or close it, then try again",
            path.display()
        )
    );
    assert_eq!(store.session(begun.id).unwrap(), begun);
    let mut late = Store::open_sqlite(&path, impatient()).unwrap();
    assert_eq!(late.session(begun.id).unwrap(), begun, "opening and reading wait for nobody");
    other.execute_batch("ROLLBACK").unwrap();
    store.commit(turn(&begun, "words")).unwrap();
}

#[test]
fn many_may_open_a_new_database_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let folder = folder.path();
            scope.spawn(move || {
                let mut store = open(folder);
                let begun = session(&mut store, &format!("Session {number}"));
                talk(&mut store, begun.id, &["one", "two", "three"]);
            });
        }
    });
    let report = open(folder.path()).verify(None).unwrap();
    assert_eq!((report.sessions, report.findings), (8, vec![]));
}

#[test]
fn tasks_of_a_dead_process_are_interrupted_and_those_of_a_living_one_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut dying = open(folder.path());
    let begun = session(&mut dying, "Shared");
    let lost = task(&begun, "lost", TaskStatus::Running);
    let waiting = task(&begun, "waiting", TaskStatus::Pending);
    dying.save_task(&lost).unwrap();
    dying.save_task(&waiting).unwrap();
    let mut living = open(folder.path());
    assert_eq!(living.task(lost.id).unwrap(), lost);
    let running = task(&begun, "running", TaskStatus::Running);
    living.save_task(&running).unwrap();
    drop(dying);
    let mut next = open(folder.path());
    assert_eq!(next.task(lost.id).unwrap().record.status, TaskStatus::Interrupted);
    assert_eq!(next.task(running.id).unwrap(), running);
    assert_eq!(next.task(waiting.id).unwrap(), waiting);
}

#[test]
fn an_erasure_that_a_reader_holds_up_is_finished_at_the_next_opening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("elenchus.db");
    let mut store = Store::open_sqlite(&path, impatient()).unwrap();
    let begun = session(&mut store, "Shared");
    talk(&mut store, begun.id, &["qxzvkwjfp"]);
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT * FROM sessions").unwrap();
    assert!(matches!(store.delete_sessions(&[begun.id]).unwrap(), Erasure::Pending { .. }));
    assert!(matches!(store.session(begun.id), Err(StoreError::NotFound { .. })));
    drop(reader);
    let _next = open(folder.path());
    assert_eq!(super::erasure::files_with(folder.path(), "vkwjfp"), [""; 0]);
}

#[test]
fn a_turn_under_way_in_a_living_process_is_told_before_another_begins() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut two) = (open(folder.path()), open(folder.path()));
    let begun = session(&mut one, "Shared");
    one.claim_turn(begun.id, 0, 1, None).unwrap();
    let told = two.claim_turn(begun.id, 0, 1, None).unwrap_err();
    assert_eq!(
        told.to_string(),
        format!(
            "Session {} has a turn under way in another window or process: wait for it to end, then load the session again",
            begun.id
        )
    );
    two.release_turn(begun.id).unwrap();
    assert!(
        matches!(two.claim_turn(begun.id, 0, 1, None), Err(StoreError::TurnUnderWay { .. })),
        "nobody releases the claim of another"
    );
    one.commit(turn(&begun, "mine")).unwrap();
    assert!(matches!(two.claim_turn(begun.id, 0, 1, None), Err(StoreError::Conflict { found_turn: 1, .. })));
    two.claim_turn(begun.id, 1, 2, None).unwrap();
    assert!(matches!(one.claim_turn(begun.id, 1, 2, None), Err(StoreError::TurnUnderWay { .. })));
    two.release_turn(begun.id).unwrap();
    one.claim_turn(begun.id, 1, 2, None).unwrap();
    drop(one);
    two.claim_turn(begun.id, 1, 2, None).expect("the claim of a dead process counts for nothing");
    assert_eq!(two.verify(None).unwrap().findings, []);
}

/// Expects that something was refused because another process has a turn under way.
#[track_caller]
fn under_way<T: std::fmt::Debug>(outcome: &Result<T, StoreError>) {
    assert!(matches!(outcome, Err(StoreError::TurnUnderWay { .. })), "{outcome:?}");
}

#[test]
fn nothing_changes_a_session_while_another_living_process_pays_for_a_turn_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut two) = (open(folder.path()), open(folder.path()));
    let id = session(&mut one, "Shared").id;
    let at_2 = talk(&mut one, id, &["first", "second"]);
    one.rewind(id, at_2.revision, 1).unwrap();
    let at = one.session(id).unwrap();
    let course = one.courses(id).unwrap()[0].rewind;
    one.claim_turn(id, at.turn, at.revision, None).unwrap();

    under_way(&two.commit(amendment(&at)));
    under_way(&two.commit(turn(&at, "yours")));
    under_way(&two.replace(turn(&SessionRecord { turn: 0, ..at.clone() }, "yours")));
    under_way(&two.rewind(id, at.revision, 0));
    under_way(&two.restore_course(id, at.revision, course));
    under_way(&two.migrate_session(id, at.revision, engine("2.0.0"), &json!({"turn": 1})));
    under_way(&two.delete_sessions(&[id]));
    under_way(&two.claim_turn(id, at.turn, at.revision, None));
    assert_eq!(two.session(id).unwrap(), at, "it is as it was");

    one.commit(turn(&at, "mine")).expect("what was paid for is kept");
    two.delete_sessions(&[id]).expect("now nobody is at work");
}

#[test]
fn a_change_by_hand_leaves_the_claim_of_its_own_process_and_heeds_no_dead_one() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut two) = (open(folder.path()), open(folder.path()));
    let begun = session(&mut one, "Shared");
    one.claim_turn(begun.id, 0, begun.revision, None).unwrap();
    one.commit(amendment(&begun)).unwrap();
    let at = two.session(begun.id).unwrap();
    under_way(&two.claim_turn(begun.id, 0, at.revision, None));
    drop(one);
    two.commit(amendment(&at)).expect("the claim of a dead process counts for nothing");
}

#[test]
fn emptying_the_trash_leaves_what_another_process_is_at_work_on() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut two) = (open(folder.path()), open(folder.path()));
    let (wanted, unwanted) = (session(&mut one, "Wanted"), session(&mut one, "Unwanted"));
    one.refile(&[wanted.id, unwanted.id], &Refiling::Trash).unwrap();
    one.claim_turn(wanted.id, 0, wanted.revision, None).unwrap();
    assert_eq!(two.empty_trash().unwrap().0, 1);
    assert!(matches!(two.session(unwanted.id), Err(StoreError::NotFound { .. })));
    one.commit(turn(&wanted, "words")).unwrap();
    assert_eq!(two.session(wanted.id).unwrap().filing, Filing::default(), "it is out of the trash");
}
