//! The seven ways to tell how complete a picture is.

mod coverage;
mod decision_readiness;
mod estimability;
mod maturity;
mod obligation;
mod profile;
mod saturation;

use indexmap::IndexMap;

use super::Engine;
use super::config::CompletenessModel;
use super::expression::Fault;
use super::memory::{CompletenessState, WorkingMemory};

/// What a model makes of a memory, before the threshold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measure {
    /// From 0 to 1.
    pub overall: f64,
    /// The same for each part.
    pub by_category: IndexMap<String, f64>,
    /// What is missing, in words.
    pub gaps: Vec<String>,
    /// Something besides the threshold that keeps it from being ready.
    pub held_back: bool,
    /// Expressions that failed, and so scored 0.
    pub faults: Vec<Fault>,
}

pub trait Model {
    fn measure(&self, engine: &Engine, memory: &WorkingMemory) -> Measure;
}

/// Measures completeness by the engine's model.
pub fn evaluate(engine: &Engine, memory: &WorkingMemory) -> (CompletenessState, Vec<Fault>) {
    let completeness = &engine.definition().completeness;
    let measure = model(&completeness.model).measure(engine, memory);
    let unit = |score: f64| if score.is_finite() { score.clamp(0.0, 1.0) } else { 0.0 };
    let overall = unit(measure.overall);
    let state = CompletenessState {
        overall,
        by_category: measure.by_category.into_iter().map(|(part, score)| (part, unit(score))).collect(),
        // Sums of weights may fall short of a threshold by a rounding error.
        is_ready: overall + 1e-9 >= completeness.ready_threshold.0 && !measure.held_back,
        gaps: measure.gaps,
    };
    (state, measure.faults)
}

fn model(config: &CompletenessModel) -> &dyn Model {
    match config {
        CompletenessModel::Obligation(model) => model,
        CompletenessModel::DecisionReadiness(model) => model,
        CompletenessModel::Maturity(model) => model,
        CompletenessModel::Estimability(model) => model,
        CompletenessModel::Coverage(model) => model,
        CompletenessModel::Profile(model) => model,
        CompletenessModel::Saturation(model) => model,
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
