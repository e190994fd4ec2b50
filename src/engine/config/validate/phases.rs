//! Phases: order, blends, references, and conditions that can come true.

use super::known::{Known, Uses};
use super::{once, refers, unique, ways};
use crate::decode::Problems;
use crate::decode::{Id, Spanned};
use crate::engine::config::definition::Definition;
use crate::engine::config::phases::{Condition, Phase};

pub fn check(definition: &Definition, known: &Known<'_>, problems: &mut Problems) {
    let phases = &definition.phases;
    if phases.is_empty() {
        if !problems.within(&phases.span) {
            problems.error("no-phases", phases.span.clone(), "the engine has no phase");
        }
        return;
    }
    unique("phase", phases.iter().map(|phase| &phase.id), problems);
    let ordered = order(definition, problems);
    let started = refers(&definition.initial_phase, "phase", &known.phases, problems);
    for phase in phases.iter() {
        references(definition, phase, known, problems);
        blend(phase, problems);
    }
    let context = Context { definition, known, ordered };
    for phase in phases.iter() {
        for condition in &phase.entry_conditions {
            context.condition(phase, condition, true, problems);
        }
        let transitions = phase.transitions.iter().flat_map(|transition| transition.triggers.iter());
        for condition in phase.triggers.iter().chain(transitions) {
            context.condition(phase, condition, false, problems);
        }
        for checkpoint in &phase.checkpoints {
            context.checkpoint(phase, checkpoint, problems);
        }
    }
    ways::check(definition, known, ordered, started, problems);
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

struct Context<'c> {
    definition: &'c Definition,
    known: &'c Known<'c>,
    ordered: bool,
}

impl Context<'_> {
    fn condition(&self, phase: &Phase, condition: &Spanned<Condition>, entry: bool, problems: &mut Problems) {
        if problems.within(&condition.span) {
            return;
        }
        let mut always = |message: &str| {
            problems.warning("always-true", condition.span.clone(), message);
        };
        match &condition.value {
            Condition::ObligationSatisfaction(c) => {
                if c.min_satisfaction_rate.0 == 0.0 {
                    always("a share of 0 is always reached");
                }
                self.category(phase, &c.category, entry, problems);
            }
            Condition::CustomEvaluator(c) => {
                if c.threshold.0 == 0.0 {
                    always("a threshold of 0 is always reached");
                }
                refers(&c.evaluator, "evaluator", &self.known.evaluators, problems);
            }
            Condition::TurnCount(_) if entry => problems
                .error("unsatisfiable", condition.span.clone(), "a phase has no turns before it is entered")
                .help("use `turn_count` as a trigger of the phase before"),
            Condition::TurnCount(c) if c.min_turns == 0 => always("0 turns have always passed"),
            Condition::CompletenessScore(c) if c.min_completeness.0 == 0.0 => {
                always("a completeness of 0 is always reached");
            }
            Condition::TurnCount(_) | Condition::CompletenessScore(_) => {}
        }
    }

    /// A category must have obligations, and they must be asked about before the condition is to hold.
    fn category(&self, phase: &Phase, category: &Id, entry: bool, problems: &mut Problems) {
        if !refers(category, "category", &self.known.categories, problems) {
            return;
        }
        let span = category.span.clone();
        let used = Uses::of(self.definition.obligations.iter().map(|o| &o.category), &self.known.categories);
        if !used.has(category) {
            let message = format!("`{category}` has no obligations, so this never comes true");
            problems.error("unsatisfiable", span, message);
        } else if !self.asked_by(phase, category, entry, problems) {
            let message = format!("`{category}` is not asked about before this has to come true");
            let help = if entry {
                format!("add it to the `covers` of a phase before `{}`", phase.id)
            } else {
                format!("add it to the `covers` of `{}` or of an earlier phase", phase.id)
            };
            problems.error("unsatisfiable", span, message).help(help);
        }
    }

    /// Whether a category is worked on in this phase or in one before it, as far as that can be told.
    fn asked_by(&self, phase: &Phase, category: &Id, entry: bool, problems: &Problems) -> bool {
        !self.ordered
            || self.definition.phases.iter().any(|other| {
                let in_time = if entry { *other.order < *phase.order } else { *other.order <= *phase.order };
                let unread = problems.within(&other.at.of("covers"));
                in_time && (unread || Uses::of(&other.covers, &self.known.categories).has(category))
            })
    }

    fn checkpoint(&self, phase: &Phase, checkpoint: &Id, problems: &mut Problems) {
        if !refers(checkpoint, "obligation", &self.known.obligations, problems) {
            return;
        }
        let obligation = self.definition.obligations.iter().find(|o| o.id == *checkpoint);
        let known = obligation.filter(|o| self.known.categories.contains(&o.category.as_str()));
        if let Some(obligation) = known.filter(|o| !self.asked_by(phase, &o.category, false, problems)) {
            let message =
                format!("the checkpoint `{checkpoint}` is not asked about before `{}` has to be left", phase.id);
            problems
                .error("unsatisfiable", checkpoint.span.clone(), message)
                .help(format!("add `{}` to the `covers` of `{}`", obligation.category, phase.id));
        }
    }
}
