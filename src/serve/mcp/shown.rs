//! What an agent is shown: sessions, turns and briefs as plain data. Sensitive values are taken out, as in every brief
//! that leaves the program: what an agent reads goes to a model somewhere.

use serde_json::{Value, json};

use super::tools::BriefFormat;
use super::visit::Visit;
use crate::engine::answer_card::AnswerCard;
use crate::engine::extraction::Change;
use crate::engine::memory::WorkingMemory;
use crate::engine::open_points::OpenPoint;
use crate::engine::outline::EngineOutline;
use crate::engine::sensitive::{redact, redact_value};
use crate::engine::transcript::Role;
use crate::engine::values::shaped_text;
use crate::host::protocol::{ProvenBrief, SearchHit, SessionChoice, Standing, TrustQuestion, TurnDone};
use crate::words::english;

/// A session that was just begun.
pub(super) fn started(visit: &Visit, standing: &Standing, disclosure: &str) -> Value {
    let opened = &visit.opened;
    let opening = opened.messages.iter().rev().find(|message| message.role == Role::Assistant);
    let mut shown = json!({
        "session_id": opened.id,
        "title": title(visit),
        "engine": opened.engine.id,
        "disclosure": disclosure,
        "opening": opening.map(|message| redact(&message.text)),
    });
    extend(&mut shown, stands(&opened.engine, &opened.memory, standing));
    extend(&mut shown, choices(opened.card.as_ref()));
    extend(&mut shown, asides(visit, standing, &[]));
    shown
}

/// What came of a message.
pub(super) fn answered(visit: &Visit, done: &TurnDone, standing: &Standing) -> Value {
    let engine = &visit.opened.engine;
    let (noted, unsure): (Vec<&Change>, Vec<&Change>) =
        done.figures.changes.iter().partition(|change| change.kind.is_accepted());
    let mut shown = json!({
        "session_id": visit.opened.id,
        "turn": done.memory.turn,
        "reply": redact(&done.answer.text),
        "noted": noted.into_iter().map(|change| noted_as(engine, change)).collect::<Vec<_>>(),
        "unsure": unsure.into_iter().map(|change| noted_as(engine, change)).collect::<Vec<_>>(),
    });
    extend(&mut shown, stands(engine, &done.memory, standing));
    extend(&mut shown, choices(done.card.as_ref()));
    if let Some(offer) = &done.memory.exit_offer {
        shown["next_step"] = json!(offer.label);
    }
    extend(&mut shown, asides(visit, standing, &done.figures.warnings));
    shown
}

/// A session as it stands, with its last messages.
pub(super) fn session(visit: &Visit, standing: &Standing, messages: usize) -> Value {
    let opened = &visit.opened;
    let (engine, memory) = (&opened.engine, &opened.memory);
    let known = engine.fields.iter().filter_map(|field| {
        let value = memory.extraction.value(&field.path)?;
        let found = memory.extraction.get(&field.path)?;
        let evidence = found.evidence.as_ref();
        Some(json!({
            "field": field.path,
            "name": field.name,
            "value": redact(&shaped_text(value, &field.shape)),
            "quote": evidence.map(|evidence| redact(&evidence.quote)),
            "turn": evidence.map_or(found.last_updated_at_turn, |evidence| evidence.turn),
            "said_by": evidence.and_then(|evidence| memory.speaker(evidence.turn)),
        }))
    });
    let from = opened.messages.len().saturating_sub(messages);
    let last = opened.messages[from..].iter().map(|message| {
        let who = if message.role == Role::User { "user" } else { "interviewer" };
        json!({ "turn": message.turn, "who": who, "text": redact(&message.text) })
    });
    let mut shown = json!({
        "session_id": opened.id,
        "title": title(visit),
        "engine": engine.id,
        "project": opened.project.as_deref().map(redact),
        "turn": memory.turn,
        "known": known.collect::<Vec<_>>(),
        "recap": redact_value(json!(standing.recap)),
        "messages": last.collect::<Vec<_>>(),
    });
    extend(&mut shown, stands(engine, memory, standing));
    extend(&mut shown, choices(opened.card.as_ref()));
    extend(&mut shown, asides(visit, standing, &[]));
    shown
}

/// What can be chosen in answer to the last question, said as it stands; any other words will do as well.
fn choices(card: Option<&AnswerCard>) -> Value {
    card.map_or_else(|| json!({}), |card| json!({ "answers": redact_value(json!(card)) }))
}

