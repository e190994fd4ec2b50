//! A value of a field's kind out of some words. Each is read from a span of the message by a reading that has a name.

use std::ops::Range;

use serde_json::{Map, Number, Value, json};

use super::clauses::Material;
use super::kinds;
use super::lexicon::Lexicon;
use super::list::{self, Manner, remarks};
use super::openings;
use super::parts::{is_talk, parts, trimmed};
use super::pattern::{Pattern, Slot};
use super::quantity::{Quantities, Quantity};
use super::units::Unit;
use crate::engine::config::{Field, Kind, Measure, Shape};
use crate::engine::words::Folded;

/// An answer in so many words.
pub(super) const CLEAR: f64 = 0.85;
/// An answer that says little.
pub(super) const BRIEF: f64 = 0.75;
/// A guess, to be confirmed.
pub(super) const GUESS: f64 = 0.6;
/// The longest text that is taken as one value, in bytes.
const MAX_VALUE: usize = 600;

/// A value, how sure it is, and how it was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Made {
    pub value: Value,
    pub confidence: f64,
    pub reading: &'static str,
    /// The words it was read from, where they are fewer than what was looked at.
    pub from: Option<Range<usize>>,
}

impl Made {
    fn new(value: Value, confidence: f64, reading: &'static str) -> Self {
        Self { value, confidence, reading, from: None }
    }
}

/// A value of the field's kind out of some tokens. `option`: the choice that a cue means.
pub(super) fn make(
    field: &Field,
    material: &Material<'_, '_>,
    tokens: &Range<usize>,
    option: Option<&str>,
) -> Option<Made> {
    if tokens.is_empty() {
        return None;
    }
    match field.shape.r#type {
        Kind::String => text(material, &openings::point(field, material, tokens)),
        Kind::Number => number(&field.shape, material, tokens),
        Kind::Boolean => Some(boolean(material, tokens, option)),
        Kind::Enum => choice(&field.shape, material, tokens, option),
        Kind::Array => array(field, material, tokens),
        Kind::Object => object(&field.shape, material, tokens),
    }
}

/// The words as they stand; of a very long text, its beginning.
fn text(material: &Material<'_, '_>, tokens: &Range<usize>) -> Option<Made> {
    // "That", by itself, says nothing.
    if material.any_starts(&material.lexicon.edits.pointers, tokens) == Some(tokens.end) {
        return None;
    }
    let said = material.text.slice(tokens);
    let value = said[..said.floor_char_boundary(MAX_VALUE)].trim();
    let confidence = if material.telling(tokens) < 2 { BRIEF } else { CLEAR };
    (!value.is_empty()).then(|| Made::new(json!(value), confidence, "in these words"))
}

/// The unit in which a field counts, where it is one of time, of money or a share.
fn unit_of(shape: &Shape, lexicon: &Lexicon) -> Option<Unit> {
    let named = shape.unit.as_deref().and_then(|unit| {
        let unit = unit.to_lowercase();
        lexicon.units.named(&unit).or_else(|| Unit::of_setting(&unit))
    });
    named.or(match shape.measure {
        Some(Measure::Money) => Some(Unit::Money),
        Some(Measure::Percent) => Some(Unit::Percent),
        _ => None,
    })
}

/// The number that a field wants: of its unit, converted where it was said in another; a range is kept as one.
fn number(shape: &Shape, material: &Material<'_, '_>, tokens: &Range<usize>) -> Option<Made> {
    let wanted = unit_of(shape, material.lexicon);
    let all: Vec<&Quantity> = material.quantities.within(tokens).filter(|quantity| fits(quantity, wanted)).collect();
    let exact = all
        .iter()
        .find(|quantity| quantity.unit.is_some() && wanted.is_some())
        .or_else(|| counted(shape, material, &all));
    let quantity = exact.or_else(|| all.first())?;
    let factor = match (quantity.unit.and_then(Unit::hours), wanted.and_then(Unit::hours)) {
        (Some(given), Some(wanted)) => given / wanted,
        _ => 1.0,
    };
    let round = |value: f64| (value * factor * 100.0).round() / 100.0;
    let value = match quantity.high {
        Some(high) => json!({ "from": number_value(round(quantity.low))?, "to": number_value(round(high))? }),
        None => number_value(round(quantity.low))?,
    };
    let sure = all.len() == 1 || exact.is_some();
    let bounds = |value: f64| shape.min.is_none_or(|min| value >= min) && shape.max.is_none_or(|max| value <= max);
    let likely = bounds(round(quantity.low))
        && quantity.high.is_none_or(|high| bounds(round(high)))
        && can_be_counted(shape, material, quantity, wanted);
    let confidence = if !likely {
        GUESS
    } else if sure {
        CLEAR
    } else {
        BRIEF
    };
    let reading = if (factor - 1.0).abs() < 1e-9 { "the number" } else { "the number, in the unit of the field" };
    Some(Made { from: Some(quantity.tokens.clone()), ..Made::new(value, confidence, reading) })
}

