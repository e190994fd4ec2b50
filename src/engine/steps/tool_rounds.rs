//! Part of step 12: does what an answer asks tools for, and has it written on. No tool is used before the analysis is in
//! and the answer that asks for it holds.

use super::qa_check;
use super::response_generation::write;
use crate::engine::config::Tool;
use crate::engine::ports::{CallError, Ports, ResponseReply};
use crate::engine::qa::questions;
use crate::engine::tools::{self, Asked, MOST_CALLS, MOST_ROUNDS, ToolCall, ToolRound, ToolUse};
use crate::engine::turn::{Turn, TurnError};

/// The tools of a turn: those that the engine declares, as far as they were granted and are of use. A small model has
/// enough to do with the conversation.
pub fn granted(declared: &[Tool], small: bool, ports: &impl Ports) -> Vec<Tool> {
    let of_use = if small { &[] } else { ports.tools() };
    let mut granted: Vec<Tool> = declared.iter().copied().filter(|tool| of_use.contains(tool)).collect();
    granted.sort_unstable();
    granted.dedup();
    granted
}

/// Whether the model may call a tool in the request that is about to be sent.
pub fn may_call(turn: &Turn<'_>, ports: &impl Ports) -> bool {
    let used: usize = turn.rounds.iter().map(|round| round.answered.len()).sum();
    turn.rounds.len() < MOST_ROUNDS && used < MOST_CALLS && ports.may_use_tools()
}

/// Answers the calls of a reply and has it written on, until there is an answer. What was said before a call is part of
/// it: it has been shown.
pub async fn settle(
    turn: &mut Turn<'_>,
    ports: &impl Ports,
    mut reply: ResponseReply,
) -> Result<ResponseReply, TurnError> {
    while !reply.calls.is_empty() && may_call(turn, ports) {
        let ResponseReply { text, calls, call, .. } = reply;
        turn.spend(call);
        let round = answer(turn, ports, text, calls).await;
        turn.rounds.push(round);
        reply = match write(turn, ports, None).await {
            Ok(reply) => reply,
            Err(error @ (CallError::ContextOverflow(_) | CallError::OverBudget(_))) => {
                turn.warn(format!("What was looked up could not be used: {error}"));
                ResponseReply::default()
            }
            Err(error) => return Err(error.into()),
        };
    }
    let last = reply.text.trim();
    // What was asked before a tool was called is asked by what was written after it.
    let asked_twice = |said: &str| !questions(said).is_empty() && !questions(last).is_empty();
    let before = turn.rounds.iter().map(|round| round.said.as_str()).filter(|said| !asked_twice(said));
    let written: Vec<&str> = before.chain([last]).filter(|part| !part.is_empty()).collect();
    let text = written.join("\n\n");
    let only_calls = text.is_empty() && (!reply.calls.is_empty() || !turn.rounds.is_empty());
    reply.text = text;
    if let Some((question, obligation)) = qa_check::next_question(turn).filter(|_| only_calls) {
        turn.warn("The model only called tools and wrote no answer; the next question of the agenda stands instead.");
        (reply.text, reply.asked) = (question, Some(vec![obligation]));
    }
    Ok(reply)
}

/// Does what calls ask for, one after the other.
async fn answer(turn: &mut Turn<'_>, ports: &impl Ports, said: String, calls: Vec<ToolCall>) -> ToolRound {
    let mut round = ToolRound { said: tools::before_calls(&said), answered: Vec::new() };
    let before: usize = turn.rounds.iter().map(|round| round.answered.len()).sum();
    let (calls, beyond) = tools::answerable(calls);
    for (at, call) in calls.into_iter().enumerate() {
        let started = ports.now_micros();
        let asked = if before + at < MOST_CALLS {
            tools::read(&call, &turn.tools)
        } else {
            Err(format!("only {MOST_CALLS} calls are answered in one turn; answer with what you have"))
        };
        let call = tools::kept(call, before + at + 1);
        let (used, text) = match asked {
            Ok(Asked { tool, query }) => match ports.use_tool(tool, &query).await {
                Ok(found) => (ToolUse { places: found.places, ..used(tool.word(), query) }, found.text),
                Err(why) => failed(used(tool.word(), query), why),
            },
            Err(why) => failed(used(&call.name, String::new()), why),
        };
        let ms = ports.now_micros().saturating_sub(started) as f64 / 1000.0;
        turn.figures.tools.push(ToolUse { ms, ..used });
        round.answered.push((call, text));
    }
    drop_calls(turn, beyond, "it was one of too many at once and was not made");
    round
}

/// Counts calls that are not made.
pub fn drop_calls(turn: &mut Turn<'_>, calls: Vec<ToolCall>, why: &str) {
    turn.figures.tools.extend(tools::dropped(calls, why));
}

fn used(tool: &str, query: String) -> ToolUse {
    ToolUse { tool: tool.to_owned(), query, ..ToolUse::default() }
}

/// A call that brought nothing, and what the model is told of it.
fn failed(used: ToolUse, why: String) -> (ToolUse, String) {
    let text = format!("This call brought nothing: {why}.");
    (ToolUse { failed: Some(why), ..used }, text)
}
