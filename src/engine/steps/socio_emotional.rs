//! Step 4: follows rapport, trust and friction, each movement with its reason.

use serde_json::json;

use crate::engine::memory::{Movement, SocioEmotional};
use crate::engine::replies::{Reply, plain_reply};
use crate::engine::step::{Outcome, StepDetails};
use crate::engine::turn::Turn;
use crate::engine::words::Folded;

/// How far one message moves a level towards what the analysis says.
const PULL: f64 = 0.3;
/// What is left of friction after a turn that did not add to it.
const COOLING: f64 = 0.8;

const WARM: &[&str] =
    &["thank you", "thanks", "great question", "good question", "that helps", "i like", "great", "love it"];
const ANNOYED: &[&str] = &[
    "already told you",
    "already said",
    "i just said",
    "as i said",
    "why do you ask",
    "stop asking",
    "this is pointless",
    "waste of time",
    "get to the point",
    "you are not listening",
    "youre not listening",
    "annoying",
];

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    let signals = &turn.signals;
    let mut state = turn.memory.socio_emotional.clone();
    state.movements.clear();
    let rated = [("rapport", signals.rapport), ("trust", signals.trust), ("friction", signals.friction)];
    if rated.iter().all(|(_, level)| level.is_none()) {
        lexical(&mut state, &turn.message, plain_reply(&turn.heard));
    }
    for (level, rating) in rated {
        if let Some(rating) = rating {
            let by = (rating - value(&state, level)) * PULL;
            shift(&mut state, level, by, format!("the analysis rates {level} {rating:.2}"));
        }
    }
    turn.memory.socio_emotional = state;
    let state = &turn.memory.socio_emotional;
    Outcome::with(
        format!("rapport {:.2}, trust {:.2}, friction {:.2}", state.rapport, state.trust, state.friction),
        StepDetails::Told(json!(state.movements)),
    )
}

/// What words alone give away.
fn lexical(state: &mut SocioEmotional, message: &str, reply: Option<Reply>) {
    let folded = Folded::new(message);
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| folded.has(phrase));
    let words = message.split_whitespace().count();
    if state.friction > 0.0 {
        let by = state.friction * (COOLING - 1.0);
        shift(state, "friction", by, "time passes".to_owned());
    }
    if has(WARM) {
        shift(state, "rapport", 0.06, "a warm word".to_owned());
    }
    if words >= 40 {
        shift(state, "trust", 0.04, "a long, open answer".to_owned());
    }
    if has(ANNOYED) {
        shift(state, "friction", 0.25, "a sign of annoyance".to_owned());
        shift(state, "rapport", -0.08, "a sign of annoyance".to_owned());
    }
    if reply == Some(Reply::Declines) {
        shift(state, "friction", 0.1, "an answer was declined".to_owned());
        shift(state, "trust", -0.05, "an answer was declined".to_owned());
    }
}

fn value(state: &SocioEmotional, level: &str) -> f64 {
    match level {
        "rapport" => state.rapport,
        "trust" => state.trust,
        _ => state.friction,
    }
}

fn shift(state: &mut SocioEmotional, level: &str, by: f64, reason: String) {
    let target = match level {
        "rapport" => &mut state.rapport,
        "trust" => &mut state.trust,
        _ => &mut state.friction,
    };
    *target = (*target + by).clamp(0.0, 1.0);
    if by.abs() > 0.001 {
        state.movements.push(Movement { level: level.to_owned(), by, reason });
    }
}
