//! The level of maturity reached, over all levels. A level counts only when those below it are reached.

use super::{Measure, Model, share};
use crate::engine::Engine;
use crate::engine::config::MaturityModel;
use crate::engine::expression::Fault;
use crate::engine::memory::WorkingMemory;

impl Model for MaturityModel {
    fn measure(&self, engine: &Engine, memory: &WorkingMemory) -> Measure {
        let view = engine.view(memory);
        let mut measure = Measure::default();
        let mut reached = 0;
        let mut climbing = true;
        for level in self.levels.iter() {
            let holds = engine.program().holds(&level.when.0.text, &view).unwrap_or_else(|fault| {
                let message = format!("level `{}`: {}", level.id, fault.message);
                measure.faults.push(Fault { message, range: None });
                false
            });
            climbing &= holds;
            reached += usize::from(climbing);
            measure.by_category.insert(level.id.to_string(), f64::from(u8::from(climbing)));
            if !climbing {
                measure.gaps.push(level.name.clone());
            }
        }
        measure.overall = share(reached, self.levels.len());
        measure
    }
}
