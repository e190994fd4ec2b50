//! Step 2: finds out what was said, with proof.

use serde_json::json;

use crate::engine::config::{Classifier, Scheduler};
use crate::engine::extraction::{
    AnalysisAnswer, Change, ChangeKind, LogEntry, Merger, analysis_schema, instructions, material, read_answer, repair,
    shows_phrase, slice,
};
use crate::engine::memory::{Evidence, FieldState};
use crate::engine::ports::{AnalysisRequest, Ports};
use crate::engine::replies::{Reply, plain_reply};
use crate::engine::step::Outcome;
use crate::engine::strategy::mode_classifier;
use crate::engine::turn::{Turn, TurnError};

pub async fn run(turn: &mut Turn<'_>, ports: &mut impl Ports) -> Result<Outcome, TurnError> {
    let reply = {
        let request = prepare(turn);
        ports.analyse(&request).await?
    };
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

fn prepare<'t>(turn: &'t Turn<'_>) -> AnalysisRequest<'t> {
    let fields = slice(turn.engine, &turn.memory);
    AnalysisRequest {
        engine: turn.engine,
        memory: &turn.memory,
        transcript: turn.transcript,
        message: &turn.message,
        instructions: instructions(turn.engine, &fields),
        material: material(turn.engine, &turn.memory, turn.transcript, &fields, &turn.message),
        schema: analysis_schema(turn.engine.definition(), &fields),
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
    turn.log.extend(changes.iter().map(|change| LogEntry::of(change, number)));
    turn.changes = changes;
    intents(turn, &answer);
    about_last_answer(turn, &answer);
    turn.signals = answer.signals;
    let accepted = turn.changes.iter().filter(|change| change.kind.is_accepted()).count();
    Outcome::with(
        format!("{accepted} accepted, {} noted, {} refused", turn.changes.len() - accepted, refused.len()),
        json!({
            "changes": turn.changes.iter().map(|c| json!({ "path": c.path, "kind": c.kind, "reason": c.reason })).collect::<Vec<_>>(),
            "refused": refused.iter().map(|(path, why)| json!({ "path": path, "reason": why })).collect::<Vec<_>>(),
            "repaired": repaired,
        }),
    )
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
    for question in turn.memory.asked.clone() {
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
    for intent in &turn.engine.definition().intents {
        let reported = believed(answer).iter().any(|shown| **shown == *intent.id);
        if reported || shows_phrase(&turn.message, &intent.phrases) {
            turn.memory.intents.insert(intent.id.to_string(), turn.memory.turn);
        }
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
