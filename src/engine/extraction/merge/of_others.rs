//! What comes from elsewhere: from an earlier session, which counts, and from somebody else, which stands beside what is
//! noted already and takes nothing out. The user decides.

use serde_json::Value;

use super::{Merger, Proven, coerce};
use crate::engine::config::Field;
use crate::engine::memory::{FieldSource, WorkingMemory};

/// What was proven in an earlier session counts, but the user's own words in this one count more.
const INHERITED: f64 = 0.8;

impl Merger<'_> {
    /// Takes in a value that an earlier session handed over: it was proven there.
    pub fn inherit(&mut self, memory: &mut WorkingMemory, field: &Field, value: &Value, source: &str) {
        let Ok(value) = coerce(value, &field.shape) else { return };
        let confidence = INHERITED.max(field.confidence_threshold.0);
        let reason = format!("handed over from {source}");
        self.accept(memory, field, Proven { value, confidence, evidence: None, source: FieldSource::Handoff, reason });
    }

    /// Why a value does not take the place of the one that is noted, where somebody else has said it.
    pub(super) fn of_another(&self, memory: &WorkingMemory, same: bool, grew: bool) -> Option<String> {
        let speaker = memory.speaker(self.turn).filter(|_| !same && !grew)?;
        Some(format!("{speaker} says otherwise"))
    }

    /// Whether a value stays although it is taken back, because it is not the user who takes it back.
    pub(super) fn is_spared(&mut self, memory: &WorkingMemory, field: &Field) -> bool {
        let spared = memory.speaker(self.turn).is_some()
            && memory
                .extraction
                .get(&field.path)
                .is_some_and(|known| known.value.is_some() || known.candidate.is_some());
        if spared {
            self.refused.push((field.path.to_string(), "only the user takes back what is noted".to_owned()));
        }
        spared
    }
}
