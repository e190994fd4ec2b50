//! Rules: what they name exists, they make sense where they stand, and they can come true.

use super::known::{Known, Uses};
use super::{once, refers};
use crate::decode::{Id, Problems};
use crate::engine::config::definition::Definition;
use crate::engine::config::phases::Phase;
use crate::engine::config::rule::{Occasion, Placed, Subject, rules};

/// Checks every rule of an engine; `ordered` tells whether its phases are.
pub fn check(definition: &Definition, known: &Known<'_>, ordered: bool, problems: &mut Problems) {
    let order = Order { definition, known, ordered };
    for placed in rules(definition) {
        if !problems.within(&placed.rule.span) {
            order.rule(placed, problems);
        }
    }
}

/// What is asked about when.
pub(crate) struct Order<'c> {
    pub definition: &'c Definition,
    pub known: &'c Known<'c>,
    pub ordered: bool,
}

impl Order<'_> {
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
        let used = Uses::of(self.definition.obligations.iter().map(|o| &o.category), &self.known.categories);
        if !used.has(category) {
            let message = format!("`{category}` has no obligations, so this never comes true");
            problems.error("unsatisfiable", span, message);
            return;
        }
        let entry = occasion == Occasion::Entry;
        let Some(phase) = phase.filter(|phase| !self.asked_by(phase, category, entry, problems)) else { return };
        let message = format!("`{category}` is not asked about before this has to come true");
        let help = if entry {
            format!("add it to the `covers` of a phase before `{}`", phase.id)
        } else {
            format!("add it to the `covers` of `{}` or of an earlier phase", phase.id)
        };
        problems.error("unsatisfiable", span, message).help(help);
    }

    /// Whether a category is worked on in this phase or in one before it, as far as that can be told.
    pub(crate) fn asked_by(&self, phase: &Phase, category: &Id, entry: bool, problems: &Problems) -> bool {
        !self.ordered
            || self.definition.phases.iter().any(|other| {
                let in_time = if entry { *other.order < *phase.order } else { *other.order <= *phase.order };
                let unread = problems.within(&other.at.of("covers"));
                in_time && (unread || Uses::of(&other.covers, &self.known.categories).has(category))
            })
    }
}
