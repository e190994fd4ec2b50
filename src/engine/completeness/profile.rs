//! Known required fields by dimension: the mean, with a floor that no dimension may stay below.

use super::{Measure, Model, share};
use crate::engine::Engine;
use crate::engine::config::ProfileModel;
use crate::engine::memory::WorkingMemory;

impl Model for ProfileModel {
    fn measure(&self, engine: &Engine, memory: &WorkingMemory) -> Measure {
        let mut measure = Measure::default();
        for dimension in self.dimensions.iter() {
            let below = |path: &str| path.strip_prefix(dimension.id.as_str()).is_some_and(|rest| rest.starts_with('.'));
            let required: Vec<_> =
                engine.definition().fields.iter().filter(|field| field.required && below(&field.path)).collect();
            let known = required.iter().filter(|field| memory.extraction.is_known(&field.path)).count();
            let score = share(known, required.len());
            measure.by_category.insert(dimension.id.to_string(), score);
            measure.overall += score / self.dimensions.len() as f64;
            if score < self.floor.0 {
                measure.held_back = true;
            }
            if score < 1.0 {
                measure.gaps.push(dimension.name.clone());
            }
        }
        measure
    }
}
