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
        let found = here.find(&needle).map(|range| Evidence::at(turn, message, range));
        found.or_else(|| transcript.find_quote(&needle))
    };
    // A text that is itself what the user said is its own quote. A literal enum or boolean value is not.
    let literal = || match (field.shape.r#type, value) {
        (Kind::String, Value::String(text)) => look(text),
        _ => None,
    };
    let Some(evidence) = look(quote).or_else(literal) else {
        return if field.inferable { Proof::Inferred } else { Proof::Missing("its quote is nowhere in your words") };
    };
    if field.inferable {
        return Proof::Said(evidence);
    }
    let strange = |token: &str| {
        let figure = written(token).map(|(number, unit)| number * scale(unit).unwrap_or(1.0));
        numbers(token).any(|digits| !said_digits(&digits, message, transcript))
            && !figure.is_some_and(|figure| said_figure(figure, &evidence.quote, message))
    };
    if texts(value).any(|text| text.split_whitespace().any(strange)) {
        return Proof::Missing("it has figures that you never gave");
    }
    if figures(value).any(|figure| !said_figure(figure, &evidence.quote, message)) {
        return Proof::Missing("its number is not the one you gave");
    }
    Proof::Said(evidence)
}

/// The numbers of a value, nested ones included.
fn figures(value: &Value) -> Box<dyn Iterator<Item = f64> + '_> {
    match value {
        Value::Number(number) => Box::new(number.as_f64().into_iter()),
        Value::Array(items) => Box::new(items.iter().flat_map(figures)),
        Value::Object(parts) => Box::new(parts.values().flat_map(figures)),
        _ => Box::new(std::iter::empty()),
    }
}

/// Whether a number stands in the quote, or elsewhere in the message that the quote is from.
fn said_figure(figure: f64, quote: &str, message: &str) -> bool {
    let says = |text: &str| stated(text).iter().any(|said| (said - figure).abs() <= 1e-9 * figure.abs().max(1.0));
    says(quote) || says(message)
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

/// The numbers that a text states, however it writes them: 40,000 as 40k and as forty thousand, a half as 50 %.
pub fn stated(text: &str) -> Vec<f64> {
    let mut found = Vec::new();
    let mut spelled = Spelled::default();
    let lower = text.to_lowercase().replace('-', " ");
    for token in lower.split_whitespace() {
        let token = token.trim_matches(|c: char| !c.is_alphanumeric());
        if let Some((number, rest)) = written(token) {
            spelled.finish(&mut found);
            let scaled = scale(rest).map_or(number, |factor| number * factor);
            found.extend([number, scaled, number / 100.0]);
            spelled = Spelled { sum: 0.0, group: scaled, open: true };
        } else if let Some(factor) = scale(token).filter(|_| spelled.open) {
            spelled.multiply(factor);
        } else if let Some(number) = number_word(token) {
            spelled.add(number as f64);
        } else if !matches!(token, "and" | "of") {
            spelled.finish(&mut found);
            if token == "half" {
                found.extend([0.5, 50.0]);
            }
        }
    }
    spelled.finish(&mut found);
    if lower.split_whitespace().any(|token| matches!(token, "no" | "nobody" | "nothing" | "never")) {
        found.push(0.0);
    }
    found
}

/// A number being spelled out, word by word.
#[derive(Default)]
struct Spelled {
    sum: f64,
    group: f64,
    open: bool,
}

impl Spelled {
    fn add(&mut self, number: f64) {
        match scale_of(number) {
            Some(factor) => self.multiply(factor),
            None => self.group += number,
        }
        self.open = true;
    }

    fn multiply(&mut self, factor: f64) {
        self.group = if self.open { self.group } else { 1.0 } * factor;
        if factor >= 1_000.0 {
            self.sum += std::mem::take(&mut self.group);
        }
    }

    fn finish(&mut self, found: &mut Vec<f64>) {
        if self.open {
            found.push(self.sum + self.group);
        }
        *self = Self::default();
    }
}

/// A spelled-out number that multiplies what stands before it.
fn scale_of(number: f64) -> Option<f64> {
    (number >= 100.0).then_some(number)
}

/// What a unit does to the number before it.
fn scale(unit: &str) -> Option<f64> {
    match unit {
        "k" | "thousand" | "thousands" => Some(1e3),
        "m" | "mn" | "mio" | "million" | "millions" => Some(1e6),
        "bn" | "billion" | "billions" => Some(1e9),
        "dozen" | "dozens" => Some(12.0),
        "hundred" | "hundreds" => Some(100.0),
        _ => None,
    }
}

/// The number at the beginning of a token, thousands grouped or not, and what follows it.
fn written(token: &str) -> Option<(f64, &str)> {
    let bare = token.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = bare.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '\'')).unwrap_or(bare.len());
    let (digits, rest) = bare.split_at(end);
    let digits = digits.trim_end_matches(['.', ',', '\'']);
    let parts: Vec<&str> = digits.split(['.', ',', '\'']).collect();
    let grouped = parts.len() > 1 && parts[1..].iter().all(|part| part.len() == 3) && parts[0].len() <= 3;
    let plain = if grouped { parts.concat() } else { digits.replacen(',', ".", 1) };
    Some((plain.parse().ok()?, rest.trim_start_matches(['.', ',', '\''])))
}

/// What a written-out number means.
pub fn number_word(word: &str) -> Option<u64> {
    const WORDS: &[(&str, u64)] = &[
        ("zero", 0),
        ("none", 0),
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
