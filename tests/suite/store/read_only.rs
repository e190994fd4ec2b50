//! A store that may only be read: everything in it can be looked at, and writing says why not.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use elenchus::engine::memory::TaskStatus;
use elenchus::store::{SearchQuery, SessionFilter, Store, StoreError};
use pretty_assertions::assert_eq;

use super::fixture::{open, options, session, talk, task, turn};

fn set(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Opens the store in the folder, and expects that it can be read and not written.
fn assert_readable(folder: &Path) {
    let database = folder.join("elenchus.db");
    let (bytes, before) = (fs::read(&database).unwrap(), names(folder));
    let mut store = Store::open_sqlite(&database, options()).unwrap();
    let listed = store.list_sessions(&SessionFilter::default()).unwrap();
    let at = listed.first().unwrap().clone();
    assert_eq!(store.resume(at.id, 9).unwrap().messages.len(), 5);
    assert_eq!(store.draft(at.id).unwrap().text, "half a thought");
    let query = SearchQuery { text: "clinic".to_owned(), ..SearchQuery::default() };
    assert_eq!(store.search(&query).unwrap().len(), 1);
    assert_eq!(store.extractions(at.id).unwrap().len(), 2);
    assert_eq!(store.verify(None).unwrap().findings, []);
    let refusals = [
        store.commit(turn(&at, "three")).map(drop),
        store.save_draft(at.id, "x"),
        store.rename_session(at.id, "Y").map(drop),
        store.delete_sessions(&[at.id]).map(drop),
        store.claim_turn(at.id, at.turn, at.revision, None).map(drop),
    ];
    for refused in refusals {
        let error = refused.unwrap_err();
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
        assert!(error.to_string().contains("cannot be written: make the file and its folder writable"), "{error}");
    }
    drop(store);
    assert_eq!(fs::read(&database).unwrap(), bytes, "not a byte is another");
    assert_eq!(names(folder), before, "and no file is made");
}

fn written(folder: &Path) {
    let mut store = open(folder);
    let begun = session(&mut store, "Intake");
    let at = talk(&mut store, begun.id, &["about a clinic", "two"]);
    store.save_task(&task(&at, "scan", TaskStatus::Running)).unwrap();
    store.save_draft(at.id, "half a thought").unwrap();
}

#[test]
fn a_file_or_folder_that_may_not_be_written_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let database = folder.path().join("elenchus.db");
    set(&database, 0o400);
    assert_readable(folder.path());
    set(folder.path(), 0o500);
    assert_readable(folder.path());
    set(&database, 0o600);
    assert_readable(folder.path());
    set(folder.path(), 0o700);
    let mut store = open(folder.path());
    let at = store.list_sessions(&SessionFilter::default()).unwrap().remove(0);
    store.commit(turn(&at, "three")).unwrap();
}

#[test]
fn what_stands_in_the_log_beside_it_is_read_too() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let mut store = open(folder.path());
    let at = store.list_sessions(&SessionFilter::default()).unwrap().remove(0);
    store.rename_session(at.id, "Renamed").unwrap();
    // As a killed process leaves it: the log is not moved into the file.
    let copy = tempfile::tempdir().unwrap();
    for name in ["elenchus.db", "elenchus.db-wal"] {
        fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
    }
    set(&copy.path().join("elenchus.db"), 0o400);
    let mut store = Store::open_sqlite(&copy.path().join("elenchus.db"), options()).unwrap();
    assert_eq!(store.session(at.id).unwrap().title, "Renamed");
    assert!(matches!(store.rename_session(at.id, "Y"), Err(StoreError::ReadOnly { .. })));
}
