//! What is kept beside a value: the words that told more of it, and the yes that it got.

use serde_json::Value;

use super::{Change, ChangeKind, Merger, Proven};
use crate::engine::config::{Field, Merge};
use crate::engine::extraction::Reading;
use crate::engine::memory::{Candidate, Evidence, FieldSource, FieldState, WorkingMemory};
use crate::engine::values::brief_text;
use crate::engine::words::Folded;

/// The most further words that are kept of a field.
const MAX_FURTHER: usize = 4;

/// Whether a reading is what is left of a list that another one takes back.
pub(super) fn is_left(memory: &WorkingMemory, taken_back: &Reading, other: &Reading) -> bool {
    let known = memory.extraction.value(&taken_back.path).and_then(Value::as_array);
    let (Some(known), Some(left)) = (known, other.value.as_array()) else { return false };
    let moved = left.len() == known.len() && left != known;
    other.path == taken_back.path && (left.len() < known.len() || moved) && left.iter().all(|item| known.contains(item))
}

impl Merger<'_> {
    /// Keeps what was told when more was asked for. The value stays as it is: a reason or an occasion does not replace
    /// what it belongs to.
    pub(crate) fn tell_more(&mut self, memory: &mut WorkingMemory, reading: &Reading) {
        let Some(range) = self.folded.find(&Folded::new(&reading.quote)) else { return };
        let evidence = Evidence::at(self.turn, self.message, range);
        let entry = memory.extraction.entry(&reading.path);
        let Some(value) = entry.value.clone() else { return };
        entry.further.push(evidence.clone());
        entry.further.truncate(MAX_FURTHER);
        entry.touch(self.turn);
        let confidence = entry.confidence;
        self.changes.push(Change {
            path: reading.path.clone(),
            kind: ChangeKind::Update,
            value,
            confidence,
            evidence: Some(evidence),
            previous: None,
            reason: "told when asked for more".to_owned(),
        });
    }

    /// Takes elements off a list, in the user's own words; says whether it did. What is left was proven before.
    pub(super) fn shrink(
        &mut self,
        memory: &mut WorkingMemory,
        field: &Field,
        reading: &Reading,
        left: &Value,
    ) -> bool {
        let Some(range) = self.folded.find(&Folded::new(&reading.quote)) else { return false };
        let Some(known) = memory.extraction.get(&field.path) else { return false };
        let (confidence, evidence) = (known.confidence, Some(Evidence::at(self.turn, self.message, range)));
        let items = |value: Option<&Value>| value.and_then(Value::as_array).map_or(0, Vec::len);
        let moved = items(Some(left)) == items(known.value.as_ref());
        let reason = if moved { "you changed the order" } else { "you took something off the list" };
        let (source, reason) = (FieldSource::Model, reason.to_owned());
        let proven = Proven { value: left.clone(), confidence, evidence, source, reason };
        self.write(memory, field, proven, ChangeKind::Supersede);
        true
    }

    /// Keeps what is known, and what was offered in its place beside it: both hold. A list gathers them.
    pub(crate) fn keep_both(&mut self, memory: &mut WorkingMemory, path: &str) {
        let Some(field) = self.engine.field(path) else { return };
        let entry = memory.extraction.entry(path);
        let (Some(value), Some(other)) = (entry.value.clone(), entry.candidate.take()) else { return };
        if field.merge != Merge::Replace {
            let (evidence, reason) = (other.evidence, "you said that both hold".to_owned());
            let source = FieldSource::Model;
            return self.accept(
                memory,
                field,
                Proven { value: other.value, confidence: 0.9, evidence, source, reason },
            );
        }
        entry.further.extend(other.evidence.clone());
        entry.further.truncate(MAX_FURTHER);
        entry.touch(self.turn);
        let confidence = entry.confidence;
        self.changes.push(Change {
            path: path.to_owned(),
            kind: ChangeKind::Update,
            value,
            confidence,
            evidence: other.evidence,
            previous: None,
            reason: "you said that both hold".to_owned(),
        });
    }

    /// Brings back what the last change of a field took from it, in the words that ask for it.
    pub(crate) fn restore(&mut self, memory: &mut WorkingMemory, path: &str, said: Evidence) {
        let (Some(field), Some(known)) = (self.engine.field(path), memory.extraction.get(path)) else { return };
        let Some(old) = known.superseded.last() else { return };
        let kind = if known.value.is_some() { ChangeKind::Supersede } else { ChangeKind::New };
        let (value, reason) = (old.value.clone(), "you put it back".to_owned());
        let evidence = Some(said);
        let proven = Proven { value, confidence: 0.9, evidence, source: FieldSource::Model, reason };
        self.write(memory, field, proven, kind);
    }

    /// Accepts what was offered for confirmation and got a yes: the words that brought it speak for it, and so does the
    /// yes.
    pub fn confirm(&mut self, memory: &mut WorkingMemory, path: &str, yes: Evidence) {
        let Some(field) = self.engine.field(path) else { return };
        let Some(known) = memory.extraction.get(path) else { return };
        let Some(value) = known.doubted().cloned() else { return };
        let said = match &known.candidate {
            Some(candidate) => candidate.evidence.clone(),
            None => known.evidence.clone(),
        };
        let reason = "you confirmed it".to_owned();
        let evidence = Some(yes.clone());
        self.accept(memory, field, Proven { value, confidence: 0.9, evidence, source: FieldSource::Model, reason });
        if let Some(said) = said {
            self.drop_others(memory, path, &said);
            let entry = memory.extraction.entry(path);
            (entry.evidence, entry.confirmed_by) = (Some(said), Some(yes));
        }
    }

    /// What the same words were offered for besides is not meant: one span proves one field.
    fn drop_others(&mut self, memory: &mut WorkingMemory, path: &str, said: &Evidence) {
        let Some(meant) = memory.extraction.value(path).map(brief_text) else { return };
        let same = |candidate: &Candidate<Value>| {
            let place = candidate.evidence.as_ref().map(|evidence| (evidence.turn, evidence.start, evidence.end));
            place == Some((said.turn, said.start, said.end)) && brief_text(&candidate.value) == meant
        };
        let others = self.engine.definition().fields.iter().filter(|field| *field.path != *path);
        let candidate = |field: &Field| memory.extraction.get(&field.path).and_then(|known| known.candidate.as_ref());
        let offered: Vec<&Field> = others.filter(|field| candidate(field).is_some_and(same)).collect();
        for field in offered {
            memory.extraction.entry(&field.path).candidate = None;
        }
    }

    /// Accepts a doubtful value that the user saw and agreed to; the words that brought it go on speaking for it.
    pub(crate) fn confirm_as_shown(&mut self, memory: &mut WorkingMemory, path: &str) {
        let (Some(field), Some(known)) = (self.engine.field(path), memory.extraction.get(path)) else { return };
        // What counts was shown as it is: the yes is to that, and not to what was said against it.
        if known.state == FieldState::Known {
            if known.candidate.is_some() {
                memory.extraction.entry(path).candidate = None;
            }
            return;
        }
        let Some(value) = known.doubted().cloned() else { return };
        let evidence = match &known.candidate {
            Some(candidate) => candidate.evidence.clone(),
            None => known.evidence.clone(),
        };
        let kind =
            if known.value.is_some() && known.candidate.is_some() { ChangeKind::Supersede } else { ChangeKind::New };
        let reason = "you confirmed it".to_owned();
        self.write(memory, field, Proven { value, confidence: 1.0, evidence, source: FieldSource::User, reason }, kind);
    }
}
