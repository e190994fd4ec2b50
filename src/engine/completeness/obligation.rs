//! Share of obligations satisfied, weighted by category. Optional ones that were deferred leave the count.

use super::{Measure, Model, share};
use crate::engine::Engine;
use crate::engine::config::ObligationModel;
use crate::engine::memory::{Status, WorkingMemory};

impl Model for ObligationModel {
    fn measure(&self, engine: &Engine, memory: &WorkingMemory) -> Measure {
        let mut measure = Measure::default();
        for part in self.heuristics.iter() {
            let counted: Vec<_> = engine
                .definition()
                .obligations
                .iter()
                .filter(|o| o.category == part.category)
                .filter(|o| o.required || memory.obligations.status(&o.id) != Status::Deferred)
                .collect();
            let satisfied = counted.iter().filter(|o| memory.obligations.status(&o.id) == Status::Satisfied).count();
            let score = if counted.is_empty() { 1.0 } else { share(satisfied, counted.len()) };
            measure.overall += part.weight.0 * score;
            measure.by_category.insert(part.category.to_string(), score);
            let open = counted.iter().filter(|o| memory.obligations.status(&o.id) != Status::Satisfied);
            measure.gaps.extend(open.map(|o| o.name.clone()));
        }
        measure
    }
}