pub(super) fn brief(id: &str, title: &str, brief: &ProvenBrief, format: BriefFormat) -> Value {
    let mut shown = json!({ "session_id": id, "title": redact(title) });
    if format != BriefFormat::Json {
        shown["markdown"] = json!(brief.markdown);
    }
    if format != BriefFormat::Markdown {
        let statements = brief.statements.iter().enumerate().map(|(at, proof)| {
            json!({
                "number": at + 1,
                "field": proof.path,
                "name": proof.name,
                "value": proof.value,
                "quote": proof.quote,
                "turn": proof.turn,
                "said_by": proof.speaker,
                "origin": proof.origin(&english().host),
            })
        });
        shown["statements"] = statements.collect();
        shown["open"] = open(&brief.open);
    }
    shown
}

pub(super) fn sessions(sessions: Vec<SessionChoice>, limit: usize) -> Value {
    let sessions = sessions.into_iter().take(limit).map(|session| {
        json!({
            "session_id": session.id,
            "title": redact(&session.title),
            "engine": session.engine,
            "project": session.project.as_deref().map(redact),
            "last_used": session.when,
            "turns": session.turns,
            "completeness": session.completeness,
        })
    });
    json!({ "sessions": sessions.collect::<Vec<_>>() })
}

pub(super) fn hits(hits: Vec<SearchHit>, limit: usize) -> Value {
    let hits = hits.into_iter().take(limit).map(|hit| {
        json!({
            "session_id": hit.session,
            "title": redact(&hit.title),
            "turn": hit.turn,
            "excerpt": redact(&hit.excerpt),
        })
    });
    json!({ "hits": hits.collect::<Vec<_>>() })
}

fn title(visit: &Visit) -> String {
    let opened = &visit.opened;
    redact(if opened.title.is_empty() { &opened.engine.name } else { &opened.title })
}

/// Where a conversation stands.
fn stands(engine: &EngineOutline, memory: &WorkingMemory, standing: &Standing) -> Value {
    let phase = &memory.phase.current;
    let completeness = &memory.completeness;
    json!({
        "phase": { "id": phase, "name": engine.phase(phase).map(|phase| phase.name.as_str()) },
        "completeness": { "percent": (completeness.overall * 100.0).round() as u32, "ready": completeness.is_ready },
        "open": open(&standing.open),
    })
}

fn open(points: &[OpenPoint]) -> Value {
    let points = points.iter().filter(|point| !point.confirmation).map(|point| {
        json!({
            "id": point.id,
            "name": point.name,
            "question": redact(&point.question),
            "required": point.required,
            "why_open": redact(&point.reason),
        })
    });
    points.collect()
}

fn noted_as(engine: &EngineOutline, change: &Change) -> Value {
    let field = engine.field(&change.path);
    let text = |value: &Value| field.map(|field| redact(&shaped_text(value, &field.shape)));
    json!({
        "field": change.path,
        "name": field.map(|field| field.name.as_str()),
        "kind": change.kind,
        "value": text(&change.value),
        "data": redact_value(change.value.clone()),
        "before": change.previous.as_ref().and_then(text),
        "confidence": change.confidence,
        "quote": change.evidence.as_ref().map(|evidence| redact(&evidence.quote)),
        "reason": redact(&change.reason),
    })
}

/// What has to be told besides: warnings, and what waits for a person.
fn asides(visit: &Visit, standing: &Standing, warnings: &[String]) -> Value {
    let warnings: Vec<String> = warnings.iter().chain(&visit.notices).map(|warning| redact(warning)).collect();
    let mut shown = json!({});
    if !warnings.is_empty() {
        shown["warnings"] = json!(warnings);
    }
    if let Some(question) = &standing.withheld {
        shown["not_done_without_consent"] = waits(question);
    }
    shown
}

/// What an engine would do and may not: a person agrees to it, at a screen that shows all of it, and no agent.
fn waits(question: &TrustQuestion) -> Value {
    let acts: Vec<&str> = question.acts.iter().map(|act| act.words.as_str()).collect();
    json!({
        "acts": acts,
        "engine_from": question.origin,
        "what_to_do": format!(
            "This engine is not part of Elenchus and would do the above in the background. It stays undone, and the \
             interview goes on without it, until a person has looked at it and agreed: `elenchus engines trust {}`, or \
             in the app. It cannot be agreed to from here.",
            question.origin
        ),
    })
}

fn extend(shown: &mut Value, more: Value) {
    if let (Value::Object(shown), Value::Object(more)) = (shown, more) {
        shown.extend(more);
    }
}
