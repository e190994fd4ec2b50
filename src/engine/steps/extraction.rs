//! Step 2: finds out what was said, with proof.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::context_assembly;
use crate::engine::claims;
use crate::engine::config::{Act, Classifier, Doing, Intent, Kind, Merge, Scheduler};
use crate::engine::early_answer::EarlyAnswer;
use crate::engine::extraction::{
    AnalysisAnswer, Beside, LogEntry, Merger, Reading, Room, material, read_entries, read_report, repair, salvage,
    with_rules,
};
use crate::engine::memory::{Asked, FieldState};
use crate::engine::obligations::agenda;
use crate::engine::ports::{AnalysisReply, AnalysisRequest, CallError, Ports};
use crate::engine::qa::shared;
use crate::engine::reading::{FieldReading, Standing};
use crate::engine::replies::{self, Reported};
use crate::engine::sensitive::SensitivePolicy;
use crate::engine::step::{ExtractionDetails, NotedChange, Outcome, RefusedReading, StepDetails};
use crate::engine::strategy::mode_classifier;
use crate::engine::tokens;
use crate::engine::turn::{Turn, TurnError};
use crate::engine::values::brief_text;
use crate::engine::words::{Folded, content_words};

pub async fn run(
    turn: &mut Turn<'_>,
    ports: &impl Ports,
    mut early: Option<&mut EarlyAnswer<'_>>,
) -> Result<Outcome, TurnError> {
    let analysed = match &mut early {
        Some(early) => early.beside(analyse(turn, ports), ports).await,
        None => analyse(turn, ports).await,
    };
    turn.account(ports);
    let mut missed = None;
    let (mut answer, repaired) = match analysed {
        Ok(analysed) => {
            tell_of_what_was_left_out(turn, &analysed);
            turn.short |= analysed.short;
            analysed.reply.warnings.iter().for_each(|warning| turn.warn(warning.as_str()));
            let understood = understood(turn, &analysed.reply);
            turn.spend(analysed.reply.call);
            understood
        }
        Err(error) if early.as_ref().is_some_and(|early| early.failed()) => return Err(error.into()),
        // The user decides about a cap, unless the answer is being written already.
        Err(error @ CallError::OverBudget(_)) if early.is_none() => return Err(error.into()),
        Err(error) => {
            missed = Some(error.to_string());
            (put_off(turn, &error), true)
        }
    };
    // What is looked at again with the next message is heard by rules until then.
    if turn.short || turn.memory.unread.is_some() {
        let (engine, message, heard, asked) = (turn.engine, &turn.message, &turn.heard, &asked_for(turn));
        answer.readings = with_rules(&Beside { engine, message, heard, asked }, answer.readings);
    }
    let outcome = apply(turn, answer, repaired);
    Ok(match missed {
        Some(why) => Outcome { text: format!("not analysed ({why}); {}", outcome.text), ..outcome },
        None => outcome,
    })
}

/// The most messages that are looked at again together.
const MOST_UNREAD: u32 = 4;

/// A message that no model has looked at, because the call failed: without it there still is an answer. It is looked at
/// again with the next one.
fn put_off(turn: &mut Turn<'_>, error: &CallError) -> AnalysisAnswer {
    look_again(turn);
    turn.warn(format!(
        "What you said could not be looked at: {error} The answer stands; what rules hear in your message is kept, and it \
         is looked at again with your next one."
    ));
    AnalysisAnswer::default()
}

/// Has the message looked at again with the next one, together with those before it that were not understood either.
fn look_again(turn: &mut Turn<'_>) {
    let number = turn.memory.turn;
    let since = turn.memory.unread.unwrap_or(number).max((number + 1).saturating_sub(MOST_UNREAD));
    turn.memory.unread = Some(since);
}