/// Whether a quantity can be how many there are of something: no halves, and no article that is a number too ("one
/// printed list").
fn can_be_counted(shape: &Shape, material: &Material<'_, '_>, quantity: &Quantity, wanted: Option<Unit>) -> bool {
    if shape.measure != Some(Measure::Count) || wanted.is_some() {
        return true;
    }
    let whole = quantity.low.fract() == 0.0 && quantity.high.is_none_or(|high| high.fract() == 0.0);
    let first = &material.text.tokens[quantity.tokens.start].word;
    let next = material.text.tokens.get(quantity.tokens.end);
    let names = next.is_some_and(|next| !material.lexicon.stopwords.contains(&next.word));
    let article = (quantity.low - 1.0).abs() < f64::EPSILON
        && quantity.tokens.len() == 1
        && !first.starts_with(|c: char| c.is_ascii_digit())
        && names;
    whole && !article && !kinds::is_negative(material, quantity.tokens.start)
}

/// Whether a quantity can be meant by a field that counts in a unit.
fn fits(quantity: &Quantity, wanted: Option<Unit>) -> bool {
    match (quantity.kind, wanted) {
        (Slot::Number, _) => true,
        (Slot::Money, wanted) => wanted == Some(Unit::Money) || (wanted.is_none() && quantity.unit.is_none()),
        (Slot::Percent, wanted) => matches!(wanted, None | Some(Unit::Percent)),
        (Slot::Duration, Some(wanted)) => wanted.hours().is_some(),
        _ => false,
    }
}

/// The quantity before the word that the field counts: "300 customers" for customers.
fn counted<'q, 'a>(shape: &Shape, material: &Material<'_, '_>, all: &'a [&'q Quantity]) -> Option<&'a &'q Quantity> {
    let counted = material.lexicon.stem(&shape.unit.as_ref()?.to_lowercase());
    all.iter().find(|quantity| material.text.tokens.get(quantity.tokens.end).is_some_and(|token| token.stem == counted))
}

