//! Changing one's mind: rewinds, and forks.

use elenchus::engine::memory::TaskStatus;
use elenchus::store::{
    BudgetSum, Erasure, ExtractionId, ExtractionKind, Role, SessionId, SessionRecord, Store, StoreError,
};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::store::fixture::{contents, engine, extraction, messages, moment, session, talk, task, turn};

pub fn a_rewind_brings_back_state_engine_and_phase_of_any_turn(store: &mut Store) {
    let begun = session(store, "Intake");
    talk(store, begun.id, &["one", "two", "three"]);
    let migrated = store.migrate_session(begun.id, 4, engine("2.0.0"), &json!({"format": 2})).unwrap();
    assert_eq!((migrated.engine_version.as_str(), migrated.turn), ("2.0.0", 3));
    talk(store, begun.id, &["four"]);
    let states: Vec<_> = (0..=4).map(|turn| store.state_at(begun.id, turn).unwrap()).collect();
    assert_eq!(states[3], json!({"format": 2}));
    for turn in (0..=4).rev() {
        let now = store.session(begun.id).unwrap();
        let rewound = store.rewind(begun.id, now.revision, turn).unwrap();
        let resumed = store.resume(begun.id, 100).unwrap();
        assert_eq!(resumed.state.to_string(), states[turn as usize].to_string());
        assert_eq!(resumed.messages.len() as u32, 1 + 2 * turn);
        assert_eq!(rewound.turn, turn);
        assert_eq!(rewound.engine_version, if turn >= 3 { "2.0.0" } else { "1.0.0" });
        assert_eq!(rewound.phase, if turn == 0 { "OPENING" } else { "CORE_CAPTURE" });
    }
    assert_eq!(store.verify(Some(begun.id)).unwrap().findings, []);
}

