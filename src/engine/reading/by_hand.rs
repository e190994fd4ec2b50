//! What somebody types into a field by hand: read like an answer, and refused in words where it cannot be one.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::clauses::Material;
use super::kinds::is_no_day;
use super::lexicon::Lexicon;
use super::pattern::Slot;
use super::quantity::Quantities;
use super::units::Unit;
use super::values;
use crate::engine::Engine;
use crate::engine::config::{Field, Kind, Measure};
use crate::engine::memory::WorkingMemory;
use crate::engine::values::range_of;

/// Why what was typed is no value of its field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Mistyped {
    #[error("expected a day or a time")]
    Day,
    #[error("expected an amount of money")]
    Money,
    #[error("expected a length of time")]
    Duration,
    #[error("expected a share")]
    Share,
    #[error("expected a number")]
    Number,
    /// It is below what the field can be.
    #[error("expected at least {0}")]
    Below(f64),
    /// It is above what the field can be.
    #[error("expected at most {0}")]
    Above(f64),
    /// Something else, in words.
    #[error("{0}")]
    Other(String),
}

/// Marks that say: take it as it stands.
const QUOTES: &[(char, char)] = &[('"', '"'), ('“', '”'), ('„', '“'), ('„', '”'), ('«', '»'), ('»', '«')];

/// The value that a text stands for where it is typed into a field. A text in quotes is taken as it stands.
pub(in crate::engine) fn typed(
    engine: &Engine,
    memory: &WorkingMemory,
    field: &Field,
    text: &str,
) -> Result<Value, Mistyped> {
    let text = text.trim();
    let shape = &field.shape;
    let reader = engine.reader();
    let own = reader.lexicon(memory.language.current.as_deref());
    let all = reader.languages().filter_map(|id| reader.lexicon(Some(id)));
    let lexicons: Vec<&Lexicon> = own.into_iter().chain(all).collect();
    match (shape.r#type, shape.measure) {
        (Kind::Number, _) => number(field, text, &lexicons),
        (Kind::String, measure) => {
            if let Some(inner) = quoted(text) {
                return Ok(json!(inner));
            }
            let has = |kinds: &[Slot]| lexicons.iter().any(|lexicon| has_one(text, lexicon, kinds));
            let number = || has(&[Slot::Number, Slot::Money, Slot::Percent, Slot::Duration]);
            let fits = match measure {
                Some(Measure::Date) => {
                    has(&[Slot::Date, Slot::Time, Slot::Duration]) || text.contains(|c: char| c.is_ascii_digit())
                }
                Some(Measure::Duration | Measure::Percent | Measure::Money) => number(),
                _ => true,
            };
            let below = text.starts_with(['-', '−']) && measure.is_some_and(|own| own != Measure::Date);
            match measure {
                Some(Measure::Date) if !fits || text.split_whitespace().any(is_no_day) => Err(Mistyped::Day),
                Some(Measure::Money) if below => Err(Mistyped::Money),
                Some(Measure::Duration) if !fits => Err(Mistyped::Duration),
                Some(Measure::Percent) if !fits => Err(Mistyped::Share),
                Some(Measure::Money) if !fits => Err(Mistyped::Money),
                Some(Measure::Money) => Ok(json!(with_currency(engine, memory, field, text, &lexicons))),
                _ => Ok(json!(text)),
            }
        }
        _ => Ok(json!(text)),
    }
}

fn quoted(text: &str) -> Option<&str> {
    let inner = |(open, close): &(char, char)| text.strip_prefix(*open)?.strip_suffix(*close).map(str::trim);
    QUOTES.iter().find_map(inner).filter(|inner| !inner.is_empty())
}

/// Whether a text has a quantity of one of these kinds in it.
fn has_one(text: &str, lexicon: &Lexicon, kinds: &[Slot]) -> bool {
    let text = lexicon.text(text);
    let quantities = Quantities::find(&text, lexicon);
    quantities.within(&(0..text.tokens.len())).any(|quantity| kinds.contains(&quantity.kind))
}

/// A number as an answer would give it, within the bounds of its field.
fn number(field: &Field, text: &str, lexicons: &[&Lexicon]) -> Result<Value, Mistyped> {
    let read = |lexicon: &&Lexicon| {
        let text = lexicon.text(text);
        let quantities = Quantities::find(&text, lexicon);
        let material = Material { text: &text, lexicon, quantities: &quantities };
        values::make(field, &material, &(0..text.tokens.len()), None).map(|made| made.value)
    };
    let value = lexicons.iter().find_map(read).ok_or(Mistyped::Number)?;
    let ends: Vec<f64> = match &value {
        Value::Object(parts) => range_of(parts).map_or_else(Vec::new, |(from, to)| {
            [from, to].into_iter().filter_map(serde_json::Number::as_f64).collect()
        }),
        other => other.as_f64().into_iter().collect(),
    };
    let (min, max) = (field.shape.min, field.shape.max);
    match (min, max) {
        (Some(min), _) if ends.iter().any(|end| *end < min) => Err(Mistyped::Below(min)),
        (_, Some(max)) if ends.iter().any(|end| *end > max) => Err(Mistyped::Above(max)),
        // A minus is a dash to those who read answers.
        // People and things are counted in whole numbers.
        _ if is_count(field) && ends.iter().any(|end| end.fract() != 0.0) => Err(Mistyped::Number),
        _ if text.starts_with(['-', '−', '–']) && ends.iter().all(|end| *end > 0.0) => Err(Mistyped::Number),
        _ => Ok(value),
    }
}

/// Whether a field holds how many there are of something.
fn is_count(field: &Field) -> bool {
    let length = |unit: &str| Unit::of_setting(&unit.to_lowercase()).is_some();
    field.shape.measure == Some(Measure::Count) && field.shape.unit.as_deref().is_some_and(|unit| !length(unit))
}

/// An amount with its currency: the one that is said, else the one that was spoken of before.
fn with_currency(engine: &Engine, memory: &WorkingMemory, field: &Field, text: &str, lexicons: &[&Lexicon]) -> String {
    if currency(text, lexicons).is_some() {
        return text.to_owned();
    }
    let others = engine.definition().fields.iter().filter(|other| other.shape.measure == Some(Measure::Money));
    let told = |path: &str| {
        let known = memory.extraction.get(path)?;
        let before = known.superseded.iter().rev().map(|old| &old.value);
        known.value.iter().chain(before).find_map(|value| currency(value.as_str()?, lexicons))
    };
    let known = told(&field.path).or_else(|| others.map(|other| other.path.as_str()).find_map(told));
    match known {
        Some(sign @ ("$" | "£")) => format!("{sign}{text}"),
        Some(name) => format!("{text} {name}"),
        None => text.to_owned(),
    }
}

/// The currency that a text names, as it is written there.
fn currency<'t>(text: &'t str, lexicons: &[&Lexicon]) -> Option<&'t str> {
    let sign = text.char_indices().find(|(_, c)| "€$£¥".contains(*c));
    if let Some((at, sign)) = sign {
        return Some(&text[at..at + sign.len_utf8()]);
    }
    let named = |word: &str| {
        let word = word.to_lowercase();
        lexicons.iter().any(|lexicon| lexicon.units.named(&word) == Some(Unit::Money))
    };
    let mut words = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 1);
    words.find(|word| named(word))
}
