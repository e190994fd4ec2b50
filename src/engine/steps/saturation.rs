//! Step 3: measures how much of the message was new.

use std::collections::BTreeSet;

use serde_json::json;

use crate::engine::extraction::ChangeKind;
use crate::engine::memory::TurnNovelty;
use crate::engine::step::{Outcome, StepDetails};
use crate::engine::turn::Turn;
use crate::engine::words::content_words;

/// Turns that are looked at.
const WINDOW: usize = 5;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    let words: BTreeSet<String> = content_words(&turn.message).collect();
    let count = |kind: ChangeKind| turn.changes.iter().filter(|change| change.kind == kind).count() as u32;
    let novelty = TurnNovelty {
        turn: turn.memory.turn,
        new_fields: count(ChangeKind::New),
        superseded: count(ChangeKind::Supersede),
        novel_words: words.iter().filter(|word| !turn.transcript.has_word(word)).count() as u32,
        words: words.len() as u32,
    };
    let state = &mut turn.memory.saturation;
    state.window.push_back(novelty.clone());
    while state.window.len() > WINDOW {
        state.window.pop_front();
    }
    let mean = state.window.iter().map(score).sum::<f64>() / state.window.len() as f64;
    // A few turns say little: the level can only rise as the window fills.
    state.level = ((1.0 - mean) * state.window.len() as f64 / WINDOW as f64).clamp(0.0, 1.0);
    Outcome::with(format!("{:.2}", state.level), StepDetails::Told(json!(novelty)))
}

/// How much one turn brought: a new or changed field counts half, new words by their share.
fn score(turn: &TurnNovelty) -> f64 {
    let fields = 0.5 * f64::from(turn.new_fields + turn.superseded);
    let words = f64::from(turn.novel_words) / f64::from(turn.words.max(8));
    (fields + words).min(1.0)
}
