//! What grows around a conversation: handoffs, artifacts, costs, trust, tasks.

use elenchus::engine::memory::TaskStatus;
use elenchus::store::{BudgetSum, Decision, Erasure, Handoff, Store, StoreError, Trust};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::store::fixture::{artifact, cost, engine, handoff, moment, new_session, session, talk, task, today};

pub fn handoffs_link_both_ways(store: &mut dyn Store) {
    let source = session(store, "Discovery");
    let given = handoff(&source);
    store.save_handoff(&given).unwrap();
    assert_eq!(store.session(source.id).unwrap().outbound_handoff_id, Some(given.id));
    let mut new = new_session(source.project_id, "Exploration");
    new.inbound_handoff_id = Some(given.id);
    let target = store.create_session(new).unwrap();
    assert_eq!(target.inbound_handoff_id, Some(given.id));
    store.verify_handoff(given.id, true, &json!({"jaccard": 0.7})).unwrap();
    let expected = Handoff {
        target_session_id: Some(target.id),
        verified: true,
        verification: Some(json!({"jaccard": 0.7})),
        ..given.clone()
    };
    assert_eq!(store.handoff(given.id).unwrap(), expected);
    assert_eq!(store.handoffs(source.project_id).unwrap(), [expected]);
    let mut second = new_session(source.project_id, "Again");
    second.inbound_handoff_id = Some(given.id);
    assert!(matches!(store.create_session(second), Err(StoreError::Refused(_))));
    store.delete_sessions(&[source.id]).unwrap();
    assert_eq!(store.session(target.id).unwrap().inbound_handoff_id, None);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn artifacts_are_found_by_rank_within_a_budget(store: &mut dyn Store) {
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
    let changed = elenchus::store::Artifact { content: "waiting".to_owned(), tokens: 5, ..other };
    store.save_artifact(&changed).unwrap();
    assert_eq!(store.artifacts(project.id).unwrap().len(), 3);
    assert_eq!(store.search_artifacts(project.id, "invoices", 99).unwrap(), []);
    assert_eq!(store.delete_artifact(large.id).unwrap(), Erasure::Complete);
    assert_eq!(store.verify(None).unwrap().findings, []);
}

pub fn costs_add_up_and_outlive_their_session(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    talk(store, begun.id, &["one", "two"]);
    let cancelled = elenchus::store::BudgetEntry { session_id: Some(begun.id), ..cost(0.5) };
    store.spend(&[cancelled]).unwrap();
    let expected = BudgetSum { entries: 3, input_tokens: 300, cached_tokens: 120, output_tokens: 60, cost_usd: 1.0 };
    assert_eq!(store.spent_by_session(begun.id).unwrap(), expected);
    store.delete_sessions(&[begun.id]).unwrap();
    assert_eq!(store.spent_on_day(today()).unwrap(), expected);
    assert_eq!(store.spent_on_day(today().tomorrow().unwrap()).unwrap(), BudgetSum::default());
}

pub fn trust_is_remembered_by_content(store: &mut dyn Store) {
    let hash = engine("1.0.0").hash;
    assert_eq!(store.trust(hash).unwrap(), None);
    for decision in [Decision::Trusted, Decision::Refused] {
        let trust = Trust { engine_hash: hash, decided_at: moment(7), decision };
        store.set_trust(&trust).unwrap();
        assert_eq!(store.trust(hash).unwrap(), Some(trust));
    }
    assert_eq!(store.trust(engine("1.0.1").hash).unwrap(), None);
}

pub fn tasks_are_kept_with_their_last_state(store: &mut dyn Store) {
    let begun = session(store, "Intake");
    let mut scan = task(&begun, "scan", TaskStatus::Running);
    store.save_task(&scan).unwrap();
    scan.record.status = TaskStatus::Completed;
    scan.record.result = Some(json!({"found": 3}));
    scan.updated_at = moment(9);
    store.save_task(&scan).unwrap();
    assert_eq!(store.task(scan.id).unwrap(), scan);
    assert_eq!(store.tasks(begun.id).unwrap(), [scan.clone()]);
    assert_eq!(store.interrupted_tasks().unwrap(), []);
    let other = session(store, "Other");
    scan.session_id = other.id;
    assert!(matches!(store.save_task(&scan), Err(StoreError::Refused(_))));
}
