//! Step 2: finds out what was said, with proof.

use std::sync::Arc;

use crate::engine::config::{Classifier, Intent, Kind, Scheduler};
use crate::engine::extraction::{
    AnalysisAnswer, Change, ChangeKind, LogEntry, Merger, Room, material, read_answer, repair,
};
use crate::engine::memory::{Asked, Evidence, FieldState};
use crate::engine::ports::{AnalysisReply, AnalysisRequest, CallError, Ports};
use crate::engine::replies::{Reply, plain_reply};
use crate::engine::sensitive::SensitivePolicy;
use crate::engine::step::{ExtractionDetails, NotedChange, Outcome, Refused, StepDetails};
use crate::engine::strategy::mode_classifier;
use crate::engine::tokens;
use crate::engine::turn::{Turn, TurnError};
use crate::engine::values::brief_text;
use crate::engine::words::{Folded, content_words};

pub async fn run(turn: &mut Turn<'_>, ports: &mut impl Ports) -> Result<Outcome, TurnError> {
    let reply = analyse(turn, ports).await?;
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

/// Has the message analysed. A model that cannot take all of it gets less: fewer fields, a shorter message.
async fn analyse(turn: &mut Turn<'_>, ports: &mut impl Ports) -> Result<AnalysisReply, TurnError> {
    let mut shrinks = 0;
    let reply = loop {
        match ports.analyse(&prepare(turn, Room::share(SHRINK.powi(shrinks)))).await {
            Err(CallError::ContextOverflow(_)) if shrinks < MAX_SHRINKS => shrinks += 1,
            other => break other?,
        }
    };
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
    Ok(reply)
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
        instructions: Arc::clone(&slice.instructions),
        material: material(turn.engine, &turn.memory, turn.transcript, &fields, message, room),
        schema: Arc::clone(&slice.schema),
        fields,
    }
}

fn apply(turn: &mut Turn<'_>, answer: AnalysisAnswer, repaired: bool) -> Outcome {
    let number = turn.memory.turn;
    let message = turn.message.clone();
    let mut merger = Merger::new(turn.engine, turn.transcript, &message, number);
    for reading in &answer.readings {
        merger.merge(&mut turn.memory, reading);
    }
    plain_answers(turn, &answer, &mut merger);
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

/// A yes, a no or an "I don't know" answers what was asked, whatever the model made of it.
fn plain_answers(turn: &mut Turn<'_>, answer: &AnalysisAnswer, merger: &mut Merger<'_>) {
    // Who has just told something has not refused to: a model that reports both is not believed.
    let told = merger.changes.iter().any(|change| change.kind.is_accepted());
    let shown = |intent: &str| !told && believed(answer).iter().any(|shown| shown == intent);
    let reply = match plain_reply(&turn.message) {
        Some(reply) => Some(reply),
        None if shown("declines_to_say") => Some(Reply::Declines),
        None if shown("does_not_know") => Some(Reply::DoesNotKnow),
        None => None,
    };
    let Some(reply) = reply else { return };
    let engine = turn.engine;
    let evidence = whole_reply(&turn.message, turn.memory.turn);
    // A guess without proof is no answer, so it does not stand in the way of one.
    let answers = |change: &&Change| change.kind != ChangeKind::Candidate || change.evidence.is_some();
    let touched: Vec<String> = merger.changes.iter().filter(answers).map(|change| change.path.clone()).collect();
    let untouched = |path: &str| !touched.iter().any(|other| other == path);
    let asked = turn.memory.asked.clone();
    let answered: Vec<&Asked> = match reply {
        Reply::Yes | Reply::No => answered_plainly(turn, &asked, &untouched),
        Reply::DoesNotKnow | Reply::Declines => asked.iter().collect(),
    };
    for question in answered {
        let fields: Vec<&String> = engine.fields_of(&question.obligation).iter().filter(|p| untouched(p)).collect();
        for path in question.to_confirm.iter().filter(|path| untouched(path)) {
            // What was offered is what the yes or no is about, not what a model has guessed since.
            let offered = turn.before.extraction.get(path).and_then(|field| field.candidate.clone());
            turn.memory.extraction.entry(path).candidate = offered;
            match reply {
                Reply::Yes => merger.confirm(&mut turn.memory, path, evidence.clone()),
                Reply::No => merger.reject(&mut turn.memory, path),
                Reply::DoesNotKnow | Reply::Declines => {}
            }
        }
        match (reply, fields.as_slice()) {
            // The yes-or-no field that a question is about is answered by a plain yes or no.
            (Reply::Yes | Reply::No, [path, ..]) if question.to_confirm.is_empty() => {
                merger.answer_plainly(&mut turn.memory, path, reply == Reply::Yes, evidence.clone());
            }
            (Reply::Yes | Reply::No, _) => {}
            (Reply::DoesNotKnow | Reply::Declines, paths) => {
                let state = if reply == Reply::Declines { FieldState::Declined } else { FieldState::Unknown };
                for path in paths {
                    merger.set_aside(&mut turn.memory, path, state);
                }
            }
        }
    }
}

/// The question that a plain yes or no answers: the only one that such a reply can answer, or the one whose words are
/// taken up with it. Where it could be several, it is none of them, and they are asked one at a time.
fn answered_plainly<'q>(turn: &mut Turn<'_>, asked: &'q [Asked], open: &dyn Fn(&str) -> bool) -> Vec<&'q Asked> {
    let engine = turn.engine;
    let is_boolean = |path: &String| engine.field(path).is_some_and(|field| field.shape.r#type == Kind::Boolean);
    let can_be_answered = |question: &&Asked| match question.to_confirm.as_slice() {
        [] => engine.fields_of(&question.obligation).iter().find(|path| open(path)).is_some_and(is_boolean),
        offered => offered.iter().any(|path| open(path)),
    };
    let possible: Vec<&Asked> = asked.iter().filter(can_be_answered).collect();
    if possible.len() < 2 {
        return possible;
    }
    let said: Vec<String> = content_words(&turn.message).collect();
    let taken_up = |question: &Asked| {
        let wording = engine.obligation(&question.obligation).map_or("", |obligation| obligation.question.as_str());
        let offered = question.to_confirm.iter().filter_map(|path| turn.before.extraction.get(path)?.doubted());
        let about = offered.map(brief_text).fold(wording.to_owned(), |about, value| format!("{about} {value}"));
        content_words(&about).filter(|word| said.contains(word)).count()
    };
    let mut ranked: Vec<(usize, &Asked)> = possible.into_iter().map(|asked| (taken_up(asked), asked)).collect();
    ranked.sort_by_key(|(words, _)| std::cmp::Reverse(*words));
    if ranked[0].0 > ranked[1].0 {
        return vec![ranked[0].1];
    }
    // That they stayed without an answer is not for want of one.
    for (_, question) in ranked {
        if let Some(state) = turn.memory.obligations.get_mut(&question.obligation) {
            state.times_asked = state.times_asked.saturating_sub(1);
        }
    }
    turn.one_at_a_time = true;
    Vec::new()
}

fn whole_reply(message: &str, turn: u32) -> Evidence {
    let end = message.char_indices().nth(120).map_or(message.len(), |(at, _)| at);
    Evidence::at(turn, message, 0..end)
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
