//! Share of topics of which enough is known.

use super::{Measure, Model, share};
use crate::engine::Engine;
use crate::engine::config::{CoverageModel, Topic};
use crate::engine::memory::WorkingMemory;

impl Model for CoverageModel {
    fn measure(&self, _: &Engine, memory: &WorkingMemory) -> Measure {
        covered(&self.topics, memory)
    }
}

/// Each topic scores what is known of what it needs; overall counts those that have enough.
pub(super) fn covered(topics: &[Topic], memory: &WorkingMemory) -> Measure {
    let mut measure = Measure::default();
    let mut enough = 0;
    for topic in topics {
        let known = topic.fields.iter().filter(|path| memory.extraction.is_known(path)).count();
        let wanted = *topic.min_known as usize;
        enough += usize::from(known >= wanted);
        measure.by_category.insert(topic.id.to_string(), share(known.min(wanted), wanted));
        if known < wanted {
            measure.gaps.push(topic.name.clone());
        }
    }
    measure.overall = share(enough, topics.len());
    measure
}
