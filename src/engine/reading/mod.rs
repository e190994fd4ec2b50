//! What a message says, by rules: acts, clauses, cues and typed values. Pure and deterministic; every value is read from
//! a span of the message by a reading that has a name.

mod acts;
mod answers;
mod around;
mod assign;
mod beside;
mod by_hand;
mod chosen;
mod clauses;
mod correction;
mod cues;
mod denied;
mod depth;
mod detect;
mod direct;
mod doubt;
mod edits;
mod either;
mod faults;
mod forms;
mod groups;
mod keeping;
mod kinds;
mod lexicon;
mod likeness;
mod lines;
mod list;
mod mail;
mod misread;
mod named_too;
mod naming;
mod openings;
mod parts;
mod pattern;
mod patterns;
mod pointed;
mod pointing;
mod put_right;
mod quantity;
mod reader;
mod rearranged;
mod reopen;
mod repair;
mod replaced;
mod report;
mod reworded;
mod series;
mod settle;
mod special;
mod stays;
mod tables;
mod template;
mod text;
mod topics;
mod units;
mod values;
mod verdict;
mod volunteered;
mod wordings;

pub use by_hand::Mistyped;
pub(in crate::engine) use by_hand::typed;
pub use depth::{carries, names};
pub use lexicon::Lexicon;
pub(crate) use naming::Names;
pub use reader::Reader;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Engine;
use super::config::{Act, Doing};
use super::memory::WorkingMemory;
use clauses::Material;
use quantity::Quantities;

/// What was heard in a message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Heard {
    /// The code of the language it was read in.
    pub language: String,
    /// What it does, the most telling act first.
    pub acts: Vec<Act>,
    pub clauses: Vec<Clause>,
    /// What would be taken from it.
    pub fields: Vec<FieldReading>,
    /// What the interviewer is to do, in the order it was asked for.
    pub does: Vec<Doing>,
    /// Fields that were shown, or are known, and of which it says that they are not right, and not how they should be.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub except: Vec<String>,
    /// Fields whose last change is taken back: what they had before holds again.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub restores: Vec<String>,
    /// What an objection or a command is about, in the user's words: "the opening hours".
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub about: Option<String>,
    /// Whether both what was known and what was shown hold.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub keeps_both: bool,
}

/// A clause and what was made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clause {
    pub text: String,
    /// Its first byte in the message.
    pub start: usize,
    pub act: Act,
    /// The rule that decided what it is and where it goes.
    pub rule: String,
    /// The field it goes to.
    pub field: Option<String>,
    /// How much it has to do with that field.
    pub score: f64,
    /// The fields it has most to do with.
    pub best: Vec<Fit>,
    /// What is answered to it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reply: Option<String>,
    /// What the interviewer is to do about it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub does: Option<Doing>,
}

/// How much a clause has to do with a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    pub field: String,
    pub score: f64,
    /// The cues that were found.
    pub cues: Vec<String>,
}

/// Whether a reading counts at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Known,
    /// It is asked about first.
    Candidate,
}

/// A value that was read for a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldReading {
    pub path: String,
    /// Null takes what is known back.
    pub value: Value,
    /// The words of the message it was read from.
    pub quote: String,
    pub confidence: f64,
    pub status: Standing,
    /// How it was read.
    pub reading: String,
    /// Why it does not count yet.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub doubt: Option<String>,
    /// The cues that led to the field.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cues: Vec<String>,
    /// Whether it was said beside a yes to what the field was shown with: it adds to that and does not replace it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub adds: bool,
}

impl Heard {
    /// Whether one of its clauses does something.
    pub fn has(&self, act: Act) -> bool {
        self.acts.contains(&act)
    }

    /// Whether the user wants to stop, to read or to think, and be asked nothing now.
    pub fn wants_no_question(&self) -> bool {
        self.does.iter().any(|doing| matches!(doing, Doing::Stop | Doing::Pause))
    }

    /// What is to be kept of a message: sentences that go on with what was said are one text, as they stand in the message.
    /// One that stands elsewhere is a value of its own, which is kept beside the first.
    pub fn kept(&self, message: &str) -> Vec<FieldReading> {
        let mut kept: Vec<FieldReading> = Vec::new();
        for reading in &self.fields {
            let same = |other: &&mut FieldReading| other.path == reading.path && other.value.is_string();
            let joined = kept.iter_mut().rev().find(same).filter(|_| reading.value.is_string());
            if joined.is_none_or(|before| !before.go_on(reading, message)) {
                kept.push(reading.clone());
            }
        }
        kept
    }

    /// Whether it tells something that could be kept.
    pub fn tells(&self) -> bool {
        self.acts.iter().any(|act| acts::tells(*act))
    }
}

impl FieldReading {
    /// The most words that stand between two sentences of one text.
    const BETWEEN: usize = 3;

    /// Takes in a sentence that follows in the message and says whether it did; one that stands elsewhere is no part of
    /// this text.
    fn go_on(&mut self, next: &Self, message: &str) -> bool {
        let Some(start) = message.find(&self.quote) else { return false };
        let end = start + self.quote.len();
        let Some(gap) = message[end..].find(&next.quote) else { return false };
        if message[end..end + gap].split_whitespace().count() > Self::BETWEEN {
            return false;
        }
        let whole = &message[start..end + gap + next.quote.len()];
        // What introduces the first sentence stays in the quote.
        let point = self.value.as_str().and_then(|value| whole.find(value)).unwrap_or(0);
        self.value = Value::String(whole[point..].to_owned());
        whole.clone_into(&mut self.quote);
        true
    }
}

/// How the readings of corrections begin.
pub(crate) const CORRECTION: &str = "a correction";

/// Longer messages are read up to here, in bytes: the rest is a pasted document, which has readers of its own.
const MAX_READ: usize = 64 * 1024;

/// Reads a message as it comes after what the memory holds.
pub fn read(engine: &Engine, memory: &WorkingMemory, message: &str) -> Heard {
    let message = &message[..message.floor_char_boundary(MAX_READ)];
    let reader = engine.reader();
    let Some(tongue) = reader.tongue_for(memory, message) else { return Heard::default() };
    let text = tongue.lexicon.text(message);
    let quantities = Quantities::find(&text, &tongue.lexicon);
    let material = Material { text: &text, lexicon: &tongue.lexicon, quantities: &quantities };
    assign::assign(engine, memory, tongue, &material)
}

/// The words of some tokens, with the marks that belong to them.
fn quote_of(material: &Material<'_, '_>, tokens: &Range<usize>) -> String {
    material.text.slice(tokens).to_owned()
}

/// What is wrong with a cue.
pub(in crate::engine) fn cue_fault(cue: &str) -> Option<String> {
    pattern::Pattern::parse(cue, pattern::Manner::Loose, &str::to_owned).err()
}

/// What is wrong with a question: it asks twice, leads, or supposes.
pub(crate) fn question_faults(lexicon: &Lexicon, question: &str) -> Vec<String> {
    faults::of_question(lexicon, question)
}
