//! The ways between phases: each phase can be reached, and can be left.

use std::collections::BTreeSet;

use super::known::Known;
use crate::decode::Problems;
use crate::engine::config::definition::Definition;
use crate::engine::config::graph::{edges, next_of};
use crate::engine::config::phases::Phase;

pub fn check(definition: &Definition, known: &Known<'_>, ordered: bool, started: bool, problems: &mut Problems) {
    for phase in definition.phases.iter() {
        for transition in phase.transitions.iter().filter(|transition| transition.triggers.is_empty()) {
            // A transition that does not have the key at all has been told.
            let place = transition.at.given("triggers").unwrap_or_default();
            if !problems.within(&place) {
                problems
                    .error("no-way-out", place, format!("the transition to `{}` has no trigger", transition.to))
                    .help("say what makes it happen");
            }
        }
    }
    // Where a name or a number is wrong, so is every conclusion about what leads where.
    let targets = definition.phases.iter().flat_map(|p| p.next.iter().chain(p.transitions.iter().map(|t| &t.to)));
    let ids: BTreeSet<&str> = known.phases.iter().copied().collect();
    let drawn = ordered
        && ids.len() == definition.phases.len()
        && !ids.contains("")
        && targets.into_iter().all(|target| ids.contains(target.as_str()))
        && definition.phases.iter().all(|phase| !unread(phase, problems));
    if !drawn {
        return;
    }
    let stuck: Vec<&str> =
        definition.phases.iter().filter(|p| leave(definition, p, problems)).map(|p| &*p.id).collect();
    if started {
        reach(definition, &stuck, problems);
        entry(definition, problems);
    }
}

fn unread(phase: &Phase, problems: &Problems) -> bool {
    ["triggers", "transitions", "next"].iter().any(|key| phase.at.given(key).is_some_and(|at| problems.within(&at)))
        || phase.at.misspelt
}

/// Checks that a phase can be left forwards, if anything comes after it; tells whether it cannot.
fn leave(definition: &Definition, phase: &Phase, problems: &mut Problems) -> bool {
    let Some(next) = next_of(definition, phase) else {
        if let Some(trigger) = phase.triggers.first() {
            problems
                .warning("unused", trigger.span.clone(), format!("`{}` is the last phase", phase.id))
                .help("its triggers lead nowhere; drop them, or set `next`");
        }
        for checkpoint in &phase.checkpoints {
            let message = format!("`{}` is the last phase; its checkpoint guards nothing", phase.id);
            problems.warning("unused", checkpoint.span.clone(), message);
        }
        return false;
    };
    let later = |id: &str| definition.phases.iter().any(|other| *other.id == *id && *other.order > *phase.order);
    let forward = phase.transitions.iter().any(|transition| later(&transition.to));
    let stuck = phase.triggers.is_empty() && !forward;
    if stuck {
        problems
            .error("no-way-out", phase.id.span.clone(), format!("nothing ever leads from `{}` to `{next}`", phase.id))
            .help("add `triggers`");
    }
    stuck
}

/// Checks that every phase can be reached over ways that something makes happen. A phase that cannot be left has been
/// told; what lies behind it is not its fault.
fn reach(definition: &Definition, stuck: &[&str], problems: &mut Problems) {
    let mut seen = BTreeSet::new();
    let mut open = vec![definition.initial_phase.as_str()];
    while let Some(id) = open.pop() {
        let Some(phase) = definition.phases.iter().find(|p| *p.id == *id) else { continue };
        if seen.insert(phase.id.as_str()) {
            let ways = edges(definition, phase).into_iter();
            open.extend(
                ways.filter(|way| !way.triggers.is_empty() || !way.forward || stuck.contains(&id)).map(|w| w.to),
            );
        }
    }
    for phase in definition.phases.iter().filter(|phase| !seen.contains(phase.id.as_str())) {
        problems
            .error("orphaned-phase", phase.id.span.clone(), format!("no way leads to the phase `{}`", phase.id))
            .help("let triggers of another phase lead to it, by `next` or by a transition");
    }
}

/// Entry conditions of the first phase have no effect: a session starts there without looking at them.
fn entry(definition: &Definition, problems: &mut Problems) {
    let initial = &definition.initial_phase;
    let phase = definition.phases.iter().find(|phase| phase.id == *initial);
    if let Some(condition) = phase.and_then(|phase| phase.entry_conditions.first()) {
        problems
            .warning("unused", condition.span.clone(), format!("the session starts in `{initial}`, whatever this says"))
            .help("drop the entry conditions of the phase it starts in");
    }
}
