//! Step 11: where the history has outgrown its share, takes a checkpoint and compresses it.

use serde_json::json;

use super::context_assembly;
use crate::engine::config::CompressionStrategy;
use crate::engine::memory::{CompressionEvent, Summary};
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
    let tokens_before = turn.transcript.tokens_from(first_shown(turn)) as u32;
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
    turn.memory.context.summary = Some(Summary { text, up_to_turn: cut_turn, tokens: summary_tokens });
    let tokens_after = summary_tokens + turn.transcript.tokens_from(first_shown(turn)) as u32;
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

/// The messages to compress and the last turn among them: all but the recent ones.
fn old_messages<'a>(turn: &Turn<'a>) -> Option<(u32, &'a [Message])> {
    let keep = turn.engine.definition().context.keep_recent_turns;
    let cut_turn = turn.before.turn.saturating_sub(keep);
    let (first, end) = (first_shown(turn), turn.transcript.index_after(cut_turn));
    let start = first.max(end.saturating_sub(MAX_BATCH));
    (end > first).then(|| (cut_turn, &turn.transcript.messages()[start..end]))
}
