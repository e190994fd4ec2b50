//! Damage, foreign files, newer versions, full disks, forbidden folders: a clear sentence, and nothing lost.

use std::fs;
use std::path::{Path, PathBuf};

use elenchus::store::{SearchQuery, SessionFilter, SqliteOptions, Store, StoreError};
use pretty_assertions::assert_eq;

use super::fixture::{brief, handoff, open, options, session, taking_up, talk, turn};

fn refused(path: &Path) -> StoreError {
    match Store::open_sqlite(path, options()) {
        Ok(_) => panic!("{} was opened", path.display()),
        Err(error) => error,
    }
}

/// A database with one session of some turns, closed, so that everything is in one file.
fn written(folder: &Path) -> PathBuf {
    let mut store = open(folder);
    let begun = session(&mut store, "Intake");
    talk(&mut store, begun.id, &["one", "two", "three", "four", "five", "six"]);
    folder.join("elenchus.db")
}

#[test]
fn a_file_of_something_else_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("elenchus.db");
    fs::write(&path, "Dear diary, ".repeat(1000)).unwrap();
    assert_eq!(
        refused(&path).to_string(),
        format!(
            "{} is not an Elenchus database: move it away or choose another folder with --data-dir; it was not changed",
            path.display()
        )
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "Dear diary, ".repeat(1000));
}

#[test]
fn a_database_of_another_program_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("elenchus.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE songs (title)").unwrap();
    let before = fs::read(&path).unwrap();
    assert!(matches!(refused(&path), StoreError::NotADatabase { .. }));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(&path).unwrap();
    assert_eq!(
        refused(&path).to_string(),
        format!(
            "{} was written by a newer Elenchus (format 99, this one knows 3): use the newer version; nothing was changed",
            path.display()
        )
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_database_of_the_format_before_the_first_release_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 1).unwrap();
    let before = fs::read(&path).unwrap();
    assert_eq!(
        refused(&path).to_string(),
        format!(
            "{} was written by an early Elenchus (format 1; this one reads 2 and later): move it away or choose another folder with --data-dir; it was not changed",
            path.display()
        )
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_file_that_was_cut_is_refused_wherever_it_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let whole = fs::read(&path).unwrap();
    for length in [0, 1, 50, 99, 100, 512, 4095, 4096, 8192, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        match Store::open_sqlite(&path, options()) {
            Err(StoreError::Corrupt { .. } | StoreError::NotADatabase { .. }) => {}
            Err(other) => panic!("cut to {length}: {other}"),
            Ok(mut store) => {
                let damaged = store.verify(None).map_or(true, |report| !report.is_clean());
                assert!(damaged, "cut to {length} of {} and not noticed", whole.len());
            }
        }
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(open(folder.path()).verify(None).unwrap().findings, []);
}

#[test]
fn a_damaged_page_never_makes_anything_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let whole = fs::read(&path).unwrap();
    for page in 0..whole.len() / 4096 {
        let mut damaged = whole.clone();
        for (offset, byte) in damaged[page * 4096..(page + 1) * 4096].iter_mut().enumerate().skip(100) {
            *byte ^= (offset * 31 % 251) as u8;
        }
        fs::write(&path, &damaged).unwrap();
        let Ok(mut store) = Store::open_sqlite(&path, options()) else { continue };
        let query = SearchQuery { text: "one".to_owned(), ..SearchQuery::default() };
        let _ = (store.search(&query), store.verify(None));
        let listed = store.list_sessions(&SessionFilter::default()).unwrap_or_default();
        for session in listed {
            let _ = (store.resume(session.id, 9), store.state_at(session.id, 3), store.commit(turn(&session, "on")));
        }
    }
}

#[test]
fn a_folder_that_is_a_file_and_a_file_that_is_a_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(matches!(refused(&folder.path().join("file/elenchus.db")), StoreError::Unreachable { .. }));
    fs::create_dir(folder.path().join("elenchus.db")).unwrap();
    assert!(matches!(refused(&folder.path().join("elenchus.db")), StoreError::NotADatabase { .. }));
}

#[test]
fn a_folder_in_which_nothing_can_be_made_is_refused() {
    if Path::new("/proc/self").exists() {
        let error = refused(Path::new("/proc/self/elenchus.db"));
        assert!(matches!(error, StoreError::ReadOnly { .. } | StoreError::Unreachable { .. }), "{error}");
    }
}

