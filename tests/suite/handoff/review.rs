//! Reviewing, editing, declining, accepting.

use elenchus::host::{Host, HostError, Session};
use elenchus::store::{Handoff, HandoffId};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::tasks::support::{Bench, say};

/// A session of the small engine whose way to project discovery is open.
async fn open_exit(bench: &Bench, host: &Host) -> Session {
    let mut session = bench.begin(host).await;
    say(&mut session, "The phones ring all day.").await;
    say(&mut session, "I would like to take it further.").await;
    assert_eq!(session.handoff().map(|offer| offer.target.as_str()), Some("project-discovery"));
    session
}

async fn kept_handoff(host: &Host, source: &Session, id: HandoffId) -> Handoff {
    let project = source.record().project_id;
    let all = host.store().call_async(move |store| store.handoffs(project)).await.unwrap();
    all.into_iter().find(|handoff| handoff.id == id).unwrap()
}

#[tokio::test]
async fn an_accepted_handoff_links_two_sessions_and_leaves_the_brief_to_the_project() {
    let bench = Bench::new("");
    let host = bench.host();
    let mut source = open_exit(&bench, &host).await;
    let target = host.accept_handoff(&mut source).await.unwrap();

    let opening = &target.transcript().messages()[0].text;
    assert!(opening.contains("The phones ring all day"), "{opening}");
    let id = target.record().inbound_handoff_id.unwrap();
    assert_eq!(source.record().outbound_handoff_id, Some(id));
    let kept = kept_handoff(&host, &source, id).await;
    assert_eq!(kept.target_session_id, Some(target.record().id));
    assert_eq!(kept.payload["metadata"]["session_id"], json!(source.record().id));
    let project = source.record().project_id;
    let artifacts = host.store().call_async(move |store| store.artifacts(project)).await.unwrap();
    assert_eq!(artifacts.iter().map(|artifact| artifact.kind.as_str()).collect::<Vec<_>>(), ["brief"]);

    let again = host.accept_handoff(&mut source).await.unwrap_err();
    assert!(matches!(again, HostError::AcceptedAlready(id) if id == target.record().id));
}

#[tokio::test]
async fn the_first_answer_is_verified_and_the_verification_kept() {
    let bench = Bench::new("");
    let host = bench.host();
    let mut source = open_exit(&bench, &host).await;
    let mut target = host.accept_handoff(&mut source).await.unwrap();
    let turn = say(&mut target, "We want an answering service.").await;
    let inbound = turn.memory.inbound_handoff.clone().unwrap();
    let verification = inbound.verification.unwrap();
    assert!(verification.verified, "{verification:?}: {}", turn.answer.text);
    let id = target.record().inbound_handoff_id.unwrap();
    let kept = kept_handoff(&host, &source, id).await;
    assert!(kept.verified);
    assert_eq!(kept.verification, Some(json!(verification)));
    // It outlives the process.
    let resumed = host.resume(&target.record().id.to_string()).await.unwrap();
    assert!(resumed.memory().inbound_handoff.as_ref().unwrap().verification.is_some());
}

#[tokio::test]
async fn an_edited_handoff_is_checked_and_handed_over_as_edited() {
    let bench = Bench::new("");
    let host = bench.host();
    let mut source = open_exit(&bench, &host).await;
    let mut edited = json!(source.handoff().unwrap().handoff);
    edited["action_list"]["decisions_reached"][0]["reasoning"] = json!("too short");
    edited["metadata"]["target_engine_id"] = json!("elsewhere");
    assert_eq!(source.edit_handoff(serde_json::from_value(edited.clone()).unwrap()).await.unwrap().len(), 1);
    assert!(
        matches!(host.accept_handoff(&mut source).await, Err(HostError::Handoff { problems }) if problems.len() == 1)
    );

    edited["action_list"]["decisions_reached"][0]["reasoning"] = json!("because nobody can work while it rings");
    edited["action_list"]["decisions_reached"][0]["decision"] = json!("Silence the phones");
    assert_eq!(source.edit_handoff(serde_json::from_value(edited.clone()).unwrap()).await.unwrap(), [""; 0]);
    let target = host.accept_handoff(&mut source).await.unwrap();
    assert_eq!(target.record().engine_id, "project-discovery");
    assert!(target.transcript().messages()[0].text.contains("Silence the phones"));
}

#[tokio::test]
async fn a_declined_handoff_is_not_offered_again_before_the_user_asks() {
    let bench = Bench::new("");
    let host = bench.host();
    let mut session = open_exit(&bench, &host).await;
    session.decline_handoff().await.unwrap();
    assert_eq!(session.handoff(), None);
    say(&mut session, "It has been so since spring.").await;
    assert_eq!(session.handoff(), None);
    session.reconsider_handoffs().await.unwrap();
    say(&mut session, "The staff is tired.").await;
    assert!(session.handoff().is_some());
}

#[tokio::test]
async fn a_later_session_of_the_project_is_told_of_the_brief() {
    let bench = Bench::new("");
    let host = bench.host();
    let mut source = open_exit(&bench, &host).await;
    host.accept_handoff(&mut source).await.unwrap();
    let mut later = host.start("exploration", Some("bench")).await.unwrap();
    let turn = say(&mut later, "We choose a telephone system.").await;
    let sections = &turn.figures.context;
    let background = sections.iter().find(|section| section.section == "background_intelligence");
    assert!(background.unwrap().tokens > 0, "{sections:?}");
}

#[tokio::test]
async fn a_journey_shows_what_led_to_what() {
    let bench = Bench::new("");
    let host = bench.host();
    let mut source = open_exit(&bench, &host).await;
    let target = host.accept_handoff(&mut source).await.unwrap();
    let other = bench.begin(&host).await;
    let ids = |journey: elenchus::host::Journey| {
        journey.stations.into_iter().map(|station| (station.session.id, station.depth)).collect::<Vec<_>>()
    };
    let (first, second) = ((source.record().id, 0), (target.record().id, 1));
    assert_eq!(ids(host.journey("bench").await.unwrap()), [first, second, (other.record().id, 0)]);
    assert_eq!(ids(host.journey(&target.record().id.to_string()).await.unwrap()), [first, second]);
    let journey = host.journey("bench").await.unwrap();
    assert_eq!(journey.stations[1].inbound.as_ref().unwrap().source_session_id, source.record().id);
}
