//! Turns: all their parts or none, and only on what the caller has seen.

use elenchus::engine::figures::TurnFigures;
use elenchus::store::{Checkpoint, CommitKind, ExtractionKind, Role, Store, StoreError};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::store::fixture::{extraction, message, messages, session, talk, turn};

pub fn a_turn_leaves_all_its_parts(store: &mut Store) {
    let begun = session(store, "Intake");
    let commit = turn(&begun, "A clinic.");
    let committed = store.commit(commit.clone()).unwrap();
    assert_eq!((committed.turn, committed.revision), (1, 2));
    assert_eq!(messages(store, begun.id, 1, 1), commit.messages);
    assert_eq!(messages(store, begun.id, 0, 1).len(), 3);
    assert_eq!(store.extractions(begun.id).unwrap(), commit.extractions);
    assert_eq!(store.figures(begun.id, 0, 9).unwrap(), [TurnFigures { turn: 1, ..TurnFigures::default() }]);
    assert_eq!(store.state_at(begun.id, 1).unwrap(), commit.state);
    assert_eq!(store.events(begun.id).unwrap().last().unwrap().hash, committed.head);
}

pub fn an_amendment_changes_the_state_and_not_the_turn(store: &mut Store) {
    let begun = session(store, "Intake");
    let at_1 = talk(store, begun.id, &["A clinic."]);
    let mut amendment = turn(&at_1, "edited");
    amendment.kind = CommitKind::Amendment;
    amendment.messages.clear();
    amendment.extractions = vec![extraction(1, "last", ExtractionKind::Supersede, json!("edited"))];
    let committed = store.commit(amendment.clone()).unwrap();
    assert_eq!((committed.turn, committed.revision), (1, 3));
    talk(store, begun.id, &["More."]);
    assert_eq!(store.state_at(begun.id, 1).unwrap(), amendment.state);
    let rewound = store.rewind(begun.id, 4, 1).unwrap();
    assert_eq!(store.resume(begun.id, 0).unwrap().state, amendment.state);
    assert_eq!(rewound.turn, 1);
}

pub fn a_commit_on_an_old_revision_is_refused_and_changes_nothing(store: &mut Store) {
    let begun = session(store, "Intake");
    store.commit(turn(&begun, "first")).unwrap();
    let before = store.resume(begun.id, 10).unwrap();
    let refused = store.commit(turn(&begun, "second")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "Session {} was changed by another window or process (it is at turn 1, revision 2; this change was made for \
             turn 0, revision 1): load it again",
            begun.id
        )
    );
    assert_eq!(store.resume(begun.id, 10).unwrap(), before);
    assert!(matches!(store.rewind(begun.id, 1, 0), Err(StoreError::Conflict { .. })));
}

pub fn a_commit_on_a_turn_that_came_again_after_a_rewind_is_refused(store: &mut Store) {
    let begun = session(store, "Intake");
    let seen = talk(store, begun.id, &["one", "two"]);
    store.rewind(begun.id, seen.revision, 1).unwrap();
    let again = talk(store, begun.id, &["another two"]);
    assert_eq!(again.turn, seen.turn);
    assert!(matches!(store.commit(turn(&seen, "three")), Err(StoreError::Conflict { .. })));
}

pub fn a_commit_with_parts_of_another_turn_is_refused(store: &mut Store) {
    let begun = session(store, "Intake");
    let mut wrong = turn(&begun, "words");
    wrong.messages[0].turn = 7;
    assert_eq!(store.commit(wrong).unwrap_err().to_string(), "A message of turn 7 cannot go into turn 1");
    let mut wrong = turn(&begun, "words");
    wrong.completeness = f64::NAN;
    assert!(matches!(store.commit(wrong), Err(StoreError::Refused(_))));
    assert_eq!(store.session(begun.id).unwrap(), begun);
}

pub fn superseded_extractions_name_what_took_their_place(store: &mut Store) {
    let begun = session(store, "Intake");
    let kinds = [ExtractionKind::New, ExtractionKind::Update, ExtractionKind::Supersede, ExtractionKind::Cleared];
    let mut ids = Vec::new();
    for kind in kinds {
        let at = store.session(begun.id).unwrap();
        let mut commit = turn(&at, "words");
        commit.extractions = vec![extraction(at.turn + 1, "users.count", kind, json!(at.turn))];
        commit.extractions[0].message_id = Some(commit.messages[0].id);
        ids.push(commit.extractions[0].id);
        store.commit(commit).unwrap();
    }
    let replaced = |store: &mut Store| -> Vec<_> {
        store.extractions(begun.id).unwrap().into_iter().map(|entry| entry.superseded_by).collect()
    };
    assert_eq!(replaced(store), [Some(ids[2]), Some(ids[2]), Some(ids[3]), None]);
    let between = store.extractions_between(begun.id, 2, 3).unwrap();
    assert_eq!(between.iter().map(|entry| entry.id).collect::<Vec<_>>(), ids[1..3]);
    store.rewind(begun.id, 5, 3).unwrap();
    assert_eq!(replaced(store), [Some(ids[2]), Some(ids[2]), None], "a rewind takes the superseding back too");
}

pub fn entries_of_one_commit_take_each_others_place(store: &mut Store) {
    let begun = session(store, "Intake");
    store.commit(turn(&begun, "words")).unwrap();
    let mut commit = turn(&store.session(begun.id).unwrap(), "words");
    let kinds = [ExtractionKind::Supersede, ExtractionKind::Update, ExtractionKind::Supersede];
    commit.extractions = kinds.map(|kind| extraction(2, "last", kind, json!("changed"))).to_vec();
    commit.extractions.push(extraction(2, "other", ExtractionKind::New, json!(1)));
    // What a caller says of it is not believed.
    commit.extractions[2].superseded_by = Some(commit.extractions[0].id);
    let [first, _, last, _] = commit.extractions.iter().map(|entry| entry.id).collect::<Vec<_>>()[..] else { panic!() };
    store.commit(commit).unwrap();
    let found: Vec<_> = store.extractions(begun.id).unwrap().iter().map(|entry| entry.superseded_by).collect();
    assert_eq!(found, [Some(first), Some(last), Some(last), None, None]);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn checkpoints_come_back_whole(store: &mut Store) {
    let begun = session(store, "Intake");
    let mut commit = turn(&begun, "words");
    let state = json!({"before": "compression", "history": [1, 2, 3]});
    let kept = Checkpoint { turn: 1, state, context_tokens: 4000, reason: "compression".to_owned() };
    commit.checkpoint = Some(kept.clone());
    store.commit(commit).unwrap();
    talk(store, begun.id, &["more"]);
    assert_eq!(store.checkpoints(begun.id).unwrap(), [kept]);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn json_nested_too_deep_is_refused(store: &mut Store) {
    let begun = session(store, "Intake");
    let nested = |depth| (0..depth).fold(json!(1), |inner, _| json!([{ "a": inner }]));
    let mut commit = turn(&begun, "words");
    commit.state = nested(40);
    assert!(matches!(store.commit(commit.clone()), Err(StoreError::Refused(_))));
    commit.state = nested(31);
    commit.messages.push(message(1, Role::System, "deep"));
    commit.checkpoint = Some(Checkpoint { turn: 1, state: nested(30), context_tokens: 1, reason: "deep".to_owned() });
    store.commit(commit.clone()).unwrap();
    assert_eq!(store.resume(begun.id, 0).unwrap().state, commit.state);
    assert_eq!(store.verify(None).unwrap().findings, []);
}