/// A number as JSON writes it: whole ones without a point.
pub(super) fn number_value(value: f64) -> Option<Value> {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return Some(json!(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}

/// Yes or no by a cue or by a negation. A statement without either is a yes that has to be confirmed.
fn boolean(material: &Material<'_, '_>, tokens: &Range<usize>, option: Option<&str>) -> Made {
    // "Nobody should see what they earn" denies something else than what was asked.
    const NEAR: usize = 4;
    let head = tokens.start..tokens.end.min(tokens.start + NEAR);
    let denied = material.has(&material.lexicon.negations, &head);
    match option {
        Some(option) => Made::new(json!(option == "true"), CLEAR, "a phrase that means it"),
        None => Made::new(json!(!denied), GUESS, if denied { "a denial" } else { "a statement" }),
    }
}

/// The option that was named, that a cue means, or whose word was used in another form.
fn choice(shape: &Shape, material: &Material<'_, '_>, tokens: &Range<usize>, cued: Option<&str>) -> Option<Made> {
    let options = &shape.options;
    let said = &material.text.tokens[tokens.clone()];
    let stems = |option: &str| -> Vec<String> {
        option.split(['_', '-', ' ']).map(|word| material.lexicon.stem(&word.to_lowercase())).collect()
    };
    let stands = |wanted: &[String]| {
        (0..said.len())
            .find(|at| wanted.iter().enumerate().all(|(n, word)| said.get(at + n).is_some_and(|t| t.stem == *word)))
    };
    let place = |option: &&String| {
        let shown = shown_as(shape, option, &material.lexicon.id);
        stands(&stems(option)).or_else(|| stands(&stems(shown?)))
    };
    let mut named: Vec<(usize, &String)> = options
        .iter()
        .filter_map(|option| place(&option).map(|at| (at, option)))
        .filter(|(at, _)| !material.is_denied(tokens, tokens.start + *at))
        .collect();
    named.sort_by_key(|(at, _)| *at);
    let unit = unit_among(options, material, tokens);
    match named.as_slice() {
        // "Half an hour" is counted in minutes, whatever it names.
        _ if unit.is_some() && named.len() < 2 => {}
        [(_, option)] => return Some(Made::new(json!(option), CLEAR, "the choice by its name")),
        // "Low… well, medium": the last. Otherwise the first, to be confirmed.
        [.., (at, option)] if is_second_thought(material, tokens.start + *at) => {
            return Some(Made::new(json!(option), BRIEF, "the last choice named"));
        }
        [(_, option), ..] if cued.is_none() => return Some(Made::new(json!(option), GUESS, "the first choice named")),
        _ => {}
    }
    if let Some(option) = unit {
        return Some(Made::new(json!(option), BRIEF, "the unit that was spoken in"));
    }
    if let Some(option) = cued.and_then(|cued| options.iter().find(|option| **option == *cued)) {
        return Some(Made::new(json!(option), CLEAR, "a phrase that means the choice"));
    }
    None
}

/// Whether what stands at a token comes after a pause and a second thought.
fn is_second_thought(material: &Material<'_, '_>, at: usize) -> bool {
    let (text, lexicon) = (material.text, material.lexicon);
    let pause = |at: usize| text.before(at).contains(['…', '.', '?', '!']);
    let talk = |start: usize| {
        let before = start..at;
        [&lexicon.fillers, &lexicon.repairs].iter().any(|talk| material.any_starts(talk, &before) == Some(at))
    };
    pause(at) || (at.saturating_sub(3)..at).any(talk)
}

/// The unit of time in which the text speaks, where the options are units of time: half a day is counted in hours.
fn unit_among<'o>(options: &'o [String], material: &Material<'_, '_>, tokens: &Range<usize>) -> Option<&'o String> {
    let quantity = material.quantities.within(tokens).find(|quantity| quantity.kind == Slot::Duration)?;
    let unit = quantity.unit?;
    let unit = if quantity.low < 1.0 { unit.smaller() } else { unit };
    options.iter().find(|option| Unit::of_setting(&option.to_lowercase()) == Some(unit))
}

fn array(field: &Field, material: &Material<'_, '_>, tokens: &Range<usize>) -> Option<Made> {
    let items = field.shape.items.as_deref()?;
    let tokens = &openings::point(field, material, tokens);
    let said = material.text.slice(tokens);
    let covers = |nothing: &Pattern| material.starts(nothing, tokens) == Some(tokens.end);
    let none = !tokens.is_empty() && material.candidates(&material.lexicon.nothing, tokens.start).any(covers);
    if none && items.r#type == Kind::String {
        return Some(Made::new(json!([said.to_lowercase()]), CLEAR, "that there is none"));
    }
    if items.r#type == Kind::Object {
        let values = records(items, field.key.as_deref(), said, material.lexicon);
        return (!values.is_empty() && !none).then(|| Made::new(Value::Array(values), CLEAR, "a record for each"));
    }
    let parts = parts(material, tokens);
    let values: Vec<Value> = parts.iter().filter_map(|part| element(items, part, material.lexicon)).collect();
    let confidence = if material.telling(tokens) == 0 { BRIEF } else { CLEAR };
    (!values.is_empty()).then(|| Made::new(Value::Array(values), confidence, "the elements of a list"))
}

/// The lines of a list, each an element or a record.
pub(super) fn of_lines(field: &Field, material: &Material<'_, '_>, lines: &[Range<usize>]) -> Option<Made> {
    let items = field.shape.items.as_deref()?;
    let said: Vec<&str> = lines.iter().map(|line| material.text.slice(line)).collect();
    let values: Vec<Value> = match items.r#type {
        Kind::Object => records(items, field.key.as_deref(), &said.join("\n"), material.lexicon),
        _ => {
            said.iter().filter_map(|line| element(items, trimmed(line, material.lexicon)?, material.lexicon)).collect()
        }
    };
    (!values.is_empty()).then(|| Made::new(Value::Array(values), CLEAR, "the lines of a list"))
}

