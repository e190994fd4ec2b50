//! Step 2: finds out what was said, with proof.

use std::sync::Arc;

use crate::engine::config::{Classifier, Intent, Scheduler};
use crate::engine::early_answer::EarlyAnswer;
use crate::engine::extraction::{AnalysisAnswer, LogEntry, Merger, Room, material, read_answer, repair};
use crate::engine::ports::{AnalysisReply, AnalysisRequest, CallError, Ports};
use crate::engine::replies;
use crate::engine::sensitive::SensitivePolicy;
use crate::engine::step::{ExtractionDetails, NotedChange, Outcome, Refused, StepDetails};
use crate::engine::strategy::mode_classifier;
use crate::engine::tokens;
use crate::engine::turn::{Turn, TurnError};
use crate::engine::words::Folded;

pub async fn run(
    turn: &mut Turn<'_>,
    ports: &impl Ports,
    early: Option<&mut EarlyAnswer<'_>>,
) -> Result<Outcome, TurnError> {
    let analysed = match early {
        Some(early) => early.beside(analyse(turn, ports), ports).await,
        None => analyse(turn, ports).await,
    };
    turn.account(ports);
    let (reply, shrinks) = analysed?;
    tell_of_what_was_left_out(turn, shrinks);
    turn.spend(reply.call);
    let (answer, repaired) = match repair(&reply.text) {
        Ok((json, repaired)) => (read_answer(&json), repaired),
        Err(error) => {
            turn.warn(format!("Nothing was extracted from this message: {error}."));
            (AnalysisAnswer::default(), true)
        }
    };
    Ok(apply(turn, answer, repaired))
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

/// Has the message analysed, and says how often it took less. A model that cannot take all of it gets less: fewer fields,
/// a shorter message.
async fn analyse(turn: &Turn<'_>, ports: &impl Ports) -> Result<(AnalysisReply, i32), CallError> {
    let mut shrinks = 0;
    loop {
        match ports.analyse(&prepare(turn, Room::share(SHRINK.powi(shrinks)))).await {
            Err(CallError::ContextOverflow(_)) if shrinks < MAX_SHRINKS => shrinks += 1,
            other => return other.map(|reply| (reply, shrinks)),
        }
    }
}

fn tell_of_what_was_left_out(turn: &mut Turn<'_>, shrinks: i32) {
    let (said, looked_at) = (turn.message.len(), searched(&turn.message, Room::share(1.0)).len());
    if looked_at < said {
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

fn prepare<'t>(turn: &'t Turn<'_>, room: Room) -> AnalysisRequest<'t> {
    let slice = turn.engine.slice(&turn.memory, room.fields);
    let message = searched(&turn.message, room);
    let fields = slice.fields(turn.engine);
    AnalysisRequest {
        engine: turn.engine,
        memory: &turn.memory,
        transcript: turn.transcript,
        message,
        heard: &turn.heard,
        instructions: Arc::clone(&slice.instructions),
        material: material(turn.engine, &turn.memory, turn.transcript, &fields, message, room),
        schema: Arc::clone(&slice.schema),
        fields,
    }
}

/// Takes in what an analysis found.
pub fn apply(turn: &mut Turn<'_>, answer: AnalysisAnswer, repaired: bool) -> Outcome {
    let number = turn.memory.turn;
    let message = turn.message.clone();
    let mut merger = Merger::new(turn.engine, turn.transcript, &message, number);
    for reading in &answer.readings {
        merger.merge(&mut turn.memory, reading);
    }
    replies::take_in(turn, believed(&answer), &mut merger);
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
    let refused = refused.into_iter().map(|(path, reason)| Refused { path, reason }).collect();
    Outcome::with(text, StepDetails::Extraction(ExtractionDetails { changes: noted.collect(), refused, repaired }))
}

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
