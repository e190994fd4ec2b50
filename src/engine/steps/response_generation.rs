//! Step 12: has the answer written. A model that cannot take the context gets a smaller one.

use super::{context_assembly, tool_rounds};
use crate::engine::early_answer::{EarlyAnswer, Settled};
use crate::engine::figures::{EarlyFigures, in_short};
use crate::engine::ports::{CallError, Ports, ResponseReply, ResponseRequest, Revision, TurnEvent};
use crate::engine::qa::without_label;
use crate::engine::step::{Outcome, ResponseDetails, StepDetails};
use crate::engine::turn::{Cut, Turn, TurnError};
use crate::words;

/// What is left of the window each time it was too much.
const SHRINK: f64 = 0.7;
/// How often it is tried with less.
const MAX_SHRINKS: i32 = 3;

pub async fn run<'a>(
    turn: &mut Turn<'a>,
    ports: &impl Ports,
    early: Option<EarlyAnswer<'a>>,
) -> Result<Outcome, TurnError> {
    let settled = match early {
        Some(early) => Some(early.settle(turn, ports).await?),
        None => None,
    };
    let (reply, shrinks) = match settled {
        Some(Settled::Kept(reply)) => (reply, 0),
        Some(Settled::Discarded { why, too_much }) => {
            withdraw(turn, ports, why);
            fitting(turn, ports, too_much).await?
        }
        None => fitting(turn, ports, false).await?,
    };
    if shrinks > 0 {
        turn.warn("The model could not take the whole context; older turns were left out of it.");
    }
    context_assembly::sent(turn);
    calibrate(turn, &reply);
    if reply.tools_refused {
        turn.warn("The endpoint takes no tools: answers are written without looking anything up.");
    }
    let reply = tool_rounds::settle(turn, ports, reply).await?;
    reply.warnings.iter().for_each(|warning| turn.warn(warning.as_str()));
    let (model, latency_ms) = (reply.call.model.clone(), reply.call.latency_ms);
    accept(turn, reply);
    let (number, words) = (turn.memory.turn, words::spoken(turn.memory.language.current.as_deref()));
    for used in turn.figures.tools.iter().filter(|used| used.failed.is_none()) {
        turn.memory.looked_up.note(number, used.in_words(words));
    }
    turn.account(ports);
    let (early, words) = (turn.figures.early.clone(), turn.answer.split_whitespace().count());
    let details = ResponseDetails { model, latency_ms, shrinks, early, words };
    Ok(Outcome::with(in_short(&details, &turn.figures.tools), StepDetails::Response(details)))
}

/// Withdraws what was shown of an answer that was begun early and does not hold.
fn withdraw(turn: &mut Turn<'_>, ports: &impl Ports, why: String) {
    let shown = ports.has_shown();
    if shown {
        ports.emit(TurnEvent::Discarded(&why));
    }
    turn.figures.early = Some(EarlyFigures::Discarded { why, shown });
}

/// Has an answer written, with less context each time it was too much; says how often it was. `too_much` says that all
/// of it was tried before.
async fn fitting(
    turn: &mut Turn<'_>,
    ports: &impl Ports,
    mut too_much: bool,
) -> Result<(ResponseReply, i32), TurnError> {
    let mut shrinks: i32 = 0;
    let mut share: f64 = 1.0;
    loop {
        if too_much {
            shrinks += 1;
            // What was sent was too much, however much more the engine would allow.
            share = share.min(window_share(turn)) * SHRINK;
            let left = f64::from(*turn.engine.definition().context.max_tokens) * turn.window_share * share;
            turn.short = turn.engine.tells_briefly(turn.short, Some(left as u32));
            let context = context_assembly::build(turn, share);
            context_assembly::keep(turn, context);
        }
        match write(turn, ports, None).await {
            Err(CallError::ContextOverflow(_)) if shrinks < MAX_SHRINKS => too_much = true,
            other => return Ok((other?, shrinks)),
        }
    }
}

/// How much of the window the context takes, the room for an answer included.
fn window_share(turn: &Turn<'_>) -> f64 {
    let config = &turn.engine.definition().context;
    let used = turn.context.as_ref().map_or(0, |context| context.tokens + context.output_reserve);
    let window = f64::from(*config.max_tokens) * turn.window_share;
    f64::from(used) * turn.memory.context.calibration.max(0.5) / window
}

/// Asks for an answer, or for a better one.
pub async fn write(
    turn: &Turn<'_>,
    ports: &impl Ports,
    revision: Option<Revision<'_>>,
) -> Result<ResponseReply, CallError> {
    let Some(context) = &turn.context else { return Err(CallError::failed("the context was never assembled")) };
    let request = ResponseRequest {
        engine: turn.engine,
        memory: &turn.memory,
        transcript: turn.transcript,
        message: &turn.message,
        heard: &turn.heard,
        agenda: &turn.agenda,
        techniques: &turn.techniques,
        changes: &turn.changes,
        left_phase: turn.figures.transitioned_from.as_deref(),
        context,
        tools: &turn.tools,
        // An answer that is mended needs no tools: what there is was looked up for the first one.
        may_call: revision.is_none() && tool_rounds::may_call(turn, ports),
        rounds: &turn.rounds,
        by_rules: turn.is_answered_by_rules(),
        revision,
    };
    ports.respond(&request).await
}

/// The longest answer that is kept, in bytes: a hundred times what anybody reads.
const MAX_ANSWER: usize = 256 * 1024;

/// Makes a reply the answer of this turn.
pub fn accept(turn: &mut Turn<'_>, reply: ResponseReply) {
    let answer = without_label(reply.text.trim());
    let kept = answer[..answer.floor_char_boundary(MAX_ANSWER)].trim_end();
    if kept.len() < answer.len() {
        let (sent, kept) = (answer.len().div_ceil(1024), kept.len().div_ceil(1024));
        turn.warn(format!("The model sent {sent} KiB for one answer; the first {kept} KiB of it are kept."));
    }
    // Half a sentence is no end: what stands before it is.
    let end = kept.char_indices().rfind(|(_, sign)| matches!(sign, '.' | '!' | '?' | '…' | '。' | '？'));
    let whole = end.map_or("", |(at, sign)| &kept[..at + sign.len_utf8()]);
    turn.cut = match (reply.cut, whole.is_empty()) {
        (false, _) => Cut::Whole,
        (true, false) => Cut::Shortened,
        (true, true) => Cut::Broken,
    };
    let kept = if turn.cut == Cut::Shortened { whole } else { kept };
    kept.clone_into(&mut turn.answer);
    turn.asked = reply.asked;
    tool_rounds::drop_calls(turn, reply.calls, "it came after the last that could be made and was not made");
    turn.spend(reply.call);
}

/// Learns from the endpoint's own count how far off the estimate is.
fn calibrate(turn: &mut Turn<'_>, reply: &ResponseReply) {
    let estimated = turn.context.as_ref().map_or(0, |context| context.tokens);
    if reply.call.estimated || reply.call.input_tokens == 0 || estimated == 0 {
        return;
    }
    let ratio = reply.call.input_tokens as f64 / f64::from(estimated);
    // Tokenizers differ, but not that much: such a count is none.
    if !(0.5..=2.5).contains(&ratio) {
        return;
    }
    let calibration = &mut turn.memory.context.calibration;
    *calibration = (*calibration * 0.7 + ratio * 0.3).clamp(0.5, 2.5);
}
