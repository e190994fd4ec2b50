//! What is said of values that were overwritten, taken out, or named as not right, beside what was asked.

use super::reply::put_right;
use super::speech::Speech;
use crate::engine::extraction::Change;
use crate::engine::extraction::ChangeKind;
use crate::engine::ports::ResponseRequest;

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
    let value = request.memory.extraction.value(path).filter(|_| !shown)?;
    speech.say("what_instead", &[("value", &speech.quoted(path, value))])
}
