//! Step 14: tells how the answer sounds.

use crate::engine::config::Classifier;
use crate::engine::step::{ModeDetails, Outcome, StepDetails};
use crate::engine::strategy::mode_classifier::{lexical, observe};
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    let config = &turn.engine.definition().modes;
    match config.classifier {
        Classifier::None => Outcome::said("not watched"),
        // One analysis call a turn: the next one says how this answer sounded.
        Classifier::Llm => Outcome::said("left to the next analysis"),
        Classifier::Lexical => {
            let shares = lexical(&turn.answer);
            let target = turn.engine.target_blend(&turn.memory).clone();
            observe(&mut turn.memory.modes, shares, &target, config.drift_margin);
            let text = match turn.memory.modes.drift {
                Some((mode, by)) => format!("{mode} is {by:+.0} % off"),
                None => "within the margin".to_owned(),
            };
            Outcome::with(
                text,
                StepDetails::Modes(ModeDetails { answer: shares, observed: turn.memory.modes.observed }),
            )
        }
    }
}