/// An element of a list, of the kind of its elements.
fn element(items: &Shape, part: &str, lexicon: &Lexicon) -> Option<Value> {
    match items.r#type {
        Kind::String => Some(json!(part)),
        Kind::Enum => items.options.iter().find(|option| says(part, option)).map(|option| json!(option)),
        Kind::Number => amounts(part, lexicon).first().copied().and_then(number_value),
        Kind::Boolean | Kind::Array | Kind::Object => None,
    }
}

fn says(text: &str, option: &str) -> bool {
    Folded::new(text).find(&Folded::new(&option.replace(['_', '-'], " "))).is_some()
}

/// The numbers that a text has in it.
pub(super) fn amounts(text: &str, lexicon: &Lexicon) -> Vec<f64> {
    let text = lexicon.text(text);
    let quantities = Quantities::find(&text, lexicon);
    let all = quantities.within(&(0..text.tokens.len()));
    all.filter(|q| q.kind != Slot::Date && q.kind != Slot::Time).map(|q| q.high.unwrap_or(q.low)).collect()
}

/// The numbers that a text states, also as they are counted in the unit of a field.
pub(super) fn figures(shape: &Shape, words: &str, lexicon: &Lexicon) -> Vec<f64> {
    let text = lexicon.text(words);
    let quantities = Quantities::find(&text, lexicon);
    let wanted = unit_of(shape, lexicon).and_then(Unit::hours);
    let mut found = Vec::new();
    for quantity in quantities.within(&(0..text.tokens.len())) {
        let factor = match (quantity.unit.and_then(Unit::hours), wanted) {
            (Some(given), Some(wanted)) => given / wanted,
            _ => 1.0,
        };
        for number in [Some(quantity.low), quantity.high].into_iter().flatten() {
            found.extend([number, number * factor]);
        }
    }
    found
}

/// The records of a list: what is said of each name. Names without a choice share that of the next one: "the gallery and
/// the chat: low".
fn records(shape: &Shape, key: Option<&str>, said: &str, lexicon: &Lexicon) -> Vec<Value> {
    let Some(name) = key.or_else(|| shape.properties.keys().next().map(String::as_str)) else { return Vec::new() };
    let talk = |part: &str| is_talk(part, lexicon) || says_of_rest(part, lexicon);
    let parts = remarks(said, Manner::of(lexicon)).into_iter().filter(|part| !talk(part));
    let mut records: Vec<Map<String, Value>> =
        parts.filter_map(|part| record(shape, name, &described(shape, name, part, lexicon))).collect();
    let mut next: Map<String, Value> = Map::new();
    for record in records.iter_mut().rev() {
        if record.len() > 1 {
            next =
                record.iter().filter(|(part, _)| is_choice(shape, part)).map(|(k, v)| (k.clone(), v.clone())).collect();
        } else {
            record.extend(next.clone());
        }
    }
    records.into_iter().map(Value::Object).collect()
}

/// Whether a part only speaks of what is left: "the rest is clear".
fn says_of_rest(part: &str, lexicon: &Lexicon) -> bool {
    let text = lexicon.text(part);
    let quantities = Quantities::find(&text, lexicon);
    let material = Material { text: &text, lexicon, quantities: &quantities };
    let all = 0..text.tokens.len();
    !all.is_empty() && material.any_starts(&lexicon.verdicts.whole, &all) == Some(all.end)
}

