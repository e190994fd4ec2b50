//! Evaluators: something asks for them.

use super::known::{Known, Uses};
use crate::decode::Problems;
use crate::engine::config::definition::Definition;
use crate::engine::config::rule::{Subject, rules};

/// Warns of evaluators that neither a rule nor the completeness model uses.
pub fn check(definition: &Definition, known: &Known<'_>, problems: &mut Problems) {
    let surfaces = ["phases", "completeness", "sidebar", "background_tasks", "exit_transitions"];
    if surfaces.iter().any(|key| problems.faulty(key)) {
        return;
    }
    let mut used = Uses::default();
    let subjects = rules(definition).flat_map(|placed| placed.rule.value.subjects());
    for subject in subjects.chain(definition.completeness.model.subjects()) {
        if let Subject::Evaluator(id) = subject {
            used.add(id, &known.evaluators);
        }
    }
    for (name, evaluator) in definition.evaluators.iter().filter(|(name, _)| !used.has(name)) {
        if problems.within(&evaluator.span) {
            continue;
        }
        problems.warning("unused", evaluator.span.clone(), format!("nothing uses the evaluator `{name}`"));
    }
}
