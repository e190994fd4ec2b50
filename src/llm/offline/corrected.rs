//! What is said of values that were overwritten, taken out, or named as not right, beside what was asked.

use serde_json::Value;

use super::speech::Speech;
use crate::engine::config::{Act, Obligation};
use crate::engine::extraction::{Change, ChangeKind};
use crate::engine::ports::ResponseRequest;
use crate::engine::reading::CORRECTION;

/// What else was overwritten or taken out, though nobody asked for it: nothing of that happens without a word. `told`: the
/// field that was spoken of already.
pub(super) fn also_changed(request: &ResponseRequest<'_>, speech: &Speech<'_>, told: Option<&str>) -> Vec<String> {
    const MOST: usize = 3;
    let known = |change: &&Change| change.previous.is_some() && Some(change.path.as_str()) != told;
    let accepted = request.changes.iter().any(|change| change.kind.is_accepted());
    let anew = |path: &str| {
        let given = request.changes.iter().rev().find(|other| other.path == path && other.kind.is_accepted());
        given.map(|given| &given.value)
    };
    let others = request.changes.iter().filter(known).filter_map(|change| match (&change.kind, &change.previous) {
        (ChangeKind::Supersede, Some(old)) => put_right(request, speech, &change.path, old, &change.value),
        // What gathers is emptied before it is given anew.
        (ChangeKind::Cleared, Some(old)) if anew(&change.path).is_some() => {
            anew(&change.path).and_then(|new| put_right(request, speech, &change.path, old, new))
        }
        (ChangeKind::Cleared, Some(old)) if accepted && request.memory.extraction.value(&change.path).is_none() => {
            speech.say("dropped", &[("value", &speech.quoted(&change.path, old))])
        }
        _ => None,
    });
    others.take(MOST).collect()
}

/// What is known of something that was named as not right, and stays until it is said how it should be.
pub(super) fn to_left_out(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<String> {
    let path = request.heard.except.first()?;
    let shown = request.memory.asked.iter().any(|asked| asked.to_confirm.contains(path));
    if shown { None } else { how_instead(request, speech, path) }
}

/// Asks how something should be that is known.
pub(super) fn how_instead(request: &ResponseRequest<'_>, speech: &Speech<'_>, path: &str) -> Option<String> {
    let value = request.memory.extraction.value(path)?;
    speech.say("what_instead", &[("value", &speech.quoted(path, value))])
}

/// What was put right and only offered before, or moved to where it belongs: it is said with its name.
pub(super) fn corrected_by_name(request: &ResponseRequest<'_>, speech: &Speech<'_>) -> Option<String> {
    let new = |change: &&Change| change.kind == ChangeKind::New && !change.value.is_null();
    // A plain answer beside something that was put right is none.
    let corrects = |change: &&Change| {
        let heard = request.heard.fields.iter().find(|own| own.path == change.path && !own.value.is_null());
        heard.is_none_or(|own| own.reading.starts_with(CORRECTION))
    };
    let corrected = request.changes.iter().filter(new).find(corrects);
    let change = corrected.filter(|_| request.heard.has(Act::Correction))?;
    by_name(request, speech, &change.path, &change.value)
}

fn by_name(request: &ResponseRequest<'_>, speech: &Speech<'_>, path: &str, value: &Value) -> Option<String> {
    let own = |o: &&Obligation| o.satisfied_by.iter().any(|own| **own == *path);
    let obligation = request.engine.definition().obligations.iter().find(own)?;
    let value = speech.quoted(path, value);
    speech.say("corrected", &[("name", speech.label(obligation)), ("value", &value)])
}

/// What was changed: of a list, what was taken off it.
pub(super) fn put_right(
    request: &ResponseRequest<'_>,
    speech: &Speech<'_>,
    path: &str,
    old: &Value,
    new: &Value,
) -> Option<String> {
    // "Yes instead of no" says nothing by itself.
    if new.is_boolean() {
        return by_name(request, speech, path, new);
    }
    if let (Value::Array(before), Value::Array(now)) = (old, new) {
        let gone: Vec<Value> = before.iter().filter(|item| !now.contains(item)).cloned().collect();
        if !gone.is_empty() && now.iter().all(|item| before.contains(item)) {
            return speech.say("removed", &[("value", &speech.quoted(path, &Value::Array(gone)))]);
        }
    }
    speech.say("changed", &[("value", &speech.quoted(path, new)), ("old", &speech.quoted(path, old))])
}
