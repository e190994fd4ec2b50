//! What was understood, said back: at the end of a phase, of a long message, or when the user wants to see it.

use serde_json::Value;

use super::speech::Speech;
use crate::engine::config::{Kind, Obligation, Phase};
use crate::engine::extraction::{Change, ChangeKind};
use crate::engine::memory::Status;
use crate::engine::obligations::to_confirm;
use crate::engine::ports::ResponseRequest;

/// What a phase brought, said back at its end so that it can be corrected.
pub(super) fn closing(request: &ResponseRequest<'_>, speech: &Speech<'_>, left: &Phase) -> Option<String> {
    // What an earlier phase has said back already is not said again; what was told before in passing is.
    let history = &request.memory.phase.history;
    let before = history.split_last().map_or(&[][..], |(_, before)| before);
    let covers = |phase: &Phase| phase.covers.iter().any(|covered| left.covers.contains(covered));
    let same = |id: &str| request.engine.phase(id).is_some_and(covers);
    let said = before.iter().any(|visit| same(&visit.phase_id));
    let since = history.last().filter(|_| said).map_or(0, |visit| visit.entered_at_turn);
    let belongs = |category: &str| left.covers.iter().any(|covered| **covered == *category);
    let mut points = known_points(request, speech, since, belongs);
    if points.len() < 2 {
        return None;
    }
    points.extend(unsure_points(request, speech, since, belongs));
    speech.say("phase_done", &[("phase", speech.phase(left)), ("list", &Speech::list(&points))])
}

/// The settled obligations of some categories with what is known of them, as far as it is newer than a turn. What
/// several of them share is said once.
pub(super) fn known_points(
    request: &ResponseRequest<'_>,
    speech: &Speech<'_>,
    since: u32,
    belongs: impl Fn(&str) -> bool,
) -> Vec<String> {
    let own = request.engine.definition().obligations.iter().filter(|o| belongs(&o.category));
    let mut said: Vec<&String> = Vec::new();
    let known = own.filter_map(|obligation| {
        let mut values: Vec<String> = Vec::new();
        let paths = request.engine.fields_of(&obligation.id);
        let fresh =
            |path: &String| request.memory.extraction.get(path).is_some_and(|known| known.last_updated_at_turn > since);
        // What is new in a part of it belongs to the rest.
        let paths = paths.iter().filter(|_| paths.iter().any(fresh));
        for path in paths {
            let value = request.memory.extraction.value(path);
            // What a condition is about is no answer of its own.
            let by_the_way = obligation.when.is_some() && value.is_some_and(Value::is_boolean);
            let Some(value) = value.filter(|_| !said.contains(&path) && !by_the_way) else { continue };
            said.push(path);
            let value = speech.value(path, value);
            // A choice that stands in the sentence before it is not said twice.
            if !values.iter().any(|said| said.contains(value.as_str())) {
                values.push(value);
            }
        }
        (!values.is_empty()).then(|| format!("{}: {}", speech.label(obligation), values.join(", ")))
    });
    known.collect()
}

/// What was mentioned and is still to be confirmed, and marked as such.
fn unsure_points(
    request: &ResponseRequest<'_>,
    speech: &Speech<'_>,
    since: u32,
    belongs: impl Fn(&str) -> bool,
) -> Vec<String> {
    let own = request.engine.definition().obligations.iter().filter(|o| belongs(&o.category));
    let unsure = own.filter_map(|obligation| {
        let (path, value) = to_confirm(request.engine, request.memory, obligation).into_iter().next()?;
        let known = request.memory.extraction.value(&path).is_some();
        let told = request.memory.extraction.get(&path)?.candidate.as_ref()?.turn;
        let point = format!("{}: {}", speech.label(obligation), speech.value(&path, &value));
        speech.say("unsure_point", &[("point", &point)]).filter(|_| !known && told > since)
    });
    unsure.collect()
}

/// What was noted last.
pub(super) fn recent_points(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Vec<String> {
    let last = request.memory.turn.saturating_sub(2);
    known_points(request, speech, last, |_| true)
}

/// A message is long from so many words on: notes or a mail rather than an answer.
const LONG: usize = 30;
/// From so many points on what a message brought is shown.
const MANY: usize = 3;

/// What a long message brought, shown as a whole: one yes confirms what is in doubt. With the obligations that it asks.
pub(super) fn taken_from(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<(String, Vec<String>)> {
    let lines = request.message.lines().filter(|line| !line.trim().is_empty()).count();
    if lines < MANY && request.message.split_whitespace().take(LONG).count() < LONG {
        return None;
    }
    let mut told: Vec<&Change> = Vec::new();
    // What was said of a field last is what is offered.
    for change in request.changes.iter().rev().filter(|change| is_told(request, change)) {
        if !told.iter().any(|later| later.path == change.path) {
            told.insert(0, change);
        }
    }
    let of = |change: &Change| {
        let own = |o: &&Obligation| o.satisfied_by.iter().any(|path| **path == *change.path);
        request.engine.definition().obligations.iter().find(own)
    };
    if told.iter().filter(|change| of(change).is_some()).count() < MANY {
        return None;
    }
    let doubtful = told.iter().filter(|change| change.kind == ChangeKind::Candidate).filter_map(|change| of(change));
    let open = |o: &&Obligation| request.memory.obligations.status(&o.id) != Status::Satisfied;
    let mut asked: Vec<String> = Vec::new();
    for obligation in doubtful.filter(open) {
        if !asked.iter().any(|id| **id == *obligation.id) {
            asked.push(obligation.id.to_string());
        }
    }
    // A single point that is in doubt is asked about by itself: a no would leave open which one it means.
    if let [alone] = asked.as_slice() {
        told.retain(|change| of(change).is_none_or(|o| *o.id != **alone));
        asked.clear();
    }
    let points: Vec<String> = told
        .iter()
        .filter_map(|change| {
            Some(format!("{}: {}", speech.label(of(change)?), speech.value(&change.path, &change.value)))
        })
        .collect();
    let occasion = if asked.is_empty() { "taken" } else { "taken_asked" };
    Some((speech.say(occasion, &[("list", &Speech::list(&points))])?, asked))
}

/// Whether a change brought a value that can be shown: a doubtful yes or no is asked afresh.
fn is_told(request: &ResponseRequest<'_>, change: &Change) -> bool {
    let boolean = request.engine.field(&change.path).is_some_and(|field| field.shape.r#type == Kind::Boolean);
    let kind = change.kind.is_accepted() || change.kind == ChangeKind::Candidate;
    kind && change.value != Value::Null && !(boolean && change.kind == ChangeKind::Candidate)
}
