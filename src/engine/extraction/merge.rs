//! Puts proven values into the memory: new, updated, superseded, or kept back as candidates.

mod dependents;
mod further;
mod of_others;
mod spans;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use serde_json::Value;

use super::coerce::MAX_ITEMS;
use super::combine::combine;
use super::evidence::{Figures, Proof, Said, prove};
use super::{Change, ChangeKind, Reading, coerce};
use crate::engine::Engine;
use crate::engine::config::{Field, Kind};
use crate::engine::memory::{Candidate, Evidence, FieldSource, FieldState, MAX_SUPERSEDED, Superseded, WorkingMemory};
use crate::engine::transcript::Transcript;
use crate::engine::values::same;
use crate::engine::words::Folded;
pub use dependents::dependents;
use further::is_left;

/// The most a value without proof is worth.
const UNPROVEN: f64 = 0.5;
/// Merges the readings of one message.
#[derive(Debug)]
pub(crate) struct Merger<'a> {
    engine: &'a Engine,
    transcript: &'a Transcript,
    message: &'a str,
    /// The message as quotes are looked up in it.
    folded: Folded,
    /// The figures of the message.
    figures: OnceCell<Figures>,
    turn: u32,
    /// What was taken in of this message: the place of its quote, its text and its field.
    spans: Vec<(usize, usize, Value, String)>,
    /// Fields whose value was said again as it was.
    restated: BTreeSet<String>,
    /// What happened to which field, in order.
    pub changes: Vec<Change>,
    /// Readings that were refused, and why.
    pub refused: Vec<(String, String)>,
}

impl<'a> Merger<'a> {
    /// A merger for the message of a turn.
    pub fn new(engine: &'a Engine, transcript: &'a Transcript, message: &'a str, turn: u32) -> Self {
        let (changes, refused) = (Vec::new(), Vec::new());
        let (folded, figures, restated) = (Folded::new(message), OnceCell::new(), BTreeSet::new());
        let spans = Vec::new();
        Self { engine, transcript, message, folded, figures, turn, spans, restated, changes, refused }
    }

