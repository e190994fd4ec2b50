//! What grows around a conversation: handoffs, artifacts, costs, trust, tasks.

use elenchus::engine::memory::TaskStatus;
use elenchus::store::{
    Artifact, BudgetSum, Decision, Digest, Handoff, HandoffVerification, ProjectId, SessionFilter, SessionId,
    SessionRecord, Store, StoreError, Trust, TurnCommit,
};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::store::fixture::{
    artifact, brief, cost, engine, handoff, moment, session, taking_up, talk, task, today, turn,
};

pub fn handoffs_link_both_ways(store: &mut Store) {
    let source = session(store, "Discovery");
    let given = handoff(&source);
    let target = store.create_session(taking_up(given.clone(), brief(&source))).unwrap();
    assert_eq!(store.session(source.id).unwrap().outbound_handoff_id, Some(given.id));
    assert_eq!(target.inbound_handoff_id, Some(given.id));
    assert_eq!(store.artifacts(source.project_id).unwrap().len(), 1, "the brief is left to the project");
    let kept = Handoff { target_session_id: Some(target.id), ..given };
    assert_eq!(store.handoffs(source.project_id).unwrap(), [kept]);
    store.delete_sessions(&[source.id]).unwrap();
    assert_eq!(store.session(target.id).unwrap().inbound_handoff_id, None);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn a_handoff_is_taken_up_whole_or_not_at_all(store: &mut Store) {
    let source = session(store, "Discovery");
    let untouched = |store: &mut Store| {
        assert_eq!(store.session(source.id).unwrap(), source);
        assert_eq!(store.list_sessions(&SessionFilter::default()).unwrap(), std::slice::from_ref(&source));
        assert_eq!(store.handoffs(source.project_id).unwrap(), []);
        assert_eq!(store.artifacts(source.project_id).unwrap(), []);
        assert_eq!(store.events(source.id).unwrap().len(), 1);
        assert_eq!(store.verify(None).unwrap().findings, []);
    };
    let whole = taking_up(handoff(&source), brief(&source));
    // Each of these fails at another point of the way.
    let mut known = whole.clone();
    known.id = source.id;
    assert!(matches!(store.create_session(known), Err(StoreError::Refused(_))));
    untouched(store);
    let mut forged = whole.clone();
    forged.engine.hash = Digest::ZERO;
    assert!(matches!(store.create_session(forged), Err(StoreError::Refused(_))));
    untouched(store);
    let nowhere = Artifact { project_id: ProjectId::new(moment(9)), ..brief(&source) };
    assert!(matches!(
        store.create_session(taking_up(handoff(&source), nowhere)),
        Err(StoreError::NotFound { what: "project", .. })
    ));
    untouched(store);
    let nobodys = Handoff { source_session_id: SessionId::new(moment(9)), ..handoff(&source) };
    let refused = store.create_session(taking_up(nobodys, brief(&source)));
    assert!(matches!(refused, Err(StoreError::NotFound { what: "session", .. })));
    untouched(store);
    store.create_session(whole).unwrap();
}

pub fn a_handoff_is_taken_up_once(store: &mut Store) {
    let source = session(store, "Discovery");
    let take_up =
        |store: &mut Store, source: &SessionRecord| store.create_session(taking_up(handoff(source), brief(source)));
    let first = take_up(store, &source).unwrap();
    let again = take_up(store, &source).unwrap_err();
    assert!(matches!(again, StoreError::TakenUp { session } if session == first.id), "{again}");
    assert_eq!(store.list_sessions(&SessionFilter::default()).unwrap().len(), 2);
    let later = talk(store, source.id, &["and there is more"]);
    let second = take_up(store, &later).unwrap();
    assert_eq!(store.session(source.id).unwrap().outbound_handoff_id, second.inbound_handoff_id);
    store.delete_sessions(&[second.id]).unwrap();
    take_up(store, &later).unwrap();
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn a_verification_is_kept_with_its_turn_or_not_at_all(store: &mut Store) {
    let source = session(store, "Discovery");
    let target = store.create_session(taking_up(handoff(&source), brief(&source))).unwrap();
    let kept = |store: &mut Store| {
        let handoff = store.handoffs(source.project_id).unwrap().remove(0);
        (handoff.verified, handoff.verification)
    };
    let mut commit = turn(&target, "A clinic.");
    commit.verification = Some(HandoffVerification { verified: true, result: json!({"jaccard": 0.7}) });
    let mut late = commit.clone();
    late.expected_revision = 9;
    assert!(matches!(store.commit(late), Err(StoreError::Conflict { .. })));
    assert_eq!(kept(store), (false, None));
    store.commit(commit.clone()).unwrap();
    assert_eq!(kept(store), (true, Some(json!({"jaccard": 0.7}))));
    // A handoff that is gone has nobody to be verified for.
    store.delete_sessions(&[source.id]).unwrap();
    let at_1 = store.session(target.id).unwrap();
    store.commit(TurnCommit { verification: commit.verification, ..turn(&at_1, "More.") }).unwrap();
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn artifacts_are_found_by_rank_within_a_budget(store: &mut Store) {
    let project = store.ensure_project("Clinic").unwrap();
    let large = artifact(project.id, "Waiting rooms", "waiting rooms, at length", 900);
    let small = artifact(project.id, "Notes", "patients wait in rooms; the queue grows; staff is short of time", 80);
    let other = artifact(project.id, "Billing", "invoices", 10);
    for kept in [&large, &small, &other] {
        store.save_artifact(kept).unwrap();
    }
    let mut titles = |words: &str, budget| -> Vec<String> {
        let hits = store.search_artifacts(project.id, words, budget).unwrap();
        hits.into_iter().map(|hit| hit.artifact.title).collect()
    };
    assert_eq!(titles("waiting room", 1000), ["Waiting rooms", "Notes"]);
    assert_eq!(titles("waiting room", 500), ["Notes"], "what does not fit is passed over");
    assert_eq!(titles("(\"", 500), [""; 0]);
    let changed = Artifact { content: "waiting".to_owned(), tokens: 5, ..other };
    store.save_artifact(&changed).unwrap();
    assert_eq!(store.artifacts(project.id).unwrap().len(), 3);
    assert_eq!(store.search_artifacts(project.id, "invoices", 99).unwrap(), []);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn costs_add_up_and_outlive_their_session(store: &mut Store) {
    let begun = session(store, "Intake");
    talk(store, begun.id, &["one", "two"]);
    let cancelled = elenchus::store::BudgetEntry { session_id: Some(begun.id), ..cost(0.5) };
    store.spend(&[cancelled], &[]).unwrap();
    let expected = BudgetSum { entries: 3, input_tokens: 300, cached_tokens: 120, output_tokens: 60, cost_usd: 1.0 };
    assert_eq!(store.spent_by_session(begun.id).unwrap(), expected);
    store.delete_sessions(&[begun.id]).unwrap();
    assert_eq!(store.spent_on_day(today()).unwrap(), expected);
    assert_eq!(store.spent_on_day(today().tomorrow().unwrap()).unwrap(), BudgetSum::default());
}

pub fn trust_is_remembered_by_content(store: &mut Store) {
    let hash = engine("1.0.0").hash;
    assert_eq!(store.trust(hash).unwrap(), None);
    for decision in [Decision::Trusted, Decision::Refused] {
        let trust = Trust { engine_hash: hash, decided_at: moment(7), decision };
        store.set_trust(&trust).unwrap();
        assert_eq!(store.trust(hash).unwrap(), Some(trust));
    }
    assert_eq!(store.trust(engine("1.0.1").hash).unwrap(), None);
}

pub fn tasks_are_kept_with_their_last_state(store: &mut Store) {
    let begun = session(store, "Intake");
    let mut scan = task(&begun, "scan", TaskStatus::Running);
    store.save_task(&scan).unwrap();
    scan.record.status = TaskStatus::Completed;
    scan.record.result = Some(json!({"found": 3}));
    scan.updated_at = moment(9);
    store.save_task(&scan).unwrap();
    assert_eq!(store.task(scan.id).unwrap(), scan);
    assert_eq!(store.tasks(begun.id).unwrap(), [scan.clone()]);
    let other = session(store, "Other");
    scan.session_id = other.id;
    assert!(matches!(store.save_task(&scan), Err(StoreError::Refused(_))));
}
