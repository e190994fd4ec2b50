//! Phases: order, reachability, blends, and conditions that can come true.

use super::{refers, unique};
use crate::engine::config::decode::{Id, Spanned};
use crate::engine::config::definition::Definition;
use crate::engine::config::diagnostic::Problems;
use crate::engine::config::graph::{edges, next_of, reachable};
use crate::engine::config::phases::{Condition, Phase};

pub fn check(definition: &Definition, problems: &mut Problems) {
    let phases = &definition.phases;
    if phases.is_empty() && !problems.within(&phases.span) {
        problems.error("no-phases", phases.span.clone(), "the engine has no phase");
        return;
    }
    unique("phase", phases.iter().map(|phase| &phase.id), problems);
    order(definition, problems);
    let initial = &definition.initial_phase;
    let ids = || definition.phases.iter().map(|phase| phase.id.as_str());
    if refers(initial, "phase", ids(), problems) {
        let within = reachable(definition, initial);
        for phase in phases.iter().filter(|phase| !phase.id.is_empty() && !within.contains(phase.id.as_str())) {
            problems
                .error("orphaned-phase", phase.id.span.clone(), format!("no way leads to the phase `{}`", phase.id))
                .help("make it the `next` of a phase, or the target of a transition");
        }
    }
    for phase in phases.iter() {
        references(definition, phase, problems);
        blend(phase, problems);
        ways_out(definition, phase, problems);
        for condition in &phase.entry_conditions {
            self::condition(definition, phase, condition, true, problems);
        }
        let transitions = phase.transitions.iter().flat_map(|transition| transition.triggers.iter());
        for condition in phase.triggers.iter().chain(transitions) {
            self::condition(definition, phase, condition, false, problems);
        }
        for checkpoint in &phase.checkpoints {
            self::checkpoint(definition, phase, checkpoint, problems);
        }
    }
}

fn order(definition: &Definition, problems: &mut Problems) {
    let mut sorted: Vec<&Phase> = definition.phases.iter().collect();
    sorted.sort_by_key(|phase| *phase.order);
    for (expected, phase) in (1u32..).zip(&sorted) {
        if *phase.order != expected && !problems.within(&phase.order.span) {
            problems
                .error(
                    "phase-order",
                    phase.order.span.clone(),
                    format!("`{}` has order {}, expected {expected}", phase.id, *phase.order),
                )
                .help("number the phases 1, 2, 3 … without gaps");
            return;
        }
    }
    let initial = definition.phases.iter().find(|phase| phase.id == definition.initial_phase);
    if let Some(phase) = initial.filter(|phase| *phase.order != 1) {
        let message = format!("the session starts in `{}`, which is not the first in order", phase.id);
        problems.warning("initial-phase", definition.initial_phase.span.clone(), message);
    }
}

fn references(definition: &Definition, phase: &Phase, problems: &mut Problems) {
    let ids = || definition.phases.iter().map(|phase| phase.id.as_str());
    for category in &phase.covers {
        refers(category, "category", definition.categories.iter().map(|c| c.id.as_str()), problems);
    }
    for technique in &phase.techniques {
        let available = &definition.techniques.available;
        if !technique.is_empty() && !available.contains(technique) {
            problems
                .error(
                    "bad-reference",
                    technique.span.clone(),
                    format!("`{technique}` is not among the engine's available techniques"),
                )
                .suggest(technique, available.iter().map(Id::as_str));
        }
    }
    let targets = phase.next.iter().chain(phase.transitions.iter().map(|transition| &transition.to));
    for target in targets {
        if refers(target, "phase", ids(), problems) && *target == phase.id {
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

fn ways_out(definition: &Definition, phase: &Phase, problems: &mut Problems) {
    let onward = next_of(definition, phase);
    if let Some(next) = onward.filter(|_| phase.triggers.is_empty() && phase.transitions.is_empty()) {
        problems
            .error("no-way-out", phase.id.span.clone(), format!("nothing ever leads from `{}` to `{next}`", phase.id))
            .help("add `triggers`");
    }
    if onward.is_none() && !phase.triggers.is_empty() {
        problems
            .warning("unused", phase.triggers[0].span.clone(), format!("`{}` is the last phase", phase.id))
            .help("its triggers lead nowhere; drop them, or set `next`");
    }
    for edge in edges(definition, phase).iter().filter(|edge| edge.triggers.is_empty() && !edge.forward) {
        let message = format!("the transition to `{}` has no trigger", edge.to);
        problems.error("no-way-out", phase.id.span.clone(), message);
    }
}

fn condition(
    definition: &Definition,
    phase: &Phase,
    condition: &Spanned<Condition>,
    entry: bool,
    problems: &mut Problems,
) {
    match &condition.value {
        Condition::ObligationSatisfaction(c) => {
            let known = definition.categories.iter().map(|category| category.id.as_str());
            if !refers(&c.category, "category", known, problems) {
                return;
            }
            if !definition.obligations.iter().any(|o| o.category == c.category) {
                let message = format!("`{}` has no obligations, so this never comes true", c.category);
                problems.error("unsatisfiable", c.category.span.clone(), message);
            } else if !asked_by(definition, phase, &c.category, entry) {
                problems
                    .error(
                        "unsatisfiable",
                        c.category.span.clone(),
                        format!("`{}` is not asked about before this has to come true", c.category),
                    )
                    .help(format!("add it to the `covers` of `{}` or of an earlier phase", phase.id));
            }
        }
        Condition::CustomEvaluator(c) => {
            refers(&c.evaluator, "evaluator", definition.evaluators.keys().map(String::as_str), problems);
            if c.threshold.0 == 0.0 && !problems.within(&condition.span) {
                problems.warning("always-true", condition.span.clone(), "a threshold of 0 is always reached");
            }
        }
        Condition::TurnCount(c) => {
            if c.min_turns == 0 && !problems.within(&condition.span) {
                problems.warning("always-true", condition.span.clone(), "0 turns have always passed");
            }
            if entry {
                problems
                    .error("unsatisfiable", condition.span.clone(), "a phase has no turns before it is entered")
                    .help("use `turn_count` as a trigger of the phase before");
            }
        }
        Condition::CompletenessScore(c) => {
            if c.min_completeness.0 == 0.0 && !problems.within(&condition.span) {
                problems.warning("always-true", condition.span.clone(), "a completeness of 0 is always reached");
            }
        }
    }
}

/// Whether a category is worked on in this phase or in one before it.
fn asked_by(definition: &Definition, phase: &Phase, category: &Id, entry: bool) -> bool {
    definition.phases.iter().any(|other| {
        let in_time = if entry { *other.order < *phase.order } else { *other.order <= *phase.order };
        in_time && other.covers.contains(category)
    })
}

fn checkpoint(definition: &Definition, phase: &Phase, checkpoint: &Id, problems: &mut Problems) {
    if !refers(checkpoint, "obligation", definition.obligations.iter().map(|o| o.id.as_str()), problems) {
        return;
    }
    let obligation = definition.obligations.iter().find(|o| o.id == *checkpoint);
    if let Some(obligation) = obligation.filter(|o| !asked_by(definition, phase, &o.category, false)) {
        problems
            .error(
                "unsatisfiable",
                checkpoint.span.clone(),
                format!("the checkpoint `{checkpoint}` is not asked about before `{}` has to be left", phase.id),
            )
            .help(format!("add `{}` to the `covers` of `{}`", obligation.category, phase.id));
    }
    if next_of(definition, phase).is_none() {
        let message = format!("`{}` is the last phase; its checkpoint guards nothing", phase.id);
        problems.warning("unused", checkpoint.span.clone(), message);
    }
}