    /// Takes readings in, keeps them back, or refuses them. The elements of a list come one by one and are proven one by
    /// one; what they come to is one change.
    pub(crate) fn merge_all(&mut self, memory: &mut WorkingMemory, readings: &[Reading]) {
        let engine = self.engine;
        let mut gathered: Vec<&str> = Vec::new();
        let asked: BTreeSet<String> =
            memory.asked.iter().flat_map(|asked| engine.fields_of(&asked.obligation)).cloned().collect();
        let mut left: Vec<&Reading> = Vec::new();
        for reading in readings {
            let Some(field) = engine.field(&reading.path) else {
                self.refused.push((reading.path.clone(), "there is no such field".to_owned()));
                continue;
            };
            if reading.value.is_null() {
                if self.is_spared(memory, field) {
                    continue;
                }
                match readings.iter().find(|other| is_left(memory, reading, other)) {
                    Some(rest) if self.shrink(memory, field, reading, &rest.value) => left.push(rest),
                    _ => self.retract(memory, field, reading),
                }
            } else if field.shape.r#type != Kind::Array {
                let weighed = self.weigh(field, reading, asked.contains(&reading.path));
                self.take_in(memory, field, weighed);
            } else if !gathered.contains(&reading.path.as_str()) {
                gathered.push(&reading.path);
                let rest = |other: &Reading| left.iter().any(|rest| std::ptr::eq(*rest, other));
                let own = readings.iter().filter(|other| other.path == reading.path && !other.value.is_null());
                let own = own.filter(|other| !rest(other));
                let weighed: Vec<Weighed> =
                    own.filter_map(|element| self.weigh(field, element, asked.contains(&element.path))).collect();
                let (doubtful, sure): (Vec<_>, Vec<_>) = weighed.into_iter().partition(|one| one.doubt.is_some());
                self.take_in(memory, field, Weighed::all(sure));
                self.take_in(memory, field, Weighed::all(doubtful));
            }
        }
    }

    fn take_in(&mut self, memory: &mut WorkingMemory, field: &Field, weighed: Option<Weighed>) {
        match weighed {
            Some(Weighed { value, doubt: Some(why) }) => self.keep_back(memory, field, value, &why),
            Some(Weighed { value, doubt: None }) => self.accept(memory, field, value),
            None => {}
        }
    }

    /// Brings a reading into shape and looks for its proof; nothing where it has no usable value.
    fn weigh(&mut self, field: &Field, reading: &Reading, asked: bool) -> Option<Weighed> {
        let value = match coerce(&reading.value, &field.shape) {
            Ok(value) => value,
            Err(why) => {
                self.refused.push((reading.path.clone(), why));
                return None;
            }
        };
        let said = Said {
            message: self.message,
            folded: &self.folded,
            figures: &self.figures,
            turn: self.turn,
            transcript: self.transcript,
            reader: self.engine.reader(),
            asked,
        };
        let proof = prove(field, &value, &reading.quote, &said);
        let (confidence, evidence, source, doubt) = match proof {
            Proof::Said(evidence) => (reading.confidence, Some(evidence), FieldSource::Model, None),
            Proof::Inferred => (reading.confidence, None, FieldSource::Inferred, None),
            Proof::MadeUp => {
                self.refused.push((reading.path.clone(), "nothing of it stands in your words".to_owned()));
                return None;
            }
            Proof::Missing(why) => (reading.confidence.min(UNPROVEN), None, FieldSource::Model, Some(why)),
        };
        let twice = self.is_taken(field, &value, evidence.as_ref()).filter(|_| !asked);
        let doubt = doubt.map(ToOwned::to_owned).or_else(|| reading.doubt.clone()).or(twice).or_else(|| {
            let threshold = field.confidence_threshold.0;
            (confidence < threshold).then(|| format!("confidence {confidence:.2} is below {threshold:.2}"))
        });
        Some(Weighed {
            value: Proven { value, confidence, evidence, source, reason: reading.reasoning.clone() },
            doubt,
        })
    }

    /// Takes in a value that the user set by hand: it is true because they say so.
    pub fn correct(&mut self, memory: &mut WorkingMemory, path: &str, value: &Value) -> Result<(), String> {
        let field = self.engine.field(path).ok_or("there is no such field")?;
        let value = coerce(value, &field.shape)?;
        let reason = "you set it yourself".to_owned();
        let proven = Proven { value, confidence: 1.0, evidence: None, source: FieldSource::User, reason };
        let replaced = memory.extraction.get(path).is_some_and(|field| field.value.is_some());
        self.write(memory, field, proven, if replaced { ChangeKind::Supersede } else { ChangeKind::New });
        Ok(())
    }

    /// Takes a plain yes or no as the value of a boolean field.
    pub(crate) fn answer_plainly(&mut self, memory: &mut WorkingMemory, path: &str, yes: bool, evidence: Evidence) {
        let Some(field) = self.engine.field(path).filter(|field| field.shape.r#type == Kind::Boolean) else { return };
        let reason = "a plain answer to the question".to_owned();
        let (value, evidence) = (Value::Bool(yes), Some(evidence));
        self.accept(memory, field, Proven { value, confidence: 0.9, evidence, source: FieldSource::Model, reason });
    }

    /// Drops what was offered for confirmation and got a no.
    pub(crate) fn reject(&mut self, memory: &mut WorkingMemory, path: &str) {
        let stale = memory.extraction.get(path).is_some_and(|field| field.state == FieldState::Stale);
        let entry = memory.extraction.entry(path);
        let dropped = entry.candidate.take().map(|candidate| candidate.value);
        if stale {
            self.clear(memory, path, "you said it no longer holds");
        } else if let Some(value) = dropped {
            entry.touch(self.turn);
            self.changes.push(Change {
                path: path.to_owned(),
                kind: ChangeKind::Cleared,
                value,
                confidence: 0.0,
                evidence: None,
                previous: None,
                reason: "you said it is not so".to_owned(),
            });
        }
    }

    /// Records that the user does not know, or would rather not say.
    pub(crate) fn set_aside(&mut self, memory: &mut WorkingMemory, path: &str, state: FieldState) {
        let entry = memory.extraction.entry(path);
        if entry.state == FieldState::Known || entry.state == state {
            return;
        }
        entry.state = state;
        entry.candidate = None;
        entry.last_updated_at_turn = self.turn;
        let (kind, reason) = match state {
            FieldState::Declined => (ChangeKind::Declined, "you would rather not say"),
            _ => (ChangeKind::Unknown, "you do not know"),
        };
        self.changes.push(Change {
            path: path.to_owned(),
            kind,
            value: Value::Null,
            confidence: 0.0,
            evidence: None,
            previous: None,
            reason: reason.to_owned(),
        });
    }

    /// A null with a real quote takes a value back; without one it means nothing.
    fn retract(&mut self, memory: &mut WorkingMemory, field: &Field, reading: &Reading) {
        let quote = Folded::new(&reading.quote);
        let said = self.folded.find(&quote).is_some();
        let known = memory.extraction.get(&field.path).is_some_and(|f| f.value.is_some() || f.candidate.is_some());
        if !known {
            return;
        }
        if said {
            let reason = if reading.reasoning.is_empty() { "you took it back" } else { reading.reasoning.as_str() };
            self.clear(memory, &field.path, reason);
        } else {
            self.refused.push((reading.path.clone(), "a value is taken back only in your own words".to_owned()));
        }
    }

    /// Forgets a value, keeping what it was; what depended on it is in doubt.
    pub fn clear(&mut self, memory: &mut WorkingMemory, path: &str, reason: &str) {
        let turn = self.turn;
        let entry = memory.extraction.entry(path);
        let old = entry.value.take();
        if let Some(value) = old.clone() {
            let from_turn = entry.last_updated_at_turn;
            remember(&mut entry.superseded, Superseded { value, from_turn, at_turn: turn, reason: reason.to_owned() });
        }
        entry.state = FieldState::Candidate;
        entry.candidate = None;
        entry.confidence = 0.0;
        entry.evidence = None;
        entry.further.clear();
        entry.confirmed_by = None;
        entry.touch(turn);
        let had_value = old.is_some();
        self.changes.push(Change {
            path: path.to_owned(),
            kind: ChangeKind::Cleared,
            value: Value::Null,
            confidence: 0.0,
            evidence: None,
            previous: old,
            reason: reason.to_owned(),
        });
        if had_value {
            self.doubt_dependents(memory, path);
        }
    }

    fn keep_back(&mut self, memory: &mut WorkingMemory, field: &Field, value: Proven, why: &str) {
        let entry = memory.extraction.entry(&field.path);
        let known = entry.state == FieldState::Known && entry.value.as_ref().is_some_and(|old| same(old, &value.value));
        if known {
            return;
        }
        // A guess that nothing speaks for does not reopen what the user does not know or would rather not say.
        if matches!(entry.state, FieldState::Unknown | FieldState::Declined) {
            if value.evidence.is_none() {
                return self.refused.push((field.path.to_string(), why.to_owned()));
            }
            entry.state = FieldState::Candidate;
        }
        let candidate = Candidate {
            value: value.value.clone(),
            confidence: value.confidence,
            turn: self.turn,
            reason: why.to_owned(),
            evidence: value.evidence.clone(),
        };
        entry.candidate = Some(candidate);
        if entry.value.is_none() {
            entry.touch(self.turn);
        }
        self.changes.push(Change {
            path: field.path.to_string(),
            kind: ChangeKind::Candidate,
            value: value.value,
            confidence: value.confidence,
            evidence: value.evidence,
            previous: None,
            reason: why.to_owned(),
        });
    }

    fn accept(&mut self, memory: &mut WorkingMemory, field: &Field, mut value: Proven) {
        let entry = memory.extraction.get(&field.path);
        let old = entry.and_then(|entry| entry.value.clone());
        let state = entry.map(|entry| entry.state);
        let Some(old) = old else {
            // One message may take a value back and give another: only older words are too late.
            let older = value.evidence.as_ref().is_some_and(|evidence| evidence.turn < self.turn);
            if older && entry.is_some_and(|entry| entry.was_cleared_after(value.evidence.as_ref())) {
                self.refused.push((field.path.to_string(), "you took it back later".to_owned()));
            } else {
                self.write(memory, field, value, ChangeKind::New);
            }
            return;
        };
        let (merged, grew) = combine(field, &old, &value.value);
        let same_value = same(&old, &merged);
        if !same_value && entry.is_some_and(|entry| entry.is_newer_than(value.evidence.as_ref(), grew)) {
            self.refused.push((field.path.to_string(), "what you said later counts".to_owned()));
            return;
        }
        let sure = entry.is_some_and(|entry| entry.confidence >= value.confidence);
        if same_value && sure && state == Some(FieldState::Known) {
            // Said again, and nothing new in it: worth remembering as a contribution, not as a change.
            self.restated.insert(field.path.to_string());
            let entry = memory.extraction.entry(&field.path);
            entry.touch(self.turn);
            entry.candidate = None;
            return;
        }
        if let Some(why) = self.of_another(memory, same_value, grew) {
            value.value = merged;
            return self.keep_back(memory, field, value, &why);
        }
        value.value = merged;
        // Words that were heard by rules and are read by a model later: nothing else was said.
        let read_at = |evidence: Option<&Evidence>| evidence.map(|evidence| evidence.turn);
        let read = read_at(value.evidence.as_ref());
        let reread = read.is_some_and(|turn| turn < self.turn)
            && read == read_at(memory.extraction.get(&field.path).and_then(|entry| entry.evidence.as_ref()));
        let kind = if same_value || grew || reread { ChangeKind::Update } else { ChangeKind::Supersede };
        self.write(memory, field, value, kind);
    }

    fn write(&mut self, memory: &mut WorkingMemory, field: &Field, value: Proven, kind: ChangeKind) {
        let turn = self.turn;
        let entry = memory.extraction.entry(&field.path);
        let old = entry.value.take();
        if let (ChangeKind::Supersede, Some(old)) = (kind, old.clone()) {
            let reason = if value.reason.is_empty() { "you said otherwise".to_owned() } else { value.reason.clone() };
            let from_turn = entry.last_updated_at_turn;
            remember(&mut entry.superseded, Superseded { value: old, from_turn, at_turn: turn, reason });
        }
        entry.confidence = match kind {
            ChangeKind::Update => entry.confidence.max(value.confidence),
            _ => value.confidence,
        };
        entry.state = FieldState::Known;
        entry.value = Some(value.value.clone());
        entry.evidence =
            value.evidence.clone().or_else(|| entry.evidence.take().filter(|_| kind == ChangeKind::Update));
        entry.source = value.source;
        if kind != ChangeKind::Update {
            entry.further.clear();
        }
        entry.confirmed_by = None;
        entry.candidate = None;
        entry.touch(turn);
        let confidence = entry.confidence;
        let previous = old.filter(|_| kind == ChangeKind::Supersede);
        self.changes.push(Change {
            path: field.path.to_string(),
            kind,
            value: value.value,
            confidence,
            evidence: value.evidence,
            previous,
            reason: value.reason,
        });
        if kind == ChangeKind::Supersede {
            self.doubt_dependents(memory, &field.path);
        }
    }

    /// What depended on a value that changed has to be confirmed again.
    fn doubt_dependents(&mut self, memory: &mut WorkingMemory, path: &str) {
        for dependent in dependents(self.engine.definition(), path) {
            let known = memory.extraction.get(&dependent).is_some_and(|field| field.state == FieldState::Known);
            // What was said in this very message was said knowing of the change.
            let fresh = self.restated.contains(&dependent)
                || self.changes.iter().any(|change| change.path == dependent && change.kind.is_accepted());
            if !known || fresh {
                continue;
            }
            let entry = memory.extraction.entry(&dependent);
            entry.state = FieldState::Stale;
            let value = entry.value.clone().unwrap_or(Value::Null);
            let name = self.engine.field(path).map_or(path, |field| field.name.as_str());
            self.changes.push(Change {
                path: dependent,
                kind: ChangeKind::Stale,
                value,
                confidence: 0.0,
                evidence: None,
                previous: None,
                reason: format!("“{name}” has changed"),
            });
        }
    }
}

/// A value with what speaks for and against it.
struct Weighed {
    value: Proven,
    /// Why it does not count yet.
    doubt: Option<String>,
}

impl Weighed {
    /// The elements of a list as one list, as sure as the least sure of them.
    fn all(elements: Vec<Self>) -> Option<Self> {
        let join = |mut all: Self, one: Self| {
            if let (Value::Array(items), Value::Array(more)) = (&mut all.value.value, one.value.value) {
                items.extend(
                    more.into_iter().filter(|one| !items.iter().any(|other| same(other, one))).collect::<Vec<_>>(),
                );
                items.truncate(MAX_ITEMS);
            }
            all.value.confidence = all.value.confidence.min(one.value.confidence);
            all
        };
        elements.into_iter().reduce(join)
    }
}

struct Proven {
    value: Value,
    confidence: f64,
    evidence: Option<Evidence>,
    source: FieldSource,
    reason: String,
}

fn remember(chain: &mut Vec<Superseded<Value>>, old: Superseded<Value>) {
    chain.push(old);
    if chain.len() > MAX_SUPERSEDED {
        chain.remove(0);
    }
}
