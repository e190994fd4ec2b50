//! Phases: order, blends, references, and checkpoints that are asked about in time.

use super::known::Known;
use super::rules::Order;
use super::{once, refers, unique, ways};
use crate::decode::{Id, Problems};
use crate::engine::config::definition::Definition;
use crate::engine::config::phases::Phase;

/// Tells whether the phases are in order, on which other checks rest.
pub fn check(definition: &Definition, known: &Known<'_>, problems: &mut Problems) -> bool {
    let phases = &definition.phases;
    if phases.is_empty() {
        if !problems.within(&phases.span) {
            problems.error("no-phases", phases.span.clone(), "the engine has no phase");
        }
        return false;
    }
    unique("phase", phases.iter().map(|phase| &phase.id), problems);
    let ordered = order(definition, problems);
    let started = refers(&definition.initial_phase, "phase", &known.phases, problems);
    for phase in phases.iter() {
        references(definition, phase, known, problems);
        blend(phase, problems);
    }
    let order = Order::new(definition, known, ordered, problems);
    for phase in phases.iter() {
        for checkpoint in &phase.checkpoints {
            checkpoint_in_time(&order, phase, checkpoint, problems);
        }
    }
    ways::check(definition, known, ordered, started, problems);
    ordered
}

/// Checks that the phases are numbered 1, 2, 3 …; tells whether they are.
fn order(definition: &Definition, problems: &mut Problems) -> bool {
    let phases = &definition.phases;
    if phases.iter().any(|phase| problems.within(&phase.order.span)) {
        return false;
    }
    let mut sorted: Vec<&Phase> = phases.iter().collect();
    sorted.sort_by_key(|phase| *phase.order);
    for (expected, phase) in (1u32..).zip(&sorted) {
        if *phase.order != expected {
            let message = format!("`{}` has order {}, expected {expected}", phase.id, *phase.order);
            problems
                .error("phase-order", phase.order.span.clone(), message)
                .help("number the phases 1, 2, 3 … without gaps");
            return false;
        }
    }
    let initial = phases.iter().find(|phase| phase.id == definition.initial_phase);
    if let Some(phase) = initial.filter(|phase| *phase.order != 1) {
        let message = format!("the session starts in `{}`, which is not the first in order", phase.id);
        problems.warning("initial-phase", definition.initial_phase.span.clone(), message);
    }
    true
}

fn references(definition: &Definition, phase: &Phase, known: &Known<'_>, problems: &mut Problems) {
    for category in &phase.covers {
        refers(category, "category", &known.categories, problems);
    }
    let available = &definition.techniques.available;
    for technique in phase.techniques.iter().filter(|id| !id.is_empty() && !available.contains(id)) {
        if !problems.faulty("techniques") {
            let message = format!("`{technique}` is not among the engine's available techniques");
            problems
                .error("bad-reference", technique.span.clone(), message)
                .suggest(technique, available.iter().map(Id::as_str));
        }
    }
    once(&phase.covers, problems);
    once(&phase.techniques, problems);
    once(&phase.checkpoints, problems);
    let targets = phase.next.iter().chain(phase.transitions.iter().map(|transition| &transition.to));
    for target in targets {
        if refers(target, "phase", &known.phases, problems) && *target == phase.id {
            problems.error("self-transition", target.span.clone(), format!("`{target}` leads to itself"));
        }
    }
}

fn blend(phase: &Phase, problems: &mut Problems) {
    let sum = phase.mode_blend.sum();
    if sum != 100 && !problems.within(&phase.mode_blend.span) {
        let message = format!("the mode blend of `{}` sums to {sum}, not 100", phase.id);
        problems.error("blend", phase.mode_blend.span.clone(), message);
    }
}

fn checkpoint_in_time(order: &Order<'_>, phase: &Phase, checkpoint: &Id, problems: &mut Problems) {
    if !refers(checkpoint, "obligation", &order.known.obligations, problems) {
        return;
    }
    let known = order.obligation(checkpoint).filter(|o| order.known.categories.has(&o.category));
    if let Some(obligation) = known.filter(|o| !order.asked_by(phase, &o.category, false)) {
        let message = format!("the checkpoint `{checkpoint}` is not asked about before `{}` has to be left", phase.id);
        problems
            .error("unsatisfiable", checkpoint.span.clone(), message)
            .help(format!("add `{}` to the `covers` of `{}`", obligation.category, phase.id));
    }
}
