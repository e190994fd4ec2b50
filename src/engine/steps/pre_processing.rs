//! Step 1: checks the message, looks for sensitive data, takes in what the background brought, reads it by rules.

use serde_json::json;

use crate::engine::reading::read;
use crate::engine::sensitive::{self, SensitivePolicy};
use crate::engine::step::{Outcome, StepDetails};
use crate::engine::turn::{MAX_MESSAGE, Turn, TurnError};

pub fn run(turn: &mut Turn<'_>) -> Result<Outcome, TurnError> {
    let message = turn.input.message.trim();
    if message.is_empty() {
        return Err(TurnError::Input("there is nothing to answer: the message is empty".to_owned()));
    }
    if message.len() > MAX_MESSAGE {
        let size = message.len().div_ceil(1024);
        let most = MAX_MESSAGE / 1024;
        return Err(TurnError::Input(format!("the message has {size} KiB, at most {most} KiB can be taken in")));
    }
    turn.memory.turn += 1;
    turn.memory.by_hand = 0;
    turn.memory.phase.turns_in_phase += 1;
    let found = if turn.input.sensitive == SensitivePolicy::Allow { Vec::new() } else { sensitive::find(message) };
    turn.message = match turn.input.sensitive {
        SensitivePolicy::Redact => sensitive::redact(message),
        _ => message.to_owned(),
    };
    let mut kinds: Vec<&str> = found.iter().map(|(kind, _)| kind.name()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if !kinds.is_empty() && turn.input.sensitive == SensitivePolicy::Warn && !turn.memory.sensitive_warned {
        turn.memory.sensitive_warned = true;
        let seen = kinds.join(", ");
        turn.warn(format!(
            "Your message has {seen} in it. It is sent and stored as you wrote it; set `sensitive = \"redact\"` to have such things taken out."
        ));
    }
    for update in &turn.input.task_updates {
        turn.memory.background_tasks.put(update.clone());
    }
    hear(turn);
    tell_of_window(turn);
    Ok(Outcome::with(
        format!("turn {}", turn.memory.turn),
        StepDetails::Told(json!({
            "characters": message.chars().count(),
            "sensitive": kinds,
            "task_updates": turn.input.task_updates.len(),
        })),
    ))
}

/// Says so where the model's window is smaller than the engine needs: once, and every time where it is far too small.
fn tell_of_window(turn: &mut Turn<'_>) {
    let Some(window) = turn.window.filter(|_| turn.short) else { return };
    let needs = turn.engine.window_needs();
    if window < needs.short {
        turn.warn(format!(
            "The model takes {window} tokens at once, and this engine needs about {} at least, {} for all of its \
             instructions: set a larger `context_window`, or choose another model.",
            needs.short, needs.full
        ));
    } else if !turn.small && turn.memory.turn == 1 {
        turn.warn(format!(
            "The model takes {window} tokens at once, and this engine needs about {} for all of its instructions: it \
             works with the short ones. A larger `context_window` helps, where the model can take it.",
            needs.full
        ));
    }
}

/// Reads the message by rules, with a model as without one.
fn hear(turn: &mut Turn<'_>) {
    if let Some(language) = turn.engine.reader().detected(&turn.message) {
        turn.memory.language.heard(&language);
    }
    turn.heard = read(turn.engine, &turn.memory, &turn.message);
}
