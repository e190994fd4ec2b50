//! Evaluators: something asks for them.

use super::known::{Known, Uses};
use crate::decode::Problems;
use crate::engine::config::completeness::CompletenessModel;
use crate::engine::config::definition::Definition;
use crate::engine::config::phases::Condition;

/// Warns of evaluators that neither a condition nor the completeness model uses.
pub fn check(definition: &Definition, known: &Known<'_>, problems: &mut Problems) {
    if problems.faulty("phases") || problems.faulty("completeness") {
        return;
    }
    let mut used = Uses::default();
    for phase in definition.phases.iter() {
        let transitions = phase.transitions.iter().flat_map(|transition| &transition.triggers);
        for condition in phase.entry_conditions.iter().chain(&phase.triggers).chain(transitions) {
            if let Condition::CustomEvaluator(condition) = &condition.value {
                used.add(&condition.evaluator, &known.evaluators);
            }
        }
    }
    if let CompletenessModel::DecisionReadiness(model) = &definition.completeness.model {
        model.heuristics.iter().for_each(|part| used.add(&part.evaluator, &known.evaluators));
    }
    for (name, evaluator) in definition.evaluators.iter().filter(|(name, _)| !used.has(name)) {
        if problems.within(&evaluator.span) {
            continue;
        }
        problems.warning("unused", evaluator.span.clone(), format!("nothing uses the evaluator `{name}`"));
    }
}
