//! Backups: made while others write, checked, private, put back with the old database kept beside.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use elenchus::store::{Decision, Digest, SessionFilter, SqliteOptions, Store, StoreError, Trust, restore_sqlite};
use pretty_assertions::assert_eq;

use super::fixture::{impatient, open, options, session, talk};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_backup_is_one_private_file_that_holds_everything() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, file) = (open(folder.path()), folder.path().join("copy.backup"));
    let begun = session(&mut store, "Intake");
    talk(&mut store, begun.id, &["one", "two"]);
    store.save_draft(begun.id, "unsent").unwrap();
    let report = store.backup(&file, false).unwrap();
    assert_eq!((report.sessions, report.events, report.findings), (1, 3, vec![]));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let around: Vec<String> = names(folder.path()).into_iter().filter(|name| name.contains("backup")).collect();
    assert_eq!(around, ["copy.backup"], "one file, nothing beside it");
    let mut copy = Store::open_sqlite_to_read(&file, options()).unwrap();
    assert_eq!(copy.resume(begun.id, 9).unwrap(), store.resume(begun.id, 9).unwrap());
    let refused = store.backup(&file, false).unwrap_err();
    assert!(refused.to_string().contains("there already") && refused.to_string().contains("--force"), "{refused}");
    talk(&mut store, begun.id, &["three"]);
    assert_eq!(store.backup(&file, true).unwrap().events, 4);
}

#[test]
fn a_backup_replaces_no_device_no_link_and_nothing_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    session(&mut store, "Intake");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("config.toml"), "# mine").unwrap();
    fs::create_dir(at("work")).unwrap();
    fs::write(at("work/result"), "of a task").unwrap();
    let mut places =
        vec!["elenchus.db", "elenchus.db-wal", "elenchus.db.head", "elenchus.db.new", "config.toml", "work"];
    places.push("work/result");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(at("elsewhere"), at("link")).unwrap();
        std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        places.extend(["link", "socket"]);
    }
    let before = names(folder.path());
    for place in places {
        let refused = store.backup(&at(place), true).unwrap_err();
        assert!(matches!(refused, StoreError::Refused(_)), "{place}: {refused}");
    }
    assert_eq!(names(folder.path()), before);
    assert_eq!(fs::read_to_string(at("config.toml")).unwrap(), "# mine");
}

#[test]
fn a_count_of_changes_that_is_none_keeps_nothing_from_being_written_and_is_mended() {
    let wild = [
        "UPDATE changes SET count = 9223372036854775807",
        "UPDATE changes SET count = -5",
        "DELETE FROM changes",
        "INSERT INTO changes VALUES (3)",
    ];
    for sql in wild {
        let folder = tempfile::tempdir().unwrap();
        let (mut store, file) = (open(folder.path()), folder.path().join("copy.backup"));
        let begun = session(&mut store, "Intake");
        store.backup(&file, false).unwrap();
        for path in [folder.path().join("elenchus.db"), file.clone()] {
            rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
        }
        talk(&mut store, begun.id, &["one", "two"]);
        let found = open(folder.path()).verify(None).unwrap().findings;
        let broken = found.iter().any(|finding| finding.problem.contains("The count of changes"));
        assert!(broken || sql.contains("-5") || sql.contains("DELETE"), "{sql}: {found:?}");
        let elsewhere = tempfile::tempdir().unwrap();
        let refused = restore_sqlite(&elsewhere.path().join("elenchus.db"), &file, &options()).unwrap_err();
        assert!(matches!(refused, StoreError::FaultyBackup { .. }), "{sql}: {refused}");
        store.repair(None).unwrap();
        talk(&mut store, begun.id, &["three"]);
        assert_eq!(open(folder.path()).verify(None).unwrap().findings, [], "{sql}");
    }
}

