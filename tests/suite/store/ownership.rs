//! The thread that owns the store: jobs in order, failures to their sender, nothing left behind at shutdown.

use std::sync::mpsc;

use elenchus::store::{SessionFilter, StoreError, StoreOwner};
use pretty_assertions::assert_eq;

use super::fixture::{open, session, talk, turn};

#[test]
fn jobs_run_in_order_and_answer_threads_and_futures() {
    let folder = tempfile::tempdir().unwrap();
    let owner = StoreOwner::spawn(open(folder.path())).unwrap();
    let handle = owner.handle();
    let begun = handle.call(|store| Ok(session(store, "Owned"))).unwrap();
    let id = begun.id;
    let futures: Vec<_> = (0..20)
        .map(|number| {
            handle.call_async(move |store| {
                let at = store.session(id)?;
                store.commit(turn(&at, &format!("word {number}")))
            })
        })
        .collect();
    let turns: Vec<u32> = futures.into_iter().map(|answer| pollster::block_on(answer).unwrap().turn).collect();
    assert_eq!(turns, (1..=20).collect::<Vec<_>>());
    owner.close().unwrap();
}

#[test]
fn a_failed_write_reaches_the_one_who_sent_it() {
    let folder = tempfile::tempdir().unwrap();
    let owner = StoreOwner::spawn(open(folder.path())).unwrap();
    let handle = owner.handle();
    let begun = handle.call(|store| Ok(session(store, "Owned"))).unwrap();
    let (first, second) = (turn(&begun, "one"), turn(&begun, "two"));
    handle.call(move |store| store.commit(first)).unwrap();
    let answer = pollster::block_on(handle.call_async(move |store| store.commit(second)));
    assert!(matches!(answer, Err(StoreError::Conflict { .. })));
}

#[test]
fn everything_sent_before_closing_is_written_and_nothing_after() {
    let folder = tempfile::tempdir().unwrap();
    let owner = StoreOwner::spawn(open(folder.path())).unwrap();
    let handle = owner.handle();
    let id = handle.call(|store| Ok(session(store, "Owned"))).unwrap().id;
    let pending: Vec<_> = (0..50).map(|_| handle.call_async(move |store| Ok(talk(store, id, &["words"])))).collect();
    owner.close().unwrap();
    assert!(matches!(handle.call(move |store| store.session(id)), Err(StoreError::Closed)));
    let late = handle.call_async(move |store| store.list_sessions(&SessionFilter::default()));
    assert!(matches!(pollster::block_on(late), Err(StoreError::Closed)));
    assert!(pending.into_iter().all(|answer| pollster::block_on(answer).is_ok()));
    let mut reopened = open(folder.path());
    assert_eq!(elenchus::store::Store::session(&mut reopened, id).unwrap().turn, 50);
}

#[test]
fn a_job_whose_future_is_dropped_before_it_begins_is_withdrawn() {
    let folder = tempfile::tempdir().unwrap();
    let owner = StoreOwner::spawn(open(folder.path())).unwrap();
    let handle = owner.handle();
    let begun = handle.call(|store| Ok(session(store, "Owned"))).unwrap();
    let (go, gate) = mpsc::channel::<()>();
    let busy = handle.call_async(move |_| {
        gate.recv().unwrap();
        Ok(())
    });
    let cancelled = turn(&begun, "never said");
    drop(handle.call_async(move |store| store.commit(cancelled)));
    go.send(()).unwrap();
    pollster::block_on(busy).unwrap();
    assert_eq!(handle.call(move |store| store.session(begun.id)).unwrap().turn, 0);
}

#[test]
fn a_job_that_panics_fails_alone() {
    let folder = tempfile::tempdir().unwrap();
    let owner = StoreOwner::spawn(open(folder.path())).unwrap();
    let handle = owner.handle();
    let begun = handle.call(|store| Ok(session(store, "Owned"))).unwrap();
    let failed = handle.call(|_| -> Result<(), StoreError> { panic!("on purpose") });
    assert!(matches!(failed, Err(StoreError::Fault(_))));
    assert_eq!(handle.call(move |store| store.session(begun.id)).unwrap(), begun);
}
