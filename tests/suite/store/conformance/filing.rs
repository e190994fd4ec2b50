//! How sessions are kept: archive, tags, trash.

use elenchus::store::{
    Erasure, EventKind, Filed, Filing, Refiling, SearchQuery, SessionFilter, SessionId, Shelf, Store, StoreError,
};
use pretty_assertions::assert_eq;

use crate::store::fixture::{brief, moment, session, talk};

fn on(store: &mut Store, shelf: Shelf, tag: Option<&str>) -> Vec<SessionId> {
    let filter = SessionFilter { shelf: Some(shelf), tag: tag.map(ToOwned::to_owned), ..SessionFilter::default() };
    store.list_sessions(&filter).unwrap().into_iter().map(|session| session.id).collect()
}

fn tags(of: &[&str]) -> Vec<String> {
    of.iter().map(|tag| (*tag).to_owned()).collect()
}

pub fn sessions_are_archived_and_tagged_and_listed_so(store: &mut Store) {
    let (one, two, three) = (session(store, "One"), session(store, "Two"), session(store, "Three"));
    let before = store.session(one.id).unwrap();
    let archived = store.refile(&[one.id], &Refiling::Archive).unwrap().remove(0);
    assert!(archived.filing.archived_at.is_some());
    assert_eq!((archived.updated_at, archived.revision), (before.updated_at, before.revision), "it is where it was");
    let again = store.refile(&[one.id], &Refiling::Archive).unwrap().remove(0);
    assert_eq!(again, archived, "twice is once");
    store.refile(&[one.id, two.id], &Refiling::AddTags(tags(&[" #Clinic", "urgent"]))).unwrap();
    store.refile(&[two.id], &Refiling::RemoveTags(tags(&["URGENT"]))).unwrap();
    assert_eq!(store.session(one.id).unwrap().filing.tags, ["clinic", "urgent"]);
    assert_eq!(on(store, Shelf::Current, None), [three.id, two.id]);
    assert_eq!(on(store, Shelf::Archive, None), [one.id]);
    assert_eq!(on(store, Shelf::Kept, Some("clinic")), [two.id, one.id]);
    assert_eq!(on(store, Shelf::Kept, Some("urgent")), [one.id]);
    assert_eq!(on(store, Shelf::Kept, Some("clin")), [], "a part of a tag is no tag");
    assert_eq!(store.filed().unwrap(), Filed { archived: 1, trashed: 0, tags: tags(&["clinic", "urgent"]) });
    store.refile(&[one.id, two.id], &Refiling::SetTags(Vec::new())).unwrap();
    store.refile(&[one.id], &Refiling::Unarchive).unwrap();
    assert_eq!(store.session(one.id).unwrap().filing, Filing::default());
    assert_eq!(store.filed().unwrap(), Filed::default());
    assert_eq!(store.verify(None).unwrap().findings, []);
    let nobody = SessionId::new(moment(0));
    let all_or_none = store.refile(&[two.id, nobody], &Refiling::Archive);
    assert!(matches!(all_or_none, Err(StoreError::NotFound { .. })));
    assert_eq!(on(store, Shelf::Archive, None), []);
}

