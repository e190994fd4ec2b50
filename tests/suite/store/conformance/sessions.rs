//! Sessions: begun, resumed, titled, listed, found, migrated, deleted.

use elenchus::engine::memory::TaskStatus;
use elenchus::store::{
    Digest, Draft, Erasure, Filing, Resumed, SessionFilter, SessionId, SessionRecord, Store, StoreError, TitleSource,
};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::store::fixture::{brief, engine, handoff, moment, new_session, session, taking_up, talk, task, turn};

pub fn a_new_session_is_at_turn_0_with_what_it_was_given(store: &mut Store) {
    let project = store.ensure_project("Clinic").unwrap();
    assert_eq!(store.ensure_project("Clinic").unwrap(), project);
    let mut new = new_session(project.id, "Intake");
    new.engine_folder = Some("/engines/discovery".into());
    let created = store.create_session(new.clone()).unwrap();
    let expected = SessionRecord {
        id: new.id,
        project_id: project.id,
        engine_id: "discovery".to_owned(),
        engine_version: "1.0.0".to_owned(),
        engine_hash: engine("1.0.0").hash,
        title: "Intake".to_owned(),
        title_source: TitleSource::Default,
        created_at: created.created_at,
        updated_at: created.created_at,
        turn: 0,
        revision: 1,
        phase: "OPENING".to_owned(),
        completeness: 0.0,
        inbound_handoff_id: None,
        outbound_handoff_id: None,
        forked_from: None,
        engine_folder: Some("/engines/discovery".into()),
        filing: Filing::default(),
    };
    assert_eq!(created, expected);
    assert_eq!(store.session(new.id).unwrap(), expected);
    assert_eq!(store.state_at(new.id, 0).unwrap(), new.state);
    assert_eq!(store.pinned_engine(created.engine_hash).unwrap(), new.engine);
    assert!(matches!(store.create_session(new), Err(StoreError::Refused(_))));
}

pub fn a_session_resumes_exactly_where_it_was(store: &mut Store) {
    let begun = session(store, "Intake");
    let mut commit = turn(&begun, "A clinic.");
    let running = task(&begun, "scan", TaskStatus::Running);
    commit.tasks = vec![running.clone()];
    store.commit(commit.clone()).unwrap();
    store.save_draft(begun.id, "and also").unwrap();
    let resumed = store.resume(begun.id, 2).unwrap();
    let session = SessionRecord {
        turn: 1,
        revision: 2,
        phase: "CORE_CAPTURE".to_owned(),
        completeness: 1.0 / 16.0,
        updated_at: resumed.session.updated_at,
        ..begun.clone()
    };
    let expected = Resumed {
        session,
        draft: "and also".into(),
        state: commit.state.clone(),
        messages: commit.messages.clone(),
        tasks: vec![running],
    };
    assert_eq!(resumed, expected);
    assert_eq!(resumed.state.to_string(), commit.state.to_string(), "the order of keys is part of it");
    store.save_draft(begun.id, "").unwrap();
    assert_eq!(store.draft(begun.id).unwrap(), Draft::default());
}

pub fn a_title_from_content_never_replaces_the_users(store: &mut Store) {
    let begun = session(store, "Project discovery");
    let titled = |store: &mut Store, title: &str| {
        let mut commit = turn(&store.session(begun.id).unwrap(), "words");
        commit.title = Some(title.to_owned());
        store.commit(commit).unwrap();
        let session = store.session(begun.id).unwrap();
        (session.title, session.title_source)
    };
    assert_eq!(titled(store, "Clinic intake"), ("Clinic intake".to_owned(), TitleSource::Content));
    store.rename_session(begun.id, "Mine").unwrap();
    assert_eq!(titled(store, "Clinic intake app"), ("Mine".to_owned(), TitleSource::User));
}

pub fn sessions_are_listed_by_change_and_filtered(store: &mut Store) {
    let clinic = store.ensure_project("Clinic").unwrap();
    let school = store.ensure_project("School").unwrap();
    let one = store.create_session(new_session(clinic.id, "Ärzte am Ort")).unwrap();
    let two = store.create_session(new_session(school.id, "Pupils")).unwrap();
    let mut other = new_session(clinic.id, "Nurses");
    other.engine = elenchus::store::PinnedEngine::new("exploration", "2", other.engine.files);
    other.engine.files.insert("x".to_owned(), String::new());
    other.engine = elenchus::store::PinnedEngine::new("exploration", "2", other.engine.files);
    let three = store.create_session(other).unwrap();
    talk(store, one.id, &["change"]);
    let mut list = |filter: SessionFilter| -> Vec<SessionId> {
        store.list_sessions(&filter).unwrap().into_iter().map(|session| session.id).collect()
    };
    let all = SessionFilter::default();
    assert_eq!(list(all.clone()), [one.id, three.id, two.id]);
    assert_eq!(list(SessionFilter { project: Some(clinic.id), ..all.clone() }), [one.id, three.id]);
    assert_eq!(list(SessionFilter { engine: Some("exploration".to_owned()), ..all.clone() }), [three.id]);
    assert_eq!(list(SessionFilter { text: Some("ÄRZTE".to_owned()), ..all.clone() }), [one.id]);
    assert_eq!(list(SessionFilter { text: Some("%".to_owned()), ..all.clone() }), []);
    assert_eq!(list(SessionFilter { limit: Some(1), offset: 1, ..all }), [three.id]);
    assert_eq!(store.projects().unwrap(), [clinic, school]);
}