#[test]
fn whatever_stands_in_the_file_of_the_counter_the_store_opens() {
    for count in ["18446744073709551615", "9223372036854775807", "-1", "999999999999999", "words"] {
        let folder = tempfile::tempdir().unwrap();
        let begun = session(&mut open(folder.path()), "Intake");
        fs::write(folder.path().join("elenchus.db.head"), format!("{count}\n")).unwrap();
        let mut store = open(folder.path());
        talk(&mut store, begun.id, &["one"]);
        store.repair(None).unwrap();
        assert_eq!(open(folder.path()).verify(None).unwrap().findings, [], "{count}");
    }
}

#[test]
fn backups_are_whole_while_another_process_writes() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, mut writer) = (open(folder.path()), open(folder.path()));
    let begun = session(&mut store, "Busy");
    let stop = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stop);
    let writing = std::thread::spawn(move || {
        let mut turns = 0;
        while !told.load(Ordering::Relaxed) {
            turns = talk(&mut writer, begun.id, &["on and on"]).turn;
        }
        turns
    });
    let mut seen = 0;
    for _ in 0..8 {
        let file = folder.path().join("busy.backup");
        let report = store.backup(&file, true).unwrap();
        assert_eq!(report.findings, []);
        let turn = Store::open_sqlite_to_read(&file, options()).unwrap().session(begun.id).unwrap().turn;
        assert!(turn >= seen);
        seen = turn;
    }
    stop.store(true, Ordering::Relaxed);
    assert!(writing.join().unwrap() >= seen);
}

#[test]
fn a_backup_is_put_back_and_what_was_there_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (database, file) = (folder.path().join("elenchus.db"), folder.path().join("safe"));
    let mut store = open(folder.path());
    let begun = session(&mut store, "Intake");
    talk(&mut store, begun.id, &["one"]);
    store.backup(&file, false).unwrap();
    talk(&mut store, begun.id, &["two", "three"]);
    // Another process has it open: refused, and nothing is touched.
    assert!(matches!(restore_sqlite(&database, &file, &impatient()), Err(StoreError::Locked { .. })));
    assert_eq!(store.session(begun.id).unwrap().turn, 3);
    drop(store);
    let restored = restore_sqlite(&database, &file, &options()).unwrap();
    let kept = restored.kept.unwrap();
    let mut store = open(folder.path());
    assert_eq!(store.session(begun.id).unwrap().turn, 1);
    assert_eq!(store.verify(None).unwrap().findings, [], "a restored backup is no loss");
    talk(&mut store, begun.id, &["on"]);
    let mut before = Store::open_sqlite_to_read(&kept, options()).unwrap();
    assert_eq!(before.session(begun.id).unwrap().turn, 3);
    assert_eq!(before.verify(None).unwrap().findings, []);
}

#[test]
fn a_damaged_database_can_be_restored_and_its_message_names_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let (database, file) = (folder.path().join("elenchus.db"), folder.path().join("safe"));
    let mut store = open(folder.path());
    let begun = session(&mut store, "Intake");
    store.backup(&file, false).unwrap();
    drop(store);
    fs::write(&database, "").unwrap();
    let error = Store::open_sqlite(&database, options()).map(drop).unwrap_err();
    assert!(error.to_string().contains("`elenchus restore FILE`"), "{error}");
    restore_sqlite(&database, &file, &options()).unwrap();
    assert_eq!(open(folder.path()).session(begun.id).unwrap().title, "Intake");
    // Where there was nothing, nothing is kept.
    let elsewhere = folder.path().join("new/elenchus.db");
    assert!(restore_sqlite(&elsewhere, &file, &options()).unwrap().kept.is_none());
    assert_eq!(open(&folder.path().join("new")).list_sessions(&SessionFilter::default()).unwrap().len(), 1);
}

