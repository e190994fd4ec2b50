//! Step 11: where the history has outgrown its share, takes a checkpoint and compresses it.

use serde_json::json;

use super::context_assembly;
use crate::engine::config::CompressionStrategy;
use crate::engine::context::{extraction_summary, notes_from};
use crate::engine::memory::{CompressionEvent, Summary, Told};
use crate::engine::ports::{Checkpoint, Ports, SummaryRequest, TurnEvent};
use crate::engine::step::{Outcome, StepDetails};
use crate::engine::strategy::compression::extractive;
use crate::engine::tokens;
use crate::engine::transcript::Message;
use crate::engine::turn::{Turn, TurnError};

/// Compressions that are remembered.
const REMEMBERED: usize = 10;
/// Messages summarised in one go; what is beyond was compressed before.
const MAX_BATCH: usize = 200;

pub async fn run(turn: &mut Turn<'_>, ports: &impl Ports) -> Result<Outcome, TurnError> {
    let overflow = turn.context.as_ref().is_some_and(|context| context.history_overflow);
    let Some((cut_turn, old)) = old_messages(turn).filter(|_| overflow) else {
        return Ok(Outcome::said(if overflow {
            "only recent turns are left; the oldest are not shown"
        } else {
            "it fits"
        }));
    };
    let budget = turn.context.as_ref().map_or(0, |context| context.history_budget);
    let tokens_before = shown_tokens(turn);
    turn.checkpoint = Some(Checkpoint {
        memory: turn.before.clone(),
        reason: "before compression",
        context_tokens: turn.before.context.tokens,
    });
    let target_tokens = (budget / 4).max(64);
    let previous = turn.memory.context.summary.as_ref().map(|summary| summary.text.clone());
    let configured = turn.engine.definition().context.compression_strategy;
    let mut strategy = configured.word().to_owned();
    let text = match configured {
        CompressionStrategy::SlidingWindow => String::new(),
        CompressionStrategy::Extractive => extractive(previous.as_deref(), old, &turn.memory, target_tokens),
        CompressionStrategy::SummarizeOld => {
            let request = SummaryRequest { previous: previous.as_deref(), messages: old, target_tokens };
            match ports.summarise(&request).await {
                Ok(reply) if !reply.text.trim().is_empty() => {
                    turn.spend(reply.call);
                    tokens::cut(reply.text.trim(), target_tokens).to_owned()
                }
                failed => {
                    let why = failed.err().map_or_else(|| "it was empty".to_owned(), |error| error.to_string());
                    turn.warn(format!(
                        "Old turns could not be summarised ({why}); their key sentences were kept instead."
                    ));
                    "extractive, since the summary failed".clone_into(&mut strategy);
                    extractive(previous.as_deref(), old, &turn.memory, target_tokens)
                }
            }
        }
    };
    let summary_tokens = tokens::estimate(&text);
    begin_anew(turn, text, cut_turn, summary_tokens);
    let tokens_after = summary_tokens + shown_tokens(turn);
    let event = CompressionEvent { turn: turn.memory.turn, strategy: strategy.clone(), tokens_before, tokens_after };
    let details = StepDetails::Told(json!(event));
    let events = &mut turn.memory.context.compression_events;
    events.push(event);
    if events.len() > REMEMBERED {
        events.remove(0);
    }
    ports.emit(TurnEvent::Compressed(&strategy));
    let context = context_assembly::build(turn, 1.0);
    context_assembly::keep(turn, context);
    Ok(Outcome::with(format!("{strategy}: {tokens_before} → {tokens_after} tokens"), details))
}

fn first_shown(turn: &Turn<'_>) -> usize {
    turn.memory.context.summary.as_ref().map_or(0, |summary| turn.transcript.index_after(summary.up_to_turn))
}

fn shown_tokens(turn: &Turn<'_>) -> u32 {
    let first = first_shown(turn);
    let first_turn = turn.transcript.messages().get(first).map_or(u32::MAX, |message| message.turn);
    (turn.transcript.tokens_from(first) + notes_from(&turn.memory, first_turn)) as u32
}

/// Puts a summary and all that is known in the place of old turns. Their notes are gone, so what they told counts as told
/// only as far as the summary has it.
fn begin_anew(turn: &mut Turn<'_>, text: String, up_to_turn: u32, tokens: u32) {
    let room = turn.context.as_ref().map_or(0, |context| context.history_budget / 4);
    let known = extraction_summary(turn.engine, &turn.memory, room);
    let known = tokens::cut(&known, room).to_owned();
    let number = turn.memory.turn;
    let state = &mut turn.memory.context;
    state.summary = Some(Summary { text, known, up_to_turn, tokens });
    state.notes.retain(|turn, _| *turn > up_to_turn);
    state.told = Told { up_to_turn: number, ..Told::default() };
}

/// Whether there is something to compress, and reason to.
pub fn is_due(turn: &Turn<'_>) -> bool {
    turn.context.as_ref().is_some_and(|context| context.history_overflow) && old_messages(turn).is_some()
}

/// The share of its budget that the history is brought down to.
const DOWN_TO: f64 = 0.5;

/// The messages to compress and the last turn among them: the oldest, until what is left takes half of its budget, and
/// never the recent ones.
fn old_messages<'a>(turn: &Turn<'a>) -> Option<(u32, &'a [Message])> {
    let keep = turn.engine.definition().context.keep_recent_turns;
    let latest = turn.before.turn.saturating_sub(keep);
    // The opening by itself is not worth a summary.
    if latest == 0 {
        return None;
    }
    let messages = turn.transcript.messages();
    let budget = turn.context.as_ref().map_or(0, |context| context.history_budget);
    let left =
        |cut: u32| turn.transcript.tokens_from(turn.transcript.index_after(cut)) + notes_from(&turn.memory, cut + 1);
    let first = first_shown(turn);
    let first_turn = messages.get(first).map_or(u32::MAX, |message| message.turn);
    let cut_turn = (first_turn..latest).find(|cut| left(*cut) as f64 <= f64::from(budget) * DOWN_TO).unwrap_or(latest);
    let end = turn.transcript.index_after(cut_turn);
    let start = first.max(end.saturating_sub(MAX_BATCH));
    (end > first).then(|| (cut_turn, &messages[start..end]))
}