/// "SSO is single sign on" as a name and what it is, where records have a place for that.
fn described(shape: &Shape, name: &str, part: &str, lexicon: &Lexicon) -> String {
    const A_NAME: usize = 3;
    let has_text = shape.properties.iter().any(|(other, own)| other != name && own.r#type == Kind::String);
    if !has_text || list::named(part).is_some() {
        return part.to_owned();
    }
    let text = lexicon.text(part);
    let quantities = Quantities::find(&text, lexicon);
    let material = Material { text: &text, lexicon, quantities: &quantities };
    let all = text.tokens.len();
    // "Their value is low" judges something and describes nothing.
    let first = text.tokens.first().is_none_or(|first| lexicon.stopwords.contains(&first.word));
    let judges = shape.properties.values().any(|own| chosen(own, Folded::new(part).as_str()).is_some());
    if first || judges {
        return part.to_owned();
    }
    let ends = |at: usize| {
        let end = material.any_starts(&lexicon.notes.copulas, &(at..all)).filter(|end| *end < all)?;
        Some((at, end))
    };
    match (1..=A_NAME.min(all.saturating_sub(1))).find_map(ends) {
        Some((at, end)) => format!("{}: {}", text.slice(&(0..at)), text.slice(&(end..all))),
        None => part.to_owned(),
    }
}

fn is_choice(shape: &Shape, part: &str) -> bool {
    shape.properties.get(part).is_some_and(|part| part.r#type == Kind::Enum)
}

/// An element of a list of records: a name alone, "name high", or "name: description" and "name: high", where the choices
/// that were named fill the parts that take them. A choice without a name is none.
fn record(shape: &Shape, name: &str, part: &str) -> Option<Map<String, Value>> {
    let mut record = Map::new();
    let others = || shape.properties.iter().filter(|(other, _)| *other != name);
    let (head, rest) = list::named(part).unwrap_or_else(|| {
        let last = part.rsplit_once(char::is_whitespace).unwrap_or(("", part));
        let chosen = others().any(|(_, other)| chosen(other, Folded::new(last.1).as_str()).is_some());
        if chosen { last } else { (part, "") }
    });
    // Choices alone are said of nothing.
    let is_choice = |word: &str| others().any(|(_, other)| chosen(other, Folded::new(word).as_str()).is_some());
    if !head.chars().any(char::is_alphanumeric) || head.split_whitespace().all(is_choice) {
        return None;
    }
    record.insert(name.to_owned(), json!(head.trim()));
    let mut left = Folded::new(rest).as_str().to_owned();
    for (other, part) in others() {
        // A word that was said stands for one part only.
        if let Some((option, said)) = chosen(part, &left) {
            left = left.replacen(&said, " ", 1);
            record.insert(other.clone(), json!(option));
        }
    }
    let text = others().find(|(_, part)| part.r#type == Kind::String);
    if let Some((second, _)) = text.filter(|_| left.chars().any(char::is_alphanumeric)) {
        record.insert(second.clone(), json!(rest.trim()));
    }
    Some(record)
}

/// What people read instead of a choice in a language.
fn shown_as<'s>(shape: &'s Shape, option: &str, language: &str) -> Option<&'s str> {
    shape.options_in.get(language).and_then(|words| words.value.get(option)).map(|word| word.value.as_str())
}

/// The choice of a part that a text names in any of the engine's languages, and the word that names it.
fn chosen(part: &Shape, text: &str) -> Option<(String, String)> {
    let others = || part.option_cues_in.values().map(|cues| &cues.value);
    let ways = |option: &String| {
        let cues = std::iter::once(&part.option_cues).chain(others()).filter_map(|cues| cues.get(option.as_str()));
        let said = cues.flat_map(|cues| cues.iter().map(|cue| cue.value.clone()));
        let shown = part.options_in.values().filter_map(|words| words.value.get(option));
        let shown = shown.map(|word| word.value.to_lowercase());
        said.chain(shown).chain([option.replace(['_', '-'], " ")]).collect::<Vec<_>>()
    };
    let stands = |way: &String| text.split_whitespace().any(|word| word == way);
    let mut named = part.options.iter().filter(|_| part.r#type == Kind::Enum);
    named.find_map(|option| Some((option.clone(), ways(option).into_iter().find(stands)?)))
}

/// A record from one answer: its numbers by their units, its choices, and the whole text in its first text.
fn object(shape: &Shape, material: &Material<'_, '_>, tokens: &Range<usize>) -> Option<Made> {
    let mut record = Map::new();
    let mut text_used = false;
    for (name, part) in &shape.properties {
        let value = match part.r#type {
            Kind::Number => number(part, material, tokens).map(|made| made.value),
            Kind::Enum => choice(&part.shape, material, tokens, None).map(|made| made.value),
            Kind::String if !text_used => {
                text_used = true;
                text(material, tokens).map(|made| made.value)
            }
            _ => None,
        };
        if let Some(value) = value {
            record.insert(name.clone(), value);
        }
    }
    (!record.is_empty()).then(|| Made::new(Value::Object(record), GUESS, "the parts of a record"))
}