#[test]
fn what_is_no_sound_backup_is_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    let (database, file) = (folder.path().join("elenchus.db"), folder.path().join("safe"));
    let mut store = open(folder.path());
    let begun = session(&mut store, "Intake");
    talk(&mut store, begun.id, &["one"]);
    store.backup(&file, false).unwrap();
    drop(store);
    let refused = |why: &str| {
        let before = fs::read(&database).unwrap();
        let error = restore_sqlite(&database, &file, &SqliteOptions::default()).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
        assert_eq!(fs::read(&database).unwrap(), before);
    };
    let raw = rusqlite::Connection::open(&file).unwrap();
    raw.execute("UPDATE messages SET content = 'another'", []).unwrap();
    drop(raw);
    refused("The messages part of the commit is not what the log says");
    fs::write(&file, "Dear diary").unwrap();
    refused("not an Elenchus database");
    fs::remove_file(&file).unwrap();
    refused("cannot be opened");
}

#[test]
fn a_backup_whose_index_does_not_fit_is_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, file) = (open(folder.path()), folder.path().join("copy.backup"));
    let begun = session(&mut store, "Intake");
    talk(&mut store, begun.id, &["one"]);
    store.backup(&file, false).unwrap();
    let empty = "INSERT INTO said_index(said_index) VALUES ('delete-all')";
    rusqlite::Connection::open(&file).unwrap().execute_batch(empty).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let refused = restore_sqlite(&elsewhere.path().join("elenchus.db"), &file, &options()).unwrap_err();
    assert!(matches!(refused, StoreError::FaultyBackup { .. }), "{refused}");
    assert!(!names(elsewhere.path()).iter().any(|name| name == "elenchus.db" || name.contains("restoring")));
}

#[test]
fn agreements_do_not_travel_in_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let (database, file) = (folder.path().join("elenchus.db"), folder.path().join("safe"));
    let mut store = open(folder.path());
    let engine = Digest::of(b"an engine");
    store
        .set_trust(&Trust { engine_hash: engine, decision: Decision::Trusted, decided_at: super::fixture::moment(1) })
        .unwrap();
    store.backup(&file, false).unwrap();
    assert!(store.trust(engine).unwrap().is_some());
    drop(store);
    restore_sqlite(&database, &file, &options()).unwrap();
    let mut store = open(folder.path());
    assert_eq!(store.trust(engine).unwrap(), None);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

#[test]
fn what_does_not_belong_to_the_database_is_found_and_not_restored() {
    for (sql, found) in [
        (
            "CREATE TRIGGER evil AFTER INSERT ON messages BEGIN DELETE FROM messages; END",
            "a trigger that is not Elenchus's: evil",
        ),
        ("CREATE TABLE more (x)", "a table that is not Elenchus's: more"),
        ("CREATE VIEW seen AS SELECT 1", "a view that is not Elenchus's: seen"),
        ("DROP TRIGGER events_are_never_changed", "The trigger events_are_never_changed of the database is missing"),
        (
            "DROP INDEX budget_by_day; CREATE INDEX budget_by_day ON budget(role)",
            "The index budget_by_day of the database was changed",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (database, file) = (folder.path().join("elenchus.db"), folder.path().join("safe"));
        let mut store = open(folder.path());
        session(&mut store, "Intake");
        store.backup(&file, false).unwrap();
        rusqlite::Connection::open(&file).unwrap().execute_batch(sql).unwrap();
        let told = Store::open_sqlite_to_read(&file, options()).unwrap().verify(None).unwrap().findings;
        assert!(told.iter().any(|finding| finding.problem.contains(found)), "{sql}: {told:?}");
        drop(store);
        assert!(matches!(restore_sqlite(&database, &file, &options()), Err(StoreError::FaultyBackup { .. })), "{sql}");
    }
}

#[test]
#[cfg(unix)]
fn a_pipe_or_a_device_is_no_backup_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for file in [pipe.as_path(), Path::new("/dev/null"), folder.path()] {
        let refused = restore_sqlite(&folder.path().join("elenchus.db"), file, &options());
        assert!(matches!(refused, Err(StoreError::NotADatabase { .. })), "{refused:?}");
    }
}