/// What an analysis says. Of one that was cut or garbled, whole entries count; where there is none, or it is data about
/// something else, the message is looked at again with the next one.
fn understood(turn: &mut Turn<'_>, reply: &AnalysisReply) -> (AnalysisAnswer, bool) {
    let whole = if reply.cut { None } else { repair(&reply.text).ok() };
    let is_field = |path: &str| turn.engine.field(path).is_some();
    if let Some((report, repaired)) = whole.and_then(|(json, repaired)| Some((read_report(&json, is_field)?, repaired)))
    {
        turn.memory.unread = None;
        let reliable = report.reliable && !turn.short;
        return (AnalysisAnswer { reliable, ..report }, repaired);
    }
    let entries = salvage(&reply.text);
    if !entries.is_empty() {
        turn.memory.unread = None;
        let (count, s) = (entries.len(), if entries.len() == 1 { "entry" } else { "entries" });
        turn.warn(format!(
            "What the model noted of this message was cut off or garbled; {count} {s} of it could be kept."
        ));
        return (read_entries(&entries), true);
    }
    if turn.short {
        turn.memory.unread = None;
        turn.warn("What the model noted of this message cannot be read; what rules hear in it is kept.");
        return (AnalysisAnswer::default(), true);
    }
    let before = turn.memory.unread.is_some();
    look_again(turn);
    turn.warn(if before {
        "The model's notes on your last messages cannot be read: what rules hear in them is kept, and they are looked at \
         again with your next one. If that goes on, another model may do better, or this one with the setting for small models."
    } else {
        "The model's notes on this message cannot be read: what rules hear in it is kept, and it is looked at again with \
         your next one."
    });
    (AnalysisAnswer::default(), true)
}

/// What is left of the room each time it was too much.
const SHRINK: f64 = 0.5;
/// How often it is tried with less.
const MAX_SHRINKS: i32 = 3;

/// The most of a message that is searched, in bytes. Of a longer one the beginning is searched; all of it is kept.
const MAX_SEARCHED: usize = 64 * 1024;

/// The part of a message that there is room for.
fn searched(message: &str, room: Room) -> &str {
    tokens::cut(&message[..message.floor_char_boundary(MAX_SEARCHED)], room.message)
}

/// What came of having a message analysed.
struct Analysed {
    reply: AnalysisReply,
    /// How often it took less.
    shrinks: i32,
    /// How many bytes of the message were looked at.
    looked_at: usize,
    /// Whether there was room for the short instructions only.
    short: bool,
}

/// The report on a message that tells nothing.
const NOTHING_SAID: &str = "{\"fields\": []}";

/// Has the message analysed. A model that cannot take all of it gets less: fewer fields,
/// a shorter message.
async fn analyse(turn: &Turn<'_>, ports: &impl Ports) -> Result<Analysed, CallError> {
    // A small model finds something in everything: where rules know that nothing is told, it is not asked.
    if turn.is_for_rules() {
        let reply = AnalysisReply { text: NOTHING_SAID.to_owned(), ..AnalysisReply::default() };
        return Ok(Analysed { reply, shrinks: 0, looked_at: turn.message.len(), short: turn.short });
    }
    let mut shrinks = 0;
    loop {
        let room = Room::share(SHRINK.powi(shrinks));
        let short = is_short(turn, room);
        let request = prepare(turn, room, short);
        match ports.analyse(&request).await {
            Err(CallError::ContextOverflow(_)) if shrinks < MAX_SHRINKS => shrinks += 1,
            other => {
                let looked_at = request.context.message_bytes.min(request.message.len());
                return other.map(|reply| Analysed { reply, shrinks, looked_at, short });
            }
        }
    }
}

fn tell_of_what_was_left_out(turn: &mut Turn<'_>, analysed: &Analysed) {
    let &Analysed { shrinks, looked_at, .. } = analysed;
    if shrinks == 0 && looked_at < turn.message.trim_end().len() {
        turn.warn(format!(
            "Your message is very long: what it says was looked for in its first {} KB only. All of it is kept; say what \
             matters most in a shorter message.",
            looked_at.div_ceil(1000)
        ));
    }
    if shrinks > 0 {
        turn.warn("The model could not take in all that this message was to be searched for; it looked for less.");
    }
}

/// The paths of what was asked.
fn asked_for(turn: &Turn<'_>) -> BTreeSet<String> {
    let asked = turn.before.asked.iter().flat_map(|asked| turn.engine.fields_of(&asked.obligation));
    asked.cloned().collect()
}

