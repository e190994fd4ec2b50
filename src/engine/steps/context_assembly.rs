//! Step 10: puts together what the model gets to see.

use std::collections::BTreeSet;

use super::extraction;
use crate::engine::config::ContextOrder;
use crate::engine::context::{AssembledContext, ContextInput, assemble};
use crate::engine::extraction::Room;
use crate::engine::memory::Note;
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
    let put_right = if turn.guessing { put_right(turn) } else { BTreeSet::new() };
    assemble(&ContextInput {
        engine: turn.engine,
        memory: &turn.memory,
        learned: if turn.guessing { turn.before } else { &turn.memory },
        transcript: turn.transcript,
        message: &turn.message,
        quiet: turn.heard.wants_no_question(),
        candidates: &turn.candidates,
        techniques: &turn.techniques,
        artifacts: &turn.input.artifacts,
        left_phase: turn.figures.transitioned_from.as_deref(),
        short: turn.short,
        report: turn.report_room,
        most_of_message: u32::MAX,
        put_right: &put_right,
        shrink: shrink * turn.window_share,
    })
}

/// Known fields of which rules hear that the message puts them right: what was noted of them holds no more.
fn put_right(turn: &Turn<'_>) -> BTreeSet<String> {
    let corrects = extraction::corrects(turn);
    let heard = turn.heard.fields.iter().filter(|_| corrects).map(|found| found.path.clone());
    heard.filter(|path| turn.before.extraction.is_known(path)).collect()
}

/// What the analysis of a message is shown: the same beginning as the answer, without a note.
pub fn for_analysis<'t>(turn: &'t Turn<'_>, message: &'t str, room: Room, short: bool) -> AssembledContext<'t> {
    assemble(&ContextInput {
        engine: turn.engine,
        memory: &turn.memory,
        learned: turn.before,
        transcript: turn.transcript,
        message,
        quiet: false,
        candidates: &[],
        techniques: &[],
        artifacts: &[],
        left_phase: None,
        short,
        report: turn.report_room,
        most_of_message: room.message,
        put_right: &BTreeSet::new(),
        shrink: room.window * turn.window_share,
    })
}

/// Makes a context the one of this turn.
pub fn keep<'a>(turn: &mut Turn<'a>, context: AssembledContext<'a>) {
    turn.memory.context.tokens = context.tokens;
    turn.memory.context.sections = context.usage();
    turn.context = Some(context);
}

/// Remembers the note that was sent: it stays where it stands, and what it told is not told again.
pub fn sent(turn: &mut Turn<'_>) {
    let Some(context) = turn.context.as_ref().filter(|context| context.order == ContextOrder::Append) else { return };
    let state = &mut turn.memory.context;
    state.notes.insert(turn.memory.turn, Note::new(context.note()));
    state.told.clone_from(&context.told);
}
