//! Shares the window out and fills it.

use std::collections::{BTreeMap, BTreeSet};

use super::{AssembledContext, Section, SectionKind};
use super::{message, note, sections};
use crate::engine::Engine;
use crate::engine::config::{ContextOrder, Technique};
use crate::engine::memory::{Summary, WorkingMemory};
use crate::engine::obligations::AgendaItem;
use crate::engine::tokens;
use crate::engine::transcript::{Message, Role, Transcript};
use crate::engine::turn::Artifact;

/// What a context is made from.
#[derive(Clone, Copy, Debug)]
pub struct ContextInput<'a, 't> {
    pub engine: &'a Engine,
    /// The memory of this turn.
    pub memory: &'t WorkingMemory,
    /// The memory with what is sure to have been said: the one before the turn where the message is not analysed yet.
    pub learned: &'t WorkingMemory,
    /// What was said before.
    pub transcript: &'a Transcript,
    /// What the user says now.
    pub message: &'t str,
    /// Whether the user wants to be asked nothing now.
    pub quiet: bool,
    /// What may be asked next, the most important first.
    pub candidates: &'t [AgendaItem],
    pub techniques: &'t [&'a Technique],
    /// What the project has to say.
    pub artifacts: &'t [Artifact],
    /// The phase that was just left, if one was.
    pub left_phase: Option<&'t str>,
    /// Whether it has to be short: for a small model, or one with little room.
    pub short: bool,
    /// What a report beside the answer needs after the conversation, in tokens; 0 where the room is not known.
    pub report: u32,
    /// The most of the message that is shown, in tokens, where that is less than the engine allows.
    pub most_of_message: u32,
    /// Fields that the message puts right before it was analysed.
    pub put_right: &'t BTreeSet<String>,
    /// The share of the window to use; less than 1 where the endpoint could not take it all.
    pub shrink: f64,
}

/// Puts a context together within its caps.
pub fn assemble<'a>(input: &ContextInput<'a, '_>) -> AssembledContext<'a> {
    let config = &input.engine.definition().context;
    let caps = &config.caps;
    // Tokens are estimated; what endpoints have counted so far says how far off the estimate is.
    let window = f64::from(*config.max_tokens) * input.shrink / calibration(input);
    let preamble = if input.short { input.engine.short_preamble() } else { input.engine.preamble() };
    let system_tokens = preamble.tokens;
    let appends = config.order == ContextOrder::Append;
    let output_reserve = match input.shrink {
        shrink if shrink < 1.0 => config.output_reserve.min((window * LEAST_OUTPUT) as u32).max(1),
        _ => config.output_reserve,
    };
    let mut handoff = fixed(SectionKind::Handoff, sections::handoff(input.memory), caps.handoff);
    let mut phase = fixed(SectionKind::Phase, phase_text(input, appends), caps.phase);
    let kept_free = output_reserve.max(input.report);
    let room = (window - f64::from(system_tokens + kept_free)).max(0.0);
    // What the user says comes first: of all that is not fixed, it gives way last.
    let longest = caps.user_message.min(input.most_of_message).min((room as u32).saturating_sub(LEAST_NOTE));
    let (message, message_bytes) = user_message(input.message, longest);
    let wanted = handoff.tokens + phase.tokens;
    let beside = (room - f64::from(message.tokens)).max(0.0) * MOST_FIXED;
    if f64::from(wanted) > beside {
        let part = |section: &Section| (f64::from(section.tokens) * beside / f64::from(wanted)) as u32;
        (handoff, phase) = (narrowed(&handoff, part(&handoff)), narrowed(&phase, part(&phase)));
    }
    let taken = kept_free + system_tokens + handoff.tokens + phase.tokens + message.tokens;
    let rest = (window - f64::from(taken)).max(0.0);
    let allocation = &config.allocation;
    let budget = |share: f64| (rest * share) as u32;

    let (open, background_text, summary_text) = part_texts(input, appends, budget(allocation.extraction_summary.0));
    let obligations = fixed(SectionKind::Obligations, open, budget(allocation.obligations.0));
    let summary = fixed(SectionKind::ExtractionSummary, summary_text, budget(allocation.extraction_summary.0));
    let background_share = budget(allocation.background_intelligence.0);
    let background_need = tokens::estimate(&background_text);
    // What the others leave unused goes to the history, and what that leaves to background intelligence.
    let spare = (obligations.budget - obligations.tokens)
        + (summary.budget - summary.tokens)
        + background_share.saturating_sub(background_need);
    let history_budget = budget(allocation.conversation_history.0) + spare;
    let past = history(input, history_budget, longest);
    let left = history_budget.saturating_sub(past.tokens);
    let background_budget = background_share.max((background_share + left).min(background_need));
    let background = fixed(SectionKind::BackgroundIntelligence, background_text, background_budget);
    let history = Section {
        kind: SectionKind::History,
        text: past.summary,
        tokens: past.tokens,
        budget: history_budget,
        cut: past.overflow,
    };
    let notes = if appends { input.memory.context.notes.clone() } else { BTreeMap::new() };
    let told = note::told(input, if appends { note::background(input).1 } else { Vec::new() });
    let sections = vec![handoff, phase, obligations, background, history, summary, message];
    let tokens = system_tokens + sections.iter().map(|section| section.tokens).sum::<u32>();
    AssembledContext {
        system: &preamble.text,
        order: config.order,
        sections,
        history: past.messages,
        notes,
        told,
        tokens,
        history_overflow: past.due,
        history_budget,
        output_reserve,
        longest,
        message_bytes,
    }
}

