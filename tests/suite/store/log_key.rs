//! The log key: with it a history that was rewritten with everything that hangs on it still shows.

use std::path::Path;

use elenchus::engine::memory::TaskStatus;
use elenchus::store::{
    Decision, Digest, Doubt, EventKind, KeyCheck, LogKey, Report, SessionId, SqliteOptions, Store, StoreError, Trust,
    restore_sqlite,
};
use pretty_assertions::assert_eq;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

use super::fixture::{artifact, moment, open, options, session, talk, task, turn};

const KEY: &str = "a key of the user's";

fn keyed_with(folder: &Path, key: &str) -> Store {
    let options = SqliteOptions { log_key: Some(LogKey::new(key)), ..options() };
    Store::open_sqlite(&folder.join("elenchus.db"), options).unwrap()
}

fn keyed(folder: &Path) -> Store {
    keyed_with(folder, KEY)
}

fn problems(report: Report) -> Vec<String> {
    report.findings.into_iter().map(|finding| finding.problem).collect()
}

fn raw(folder: &Path) -> Connection {
    let raw = Connection::open(folder.join("elenchus.db")).unwrap();
    raw.execute_batch(
        "DROP TRIGGER IF EXISTS events_are_never_changed; DROP TRIGGER IF EXISTS events_go_only_with_their_session",
    )
    .unwrap();
    raw
}

/// Rewrites a session the way an attacker would who knows everything but the key: other words, and every digest, hash and
/// head made to fit.
fn rewrite(folder: &Path, id: SessionId) {
    let triggers = triggers(folder);
    let raw = raw(folder);
    raw.execute("UPDATE messages SET content = 'forged' WHERE session_id = ?1 AND role = 'user'", [id.0]).unwrap();
    raw.execute("INSERT INTO said_index(said_index) VALUES ('rebuild')", []).unwrap();
    let mut store = open(folder);
    let said = store.resume(id, u32::MAX).unwrap().messages;
    let mut prev = Digest::ZERO;
    for mut event in store.events(id).unwrap() {
        if let Some(turn) = event.payload.get("turn").and_then(Value::as_u64).filter(|_| event.kind == EventKind::Turn)
        {
            let of_turn: Vec<_> = said.iter().filter(|message| u64::from(message.turn) == turn).collect();
            event.payload["messages"] = json!(elenchus::store::canonical::digest(&of_turn));
        }
        let sealed = json!({
            "session": id, "seq": event.seq, "kind": event.kind, "at": event.at.as_millisecond(),
            "payload": event.payload, "prev": prev,
        });
        let hash = elenchus::store::canonical::digest(&sealed);
        let payload = elenchus::store::canonical::to_text(&event.payload);
        raw.execute(
            "UPDATE events SET payload = ?3, prev = ?4, hash = ?5 WHERE session_id = ?1 AND seq = ?2",
            params![id.0, event.seq, payload, prev.0.as_slice(), hash.0.as_slice()],
        )
        .unwrap();
        raw.execute("UPDATE sessions SET head_hash = ?2 WHERE id = ?1", params![id.0, hash.0.as_slice()]).unwrap();
        prev = hash;
    }
    raw.execute_batch(&triggers).unwrap();
}

/// The triggers that [`raw`] takes away, as they are written.
fn triggers(folder: &Path) -> String {
    let raw = Connection::open(folder.join("elenchus.db")).unwrap();
    let sql = "SELECT group_concat(sql, ';') FROM sqlite_schema
               WHERE name IN ('events_are_never_changed', 'events_go_only_with_their_session')";
    raw.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_rewritten_history_is_noticed_with_the_key_and_only_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = keyed(folder.path());
    let id = session(&mut store, "Intake").id;
    talk(&mut store, id, &["one", "two"]);
    let report = store.verify(None).unwrap();
    assert_eq!(report.key, KeyCheck::Checked { sessions: 1, begun_before: 0, unsealed: 0 });
    assert_eq!(report.findings, []);
    drop(store);
    rewrite(folder.path(), id);
    let without = open(folder.path()).verify(None).unwrap();
    assert_eq!(without.key, KeyCheck::NotHere { sessions: 1 });
    assert_eq!(without.findings, [], "it fits in itself");
    let found = problems(keyed(folder.path()).verify(None).unwrap());
    assert!(found.contains(&"Events 2 to 3 were not sealed with the log key".to_owned()), "{found:?}");
    let end = "The end of the event log was not sealed with the log key: it was cut or written anew";
    assert!(found.contains(&end.to_owned()), "{found:?}");
}