pub fn rewound_turns_are_out_of_view_and_kept_until_erased(store: &mut Store) {
    let begun = session(store, "Intake");
    let at_2 = talk(store, begun.id, &["one", "two"]);
    store.save_task(&task(&at_2, "scan", TaskStatus::Pending)).unwrap();
    store.rewind(begun.id, at_2.revision, 1).unwrap();
    assert_eq!(store.tasks(begun.id).unwrap(), []);
    assert_eq!(store.figures(begun.id, 0, 9).unwrap().len(), 1);
    assert_eq!(store.extractions(begun.id).unwrap().len(), 1);
    assert!(matches!(store.state_at(begun.id, 2), Err(StoreError::Refused(_))));
    let rewound = store.rewound(begun.id).unwrap();
    assert_eq!(rewound.iter().map(|gone| gone.turn).collect::<Vec<_>>(), [2]);
    assert_eq!(contents(&rewound[0].messages), ["two", "I see. And then, after turn 2?"]);
    assert_eq!(store.spent_by_session(begun.id).unwrap().entries, 2, "money spent stays spent");
    assert_eq!(store.erase_rewound(begun.id).unwrap(), Erasure::Complete);
    assert_eq!(store.rewound(begun.id).unwrap(), []);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn what_the_last_rewind_took_can_be_put_back(store: &mut Store) {
    let begun = session(store, "Intake");
    let at_3 = talk(store, begun.id, &["one", "two", "three"]);
    let before = store.resume(begun.id, 100).unwrap();
    let rewound = store.rewind(begun.id, at_3.revision, 1).unwrap();
    let back = store.restore_course(begun.id, rewound.revision, rewound.revision).unwrap();
    let after = store.resume(begun.id, 100).unwrap();
    assert_eq!((after.state, after.messages), (before.state, before.messages));
    assert_eq!(back.turn, 3);
    let rewound = store.rewind(begun.id, back.revision, 2).unwrap();
    store.commit(turn(&rewound, "another three")).unwrap();
    let now = store.session(begun.id).unwrap();
    let no_rewind = now.revision;
    assert!(matches!(store.restore_course(begun.id, now.revision, no_rewind), Err(StoreError::Refused(_))));
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn turns_after_a_rewind_take_the_place_of_those_before(store: &mut Store) {
    let begun = session(store, "Intake");
    let at_2 = talk(store, begun.id, &["one", "two"]);
    store.rewind(begun.id, at_2.revision, 1).unwrap();
    talk(store, begun.id, &["zwei", "drei"]);
    let messages = messages(store, begun.id, 1, 9);
    let said = messages.into_iter().filter(|message| message.role == Role::User).map(|message| message.content);
    assert_eq!(said.collect::<Vec<_>>(), ["one", "zwei", "drei"]);
    assert_eq!(store.state_at(begun.id, 2).unwrap()["extraction"]["last"], "zwei");
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn a_fork_has_the_same_past_and_its_own_future(store: &mut Store) {
    let begun = session(store, "Intake");
    let original = talk(store, begun.id, &["one", "two", "three"]);
    let forked = store.fork(begun.id, 2, SessionId::new(moment(5))).unwrap();
    assert_eq!((forked.turn, forked.title.as_str(), forked.revision), (2, "Intake", 3));
    assert_eq!(forked.forked_from, Some(elenchus::store::ForkPoint { session: begun.id, turn: 2 }));
    assert_eq!(messages(store, forked.id, 0, 9), messages(store, begun.id, 0, 2));
    assert_eq!(store.resume(forked.id, 0).unwrap().state, store.state_at(begun.id, 2).unwrap());
    assert_eq!(store.spent_by_session(forked.id).unwrap(), BudgetSum::default());
    talk(store, forked.id, &["drei"]);
    assert_eq!(store.session(begun.id).unwrap(), original);
    let now = store.session(forked.id).unwrap();
    store.rewind(forked.id, now.revision, 1).unwrap();
    assert_eq!(store.resume(forked.id, 0).unwrap().state, store.state_at(begun.id, 1).unwrap());
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn a_fork_outlives_its_original(store: &mut Store) {
    let begun = session(store, "Intake");
    talk(store, begun.id, &["one", "two"]);
    let forked = store.fork(begun.id, 1, SessionId::new(moment(5))).unwrap();
    assert_eq!(store.delete_sessions(&[begun.id]).unwrap(), Erasure::Complete);
    assert_eq!(store.session(forked.id).unwrap(), forked);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn a_turn_takes_the_place_of_those_after_another_in_one_step(store: &mut Store) {
    let begun = session(store, "Intake");
    let at_3 = talk(store, begun.id, &["one", "two", "three"]);
    let instead = turn(&SessionRecord { turn: 1, ..at_3.clone() }, "another two");
    let committed = store.replace(instead.clone()).unwrap();
    assert_eq!(committed.turn, 2);
    assert_eq!(store.state_at(begun.id, 2).unwrap(), instead.state);
    assert_eq!(messages(store, begun.id, 2, 9), instead.messages);
    assert_eq!(store.rewound(begun.id).unwrap().len(), 2, "what it replaced is kept, out of view");
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn a_replacement_that_is_refused_takes_nothing_back(store: &mut Store) {
    let begun = session(store, "Intake");
    let at_3 = talk(store, begun.id, &["one", "two", "three"]);
    let before = store.resume(begun.id, 10).unwrap();
    let mut wrong = turn(&SessionRecord { turn: 1, ..at_3.clone() }, "another two");
    wrong.messages[0].turn = 7;
    assert!(matches!(store.replace(wrong), Err(StoreError::Refused(_))));
    let late = turn(&SessionRecord { turn: 1, revision: 1, ..at_3 }, "another two");
    assert!(matches!(store.replace(late), Err(StoreError::Conflict { .. })));
    assert_eq!(store.resume(begun.id, 10).unwrap(), before);
}

/// Commits a turn with one entry of a field, and returns the entry's id.
fn say_of(store: &mut Store, id: SessionId, kind: ExtractionKind) -> ExtractionId {
    let at = store.session(id).unwrap();
    let mut commit = turn(&at, "words");
    commit.extractions = vec![extraction(at.turn + 1, "users.count", kind, json!(at.turn))];
    let entry = commit.extractions[0].id;
    store.commit(commit).unwrap();
    entry
}

fn replaced(store: &mut Store, id: SessionId) -> Vec<Option<ExtractionId>> {
    store.extractions(id).unwrap().into_iter().map(|entry| entry.superseded_by).collect()
}

pub fn what_took_an_entrys_place_follows_rewinds_and_forks(store: &mut Store) {
    use ExtractionKind::{Cleared, New, Supersede};
    let id = session(store, "Intake").id;
    let [_, second, third] = [New, Supersede, Cleared].map(|kind| say_of(store, id, kind));
    let whole = [Some(second), Some(third), None];
    assert_eq!(replaced(store, id), whole);

    let forked = store.fork(id, 2, SessionId::new(moment(5))).unwrap().id;
    assert_eq!(replaced(store, forked), [Some(second), None], "what came after the turn of the fork does not count");

    let at_3 = store.session(id).unwrap();
    let at_1 = store.rewind(id, at_3.revision, 1).unwrap();
    assert_eq!(replaced(store, id), [None]);
    store.restore_course(id, at_1.revision, at_1.revision).unwrap();
    assert_eq!(replaced(store, id), whole);

    let at_3 = store.session(id).unwrap();
    store.rewind(id, at_3.revision, 2).unwrap();
    let another = say_of(store, id, Supersede);
    assert_eq!(replaced(store, id), [Some(second), Some(another), None]);
    store.erase_rewound(id).unwrap();
    assert_eq!(replaced(store, id), [Some(second), Some(another), None]);

    let last = say_of(store, forked, Supersede);
    assert_eq!(replaced(store, forked), [Some(second), Some(last), None]);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

/// What the user said, in view.
fn said(store: &mut Store, id: SessionId) -> Vec<String> {
    let messages = store.resume(id, 100).unwrap().messages;
    messages.into_iter().filter(|message| message.role == Role::User).map(|message| message.content).collect()
}

pub fn an_earlier_course_is_gone_back_to_whatever_it_stands_on(store: &mut Store) {
    let id = session(store, "Intake").id;
    talk(store, id, &["one", "two", "three"]);
    let states: Vec<_> = (0..=3).map(|turn| store.state_at(id, turn).unwrap()).collect();
    let at_3 = store.session(id).unwrap();
    let rewound = store.rewind(id, at_3.revision, 2).unwrap();
    store.commit(turn(&rewound, "another three")).unwrap();
    let now = store.session(id).unwrap();
    store.rewind(id, now.revision, 1).unwrap();
    let courses = store.courses(id).unwrap();
    let shown: Vec<(u32, usize)> = courses.iter().map(|course| (course.after, course.turns.len())).collect();
    assert_eq!(shown, [(1, 2), (2, 1)], "the last one that was left comes first");
    // The first course stands on a turn that the second took back.
    let now = store.session(id).unwrap();
    let back = store.restore_course(id, now.revision, courses[1].rewind).unwrap();
    assert_eq!((back.turn, said(store, id)), (3, vec!["one".to_owned(), "two".to_owned(), "three".to_owned()]));
    assert_eq!(store.state_at(id, 3).unwrap(), states[3]);
    let left = store.courses(id).unwrap();
    assert_eq!(left.iter().map(|course| course.turns.len()).collect::<Vec<_>>(), [1]);
    assert_eq!(contents(&left[0].turns[0].messages)[0], "another three");
    assert!(matches!(store.restore_course(id, back.revision, 9999), Err(StoreError::Refused(_))));
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn an_earlier_course_can_be_copied_and_leaves_the_session_as_it_is(store: &mut Store) {
    let id = session(store, "Intake").id;
    let at_3 = talk(store, id, &["one", "two", "three"]);
    let rewound = store.rewind(id, at_3.revision, 1).unwrap();
    store.commit(turn(&rewound, "another two")).unwrap();
    let course = store.courses(id).unwrap().remove(0);
    let forked = store.fork_course(id, course.rewind, SessionId::new(moment(5))).unwrap();
    assert_eq!(
        (forked.turn, said(store, forked.id)),
        (3, vec!["one".to_owned(), "two".to_owned(), "three".to_owned()])
    );
    assert_eq!(said(store, id), ["one", "another two"]);
    assert_eq!(store.courses(forked.id).unwrap(), []);
    talk(store, forked.id, &["four"]);
    assert_eq!(store.verify(None).unwrap().findings, []);
}