/// What a report may take, in tokens.
const REPORT: u32 = 2_000;
/// What one of a small model may take: it goes on for ever where it has nothing to say.
const SHORT_REPORT: u32 = 400;

/// So many fields a small model looks for, beside those that were asked for.
const LIKELY: usize = 5;
/// So many points that come next it looks for as well.
const NEXT: usize = 2;

/// The fields that a message is likely to be about: what was asked, what rules hear in it, what would be asked next.
fn likely(turn: &Turn<'_>) -> BTreeSet<String> {
    let heard = turn.heard.fields.iter().map(|found| found.path.clone());
    let near = turn.heard.clauses.iter().filter_map(|clause| clause.best.first()).map(|fit| fit.field.clone());
    let open = agenda(turn.engine, &turn.memory).into_iter().take(NEXT);
    let next = open.flat_map(|item| turn.engine.fields_of(&item.obligation).to_vec());
    let mut paths = asked_for(turn);
    let most = paths.len() + LIKELY;
    for path in heard.chain(near).chain(next) {
        if paths.len() < most {
            paths.insert(path);
        }
    }
    if paths.is_empty() {
        let slice = turn.engine.slice(&turn.memory, LIKELY);
        paths.extend(slice.fields(turn.engine).iter().map(|field| field.path.to_string()));
    }
    paths
}

/// Whether there is room for the short instructions only: what is left where all was too much may be no more.
fn is_short(turn: &Turn<'_>, room: Room) -> bool {
    let left = f64::from(*turn.engine.definition().context.max_tokens) * turn.window_share * room.window;
    turn.engine.tells_briefly(turn.short, (room.window < 1.0).then_some(left as u32))
}

fn prepare<'t>(turn: &'t Turn<'_>, room: Room, short: bool) -> AnalysisRequest<'t> {
    let slice =
        if short { turn.engine.short_slice(&likely(turn)) } else { turn.engine.slice(&turn.memory, room.fields) };
    let message = searched(&turn.message, room);
    let fields = slice.fields(turn.engine);
    AnalysisRequest {
        engine: turn.engine,
        memory: &turn.memory,
        transcript: turn.transcript,
        message,
        heard: &turn.heard,
        context: context_assembly::for_analysis(turn, message, room, short),
        instructions: Arc::clone(&slice.instructions),
        material: if short { String::new() } else { material(turn.engine, &turn.memory) },
        schema: Arc::clone(&slice.schema),
        max_output_tokens: if short { SHORT_REPORT } else { REPORT },
        fields,
    }
}

/// Takes in what an analysis found.
pub fn apply(turn: &mut Turn<'_>, answer: AnalysisAnswer, repaired: bool) -> Outcome {
    let number = turn.memory.turn;
    let message = turn.message.clone();
    let mut merger = Merger::new(turn.engine, turn.transcript, &message, number);
    let told = answer.readings.iter().filter(|reading| !says_nothing(turn, reading));
    let (beside, readings): (Vec<Reading>, Vec<Reading>) =
        told.cloned().partition(|reading| adds_to_yes(turn, reading));
    let kept = turn.heard.kept(&message);
    let (further, mut readings): (Vec<Reading>, Vec<Reading>) =
        readings.into_iter().partition(|reading| tells_more(turn, reading) || stands_beside(turn, &kept, reading));
    for reading in readings.iter_mut().filter(|reading| claims::was_offered(turn, &reading.path)) {
        reading.doubt = None;
        reading.confidence = reading.confidence.max(claims::SAID_INSTEAD);
    }
    for reading in &mut readings {
        doubt_replacement(turn, reading);
    }
    merger.merge_all(&mut turn.memory, &readings);
    for reading in &further {
        merger.tell_more(&mut turn.memory, reading);
    }
    let reported = Reported { intents: believed(&answer), reliable: answer.reliable };
    replies::take_in(turn, reported, &mut merger);
    for reading in &beside {
        add(turn, &mut merger, reading);
    }
    let (changes, refused) = (merger.changes, merger.refused);
    // The memory keeps what was said; logs do not, unless that is allowed outright.
    let redacts = turn.input.sensitive != SensitivePolicy::Allow;
    let entries = changes.iter().map(|change| LogEntry::of(change, number));
    turn.log.extend(entries.map(|entry| if redacts { entry.redacted() } else { entry }));
    turn.changes = changes;
    intents(turn, &answer);
    about_last_answer(turn, &answer);
    turn.signals = answer.signals;
    let accepted = turn.changes.iter().filter(|change| change.kind.is_accepted()).count();
    let text = format!("{accepted} accepted, {} noted, {} refused", turn.changes.len() - accepted, refused.len());
    let noted = turn.log.iter().map(|entry| NotedChange {
        path: entry.field_path.clone(),
        kind: entry.extraction_type,
        reason: entry.reasoning.clone(),
    });
    let refused = refused.into_iter().map(|(path, reason)| RefusedReading { path, reason }).collect();
    Outcome::with(text, StepDetails::Extraction(ExtractionDetails { changes: noted.collect(), refused, repaired }))
}

