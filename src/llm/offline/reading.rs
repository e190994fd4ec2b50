//! Reads a message as the answer to what was asked last.

use serde_json::{Map, Value, json};

use super::Found;
use super::choice::choice;
use super::list::elements;
use super::number::{number, number_value};
use super::quantity::quantities;
use super::sentences::sentences;
use crate::engine::config::{Field, Kind, Shape};
use crate::engine::ports::AnalysisRequest;
use crate::engine::replies::{Reply, plain_reply};
use crate::engine::words::{Folded, content_words, words};

/// An answer in so many words.
pub(super) const CLEAR: f64 = 0.85;
/// An answer that says little.
pub(super) const BRIEF: f64 = 0.75;
/// A guess, to be confirmed.
pub(super) const GUESS: f64 = 0.6;
/// The longest text that is taken as one value.
const MAX_VALUE: usize = 600;

/// What the message says on the fields that were asked for. Where nothing was asked, it is an answer to nothing.
pub fn answer_to_question(request: &AnalysisRequest<'_>, message: &str) -> Vec<Found> {
    let asked = &request.memory.asked;
    let confirming = asked.iter().any(|asked| !asked.to_confirm.is_empty());
    let message = match plain_reply(message) {
        // A yes to "is that right?" confirms what was read before and says nothing new.
        Some(Reply::Yes) if confirming => return Vec::new(),
        Some(Reply::No) if confirming => match after_no(message) {
            Some(rest) => rest,
            None => return Vec::new(),
        },
        Some(Reply::DoesNotKnow) => match estimate(message) {
            Some(rest) => rest,
            None => return Vec::new(),
        },
        _ => message,
    };
    let paths = asked.iter().flat_map(|asked| request.engine.fields_of(&asked.obligation));
    let mut fields: Vec<&Field> = paths.filter_map(|path| request.engine.field(path)).collect();
    // Where one part of an answer is known already, only the others were asked for.
    let is_known = |field: &Field| request.memory.extraction.is_known(&field.path);
    if !fields.iter().all(|field| is_known(field)) {
        fields.retain(|field| !is_known(field));
    }
    let texts = fields.iter().filter(|field| field.shape.r#type == Kind::String).count();
    let mut nth_text = 0;
    let mut found = Vec::new();
    for field in fields {
        let is_text = field.shape.r#type == Kind::String;
        let part = if is_text && texts > 1 { share_of(message, nth_text, texts) } else { Some(message) };
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

/// What stands instead: "No, it is the nurses."
fn after_no(message: &str) -> Option<&str> {
    let at = message.find([',', '.', ';', ':', '!', '–', '—'])?;
    let rest = message[at..].trim_start_matches(|c: char| !c.is_alphanumeric());
    (content_words(rest).next().is_some()).then_some(rest)
}

/// The guess of somebody who does not know: "not sure, maybe 40".
fn estimate(message: &str) -> Option<&str> {
    const LOOSE: &[&str] = &["maybe", "perhaps", "probably", "i guess", "i'd say", "i would say"];
    const BEFORE_FIGURES: &[&str] = &["about", "around", "roughly"];
    let lower = message.to_lowercase();
    if lower.len() != message.len() {
        return None;
    }
    let after = |marks: &[&str]| {
        let places = marks.iter().filter_map(|mark| lower.find(&format!(" {mark} ")).map(|at| at + mark.len() + 2));
        places.min().map(|at| message[at..].trim())
    };
    let guess = after(LOOSE).filter(|rest| content_words(rest).next().is_some());
    // "Not sure about that" has no estimate in it, "not sure, about 40" has.
    guess.or_else(|| after(BEFORE_FIGURES).filter(|rest| !quantities(rest).is_empty()))
}

/// The part of a message that goes to the nth of several texts: sentences in order, the last takes the rest.
fn share_of(message: &str, nth: usize, of: usize) -> Option<&str> {
    let place = |part: &str| part.as_ptr() as usize - message.as_ptr() as usize;
    let mut starts: Vec<usize> = sentences(message).into_iter().map(place).collect();
    if starts.len() < 2 {
        // One sentence: what follows a semicolon, or "and" or a comma before a number, is the second part.
        starts.extend(second_part(message));
    }
    if starts.len() < 2 {
        return (nth == 0).then_some(message);
    }
    let start = *starts.get(nth)?;
    let end = if nth + 1 == of { message.len() } else { starts.get(nth + 1).copied().unwrap_or(message.len()) };
    Some(message[start..end].trim().trim_end_matches([',', ';']).trim())
}

fn second_part(message: &str) -> Option<usize> {
    let semicolon = message.find("; ").map(|at| at + 2);
    let figure = || {
        let first = quantities(message).first()?.range.start;
        let comma = message[..first].rfind(", ")? + 2;
        (comma >= 8).then_some(comma)
    };
    semicolon.or_else(figure).filter(|at| content_words(&message[*at..]).next().is_some())
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
    // A yes, a no or an "ok" is no text, whatever the question was.
    let empty = is_bare_reply(value);
    let confidence = if content_words(value).count() < 2 { BRIEF } else { CLEAR };
    (!value.is_empty() && !empty).then(|| (json!(value), value.to_owned(), confidence))
}

/// Whether a text says yes or no and nothing else: "ok", "that's right".
fn is_bare_reply(text: &str) -> bool {
    const BARE: &[&str] = &[
        "yes",
        "yep",
        "yeah",
        "yup",
        "no",
        "nope",
        "nah",
        "ok",
        "okay",
        "sure",
        "right",
        "correct",
        "exactly",
        "true",
        "thats",
        "that",
        "is",
        "it",
        "indeed",
        "absolutely",
        "definitely",
        "of",
        "course",
        "agreed",
        "confirmed",
        "perfect",
        "sounds",
        "looks",
        "good",
        "not",
        "really",
        "quite",
        "wrong",
        "we",
        "i",
        "do",
        "dont",
    ];
    let folded = Folded::new(text);
    let replies = matches!(plain_reply(text), Some(Reply::Yes | Reply::No));
    replies && folded.as_str().split(' ').all(|word| BARE.contains(&word))
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
            let agreed = words(text).any(|word| matches!(word.as_str(), "yes" | "definitely" | "certainly"));
            Some((json!(!negated), quote, if agreed && !negated { CLEAR } else { GUESS }))
        }
    }
}

pub(super) fn first_words(text: &str) -> String {
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= 120).unwrap_or(text.len());
    text[..end].trim().to_owned()
}

fn array(field: &Field, text: &str) -> Option<(Value, String, f64)> {
    let items = field.shape.items.as_deref()?;
    if let Some(nothing) = nothing(text).filter(|_| items.r#type == Kind::String) {
        return Some((json!([nothing]), text.to_owned(), CLEAR));
    }
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
    if is_bare_reply(text) {
        return None;
    }
    let confidence = if content_words(text).next().is_none() { BRIEF } else { CLEAR };
    (!values.is_empty()).then(|| (Value::Array(values), first_words(answer_proper(text)), confidence))
}

/// The answer to "which?" or "who?" that there is none.
fn nothing(text: &str) -> Option<&'static str> {
    match Folded::new(text).as_str() {
        "nobody" | "no one" | "nobody else" | "no one else" => Some("nobody"),
        "no" | "none" | "nothing" | "nope" | "none at all" | "nothing at all" | "none really" | "not any" => {
            Some("nothing")
        }
        _ => None,
    }
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
