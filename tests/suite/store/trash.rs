//! The trash: what it has kept for thirty days is erased when the database is opened; and databases from before there was
//! one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use elenchus::store::{
    Clock, Finding, LogKey, Refiling, SessionFilter, SessionRecord, SqliteOptions, Store, StoreError, TurnCommit,
    restore_sqlite,
};
use pretty_assertions::assert_eq;
use rusqlite::Connection;

use super::erasure::files_with;
use super::fixture::{moment, open, session, talk};

const DAY: i64 = 24 * 60 * 60 * 1000;
const GOES: &str = "qxzvkwjfp";

/// A clock that stands still until it is put forward.
fn clock() -> (Arc<AtomicI64>, Clock) {
    let millis = Arc::new(AtomicI64::new(0));
    let told = Arc::clone(&millis);
    (millis, Arc::new(move || moment(told.load(Ordering::Relaxed))))
}

fn open_at(folder: &Path, clock: &Clock, key: Option<&str>) -> Store {
    let options = SqliteOptions { clock: Arc::clone(clock), log_key: key.map(LogKey::new), ..SqliteOptions::default() };
    Store::open_sqlite(&folder.join("elenchus.db"), options).unwrap()
}

fn is_there(store: &mut Store, session: &SessionRecord) -> bool {
    match store.session(session.id) {
        Ok(_) => true,
        Err(StoreError::NotFound { .. }) => false,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn thirty_days_after_it_was_thrown_away_a_session_is_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let (now, clock) = clock();
    let mut store = open_at(folder.path(), &clock, None);
    let (goes, stays, archived) = (session(&mut store, "A"), session(&mut store, "B"), session(&mut store, "C"));
    talk(&mut store, goes.id, &[GOES, GOES]);
    talk(&mut store, stays.id, &["stays"]);
    store.refile(&[goes.id], &Refiling::Trash).unwrap();
    store.refile(&[archived.id], &Refiling::Archive).unwrap();
    drop(store);
    now.store(30 * DAY, Ordering::Relaxed);
    let mut store = open_at(folder.path(), &clock, None);
    assert!(is_there(&mut store, &goes), "thirty days are not over yet");
    assert!(!files_with(folder.path(), GOES).is_empty());
    drop(store);
    now.store(30 * DAY + 1, Ordering::Relaxed);
    let mut store = open_at(folder.path(), &clock, None);
    assert!(!is_there(&mut store, &goes));
    assert_eq!(files_with(folder.path(), GOES), [""; 0]);
    assert!(is_there(&mut store, &stays) && is_there(&mut store, &archived), "an archive is for ever");
    assert_eq!(store.verify(None).unwrap().findings, []);
}

#[test]
fn a_session_that_was_restored_or_gone_on_with_is_not_erased() {
    let folder = tempfile::tempdir().unwrap();
    let (now, clock) = clock();
    let mut store = open_at(folder.path(), &clock, None);
    let (restored, gone_on) = (session(&mut store, "A"), session(&mut store, "B"));
    store.refile(&[restored.id, gone_on.id], &Refiling::Trash).unwrap();
    store.refile(&[restored.id], &Refiling::Restore).unwrap();
    talk(&mut store, gone_on.id, &["on"]);
    drop(store);
    now.store(31 * DAY, Ordering::Relaxed);
    let mut store = open_at(folder.path(), &clock, None);
    assert!(is_there(&mut store, &restored) && is_there(&mut store, &gone_on));
}

#[test]
fn nothing_is_erased_while_a_turn_is_under_way_or_the_key_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (now, clock) = clock();
    let mut busy = open_at(folder.path(), &clock, None);
    let at_work = session(&mut busy, "A");
    busy.refile(&[at_work.id], &Refiling::Trash).unwrap();
    busy.claim_turn(at_work.id, at_work.turn, at_work.revision, None).unwrap();
    let mut with_key = open_at(folder.path(), &clock, Some("a key"));
    let sealed = session(&mut with_key, "B");
    with_key.refile(&[sealed.id], &Refiling::Trash).unwrap();
    drop(with_key);
    now.store(31 * DAY, Ordering::Relaxed);
    let mut store = open_at(folder.path(), &clock, None);
    assert!(is_there(&mut store, &at_work) && is_there(&mut store, &sealed));
    drop(store);
    drop(busy);
    let mut store = open_at(folder.path(), &clock, Some("a key"));
    assert!(!is_there(&mut store, &at_work) && !is_there(&mut store, &sealed));
}