/// Whether a reading gives words by which the user knows nothing, or does not want to say it, as a value: "I don't know."
fn says_nothing(turn: &Turn<'_>, reading: &Reading) -> bool {
    let Value::String(value) = &reading.value else { return false };
    let said = turn.heard.clauses.iter().filter(|clause| matches!(clause.act, Act::DontKnow | Act::Refuse));
    let value = Folded::new(value.trim_end_matches(['.', '!']));
    let is_all = |clause: &Folded| value.as_str().len() * 2 >= clause.as_str().len();
    said.map(|clause| Folded::new(&clause.text)).any(|clause| is_all(&clause) && clause.find(&value).is_some())
}

/// Whether a reading was said beside a yes to what its field was shown with.
fn adds_to_yes(turn: &Turn<'_>, reading: &Reading) -> bool {
    turn.heard.fields.iter().any(|own| own.adds && own.path == reading.path)
}

/// Takes in what was said beside a yes, after it: a list grows, and of anything else it tells more.
fn add(turn: &mut Turn<'_>, merger: &mut Merger<'_>, reading: &Reading) {
    if turn.engine.field(&reading.path).is_some_and(|field| field.shape.r#type == Kind::Array) {
        merger.merge_all(&mut turn.memory, std::slice::from_ref(reading));
    } else {
        merger.tell_more(&mut turn.memory, reading);
    }
}

/// What a value is worth that has no word in common with the one that it would replace.
const UNLIKE: f64 = 0.5;

/// A value that would replace a known one is asked about, unless the message says it as a correction, names what it is
/// about, or was asked for it: any sentence can be quoted for a field of words.
fn doubt_replacement(turn: &Turn<'_>, reading: &mut Reading) {
    let Some(field) = turn.engine.field(&reading.path).filter(|field| field.merge == Merge::Replace) else { return };
    let entry = turn.memory.extraction.get(&reading.path).filter(|entry| entry.state == FieldState::Known);
    let Some(known) = entry.and_then(|entry| entry.value.as_ref()).filter(|_| !reading.value.is_null()) else { return };
    // What was said before is weighed by when it was said.
    if Folded::new(&turn.message).find(&Folded::new(&reading.quote)).is_none() {
        return;
    }
    let (old, new) = (brief_text(known), brief_text(&reading.value));
    let grows = Folded::new(&new).find(&Folded::new(&old)).is_some();
    let by_rules = turn.heard.fields.iter().any(|own| own.path == reading.path && own.status == Standing::Known);
    let named = || turn.engine.reader().has_cue(field, &reading.quote) || names(&field.name, &reading.quote);
    let asked = turn.memory.asked.iter().any(|asked| turn.engine.fields_of(&asked.obligation).contains(&reading.path));
    if grows || asked || corrects(turn) || by_rules || named() {
        return;
    }
    reading.doubt.get_or_insert_with(|| "you said something else before".to_owned());
    let words = |text: &str| content_words(text).collect::<BTreeSet<String>>();
    if reading.value.is_string() && words(&old).is_disjoint(&words(&new)) {
        reading.confidence = reading.confidence.min(UNLIKE);
    }
}

