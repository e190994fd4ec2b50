//! Rules: what they name exists, they make sense where they stand, and they can come true.

use std::collections::HashMap;

use super::known::{Known, Uses};
use super::{once, refers};
use crate::decode::{Id, Problems};
use crate::engine::config::definition::Definition;
use crate::engine::config::obligations::Obligation;
use crate::engine::config::phases::Phase;
use crate::engine::config::rule::{Occasion, Placed, Subject, rules};

/// Checks every rule of an engine; `ordered` tells whether its phases are.
pub fn check(definition: &Definition, known: &Known<'_>, ordered: bool, problems: &mut Problems) {
    let order = Order::new(definition, known, ordered, problems);
    for placed in rules(definition) {
        if !problems.within(&placed.rule.span) {
            order.rule(placed, problems);
        }
    }
}

/// What is asked about when. Looked up for every rule and checkpoint, so it is put together once.
pub(crate) struct Order<'c> {
    pub known: &'c Known<'c>,
    obligations: HashMap<&'c str, &'c Obligation>,
    /// The categories that have obligations.
    filled: Uses<'c>,
    /// The categories that each phase covers, with its place in the order; none where they could not be read.
    covers: Vec<(u32, Option<Uses<'c>>)>,
    ordered: bool,
}

impl<'c> Order<'c> {
    pub fn new(definition: &'c Definition, known: &'c Known<'c>, ordered: bool, problems: &Problems) -> Self {
        let covers = definition.phases.iter().map(|phase| {
            let read = !problems.within(&phase.at.of("covers"));
            (*phase.order, read.then(|| Uses::of(&phase.covers, &known.categories)))
        });
        Self {
            known,
            // Of two with one name the first counts.
            obligations: definition.obligations.iter().rev().map(|o| (o.id.as_str(), o)).collect(),
            filled: Uses::of(definition.obligations.iter().map(|o| &o.category), &known.categories),
            covers: covers.collect(),
            ordered,
        }
    }

    pub fn obligation(&self, id: &str) -> Option<&'c Obligation> {
        self.obligations.get(id).copied()
    }

    fn rule(&self, placed: Placed<'_>, problems: &mut Problems) {
        let Placed { rule, occasion, phase } = placed;
        if let Some(objection) = rule.refused(occasion) {
            let noted = problems.error("unsatisfiable", rule.span.clone(), objection.message);
            if let Some(help) = objection.help {
                noted.help(help);
            }
            return;
        }
        if let Some((place, objection)) = rule.always() {
            let noted = problems.warning("always-true", place.unwrap_or_else(|| rule.span.clone()), objection.message);
            if let Some(help) = objection.help {
                noted.help(help);
            }
        }
        let subjects = rule.subjects();
        for subject in &subjects {
            match subject {
                Subject::Category(category) => self.category(phase, category, occasion, problems),
                Subject::Obligation(id) => {
                    refers(id, "obligation", &self.known.obligations, problems);
                }
                Subject::Evaluator(id) => {
                    refers(id, "evaluator", &self.known.evaluators, problems);
                }
                Subject::Field(id) => {
                    refers(id, "field", &self.known.fields, problems);
                }
                // Expressions are checked with all others.
                Subject::FieldsBelow(_) | Subject::Expression(_) => {}
            }
        }
        let obligations: Vec<Id> = subjects
            .iter()
            .filter_map(|subject| if let Subject::Obligation(id) = subject { Some((*id).clone()) } else { None })
            .collect();
        once(&obligations, problems);
    }

    /// A category must have obligations, and they must be asked about before the rule is to hold.
    fn category(&self, phase: Option<&Phase>, category: &Id, occasion: Occasion, problems: &mut Problems) {
        if !refers(category, "category", &self.known.categories, problems) {
            return;
        }
        let span = category.span.clone();
        if !self.filled.has(category) {
            let message = format!("`{category}` has no obligations, so this never comes true");
            problems.error("unsatisfiable", span, message);
            return;
        }
        let entry = occasion == Occasion::Entry;
        let Some(phase) = phase.filter(|phase| !self.asked_by(phase, category, entry)) else { return };
        let message = format!("`{category}` is not asked about before this has to come true");
        let help = if entry {
            format!("add it to the `covers` of a phase before `{}`", phase.id)
        } else {
            format!("add it to the `covers` of `{}` or of an earlier phase", phase.id)
        };
        problems.error("unsatisfiable", span, message).help(help);
    }

    /// Whether a category is worked on in this phase or in one before it, as far as that can be told.
    pub(crate) fn asked_by(&self, phase: &Phase, category: &Id, entry: bool) -> bool {
        !self.ordered
            || self.covers.iter().any(|(order, covers)| {
                let in_time = if entry { *order < *phase.order } else { *order <= *phase.order };
                in_time && covers.as_ref().is_none_or(|covers| covers.has(category))
            })
    }
}
