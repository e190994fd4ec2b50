//! A quote is checked, not believed.

use serde_json::Value;

use crate::engine::config::{Field, Kind};
use crate::engine::memory::Evidence;
use crate::engine::transcript::Transcript;
use crate::engine::words::{Folded, words};

/// What speaks for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The user said so, here.
    Said(Evidence),
    /// The field may be concluded, and the quote is nowhere.
    Inferred,
    /// Nothing; the reason says what is missing.
    Missing(&'static str),
}

/// Looks for proof of a value in the user's own words: this message first, then earlier ones.
pub fn prove(field: &Field, value: &Value, quote: &str, message: &str, turn: u32, transcript: &Transcript) -> Proof {
    let here = Folded::new(message);
    let look = |text: &str| {
        let needle = Folded::new(text);
        let found = here.find(&needle).map(|range| Evidence {
            turn,
            start: range.start,
            end: range.end,
            quote: message[range].to_owned(),
        });
        found.or_else(|| transcript.find_quote(&needle))
    };
    // A text that is itself what the user said is its own quote. A literal enum or boolean value is not.
    let literal = match (field.shape.r#type, value) {
        (Kind::String, Value::String(text)) => look(text),
        _ => None,
    };
    let Some(evidence) = look(quote).or(literal) else {
        return if field.inferable { Proof::Inferred } else { Proof::Missing("its quote is nowhere in your words") };
    };
    let strange_digits = |text: &str| numbers(text).any(|digits| !said_digits(&digits, message, transcript));
    if texts(value).any(strange_digits) && !field.inferable {
        return Proof::Missing("it has figures that you never gave");
    }
    if field.shape.r#type == Kind::Number && !has_number(&evidence.quote) && !field.inferable {
        return Proof::Missing("its quote has no number in it");
    }
    Proof::Said(evidence)
}

/// The texts of a value, nested ones included.
fn texts(value: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        Value::String(text) => Box::new(std::iter::once(text.as_str())),
        Value::Array(items) => Box::new(items.iter().flat_map(texts)),
        Value::Object(parts) => Box::new(parts.values().flat_map(texts)),
        _ => Box::new(std::iter::empty()),
    }
}

/// The runs of digits in a text.
fn numbers(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty()).map(ToOwned::to_owned)
}

fn said_digits(digits: &str, message: &str, transcript: &Transcript) -> bool {
    numbers(message).any(|said| said == digits)
        || words(message).any(|word| number_word(&word).is_some_and(|number| number.to_string() == digits))
        || transcript.has_word(digits)
        || transcript.has_digits(digits)
}

fn has_number(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_digit()) || words(text).any(|word| number_word(&word).is_some())
}

/// What a written-out number means.
pub fn number_word(word: &str) -> Option<u64> {
    const WORDS: &[(&str, u64)] = &[
        ("zero", 0),
        ("no", 0),
        ("none", 0),
        ("a", 1),
        ("an", 1),
        ("one", 1),
        ("once", 1),
        ("two", 2),
        ("twice", 2),
        ("couple", 2),
        ("both", 2),
        ("three", 3),
        ("four", 4),
        ("five", 5),
        ("six", 6),
        ("seven", 7),
        ("eight", 8),
        ("nine", 9),
        ("ten", 10),
        ("eleven", 11),
        ("twelve", 12),
        ("dozen", 12),
        ("thirteen", 13),
        ("fourteen", 14),
        ("fifteen", 15),
        ("sixteen", 16),
        ("seventeen", 17),
        ("eighteen", 18),
        ("nineteen", 19),
        ("twenty", 20),
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("sixty", 60),
        ("seventy", 70),
        ("eighty", 80),
        ("ninety", 90),
        ("hundred", 100),
        ("thousand", 1_000),
        ("million", 1_000_000),
        ("billion", 1_000_000_000),
    ];
    WORDS.iter().find(|(name, _)| *name == word).map(|(_, number)| *number)
}
