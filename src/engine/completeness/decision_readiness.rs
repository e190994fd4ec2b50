//! Readiness for an informed decision: the weighted sum of evaluators.

use super::{Measure, Model};
use crate::engine::Engine;
use crate::engine::config::DecisionReadinessModel;
use crate::engine::expression::Fault;
use crate::engine::memory::WorkingMemory;

/// Below this score a part counts as a gap.
const GAP: f64 = 0.7;

impl Model for DecisionReadinessModel {
    fn measure(&self, engine: &Engine, memory: &WorkingMemory) -> Measure {
        let view = engine.view(memory);
        let mut measure = Measure::default();
        for part in self.heuristics.iter() {
            let score = match engine.definition().evaluators.get(part.evaluator.as_str()) {
                Some(expr) => engine.program().score(&expr.0.text, &view).unwrap_or_else(|fault| {
                    let message = format!("evaluator `{}`: {}", part.evaluator, fault.message);
                    measure.faults.push(Fault { message, range: None });
                    0.0
                }),
                None => 0.0,
            };
            measure.overall += part.weight.0 * score;
            measure.by_category.insert(part.id.to_string(), score);
            if score < GAP {
                measure.gaps.push(part.gap.clone());
            }
        }
        measure
    }
}
