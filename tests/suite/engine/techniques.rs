//! Techniques: who chooses, what rests, what resistance and experience change.

use std::collections::BTreeMap;

use elenchus::engine::config::Technique;
use elenchus::engine::memory::TechniqueEffect;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Talk, details, small, small_with};
use crate::support::scripted::{ScriptedSession, SeenRequest};

const ALL: [&str; 3] = ["open_ended_questions", "reflective_listening", "roll_with_resistance"];

fn cooldown(engine: &elenchus::engine::Engine, id: &str) -> u32 {
    let find = |technique: &&Technique| technique.id.as_str() == id;
    engine.techniques().iter().find(find).expect("it is available").cooldown_turns
}

/// Turns in which each technique was used.
fn used(session: &mut ScriptedSession<'_>, turns: u32) -> BTreeMap<String, Vec<u32>> {
    let mut used: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for _ in 0..turns {
        let turn = session.chat("Hm.");
        for id in &turn.report.techniques {
            used.entry(id.clone()).or_default().push(turn.report.turn);
        }
    }
    used
}

#[test]
fn a_technique_rests_for_its_cooldown_whatever_speaks_for_it() {
    let engine = small_with(&[("max_active = 1", "max_active = 3")]);
    let mut session = ScriptedSession::new(&engine);
    session.memory.socio_emotional.friction = 1.0;
    let used = used(&mut session, 9);
    assert_eq!(used.len(), 3);
    for (id, turns) in used {
        let rest = cooldown(&engine, &id);
        assert!(turns.windows(2).all(|pair| pair[1] - pair[0] > rest), "{id} rests {rest} turns: {turns:?}");
        assert!(
            turns.windows(2).any(|pair| pair[1] - pair[0] == rest + 1),
            "{id} rests no longer than that: {turns:?}"
        );
    }
}

#[test]
fn the_rules_choose_no_more_than_may_be_active_and_only_what_the_phase_allows() {
    for most in [1, 2] {
        let engine = small_with(&[("max_active = 1", &format!("max_active = {most}"))]);
        let mut session = ScriptedSession::new(&engine);
        let turn = session.chat("Hello.");
        assert_eq!(turn.report.techniques.len(), most);
        assert!(turn.report.techniques.iter().all(|id| ALL.contains(&id.as_str())));
        assert!(session.last_system().concat().contains("How to ask:"));
    }
}

#[test]
fn friction_brings_techniques_that_meet_resistance_first() {
    let first = |friction: f64| {
        let engine = small();
        let mut session = ScriptedSession::new(&engine);
        session.memory.socio_emotional.friction = friction;
        session.chat("Hm.").report.techniques
    };
    assert_eq!(first(0.0), ["open_ended_questions"]);
    let calming = first(0.9);
    assert!(["reflective_listening", "roll_with_resistance"].contains(&calming[0].as_str()), "{calming:?}");
}

#[test]
fn what_has_brought_much_before_is_preferred() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let effect = |average| TechniqueEffect { uses: 4, average };
    session.memory.modes.observed = Some(BALANCED);
    session.memory.techniques.effects.insert("open_ended_questions".to_owned(), effect(0.0));
    session.memory.techniques.effects.insert("reflective_listening".to_owned(), effect(1.0));
    let turn = session.chat("Hm.");
    let considered = details(&turn, "technique selection")["considered"].as_array().expect("a list").clone();
    let score =
        |id: &str| considered.iter().find(|c| c["id"] == json!(id)).and_then(|c| c["score"].as_f64()).expect("a score");
    let mut fresh = ScriptedSession::new(&engine);
    fresh.memory.modes.observed = Some(BALANCED);
    let plain = fresh.chat("Hm.");
    let before = details(&plain, "technique selection")["considered"].as_array().expect("a list").clone();
    let base =
        |id: &str| before.iter().find(|c| c["id"] == json!(id)).and_then(|c| c["score"].as_f64()).expect("a score");
    assert!(score("reflective_listening") > base("reflective_listening"));
    assert!(score("open_ended_questions") < base("open_ended_questions"));
}

/// A blend that the first phase aims at, so that no mode is lacking.
const BALANCED: [f64; 7] = [70.0, 0.0, 0.0, 30.0, 0.0, 0.0, 0.0];

#[test]
fn what_a_technique_brought_is_learned_from_the_message_that_follows_it() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let turn = session.chat("Hello.");
    let id = turn.report.techniques[0].clone();
    session.tell("Queues.", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    assert_eq!(session.memory.techniques.effects.get(&id), Some(&TechniqueEffect { uses: 1, average: 0.5 }));
}

#[test]
fn the_model_as_scheduler_is_offered_all_that_may_be_used_and_says_what_it_used() {
    let engine = small_with(&[("scheduler = \"rule_based\"", "scheduler = \"llm_driven\"")]);
    let mut session = ScriptedSession::new(&engine);
    let mut offered = session.chat("Hello.").report.techniques;
    offered.sort();
    assert_eq!(offered, ALL);
    assert!(session.last_system().concat().contains("How to ask, one of these at most:"));
    assert_eq!(session.memory.techniques.last_used, BTreeMap::new(), "what was used is not known yet");
    let Some(SeenRequest::Analysis { instructions, .. }) = session.ports.requests.first() else {
        panic!("it was analysed")
    };
    assert!(instructions.contains("to be listed in `techniques_used`"));

    let used =
        json!({ "fields": [], "signals": { "techniques_used": ["reflective_listening", "mirroring", "hypnosis"] } });
    let turn = session.tell_raw("Go on.", &used.to_string());
    let last_used: Vec<_> = session.memory.techniques.last_used.clone().into_iter().collect();
    assert_eq!(last_used, [("reflective_listening".to_owned(), 1)], "only what was offered can have been used");
    assert!(!turn.report.techniques.contains(&"reflective_listening".to_owned()), "it rests now");
}

#[test]
fn with_the_model_as_scheduler_cooldowns_hold_too() {
    let engine = small_with(&[("scheduler = \"rule_based\"", "scheduler = \"llm_driven\"")]);
    let mut session = ScriptedSession::new(&engine);
    let rest = cooldown(&engine, "roll_with_resistance");
    let used = json!({ "fields": [], "signals": { "techniques_used": ["roll_with_resistance"] } }).to_string();
    let mut offers: Vec<u32> = Vec::new();
    for _ in 0..20 {
        let turn = session.tell_raw("Hm.", &used);
        if turn.report.techniques.contains(&"roll_with_resistance".to_owned()) {
            offers.push(turn.report.turn);
        }
    }
    assert!(
        offers.len() > 2 && offers.windows(2).all(|pair| pair[1] - pair[0] > rest),
        "{offers:?} with {rest} turns of rest"
    );
}
