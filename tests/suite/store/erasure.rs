//! Erased is erased: the words are in none of the files any more.

use std::path::Path;

use elenchus::engine::figures::TurnFigures;
use elenchus::engine::memory::TaskStatus;
use elenchus::store::{Artifact, ArtifactId, Checkpoint, Erasure, ExtractionKind, MessageRecord, SessionRecord, Store};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::fixture::{artifact, extraction, handoff, open, session, taking_up, talk, task, turn};

/// The word that goes, and its tail: the index stores a word without the beginning it shares with its neighbour.
const GOES: &str = "qxzvkwjfp";
const TAIL: &str = "vkwjfp";
const STAYS: &str = "brgmtlhnd";

/// Names the files in a folder that contain these bytes, in any case.
pub fn files_with(folder: &Path, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap().to_ascii_lowercase();
        if memchr::memmem::find(&bytes, word.as_bytes()).is_some() {
            found.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    found.sort();
    found
}

/// Puts a word everywhere a word can be.
fn fill(store: &mut Store, at: &SessionRecord, word: &str) {
    let mut commit = turn(at, &format!("{word} {}", word.repeat(900)));
    commit.title = Some(format!("About {word}"));
    commit.figures = Some(TurnFigures { warnings: vec![word.to_owned()], ..TurnFigures::default() });
    let state = json!({"kept": word});
    commit.checkpoint = Some(Checkpoint { turn: at.turn + 1, state, context_tokens: 1, reason: word.to_owned() });
    commit.extractions = vec![extraction(at.turn + 1, "path", ExtractionKind::New, json!(word))];
    commit.tasks = vec![task(at, word, TaskStatus::Pending)];
    store.commit(commit).unwrap();
    let mut made = artifact(at.project_id, word, &format!("a brief of {word}"), 10);
    made.session_id = Some(at.id);
    let mut given = handoff(at);
    given.payload = json!({"decided": word});
    store.create_session(taking_up(given, made)).unwrap();
    store.save_draft(at.id, word).unwrap();
}

#[test]
fn the_words_of_a_deleted_session_are_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let (goes, stays) = (session(&mut store, "A"), session(&mut store, "B"));
    // In turns, so that the words of both share pages, and enough of them that pages are split and merged.
    for _ in 0..25 {
        for (id, word) in [(goes.id, GOES), (stays.id, STAYS)] {
            let at = store.session(id).unwrap();
            fill(&mut store, &at, word);
        }
    }
    let at = store.session(goes.id).unwrap();
    store.rewind(goes.id, at.revision, 20).unwrap();
    assert!(!files_with(folder.path(), TAIL).is_empty());
    assert_eq!(store.delete_sessions(&[goes.id]).unwrap(), Erasure::Complete);
    assert_eq!(files_with(folder.path(), TAIL), [""; 0]);
    let at = store.session(stays.id).unwrap();
    fill(&mut store, &at, STAYS);
    assert_eq!(store.verify(None).unwrap().findings, []);
    drop(store);
    assert_eq!(files_with(folder.path(), TAIL), [""; 0]);
    assert_eq!(files_with(folder.path(), STAYS), ["elenchus.db"]);
}

#[test]
fn the_words_of_a_long_session_are_in_no_file_either() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let (goes, stays) = (session(&mut store, "A"), session(&mut store, "B"));
    for (id, word) in [(goes.id, GOES), (stays.id, STAYS)] {
        for number in 0..3 {
            let at = store.session(id).unwrap();
            let mut commit = turn(&at, word);
            let said = commit.messages[0].clone();
            let say = |count: u32| MessageRecord { content: format!("{word}{count} {word} {number}"), ..said.clone() };
            commit.messages = (0..100).map(say).collect();
            store.commit(commit).unwrap();
        }
    }
    assert_eq!(store.delete_sessions(&[goes.id]).unwrap(), Erasure::Complete);
    assert_eq!(files_with(folder.path(), TAIL), [""; 0]);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

#[test]
fn the_words_of_erased_rewound_turns_are_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let begun = session(&mut store, "A");
    talk(&mut store, begun.id, &[STAYS]);
    let at = talk(&mut store, begun.id, &[GOES, GOES]);
    // Research is made of the words of its turn.
    let scan = task(&at, "scan", TaskStatus::Completed);
    store.save_task(&scan).unwrap();
    let found = Artifact {
        id: ArtifactId(scan.id.0),
        session_id: Some(begun.id),
        ..artifact(begun.project_id, "Scan", &format!("found {GOES}"), 3)
    };
    store.save_artifact(&found).unwrap();
    let at = store.session(begun.id).unwrap();
    let hits = |store: &mut Store| store.search_artifacts(begun.project_id, "found", 99).unwrap().len();
    assert_eq!((hits(&mut store), store.artifacts(begun.project_id).unwrap().len()), (1, 1));
    store.rewind(begun.id, at.revision, 1).unwrap();
    assert_eq!((hits(&mut store), store.artifacts(begun.project_id).unwrap().len()), (0, 0));
    assert!(!files_with(folder.path(), TAIL).is_empty(), "a rewind alone loses nothing");
    assert_eq!(store.erase_rewound(begun.id).unwrap(), Erasure::Complete);
    assert_eq!(files_with(folder.path(), TAIL), [""; 0]);
    assert_eq!(store.verify(None).unwrap().findings, []);
}
