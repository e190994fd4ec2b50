//! Changes after the fact are found, all of them at once.

use elenchus::engine::memory::TaskStatus;
use elenchus::store::{Checkpoint, Decision, Digest, SessionId, Store, Trust};
use pretty_assertions::assert_eq;
use rusqlite::Connection;
use serde_json::json;

use super::fixture::{brief, handoff, moment, open, session, taking_up, talk, task, turn};

/// Makes a session of three turns, changes the database behind the store's back, and returns what is found.
fn findings_after(sql: &str) -> Vec<(Option<u64>, String)> {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let id = three_turns(&mut store);
    assert_eq!(store.verify(None).unwrap().findings, []);
    let raw = Connection::open(folder.path().join("elenchus.db")).unwrap();
    raw.execute_batch(sql).unwrap();
    let report = store.verify(Some(id)).unwrap();
    report.findings.into_iter().map(|finding| (finding.seq, finding.problem)).collect()
}

fn three_turns(store: &mut Store) -> SessionId {
    let begun = session(store, "Intake");
    let at = talk(store, begun.id, &["one", "two"]);
    let mut commit = turn(&at, "three");
    commit.checkpoint =
        Some(Checkpoint { turn: 3, state: json!({"a": 1}), context_tokens: 10, reason: "compression".to_owned() });
    store.commit(commit).unwrap();
    begun.id
}

const OPEN_THE_LOG: &str = "DROP TRIGGER events_are_never_changed; DROP TRIGGER events_go_only_with_their_session;";

#[test]
fn the_log_refuses_to_be_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let id = three_turns(&mut store);
    let raw = Connection::open(folder.path().join("elenchus.db")).unwrap();
    for sql in [
        "UPDATE events SET at = 0",
        "DELETE FROM events",
        "DELETE FROM events WHERE seq = 4",
        "INSERT OR REPLACE INTO events SELECT session_id, seq, kind, 0, payload, prev, hash, mac FROM events",
        "INSERT INTO events SELECT session_id, seq + 9, kind, 0, payload, prev, hash, mac FROM events WHERE seq = 1",
    ] {
        assert_eq!(raw.execute(sql, []).unwrap_err().to_string(), "the event log is append-only", "{sql}");
    }
    assert_eq!(store.verify(Some(id)).unwrap().findings, []);
}

#[test]
fn a_changed_word_is_found() {
    let found = findings_after("UPDATE messages SET content = 'another' WHERE content = 'two'");
    assert_eq!(found, [(Some(3), "The messages part of the commit is not what the log says".to_owned())]);
}

#[test]
fn every_part_that_is_changed_is_found_at_its_place() {
    for (sql, seq, what) in [
        ("UPDATE extractions SET value = '1' WHERE turn = 1", Some(2), "The extractions part of the commit"),
        ("DELETE FROM extractions WHERE turn = 1", Some(2), "The extractions part of the commit"),
        ("UPDATE commits SET figures = '{}' WHERE turn = 2", Some(3), "The figures part of the commit"),
        ("UPDATE budget SET cost_usd = 0 WHERE seq = 2", Some(2), "The budget part of the commit"),
        ("UPDATE checkpoints SET reason = 'x'", Some(4), "The checkpoint of the commit"),
        ("UPDATE commits SET phase = 'X' WHERE turn = 2", Some(3), "The phase of the commit"),
        ("UPDATE commits SET rewound_by = 4 WHERE turn = 1", Some(2), "Whether the commit was rewound"),
        ("UPDATE states SET state = '{}'", None, "The current state"),
        ("UPDATE sessions SET title = 'Y'", None, "The title"),
        ("UPDATE sessions SET tags = '[\"x\"]'", None, "How the session is kept"),
        ("UPDATE sessions SET trashed_at = 1", None, "How the session is kept"),
        ("UPDATE sessions SET archived_at = 1", None, "How the session is kept"),
        ("UPDATE sessions SET completeness = 1", None, "The completeness"),
        ("UPDATE sessions SET turn = 2", None, "The turn"),
        ("UPDATE sessions SET revision = 2", None, "The revision"),
    ] {
        let found = findings_after(sql);
        assert!(found.contains(&(seq, format!("{what} is not what the log says"))), "{sql}: {found:?}");
    }
}

#[test]
fn a_changed_state_is_found_in_every_turn_that_builds_on_it() {
    let found = findings_after("UPDATE commits SET body = replace(body, 'one', 'eno')");
    assert!(found.contains(&(Some(2), "The state of the commit is not what the log says".to_owned())), "{found:?}");
    let found = findings_after("UPDATE commits SET body = '{', encoding = 'snapshot' WHERE turn = 2");
    assert!(found.contains(&(Some(3), "The state of the commit cannot be worked out".to_owned())), "{found:?}");
}

