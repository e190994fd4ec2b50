//! Reads a message as the answer to what was asked last.

use serde_json::{Map, Number, Value, json};

use super::Found;
use super::list::elements;
use super::quantity::{Quantity, Span, Unit, quantities};
use crate::engine::config::{Field, Kind, Shape};
use crate::engine::ports::AnalysisRequest;
use crate::engine::replies::{Reply, plain_reply};
use crate::engine::words::{Folded, content_words, words};

/// An answer in so many words.
const CLEAR: f64 = 0.85;
/// An answer that says little.
const BRIEF: f64 = 0.75;
/// A guess, to be confirmed.
const GUESS: f64 = 0.6;
/// The longest text that is taken as one value.
const MAX_VALUE: usize = 600;

/// What the message says on the fields that were asked for. Where nothing was asked, it is an answer to nothing.
pub fn answer_to_question(request: &AnalysisRequest<'_>) -> Vec<Found> {
    let paths = request.memory.asked.iter().flat_map(|asked| request.engine.fields_of(&asked.obligation));
    let fields: Vec<&Field> = paths.filter_map(|path| request.engine.field(path)).collect();
    let texts = fields.iter().filter(|field| field.shape.r#type == Kind::String).count();
    let mut nth_text = 0;
    let mut found = Vec::new();
    for field in fields {
        let is_text = field.shape.r#type == Kind::String;
        let part =
            if is_text && texts > 1 { share_of(request.message, nth_text, texts) } else { Some(request.message) };
        nth_text += usize::from(is_text);
        if let Some((value, quote, confidence)) = part.and_then(|part| read(field, part)) {
            // An answer that had to be divided among several fields is a guess from the second on.
            let confidence = if is_text && nth_text > 1 && texts > 1 { confidence.min(BRIEF) } else { confidence };
            let reasoning = "the answer to the question";
            found.push(Found { path: field.path.to_string(), value, confidence, quote, reasoning });
        }
    }
    found
}

/// The part of a message that goes to the nth of several texts: sentences in order, the last takes the rest.
fn share_of(message: &str, nth: usize, of: usize) -> Option<&str> {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(message.match_indices(['.', '!', ';', '\n']).map(|(at, mark)| at + mark.len()))
        .filter(|at| message[*at..].chars().any(char::is_alphanumeric))
        .collect();
    if starts.len() < 2 {
        return (nth == 0).then_some(message);
    }
    let start = *starts.get(nth)?;
    let end = if nth + 1 == of { message.len() } else { starts.get(nth + 1).copied().unwrap_or(message.len()) };
    Some(message[start..end].trim())
}

/// A value of the field's kind in a text: value, quote, confidence.
pub fn read(field: &Field, text: &str) -> Option<(Value, String, f64)> {
    let text = text.trim();
    if !text.chars().any(char::is_alphanumeric) {
        return None;
    }
    match field.shape.r#type {
        Kind::String => string(text),
        Kind::Number => number(field, text),
        Kind::Boolean => boolean(text),
        Kind::Enum => choice(&field.shape.options, text),
        Kind::Array => array(field, text),
        Kind::Object => object(&field.shape, text),
    }
}

fn string(text: &str) -> Option<(Value, String, f64)> {
    let text = answer_proper(text);
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_VALUE).unwrap_or(text.len());
    let value = text[..end].trim();
    let telling = content_words(value).count();
    let confidence = match telling {
        0 => GUESS - 0.2,
        1 => BRIEF,
        _ => CLEAR,
    };
    (!value.is_empty()).then(|| (json!(value), value.to_owned(), confidence))
}

/// The answer without what people say before they answer.
fn answer_proper(text: &str) -> &str {
    const FILLERS: &[&str] = &[
        "well,",
        "well ",
        "so,",
        "hmm,",
        "hm,",
        "um,",
        "ok,",
        "okay,",
        "oh,",
        "ah,",
        "yes,",
        "yeah,",
        "right,",
        "sure,",
        "i think ",
        "i guess ",
        "i would say ",
        "i'd say ",
        "good question.",
        "good question,",
        "let me think.",
    ];
    let mut rest = text.trim();
    while let Some(filler) = FILLERS.iter().find(|filler| starts_folded(rest, filler)) {
        let after = rest[filler.len()..].trim_start();
        if after.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
            break;
        }
        rest = after;
    }
    rest
}