pub fn what_is_in_the_trash_is_found_nowhere_else_and_can_be_restored(store: &mut Store) {
    let (goes, stays) = (session(store, "Goes"), session(store, "Stays"));
    for id in [goes.id, stays.id] {
        let at = talk(store, id, &["a zeppelin"]);
        store.save_artifact(&brief(&at)).unwrap();
    }
    let found = |store: &mut Store| {
        let hits = store.search(&SearchQuery { text: "zeppelin".to_owned(), ..SearchQuery::default() }).unwrap();
        (hits.len(), store.artifacts(goes.project_id).unwrap().len())
    };
    assert_eq!(found(store), (2, 2));
    let whole = store.resume(goes.id, 100).unwrap();
    store.refile(&[goes.id], &Refiling::Archive).unwrap();
    let gone = store.refile(&[goes.id], &Refiling::Trash).unwrap().remove(0);
    let thrown = gone.filing.trashed_at.unwrap();
    assert_eq!(gone.filing.gone_at().unwrap().duration_since(thrown).as_hours(), 30 * 24);
    assert_eq!(found(store), (1, 1));
    assert_eq!((on(store, Shelf::Kept, None), on(store, Shelf::Trash, None)), (vec![stays.id], vec![goes.id]));
    assert_eq!(store.filed().unwrap(), Filed { archived: 0, trashed: 1, tags: Vec::new() });
    assert_eq!(store.list_sessions(&SessionFilter::default()).unwrap().len(), 2, "without a shelf all are listed");
    let back = store.refile(&[goes.id], &Refiling::Restore).unwrap().remove(0);
    assert!(back.filing.archived_at.is_some(), "it is back where it was");
    assert_eq!(found(store), (2, 2));
    assert_eq!(store.resume(goes.id, 100).unwrap().messages, whole.messages);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn the_trash_is_emptied_on_request(store: &mut Store) {
    assert_eq!(store.empty_trash().unwrap(), (0, Erasure::Complete));
    let (goes, stays) = (session(store, "Goes"), session(store, "Stays"));
    store.refile(&[goes.id], &Refiling::Trash).unwrap();
    assert_eq!(store.empty_trash().unwrap(), (1, Erasure::Complete));
    assert!(matches!(store.session(goes.id), Err(StoreError::NotFound { .. })));
    assert_eq!(on(store, Shelf::Kept, None), [stays.id]);
}

pub fn going_on_takes_a_session_out_of_archive_and_trash(store: &mut Store) {
    let begun = session(store, "Intake");
    for change in [Refiling::Archive, Refiling::Trash, Refiling::AddTags(tags(&["clinic"]))] {
        store.refile(&[begun.id], &change).unwrap();
    }
    store.save_draft(begun.id, "half a").unwrap();
    assert!(store.session(begun.id).unwrap().filing.trashed_at.is_some(), "a draft is not going on");
    talk(store, begun.id, &["on with it"]);
    assert_eq!(store.session(begun.id).unwrap().filing, Filing { tags: tags(&["clinic"]), ..Filing::default() });
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn a_copy_has_the_tags_and_is_neither_archived_nor_thrown_away(store: &mut Store) {
    let begun = session(store, "Intake");
    talk(store, begun.id, &["one"]);
    for change in [Refiling::AddTags(tags(&["clinic"])), Refiling::Archive, Refiling::Trash] {
        store.refile(&[begun.id], &change).unwrap();
    }
    let copy = store.fork(begun.id, 1, SessionId::new(moment(5))).unwrap();
    let second = store.fork(copy.id, 1, SessionId::new(moment(6))).unwrap();
    for filing in [copy.filing, second.filing] {
        assert_eq!(filing, Filing { tags: tags(&["clinic"]), ..Filing::default() });
    }
    store.refile(&[copy.id], &Refiling::SetTags(Vec::new())).unwrap();
    let third = store.fork(copy.id, 1, SessionId::new(moment(7))).unwrap();
    assert_eq!(third.filing, Filing::default(), "the tags of the copy, not those of its original");
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn the_log_has_every_filing_and_no_tag(store: &mut Store) {
    let begun = session(store, "Intake");
    for change in [Refiling::AddTags(tags(&["zeppelin"])), Refiling::Archive, Refiling::Archive, Refiling::Restore] {
        store.refile(&[begun.id], &change).unwrap();
    }
    let log = store.events(begun.id).unwrap();
    let filed: Vec<_> = log.iter().filter(|event| event.kind == EventKind::Filed).collect();
    assert_eq!(filed.len(), 2, "what changes nothing is no event");
    assert!(!serde_json::to_string(&log).unwrap().contains("zeppelin"));
}