#[test]
fn a_lost_log_and_an_older_copy_are_noticed_until_the_loss_is_taken_as_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let older = fs::read(&path).unwrap();
    let mut store = open(folder.path());
    let id = store.list_sessions(&SessionFilter::default()).unwrap()[0].id;
    talk(&mut store, id, &["seven", "eight"]);
    // The process is killed, and the log beside the file goes missing.
    let copy = tempfile::tempdir().unwrap();
    for name in ["elenchus.db", "elenchus.db.head"] {
        fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
    }
    let lost = |folder: &Path| -> Vec<String> {
        open(folder).verify(None).unwrap().findings.into_iter().map(|finding| finding.problem).collect()
    };
    let told = lost(copy.path());
    assert!(told[0].starts_with("2 changes that were acknowledged are missing"), "{told:?}");
    assert_eq!(told.len(), 1);
    // New changes do not hide it.
    talk(&mut open(copy.path()), id, &["seven again", "eight again", "nine"]);
    assert_eq!(lost(copy.path()), told);
    let repaired = open(copy.path()).repair(None).unwrap();
    assert_eq!(repaired[0].problem, "The loss of 2 changes is taken as known");
    assert_eq!(lost(copy.path()), [""; 0]);
    // The same for an older copy in the place of the file.
    drop(store);
    fs::write(&path, older).unwrap();
    assert!(lost(folder.path())[0].starts_with("2 changes"), "{:?}", lost(folder.path()));
}

#[test]
fn a_full_disk_refuses_the_turn_and_loses_none_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let pages = fs::metadata(&path).unwrap().len() / 4096;
    let full = SqliteOptions { max_pages: Some(pages as u32 + 6), ..options() };
    let mut store = Store::open_sqlite(&path, full).unwrap();
    let id = store.list_sessions(&SessionFilter::default()).unwrap()[0].id;
    let words = "words that fill pages ".repeat(40);
    let (before, refused) = loop {
        let before = store.resume(id, 100).unwrap();
        if let Err(error) = store.commit(turn(&before.session, &words)) {
            break (before, error);
        }
    };
    assert_eq!(
        refused.to_string(),
        format!(
            "There is no space left to save to {}: free some space, then try again; nothing was lost",
            path.display()
        )
    );
    assert_eq!(store.resume(id, 100).unwrap(), before);
    assert_eq!(store.verify(None).unwrap().findings, []);
    drop(store);
    let mut store = open(folder.path());
    assert_eq!(store.resume(id, 100).unwrap(), before);
    store.commit(turn(&before.session, &words)).unwrap();
}

#[test]
fn a_full_disk_keeps_nothing_of_a_handoff() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let pages = fs::metadata(&path).unwrap().len() / 4096;
    let full = SqliteOptions { max_pages: Some(pages as u32 + 6), ..options() };
    let mut store = Store::open_sqlite(&path, full).unwrap();
    let source = store.list_sessions(&SessionFilter::default()).unwrap().remove(0);
    let mut long = handoff(&source);
    long.payload = serde_json::json!({ "decided": "words that fill pages ".repeat(2000) });
    let refused = store.create_session(taking_up(long, brief(&source))).unwrap_err();
    assert!(matches!(refused, StoreError::DiskFull { .. }), "{refused}");
    assert_eq!(store.list_sessions(&SessionFilter::default()).unwrap(), std::slice::from_ref(&source));
    assert_eq!(store.handoffs(source.project_id).unwrap(), []);
    assert_eq!(store.artifacts(source.project_id).unwrap(), []);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_any_of_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("made/for/it");
    let mut store = open(&folder);
    session(&mut store, "Private");
    assert_eq!(mode(&folder), 0o700);
    let modes: Vec<u32> = fs::read_dir(&folder).unwrap().map(|entry| mode(&entry.unwrap().path())).collect();
    assert_eq!(modes, vec![0o600; 6], "database, -wal, -shm, lock, count of changes and sign of life");
    drop(store);
    let path = folder.join("elenchus.db");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    open(&folder);
    assert_eq!(mode(&path), 0o600);
}
