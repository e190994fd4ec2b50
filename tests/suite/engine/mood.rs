//! Saturation, and how it is to talk: rapport, trust and friction, each movement with its reason.

use elenchus::engine::memory::{Movement, SocioEmotional, TurnNovelty};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::support::{Talk, small};
use crate::support::scripted::ScriptedSession;

#[test]
fn saturation_counts_new_fields_changed_fields_and_words_never_used_before() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell("Endless queues before lunch.", &[("purpose.problem", json!("queues"), 0.9, "queues")]);
    session.tell("No, rather lost keys before lunch.", &[("purpose.problem", json!("lost keys"), 0.9, "lost keys")]);
    let window: Vec<_> = session.memory.saturation.window.iter().cloned().collect();
    assert_eq!(
        window,
        [
            TurnNovelty { turn: 1, new_fields: 1, superseded: 0, novel_words: 3, words: 3 },
            TurnNovelty { turn: 2, new_fields: 0, superseded: 1, novel_words: 3, words: 4 },
        ]
    );
}

#[test]
fn saturation_rises_when_nothing_new_comes_and_falls_when_something_does() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    let mut levels = Vec::new();
    for _ in 0..8 {
        session.chat("Endless queues before lunch.");
        levels.push(session.memory.saturation.level);
    }
    assert!(levels.windows(2).all(|pair| pair[0] <= pair[1]), "{levels:?}");
    assert_eq!((levels[7], session.memory.saturation.window.len()), (1.0, 5));
    session.tell("Rather lost keys.", &[("purpose.problem", json!("lost keys"), 0.9, "lost keys")]);
    assert!(session.memory.saturation.level < 1.0);
}

fn moved(level: &str, by: f64, reason: &str) -> Movement {
    Movement { level: level.to_owned(), by, reason: reason.to_owned() }
}

fn rounded(state: &SocioEmotional) -> (f64, f64, f64, Vec<Movement>) {
    let round = |value: f64| (value * 1_000.0).round() / 1_000.0;
    let movements = state.movements.iter().map(|m| moved(&m.level, round(m.by), &m.reason)).collect();
    (round(state.rapport), round(state.trust), round(state.friction), movements)
}

#[test]
fn the_analysis_moves_the_levels_a_part_of_the_way_and_the_reason_is_kept() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    session.tell_raw("Hm.", r#"{"fields": [], "signals": {"trust": 0.9, "rapport": 0.5, "friction": "100%"}}"#);
    assert_eq!(
        rounded(&session.memory.socio_emotional),
        (
            0.5,
            0.62,
            0.3,
            vec![
                moved("trust", 0.12, "the analysis rates trust 0.90"),
                moved("friction", 0.3, "the analysis rates friction 1.00")
            ]
        )
    );
}

#[test]
fn without_an_analysis_words_alone_move_the_levels() {
    let engine = small();
    for (message, expected) in [
        ("Thank you, that helps.", (0.56, 0.5, 0.0, vec![moved("rapport", 0.06, "a warm word")])),
        (
            "I already told you that!",
            (
                0.42,
                0.5,
                0.25,
                vec![moved("friction", 0.25, "a sign of annoyance"), moved("rapport", -0.08, "a sign of annoyance")],
            ),
        ),
        (
            "I'd rather not say.",
            (
                0.5,
                0.45,
                0.1,
                vec![moved("friction", 0.1, "an answer was declined"), moved("trust", -0.05, "an answer was declined")],
            ),
        ),
    ] {
        let mut session = ScriptedSession::new(&engine);
        session.chat(message);
        assert_eq!(rounded(&session.memory.socio_emotional), expected, "{message}");
    }
}

#[test]
fn friction_cools_down_and_levels_stay_between_nought_and_one() {
    let engine = small();
    let mut session = ScriptedSession::new(&engine);
    for _ in 0..12 {
        session.chat("I already told you that!");
    }
    let state = session.memory.socio_emotional.clone();
    assert!(state.friction <= 1.0 && state.friction > 0.9 && state.rapport == 0.0, "{state:?}");
    session.chat("Well then.");
    let cooled = session.memory.socio_emotional.clone();
    assert!((cooled.friction - state.friction * 0.8).abs() < 1e-9);
    assert_eq!(cooled.movements[0].reason, "time passes");
}