#[test]
fn what_was_put_into_the_trash_past_the_log_is_not_erased_and_is_told() {
    for key in [None, Some("a key")] {
        let folder = tempfile::tempdir().unwrap();
        let (now, clock) = clock();
        let mut store = open_at(folder.path(), &clock, key);
        let (put, kept) = (session(&mut store, "A"), session(&mut store, "B"));
        talk(&mut store, put.id, &["stays"]);
        let title = store.session(put.id).unwrap().title;
        drop(store);
        let raw = Connection::open(folder.path().join("elenchus.db")).unwrap();
        assert_eq!(raw.execute("UPDATE sessions SET trashed_at = 1 WHERE title = ?1", [title]).unwrap(), 1);
        drop(raw);
        now.store(31 * DAY, Ordering::Relaxed);
        let mut store = open_at(folder.path(), &clock, key);
        assert!(is_there(&mut store, &put) && is_there(&mut store, &kept));
        assert_eq!(store.empty_trash().unwrap().0, 0, "and not when it is asked for either");
        let findings = store.verify(None).unwrap().findings;
        let told = |finding: &Finding| finding.session_id == Some(put.id) && finding.problem.contains("is kept");
        assert!(findings.iter().any(told), "{findings:?}");
    }
}

#[test]
fn opening_without_anything_to_erase_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (_, clock) = clock();
    let mut store = open_at(folder.path(), &clock, None);
    let kept = session(&mut store, "A");
    store.refile(&[kept.id], &Refiling::Trash).unwrap();
    drop(store);
    let count = || -> i64 {
        let raw = Connection::open(folder.path().join("elenchus.db")).unwrap();
        raw.query_row("SELECT count FROM changes", [], |row| row.get(0)).unwrap()
    };
    let before = count();
    drop(open_at(folder.path(), &clock, None));
    assert_eq!(count(), before);
}

/// Makes a database of the format before there were archive, trash and tags.
fn of_before(folder: &Path) -> SessionRecord {
    let mut store = open(folder);
    let begun = session(&mut store, "Old");
    talk(&mut store, begun.id, &["said long ago"]);
    drop(store);
    let raw = Connection::open(folder.join("elenchus.db")).unwrap();
    raw.execute_batch(
        "DROP INDEX sessions_in_archive; DROP INDEX sessions_in_trash; DROP INDEX sessions_with_tags;
         ALTER TABLE sessions DROP COLUMN tags; ALTER TABLE sessions DROP COLUMN trashed_at;
         ALTER TABLE sessions DROP COLUMN archived_at; PRAGMA user_version = 2;",
    )
    .unwrap();
    begun
}

#[test]
fn a_database_from_before_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let begun = of_before(folder.path());
    let mut store = open(folder.path());
    assert_eq!(store.verify(None).unwrap().findings, []);
    store.refile(&[begun.id], &Refiling::AddTags(vec!["old".to_owned()])).unwrap();
    let talked: TurnCommit = super::fixture::turn(&store.session(begun.id).unwrap(), "on");
    store.commit(talked).unwrap();
    assert_eq!(store.verify(None).unwrap().findings, []);
}

#[test]
fn a_copy_from_before_is_read_and_restored_without_being_changed() {
    let folder = tempfile::tempdir().unwrap();
    let begun = of_before(folder.path());
    let file = folder.path().join("elenchus.db");
    // A backup is one file without a log beside it.
    Connection::open(&file).unwrap().query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    let mut read = Store::open_sqlite_to_read(&file, SqliteOptions::default()).unwrap();
    assert_eq!(read.list_sessions(&SessionFilter::default()).unwrap()[0].id, begun.id);
    assert_eq!(read.verify(None).unwrap().findings, []);
    drop(read);
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    let new = tempfile::tempdir().unwrap();
    restore_sqlite(&new.path().join("elenchus.db"), &file, &SqliteOptions::default()).unwrap();
    let mut store = open(new.path());
    assert_eq!(store.resume(begun.id, 9).unwrap().messages.len(), 3);
    assert_eq!(store.verify(None).unwrap().findings, []);
}