#[test]
fn a_cut_log_and_a_session_taken_out_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = keyed(folder.path());
    let (id, other) = (session(&mut store, "Cut").id, session(&mut store, "Gone").id);
    talk(&mut store, id, &["one", "two"]);
    drop(store);
    let raw = raw(folder.path());
    let before: Vec<u8> =
        raw.query_row("SELECT hash FROM events WHERE session_id = ?1 AND seq = 2", [id.0], |row| row.get(0)).unwrap();
    raw.execute("DELETE FROM events WHERE session_id = ?1 AND seq = 3", [id.0]).unwrap();
    raw.execute("DELETE FROM commits WHERE session_id = ?1 AND seq = 3", [id.0]).unwrap();
    raw.execute("UPDATE sessions SET head_seq = 2, head_hash = ?2 WHERE id = ?1", params![id.0, before]).unwrap();
    let found = problems(keyed(folder.path()).verify(Some(id)).unwrap());
    assert!(found.iter().any(|problem| problem.contains("it was cut or written anew")), "{found:?}");
    assert!(matches!(keyed(folder.path()).rename_session(id, "x"), Err(StoreError::WrongKey { .. })));
    raw.execute_batch("PRAGMA foreign_keys = ON").unwrap();
    raw.execute("DELETE FROM sessions WHERE id = ?1", [other.0]).unwrap();
    let found = problems(keyed(folder.path()).verify(None).unwrap());
    assert!(found.iter().any(|problem| problem.contains("one was taken out or put back")), "{found:?}");
}

#[test]
fn turned_on_midway_it_says_so_and_seals_from_there_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let (id, other) = (session(&mut store, "Intake").id, session(&mut store, "Other").id);
    let at = talk(&mut store, id, &["one"]);
    store.save_task(&task(&at, "scan", TaskStatus::Completed)).unwrap();
    drop(store);
    let mut store = keyed(folder.path());
    assert_eq!(store.verify(None).unwrap().findings, []);
    talk(&mut store, id, &["two"]);
    let kinds: Vec<EventKind> = store.events(id).unwrap().iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventKind::Created, EventKind::Turn, EventKind::Keyed, EventKind::Turn]);
    let report = store.verify(None).unwrap();
    assert_eq!(
        (report.findings, report.key),
        (vec![], KeyCheck::Checked { sessions: 1, begun_before: 1, unsealed: 1 })
    );
    // A rewind and its undoing work as before.
    let at = store.session(id).unwrap();
    let at = store.rewind(id, at.revision, 1).unwrap();
    store.restore_course(id, at.revision, at.revision).unwrap();
    store.fork(id, 1, SessionId::new(moment(77))).unwrap();
    assert_eq!(store.verify(None).unwrap().findings, []);
    drop(store);
    // What came before is covered from then on as well.
    rewrite(folder.path(), id);
    let found = problems(keyed(folder.path()).verify(Some(id)).unwrap());
    assert!(found.contains(&"Events 3 to 6 were not sealed with the log key".to_owned()), "{found:?}");
    assert_eq!(problems(keyed(folder.path()).verify(Some(other)).unwrap()), [""; 0]);
}

#[test]
fn a_sealed_session_is_read_without_the_key_and_written_only_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = keyed(folder.path());
    let id = session(&mut store, "Intake").id;
    let at = talk(&mut store, id, &["one"]);
    store.save_draft(id, "half").unwrap();
    drop(store);
    let mut without = open(folder.path());
    assert_eq!(without.resume(id, 9).unwrap().messages.len(), 3);
    assert!(matches!(without.commit(turn(&at, "two")), Err(StoreError::KeyMissing { .. })));
    assert!(matches!(without.delete_sessions(&[id]), Err(StoreError::KeyMissing { .. })));
    let told = without.rename_session(id, "x").unwrap_err().to_string();
    assert!(told.contains("ELENCHUS_LOG_KEY"), "{told}");
    let copy = without.fork(id, 1, SessionId::new(moment(78))).unwrap();
    talk(&mut without, copy.id, &["a copy goes on without it"]);
    drop(without);
    let mut other = keyed_with(folder.path(), "another key");
    assert!(matches!(other.commit(turn(&at, "two")), Err(StoreError::WrongKey { .. })));
    assert!(!other.verify(Some(id)).unwrap().is_clean());
    drop(other);
    let mut store = keyed(folder.path());
    store.commit(turn(&at, "two")).unwrap();
    store.delete_sessions(&[id]).unwrap();
    assert_eq!(store.verify(None).unwrap().findings, []);
}

