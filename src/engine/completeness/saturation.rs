//! How little the last turns added. Silence on an empty stomach is not saturation: it is never above coverage.

use super::coverage::covered;
use super::{Measure, Model};
use crate::engine::Engine;
use crate::engine::config::SaturationModel;
use crate::engine::memory::WorkingMemory;

impl Model for SaturationModel {
    fn measure(&self, _: &Engine, memory: &WorkingMemory) -> Measure {
        let mut measure = covered(&self.topics, memory);
        measure.overall = measure.overall.min(memory.saturation.level);
        measure
    }
}
