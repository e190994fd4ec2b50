//! Step 10: puts together what the model gets to see.

use crate::engine::context::{AssembledContext, ContextInput, assemble};
use crate::engine::step::{ContextDetails, Outcome, StepDetails};
use crate::engine::turn::Turn;

pub fn run(turn: &mut Turn<'_>) -> Outcome {
    let context = build(turn, 1.0);
    let outcome = Outcome::with(
        format!("{} tokens, {} messages", context.tokens, context.history.len()),
        StepDetails::Context(ContextDetails { sections: context.usage(), history_overflow: context.history_overflow }),
    );
    keep(turn, context);
    outcome
}

/// Assembles the context in a share of the window.
pub fn build<'a>(turn: &Turn<'a>, shrink: f64) -> AssembledContext<'a> {
    assemble(&ContextInput {
        engine: turn.engine,
        memory: &turn.memory,
        transcript: turn.transcript,
        message: &turn.message,
        agenda: &turn.agenda,
        techniques: &turn.techniques,
        artifacts: &turn.input.artifacts,
        left_phase: turn.figures.transitioned_from.as_deref(),
        shrink,
    })
}

/// Makes a context the one of this turn.
pub fn keep<'a>(turn: &mut Turn<'a>, context: AssembledContext<'a>) {
    turn.memory.context.tokens = context.tokens;
    turn.memory.context.sections = context.usage();
    turn.context = Some(context);
}