#[test]
fn with_the_key_a_decision_about_an_engine_that_it_has_not_sealed_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = keyed(folder.path());
    let decided = |byte| Trust { engine_hash: Digest([byte; 32]), decided_at: moment(0), decision: Decision::Trusted };
    store.set_trust(&decided(1)).unwrap();
    // As someone without the key writes one, seal and all.
    open(folder.path()).set_trust(&decided(2)).unwrap();
    assert_eq!(store.trust(Digest([1; 32])).unwrap(), Some(decided(1)));
    assert_eq!(store.trust(Digest([2; 32])).unwrap(), None);
    assert_eq!(store.doubt(Digest([2; 32])).unwrap(), Some(Doubt::Unsealed));
    assert_eq!(store.doubt(Digest([1; 32])).unwrap(), None);
    assert_eq!(open(folder.path()).trust(Digest([2; 32])).unwrap(), Some(decided(2)));
}

#[test]
fn a_decision_put_back_and_rows_taken_out_are_noticed() {
    let changes = [
        "DELETE FROM main.trust; INSERT INTO main.trust SELECT * FROM old.trust;
         DELETE FROM main.seals WHERE kind = 'trust'; INSERT INTO main.seals SELECT * FROM old.seals WHERE kind = 'trust'",
        "DELETE FROM main.artifacts; DELETE FROM main.seals WHERE kind = 'artifact'",
        "DELETE FROM main.tasks; DELETE FROM main.seals WHERE kind = 'task'",
    ];
    for change in changes {
        let folder = tempfile::tempdir().unwrap();
        let mut store = keyed(folder.path());
        let begun = session(&mut store, "Intake");
        store.save_task(&task(&begun, "research", TaskStatus::Completed)).unwrap();
        store.save_artifact(&artifact(begun.project_id, "Brief", "words", 3)).unwrap();
        let decided = |decision| Trust { engine_hash: Digest([1; 32]), decided_at: moment(0), decision };
        store.set_trust(&decided(Decision::Trusted)).unwrap();
        store.backup(&folder.path().join("older"), false).unwrap();
        store.set_trust(&decided(Decision::Refused)).unwrap();
        assert_eq!(store.verify(None).unwrap().findings, []);
        drop(store);
        let triggers = triggers(folder.path());
        let raw = raw(folder.path());
        raw.execute("ATTACH ?1 AS old", [folder.path().join("older").to_str().unwrap()]).unwrap();
        raw.execute_batch(change).unwrap();
        raw.execute_batch(&triggers).unwrap();
        drop(raw);
        let mut store = keyed(folder.path());
        // No agreement counts until it is known what was put back; a refusal does no harm.
        let digest = Digest([1; 32]);
        assert_eq!((store.trust(digest).unwrap(), store.doubt(digest).unwrap()), (None, Some(Doubt::SetBack)));
        assert!(matches!(store.set_trust(&decided(Decision::Trusted)), Err(StoreError::Refused(_))));
        assert_eq!(store.trust(digest).unwrap(), None);
        for _ in 0..2 {
            let told = problems(store.verify(None).unwrap());
            assert!(told.iter().any(|problem| problem.contains("taken out or put back")), "{change}: {told:?}");
            // Going on elsewhere does not seal it anew.
            session(&mut store, "Other");
        }
        store.repair(None).unwrap();
        assert_eq!(store.verify(None).unwrap().findings, [], "{change}");
        assert_eq!((store.trust(digest).unwrap(), store.doubt(digest).unwrap()), (None, None), "it is asked anew");
        store.set_trust(&decided(Decision::Trusted)).unwrap();
        assert_eq!(store.trust(digest).unwrap(), Some(decided(Decision::Trusted)));
    }
}