#[test]
fn a_changed_or_missing_event_breaks_the_chain() {
    let found = findings_after(&format!("{OPEN_THE_LOG} UPDATE events SET at = at + 1 WHERE seq = 2"));
    assert_eq!(found, [(Some(2), "The event was changed after it was written".to_owned())]);
    let found = findings_after(&format!("{OPEN_THE_LOG} DELETE FROM events WHERE seq = 3"));
    assert!(found.contains(&(Some(4), "An event is missing: 3 was expected".to_owned())), "{found:?}");
    assert!(found.contains(&(Some(4), "The event does not continue the one before".to_owned())), "{found:?}");
    assert!(found.contains(&(Some(3), "A commit is stored that the log does not have".to_owned())), "{found:?}");
    let found = findings_after(&format!("{OPEN_THE_LOG} DELETE FROM events WHERE seq = 4"));
    assert!(found.contains(&(None, "The end of the event log is not what the log says".to_owned())), "{found:?}");
}

#[test]
fn a_missing_turn_and_a_dangling_reference_are_found() {
    let found = findings_after("PRAGMA foreign_keys = ON; DELETE FROM commits WHERE turn = 3");
    assert!(found.contains(&(Some(4), "A commit of the log is missing".to_owned())), "{found:?}");
    let found = findings_after("UPDATE extractions SET message_id = zeroblob(16) WHERE turn = 1");
    let problem = "The extraction of last points at a message that is not there".to_owned();
    assert!(found.contains(&(Some(2), problem)), "{found:?}");
}

#[test]
fn what_the_log_does_not_cover_of_an_extraction_is_found_as_well() {
    let found = findings_after("UPDATE extractions SET superseded_by = id WHERE turn = 2");
    assert_eq!(found, [(Some(3), "The extraction of last does not say what took its place".to_owned())]);
    let found = findings_after("UPDATE extractions SET engine_id = 'other' WHERE turn = 2");
    assert_eq!(found, [(Some(3), "The extraction of last names another engine than its commit".to_owned())]);
    let found = findings_after("UPDATE extractions SET in_view = 0 WHERE turn = 2");
    let problem = "1 rows of extractions are in view though rewound, or the reverse".to_owned();
    assert_eq!(found, [(None, problem)]);
}

#[test]
fn damage_to_the_index_and_to_engines_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    three_turns(&mut store);
    let raw = Connection::open(folder.path().join("elenchus.db")).unwrap();
    raw.execute_batch(
        "INSERT INTO said_index(said_index, rowid, content) VALUES ('delete', 1, 'Welcome. What is this about?');
         UPDATE engines SET files = '{}'",
    )
    .unwrap();
    let problems: Vec<String> =
        store.verify(None).unwrap().findings.into_iter().map(|finding| finding.problem).collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].starts_with("The files of engine "), "{problems:?}");
    assert!(problems[1].starts_with("The full-text index of messages does not fit them"), "{problems:?}");
}

/// Makes one of everything that no log covers, changes the database behind the store's back, and returns what is found.
fn findings_beside(sql: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let begun = session(&mut store, "Intake");
    let at = talk(&mut store, begun.id, &["one"]);
    let mut done = task(&at, "scan", TaskStatus::Running);
    store.save_task(&done).unwrap();
    (done.record.status, done.record.result) = (TaskStatus::Completed, Some(json!({"found": 3.25})));
    store.save_task(&done).unwrap();
    store.create_session(taking_up(handoff(&at), brief(&at))).unwrap();
    let decided = Trust { engine_hash: Digest([7; 32]), decided_at: moment(3), decision: Decision::Refused };
    store.set_trust(&decided).unwrap();
    store.save_draft(begun.id, "half a thought").unwrap();
    let revision = store.session(begun.id).unwrap().revision;
    store.claim_turn(begun.id, at.turn, revision, Some(&"whole".into())).unwrap();
    assert_eq!(store.verify(None).unwrap().findings, []);
    Connection::open(folder.path().join("elenchus.db")).unwrap().execute_batch(sql).unwrap();
    store.verify(None).unwrap().findings.into_iter().map(|finding| finding.problem).collect()
}

#[test]
fn what_no_log_covers_is_vouched_for_all_the_same() {
    for (sql, problem) in [
        ("UPDATE artifacts SET content = 'forged'", "An artifact was changed after it was written"),
        ("DELETE FROM artifacts", "An artifact is missing"),
        ("UPDATE tasks SET result = '{}'", "A background task was changed after it was written"),
        ("UPDATE tasks SET status = 'failed'", "A background task was changed after it was written"),
        ("DELETE FROM tasks", "A background task is missing"),
        ("UPDATE trust SET decision = 'trusted'", "A decision about an engine was changed after it was written"),
        ("DELETE FROM trust", "A decision about an engine is missing"),
        (
            "INSERT INTO trust SELECT zeroblob(32), 'trusted', 0",
            "A decision about an engine is there that was not written by this program",
        ),
        ("UPDATE handoffs SET payload = '{}'", "A handoff was changed after it was written"),
        ("UPDATE unsent SET words = 'x' WHERE place = 'draft'", "The draft was changed after it was written"),
        ("DELETE FROM unsent WHERE place = 'draft'", "The draft is missing"),
        (
            "UPDATE unsent SET replaces = 1 WHERE place = 'sent'",
            "The message under way was changed after it was written",
        ),
    ] {
        let found = findings_beside(sql);
        assert!(found.contains(&problem.to_owned()), "{sql}: {found:?}");
    }
}
