//! Whether enough is known for an estimate: the weighted confidence of what it needs, the unknown named.

use super::{Measure, Model};
use crate::engine::Engine;
use crate::engine::config::EstimabilityModel;
use crate::engine::memory::WorkingMemory;

impl Model for EstimabilityModel {
    fn measure(&self, engine: &Engine, memory: &WorkingMemory) -> Measure {
        let mut measure = Measure::default();
        for input in self.inputs.iter() {
            let known = memory.extraction.is_known(&input.field);
            let score = if known { memory.extraction.confidence(&input.field) } else { 0.0 };
            measure.overall += input.weight.0 * score;
            measure.by_category.insert(input.field.to_string(), score);
            if !known {
                let name = engine.field(&input.field).map_or(input.field.as_str(), |field| field.name.as_str());
                measure.gaps.push(name.to_owned());
            }
        }
        measure
    }
}