/// Where the conversation stands: in a note, in the note of a small model, or in the order of the document.
fn phase_text(input: &ContextInput<'_, '_>, appends: bool) -> String {
    match (appends, input.short) {
        (true, true) => note::short_phase(input),
        (true, false) => note::phase(input),
        (false, _) => sections::phase(input),
    }
}

/// What is open, what the background brought, and what is known, for which there is so much room.
fn part_texts(input: &ContextInput<'_, '_>, appends: bool, room: u32) -> (String, String, String) {
    match (appends, input.short) {
        (true, true) => (note::next_question(input), note::background(input).0, String::new()),
        (true, false) => (note::open_points(input), note::background(input).0, note::learned(input)),
        (false, _) => {
            let known = sections::extraction_summary(input.engine, input.memory, room);
            (sections::obligations(input), sections::background(input), known)
        }
    }
}

/// The share of a window that was too large for the model which is at least kept for its answer.
const LEAST_OUTPUT: f64 = 0.25;
/// The most that handoff and phase take of what is left beside the system prompt, the message and the answer.
const MOST_FIXED: f64 = 0.8;
/// What is kept free for the note where a long message would fill the window, in tokens.
const LEAST_NOTE: u32 = 120;
/// Where the window is known, tokens are never taken to be fewer than this share of the estimate: an endpoint may
/// understate them, and what is too much is cut off in silence by some.
const LEAST_CALIBRATION: f64 = 0.8;

/// How many tokens an estimated one is, as endpoints have counted.
fn calibration(input: &ContextInput<'_, '_>) -> f64 {
    let least = if input.report > 0 { LEAST_CALIBRATION } else { 0.5 };
    input.memory.context.calibration.max(least)
}

/// What the user says now, as much as there is room for; and how many bytes of it that is.
fn user_message(text: &str, budget: u32) -> (Section, usize) {
    let text = text.trim_end();
    let shown = message::shortened(text, budget);
    let bytes = message::kept(text, budget).len();
    let (cut, tokens) = (bytes < text.len(), tokens::estimate(&shown));
    (Section { kind: SectionKind::UserMessage, text: shown.into_owned(), tokens, budget, cut }, bytes)
}

/// A section in a smaller budget.
fn narrowed(section: &Section, budget: u32) -> Section {
    let narrow = fixed(section.kind, section.text.clone(), budget);
    Section { cut: narrow.cut || section.cut, ..narrow }
}