#[test]
fn a_sealed_store_is_restored_without_its_decisions_and_without_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let (mut store, file) = (keyed(folder.path()), folder.path().join("copy"));
    session(&mut store, "Intake");
    let trust = Trust { engine_hash: Digest([1; 32]), decided_at: moment(0), decision: Decision::Trusted };
    store.set_trust(&trust).unwrap();
    store.backup(&file, false).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let with_key = SqliteOptions { log_key: Some(LogKey::new(KEY)), ..options() };
    restore_sqlite(&elsewhere.path().join("elenchus.db"), &file, &with_key).unwrap();
    let mut restored = keyed(elsewhere.path());
    assert_eq!(restored.trust(Digest([1; 32])).unwrap(), None);
    assert_eq!(restored.verify(None).unwrap().findings, []);
    session(&mut restored, "Another");
    assert_eq!(restored.verify(None).unwrap().findings, []);
}

#[test]
fn a_sealed_session_set_back_to_an_earlier_state_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = keyed(folder.path());
    let (id, other) = (session(&mut store, "Intake").id, session(&mut store, "Other").id);
    talk(&mut store, id, &["one"]);
    store.backup(&folder.path().join("older"), false).unwrap();
    talk(&mut store, id, &["two", "three"]);
    assert_eq!(store.verify(None).unwrap().findings, []);
    drop(store);
    // Every row of the session as it was, each of them sealed with the key.
    let triggers = triggers(folder.path());
    let raw = raw(folder.path());
    raw.execute("ATTACH ?1 AS old", [folder.path().join("older").to_str().unwrap()]).unwrap();
    raw.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    for (table, column) in
        [("sessions", "id"), ("states", "session_id"), ("messages", "session_id"), ("events", "session_id")]
            .into_iter()
            .chain(["commits", "extractions", "checkpoints", "budget"].map(|table| (table, "session_id")))
    {
        raw.execute(&format!("DELETE FROM main.{table} WHERE {column} = ?1"), [id.0]).unwrap();
        let sql = format!("INSERT INTO main.{table} SELECT * FROM old.{table} WHERE {column} = ?1");
        raw.execute(&sql, [id.0]).unwrap();
    }
    raw.execute_batch(&triggers).unwrap();
    drop(raw);
    let found = |store: &mut Store| problems(store.verify(None).unwrap());
    let mut store = keyed(folder.path());
    let told = found(&mut store);
    assert!(told.iter().any(|problem| problem.contains("set back to what it was earlier")), "{told:?}");
    // Going on elsewhere does not seal it anew.
    talk(&mut store, other, &["on"]);
    let told = found(&mut store);
    assert!(told.iter().any(|problem| problem.contains("set back to what it was earlier")), "{told:?}");
}

#[test]
fn a_decision_that_was_changed_is_not_believed_with_or_without_a_key() {
    for key in [Some(KEY), None] {
        let folder = tempfile::tempdir().unwrap();
        let mut store = key.map_or_else(|| open(folder.path()), |key| keyed_with(folder.path(), key));
        let refused = Trust { engine_hash: Digest([1; 32]), decided_at: moment(0), decision: Decision::Refused };
        store.set_trust(&refused).unwrap();
        assert_eq!(store.trust(Digest([1; 32])).unwrap(), Some(refused.clone()));
        let raw = Connection::open(folder.path().join("elenchus.db")).unwrap();
        assert_eq!(raw.execute("UPDATE trust SET decision = 'trusted'", []).unwrap(), 1);
        let new = "INSERT INTO trust (engine_hash, decision, decided_at) VALUES (?1, 'trusted', 0)";
        raw.execute(new, [[2_u8; 32].as_slice()]).unwrap();
        for byte in [1, 2] {
            let digest = Digest([byte; 32]);
            assert_eq!((store.trust(digest).unwrap(), store.doubt(digest).unwrap()), (None, Some(Doubt::Changed)));
        }
        // It can be decided anew.
        store.set_trust(&refused).unwrap();
        assert_eq!(store.trust(Digest([1; 32])).unwrap(), Some(refused));
    }
}