pub fn a_session_is_found_by_the_beginning_of_its_id(store: &mut Store) {
    let project = store.ensure_project("Clinic").unwrap();
    let mut new = new_session(project.id, "Intake");
    new.id = "01890000-0000-7000-8000-00000000000a".parse().unwrap();
    let one = store.create_session(new.clone()).unwrap();
    new.id = "01890000-0000-7000-8000-0000000000b0".parse().unwrap();
    store.create_session(new).unwrap();
    assert_eq!(store.find_session(&one.id.to_string()).unwrap(), one);
    assert_eq!(store.find_session("01890000-0000-7000-8000-00000000000").unwrap(), one);
    assert_eq!(store.find_session("0189").unwrap_err().to_string(), "\"0189\" fits 2 sessions: give more of the id");
    for nothing in ["", "-", "ff", "xyz", "01890000-0000-7000-8000-00000000000a0"] {
        assert!(matches!(store.find_session(nothing), Err(StoreError::NotFound { .. })), "{nothing}");
    }
}

pub fn what_is_not_there_is_not_found(store: &mut Store) {
    let nobody = SessionId::new(moment(0));
    let says = format!("There is no session {nobody}");
    assert_eq!(store.session(nobody).unwrap_err().to_string(), says);
    assert_eq!(store.resume(nobody, 1).unwrap_err().to_string(), says);
    assert_eq!(store.save_draft(nobody, "x").unwrap_err().to_string(), says);
    assert_eq!(store.delete_sessions(&[nobody]).unwrap_err().to_string(), says);
    assert_eq!(store.verify(Some(nobody)).unwrap_err().to_string(), says);
    assert!(matches!(store.pinned_engine(Digest::ZERO), Err(StoreError::NotFound { .. })));
    let begun = session(store, "Intake");
    let beyond = store.rewind(begun.id, begun.revision, 5).unwrap_err();
    assert_eq!(beyond.to_string(), format!("Session {} has no turn 5: it goes from 0 to 0", begun.id));
}

pub fn a_migrated_session_has_the_new_engine_and_keeps_the_old_one(store: &mut Store) {
    let begun = session(store, "Intake");
    let migrated = store.migrate_session(begun.id, 1, engine("2.0.0"), &json!({"format": 2})).unwrap();
    let expected = SessionRecord {
        engine_version: "2.0.0".to_owned(),
        engine_hash: engine("2.0.0").hash,
        revision: 2,
        updated_at: migrated.updated_at,
        ..begun.clone()
    };
    assert_eq!(migrated, expected);
    assert_eq!(store.pinned_engine(begun.engine_hash).unwrap(), engine("1.0.0"));
    assert_eq!(store.pinned_engine(migrated.engine_hash).unwrap(), engine("2.0.0"));
    let mut forged = engine("3.0.0");
    forged.hash = begun.engine_hash;
    assert!(matches!(store.migrate_session(begun.id, 2, forged, &json!({})), Err(StoreError::Refused(_))));
}

pub fn deleting_a_session_takes_everything_that_hangs_on_it(store: &mut Store) {
    let gone = session(store, "Gone");
    let stays = session(store, "Stays");
    for id in [gone.id, stays.id] {
        let at = talk(store, id, &["one", "two"]);
        store.save_draft(id, "draft").unwrap();
        store.save_task(&task(&at, "scan", TaskStatus::Pending)).unwrap();
        store.create_session(taking_up(handoff(&at), brief(&at))).unwrap();
    }
    let kept = store.resume(stays.id, 100).unwrap();
    assert_eq!(store.delete_sessions(&[gone.id]).unwrap(), Erasure::Complete);
    assert!(matches!(store.session(gone.id), Err(StoreError::NotFound { .. })));
    assert_eq!(store.resume(stays.id, 100).unwrap(), kept);
    assert_eq!(store.handoffs(stays.project_id).unwrap().len(), 1);
    assert_eq!(store.artifacts(stays.project_id).unwrap().len(), 1);
    let report = store.verify(None).unwrap();
    assert_eq!((report.sessions, report.findings), (3, vec![]), "what they handed over went on");
}