/// A section cut to its budget, line by line.
fn fixed(kind: SectionKind, text: String, budget: u32) -> Section {
    let tokens = tokens::estimate(&text);
    if tokens <= budget {
        return Section { kind, text, tokens, budget, cut: false };
    }
    let mut kept = String::new();
    let mut used = 0;
    for line in text.split_inclusive('\n') {
        let cost = tokens::estimate(line) + 1;
        if used + cost > budget {
            break;
        }
        used += cost;
        kept.push_str(line);
    }
    let kept = kept.trim_end().to_owned();
    let tokens = tokens::estimate(&kept);
    Section { kind, text: kept, tokens, budget, cut: true }
}

/// The heading of a summary.
const EARLIER: &str = "Earlier in this conversation:\n";
const EARLIER_TOKENS: u32 = 6;

/// The summary under its heading, cut where the budget has shrunk since it was made. A sliding window has none. Where
/// notes tell what is new, it also has what was known when it was made.
fn earlier(summary: &Summary, budget: u32, appends: bool) -> (String, u32) {
    let room = budget.saturating_sub(EARLIER_TOKENS);
    let known = Some(&summary.known).filter(|known| appends && !known.is_empty());
    let whole = match known {
        Some(known) => format!("{}\n\n{known}", summary.text).trim_start().to_owned(),
        None => summary.text.clone(),
    };
    let counted = if known.is_some() { tokens::estimate(&whole) } else { summary.tokens };
    let (text, tokens) = match counted {
        tokens if tokens <= room => (whole.as_str(), tokens),
        _ => {
            let text = tokens::cut(&whole, room);
            (text, tokens::estimate(text))
        }
    };
    if text.is_empty() { (String::new(), 0) } else { (format!("{EARLIER}{text}"), tokens + EARLIER_TOKENS) }
}

struct Past<'a> {
    summary: String,
    messages: &'a [Message],
    tokens: u32,
    /// Whether something had to be left out.
    overflow: bool,
    /// Whether so much of the share is used up that it should be compressed.
    due: bool,
}

/// The share of its budget at which a history is compressed: in blocks, so that what requests begin with breaks seldom.
const DUE: f64 = 0.8;

/// The summary and the newest messages that fit, with their notes. Counts were made when the messages came; here they
/// are only added up.
fn history<'a>(input: &ContextInput<'a, '_>, budget: u32, longest: u32) -> Past<'a> {
    let transcript = input.transcript;
    let appends = input.engine.definition().context.order == ContextOrder::Append;
    let summary = input.memory.context.summary.as_ref();
    let first = summary.map_or(0, |summary| transcript.index_after(summary.up_to_turn));
    let (text, summary_tokens) = summary.map_or((String::new(), 0), |summary| earlier(summary, budget, appends));
    let room = u64::from(budget.saturating_sub(summary_tokens));
    let messages = transcript.messages();
    // Long messages stand there as they were sent: shortened.
    let left_out = |message: &Message| match message.role {
        Role::User => u64::from(message.tokens.saturating_sub(longest)),
        Role::Assistant => 0,
    };
    let from = |start: usize, left_out: u64| {
        let first_turn = messages.get(start).map_or(u32::MAX, |message| message.turn);
        (transcript.tokens_from(start) + notes_from(input.memory, first_turn)).saturating_sub(left_out)
    };
    let mut not_sent: u64 = messages[first.min(messages.len())..].iter().map(left_out).sum();
    let all = from(first, not_sent);
    let mut start = first;
    if all > room {
        (start, not_sent) = (messages.len(), 0);
        while start > first {
            let more = not_sent + left_out(&messages[start - 1]);
            if from(start - 1, more) > room {
                break;
            }
            (start, not_sent) = (start - 1, more);
        }
    }
    let tokens = summary_tokens + from(start, not_sent) as u32;
    let due = all as f64 > room as f64 * DUE;
    Past { summary: text, messages: &messages[start..], tokens, overflow: all > room, due }
}

/// Tokens of the notes of a turn and those after it.
pub(crate) fn notes_from(memory: &WorkingMemory, turn: u32) -> u64 {
    memory.context.notes.range(turn..).map(|(_, note)| u64::from(note.tokens)).sum()
}