/// Whether some words have all telling words of a name.
fn names(name: &str, words: &str) -> bool {
    let said: BTreeSet<String> = content_words(words).collect();
    let mut name = content_words(name).peekable();
    name.peek().is_some() && name.all(|word| said.contains(&word))
}

/// Whether a message says that something is otherwise.
pub(super) fn corrects(turn: &Turn<'_>) -> bool {
    [Act::Correction, Act::Deny].iter().any(|act| turn.heard.has(*act)) || turn.heard.does.contains(&Doing::Wrong)
}

/// Whether a reading answers a question for more: then it belongs to the value that is known, and does not replace it.
/// What is said to be otherwise, or said again with more words, does.
fn tells_more(turn: &Turn<'_>, reading: &Reading) -> bool {
    let of_question = |asked: &Asked| turn.engine.fields_of(&asked.obligation).contains(&reading.path);
    let followed_up = turn.memory.asked.iter().any(|asked| asked.follows_up && of_question(asked));
    let Some(known) = turn.memory.extraction.value(&reading.path).filter(|_| followed_up && !corrects(turn)) else {
        return false;
    };
    let words = |value: &Value| content_words(&brief_text(value)).collect::<BTreeSet<String>>();
    !reading.value.is_null() && shared(&words(known), &words(&reading.value)) < SAID_AGAIN
}

/// Whether a reading is a sentence on what another one of the message has told already, and stands apart from it: both
/// are kept.
fn stands_beside(turn: &Turn<'_>, kept: &[FieldReading], reading: &Reading) -> bool {
    let replaces = turn.engine.field(&reading.path).is_some_and(|field| field.merge == Merge::Replace);
    let mut own = kept.iter().filter(|own| own.path == reading.path && own.value.is_string());
    let first = own.next().filter(|first| replaces && first.status == Standing::Known && !corrects(turn));
    first.is_some_and(|first| first.value != reading.value) && own.any(|own| own.value == reading.value)
}

/// From this share of the words of a value on, what is said is that value again.
const SAID_AGAIN: f64 = 0.6;

/// A message shows one intent, or two. A model that lists more has listed what there is.
const MAX_INTENTS: usize = 2;

/// The intents that a model reports, unless it reports all that it was told of.
fn believed(answer: &AnalysisAnswer) -> &[String] {
    let intents = &answer.signals.intents;
    if intents.len() > MAX_INTENTS { &[] } else { intents }
}

/// Intents the model saw, and those whose phrases stand in the message.
fn intents(turn: &mut Turn<'_>, answer: &AnalysisAnswer) {
    let number = turn.memory.turn;
    let reported = |intent: &&Intent| believed(answer).iter().any(|shown| **shown == *intent.id);
    let reported = turn.engine.definition().intents.iter().filter(reported);
    let said = Folded::new(&turn.message);
    for intent in reported.chain(turn.engine.intents_in(&said)) {
        turn.memory.intents.insert(intent.id.to_string(), number);
    }
}

/// What the analysis says of the last answer: techniques it used, modes it had, and what the techniques brought.
fn about_last_answer(turn: &mut Turn<'_>, answer: &AnalysisAnswer) {
    let accepted = turn.changes.iter().filter(|change| change.kind.is_accepted()).count();
    let brought = (accepted as f64 / 2.0).min(1.0);
    let techniques = &mut turn.memory.techniques;
    let definition = turn.engine.definition();
    if definition.techniques.scheduler == Scheduler::LlmDriven {
        let offered = std::mem::take(&mut techniques.active);
        techniques.active = offered.into_iter().filter(|id| answer.signals.techniques_used.contains(id)).collect();
        for id in &techniques.active {
            techniques.last_used.insert(id.clone(), turn.before.turn);
        }
    }
    for id in &techniques.active {
        let effect = techniques.effects.entry(id.clone()).or_default();
        effect.uses += 1;
        effect.average += (brought - effect.average) / f64::from(effect.uses.min(8));
    }
    let asked_for = definition.modes.classifier == Classifier::Llm;
    if let Some(shares) = answer.signals.modes.filter(|_| asked_for) {
        let target = turn.engine.target_blend(&turn.memory).clone();
        mode_classifier::observe(&mut turn.memory.modes, shares, &target, definition.modes.drift_margin);
    }
}
