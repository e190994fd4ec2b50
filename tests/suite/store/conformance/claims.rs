//! Who has a turn under way. (Two processes are among the tests of sharing.)

use elenchus::store::{SessionId, SessionRecord, Store, StoreError};
use pretty_assertions::assert_eq;

use crate::store::fixture::{moment, session, talk, turn};

pub fn a_claim_is_refused_when_the_session_has_moved_on(store: &mut Store) {
    let begun = session(store, "Intake");
    talk(store, begun.id, &["one"]);
    assert!(matches!(store.claim_turn(begun.id, 0, 1, None), Err(StoreError::Conflict { found_turn: 1, .. })));
    assert!(matches!(store.claim_turn(begun.id, 1, 1, None), Err(StoreError::Conflict { found_revision: 2, .. })));
    store.claim_turn(begun.id, 1, 2, None).unwrap();
    let nobody = SessionId::new(moment(9));
    assert!(matches!(store.claim_turn(nobody, 0, 0, None), Err(StoreError::NotFound { .. })));
    assert!(matches!(store.release_turn(nobody), Err(StoreError::NotFound { .. })));
}

pub fn a_turn_a_replacement_and_a_release_end_a_claim(store: &mut Store) {
    let begun = session(store, "Intake");
    let before = store.events(begun.id).unwrap();
    store.claim_turn(begun.id, 0, 1, None).unwrap();
    store.claim_turn(begun.id, 0, 1, None).unwrap();
    assert_eq!(store.session(begun.id).unwrap(), begun, "a claim changes nothing that is seen of a session");
    assert_eq!(store.events(begun.id).unwrap(), before);
    assert_eq!(store.verify(None).unwrap().findings, []);
    store.release_turn(begun.id).unwrap();
    store.release_turn(begun.id).unwrap();
    store.claim_turn(begun.id, 0, 1, None).unwrap();
    let at_1 = talk(store, begun.id, &["one"]);
    store.claim_turn(begun.id, 1, 2, None).unwrap();
    store.replace(turn(&SessionRecord { turn: 0, ..at_1 }, "another one")).unwrap();
    let now = store.session(begun.id).unwrap();
    store.claim_turn(begun.id, now.turn, now.revision, None).unwrap();
    assert_eq!(store.verify(None).unwrap().findings, []);
}