fn starts_folded(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// The quantity that fits the field: of the unit its description speaks of, else the first.
fn number(field: &Field, text: &str) -> Option<(Value, String, f64)> {
    let all = quantities(text);
    let about = format!("{} {}", field.name, field.description);
    let wanted = Span::mentioned(&about);
    let money = words(&about)
        .any(|word| matches!(word.as_str(), "money" | "budget" | "cost" | "price" | "euros" | "dollars" | "revenue"));
    let fits = |quantity: &&Quantity| match quantity.unit {
        Some(Unit::Time(_)) => wanted.is_some(),
        Some(Unit::Money) => money,
        _ => false,
    };
    let quantity = all.iter().find(fits).or_else(|| all.first())?;
    let value = match (quantity.unit, wanted) {
        (Some(Unit::Time(given)), Some(wanted)) if given != wanted => quantity.value * given.hours() / wanted.hours(),
        _ => quantity.value,
    };
    let rounded = (value * 100.0).round() / 100.0;
    let confidence = if all.len() == 1 { CLEAR } else { BRIEF };
    Some((number_value(rounded)?, text[quantity.range.clone()].to_owned(), confidence))
}

fn number_value(value: f64) -> Option<Value> {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return Some(json!(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}

/// Yes or no. A statement without either is taken for a yes that has to be confirmed.
fn boolean(text: &str) -> Option<(Value, String, f64)> {
    let quote = first_words(text);
    match plain_reply(text) {
        Some(Reply::Yes) => Some((json!(true), quote, 0.9)),
        Some(Reply::No) => Some((json!(false), quote, 0.9)),
        Some(_) => None,
        None => {
            let negated = words(text).any(|word| {
                matches!(word.as_str(), "no" | "not" | "none" | "never" | "nothing" | "nobody" | "without")
            }) || text.to_lowercase().contains("n't")
                || text.to_lowercase().contains("n’t");
            Some((json!(!negated), quote, GUESS))
        }
    }
}

fn first_words(text: &str) -> String {
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= 120).unwrap_or(text.len());
    text[..end].trim().to_owned()
}

/// The option that was named, or the only one whose words were used.
fn choice(options: &[String], text: &str) -> Option<(Value, String, f64)> {
    let folded = Folded::new(text);
    let spoken = |option: &str| option.replace(['_', '-'], " ");
    let named: Vec<(&String, std::ops::Range<usize>)> = options
        .iter()
        .filter_map(|option| folded.find(&Folded::new(&spoken(option))).map(|range| (option, range)))
        .collect();
    if let [(option, range)] = named.as_slice() {
        return Some((json!(option), text[range.clone()].to_owned(), CLEAR));
    }
    let used: Vec<String> = content_words(text).collect();
    let alike =
        |option: &str| content_words(&spoken(option)).any(|word| used.iter().any(|said| same_stem(said, &word)));
    let near: Vec<&String> = options.iter().filter(|option| alike(option)).collect();
    match near.as_slice() {
        [option] => Some((json!(option), first_words(text), BRIEF)),
        _ => None,
    }
}

/// Whether two words begin alike enough to be forms of one.
fn same_stem(a: &str, b: &str) -> bool {
    let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    common >= 4 && common + 3 >= a.chars().count().max(b.chars().count())
}

fn array(field: &Field, text: &str) -> Option<(Value, String, f64)> {
    let items = field.shape.items.as_deref()?;
    let parts = elements(answer_proper(text));
    let values: Vec<Value> = parts
        .iter()
        .filter_map(|part| match items.r#type {
            Kind::String => Some(json!(part)),
            Kind::Enum => choice(&items.options, part).map(|(value, ..)| value),
            Kind::Number => quantities(part).first().and_then(|quantity| number_value(quantity.value)),
            Kind::Object => record(items, field.key.as_deref(), part),
            Kind::Boolean | Kind::Array => None,
        })
        .collect();
    let confidence = if content_words(text).next().is_none() { GUESS - 0.2 } else { CLEAR };
    (!values.is_empty()).then(|| (Value::Array(values), first_words(answer_proper(text)), confidence))
}

/// An element of a list of records: "name: description" or a name alone.
fn record(shape: &Shape, key: Option<&str>, part: &str) -> Option<Value> {
    let name = key.or_else(|| shape.properties.keys().next().map(String::as_str))?;
    let texts = shape.properties.iter().filter(|(other, shape)| shape.r#type == Kind::String && *other != name);
    let split = [": ", " - ", " – ", " because "].iter().find_map(|mark| part.split_once(mark));
    let mut record = Map::new();
    match (split, texts.into_iter().next()) {
        (Some((head, rest)), Some((second, _))) => {
            record.insert(name.to_owned(), json!(head.trim()));
            record.insert(second.clone(), json!(rest.trim()));
        }
        _ => {
            record.insert(name.to_owned(), json!(part.trim()));
        }
    }
    Some(Value::Object(record))
}

/// A record from one answer: its first number, its choices, and the whole text in its first text.
fn object(shape: &Shape, text: &str) -> Option<(Value, String, f64)> {
    let mut record = Map::new();
    let mut text_used = false;
    for (name, part) in &shape.properties {
        let value = match part.r#type {
            Kind::Number => quantities(text).first().and_then(|quantity| number_value(quantity.value)),
            Kind::Enum => choice(&part.options, text).map(|(value, ..)| value),
            Kind::String if !text_used => {
                text_used = true;
                Some(json!(answer_proper(text)))
            }
            Kind::Boolean => boolean(text).filter(|(.., confidence)| *confidence > BRIEF).map(|(value, ..)| value),
            _ => None,
        };
        if let Some(value) = value {
            record.insert(name.clone(), value);
        }
    }
    (!record.is_empty()).then(|| (Value::Object(record), first_words(answer_proper(text)), BRIEF))
}
