//! Corrections of what was said before: "actually, not X but Y", "it is Y, not X", "I meant Y".

use serde_json::{Value, json};

use super::Found;
use super::number::number_value;
use super::quantity::quantities;
use super::reading;
use super::sentences::sentences;
use crate::engine::config::{Field, Kind};
use crate::engine::ports::AnalysisRequest;
use crate::engine::values::brief_text;
use crate::engine::words::{Folded, content_words, words};

/// What is out and what is in, as they stand in the message.
#[derive(Debug, PartialEq, Eq)]
struct Correction<'a> {
    out: &'a str,
    into: &'a str,
    quote: &'a str,
}

/// Fields that the message corrects.
pub fn find(request: &AnalysisRequest<'_>, message: &str) -> Vec<Found> {
    let announced = is_announced(message);
    let Some(correction) = read(message, announced) else { return restated(request, message) };
    // What says the wrong thing in so many words comes before what only speaks of it, and late before early.
    let mut best: Option<((bool, u32), &Field, &Value)> = None;
    for field in request.engine.definition().fields.iter() {
        let Some(extracted) = request.memory.extraction.get(&field.path) else { continue };
        let Some(value) = &extracted.value else { continue };
        let literal = holds(value, correction.out);
        let rank = (literal, extracted.last_updated_at_turn);
        let mentions = literal || (announced && speaks_of(value, correction.out));
        if mentions && best.as_ref().is_none_or(|(other, ..)| rank > *other) {
            best = Some((rank, field, value));
        }
    }
    let Some((_, field, old)) = best else { return Vec::new() };
    let values = replaced(field, old, &correction);
    let found = |value: Value| Found {
        path: field.path.to_string(),
        value,
        confidence: 0.9,
        quote: correction.quote.to_owned(),
        reasoning: "a correction of what was said before",
    };
    values.into_iter().map(found).collect()
}

/// "Correction: 50k", "sorry, I meant September": the last answer, given anew.
fn restated(request: &AnalysisRequest<'_>, message: &str) -> Vec<Found> {
    const MARKS: &[&str] =
        &["i meant", "correction:", "correction,", "i should have said", "scratch that,", "let me correct that:"];
    let lower = message.to_lowercase();
    let mark = MARKS.iter().filter_map(|mark| word_at(&lower, mark).map(|at| at + mark.len())).min();
    let Some(rest) = mark.and_then(|at| message.get(at..)).map(|rest| rest.trim_start_matches([' ', ',', ':'])) else {
        return Vec::new();
    };
    let last = request.memory.turn.saturating_sub(1);
    let fresh = request.engine.definition().fields.iter().filter(|field| {
        let known = request.memory.extraction.get(&field.path);
        known.is_some_and(|known| known.value.is_some() && known.last_updated_at_turn == last && last > 0)
    });
    let rest = strip_lead(rest);
    let mut readable: Vec<_> = fresh.filter_map(|field| Some((field, reading::read(field, rest)?))).collect();
    // Of several answers it corrects the one it is most like; where none is, it corrects none.
    if readable.len() > 1 {
        let alike = |field: &Field| {
            let old = request.memory.extraction.value(&field.path).map(brief_text).unwrap_or_default();
            let known: Vec<String> = content_words(&old).collect();
            let shared = content_words(rest).filter(|word| known.contains(word)).count();
            shared + 2 * usize::from(quantities(&old).is_empty() == quantities(rest).is_empty())
        };
        readable.sort_by_key(|(field, _)| std::cmp::Reverse(alike(field)));
        if readable.get(1).is_some_and(|(second, _)| alike(second) == alike(readable[0].0)) {
            return Vec::new();
        }
    }
    let Some((field, (value, quote, confidence))) = readable.into_iter().next() else { return Vec::new() };
    let reasoning = "a correction of the answer before";
    vec![Found { path: field.path.to_string(), value, confidence, quote, reasoning }]
}

/// Whether a value says a phrase: a text in so many words, a number by its amount.
fn holds(value: &Value, phrase: &str) -> bool {
    let telling = content_words(phrase).next().is_some();
    let number = value.as_f64().is_some_and(|value| quantities(phrase).iter().any(|q| same_number(q.value, value)));
    number || (telling && Folded::new(&brief_text(value)).find(&Folded::new(phrase)).is_some())
}

fn same_number(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// Whether a value has all the telling words of a phrase.
fn speaks_of(value: &Value, phrase: &str) -> bool {
    let said: Vec<String> = words(&brief_text(value)).collect();
    let mut wanted = content_words(phrase).peekable();
    wanted.peek().is_some() && wanted.all(|word| said.contains(&word))
}

/// The corrected value: the old one with the wrong part replaced, where it can be found in it. A list gathers, so it
/// is taken back first and then given anew.
fn replaced(field: &Field, old: &Value, correction: &Correction<'_>) -> Vec<Value> {
    match (field.shape.r#type, old) {
        (Kind::String, Value::String(text)) => vec![json!(exchanged(text, correction))],
        (Kind::Number, _) => {
            quantities(correction.into).first().map(|q| number_value(q.value)).into_iter().flatten().collect()
        }
        (Kind::Enum, _) => {
            let folded = Folded::new(correction.into);
            let option =
                field.shape.options.iter().find(|o| folded.find(&Folded::new(&o.replace(['_', '-'], " "))).is_some());
            option.map(|option| json!(option)).into_iter().collect()
        }
        (Kind::Array, Value::Array(items)) if items.iter().all(Value::is_string) => {
            let items = items.iter().filter_map(Value::as_str).map(|item| {
                let wrong = holds(&json!(item), correction.out);
                if wrong { exchanged(item, correction) } else { item.to_owned() }
            });
            vec![Value::Null, items.collect()]
        }
        _ => Vec::new(),
    }
}

fn exchanged(text: &str, correction: &Correction<'_>) -> String {
    match Folded::new(text).find(&Folded::new(correction.out)) {
        Some(range) => format!("{}{}{}", &text[..range.start], correction.into, &text[range.end..]),
        None => correction.into.to_owned(),
    }
}

/// Whether the message begins as a correction does.
fn is_announced(message: &str) -> bool {
    const LEADS: &[&str] = &[
        "actually",
        "no,",
        "sorry",
        "correction",
        "wait",
        "i meant",
        "i mean",
        "oh,",
        "oops",
        "my mistake",
        "i was wrong",
        "let me correct",
        "scratch that",
        "not ",
    ];
    let lower = message.trim_start().to_lowercase();
    LEADS.iter().any(|lead| lower.starts_with(lead))
}

fn read(message: &str, announced: bool) -> Option<Correction<'_>> {
    let text = message.trim();
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    // "not X but Y", which "not only X but also Y" is not.
    if let Some(not) = word_at(&lower, "not ").filter(|at| !lower[*at..].starts_with("not only"))
        && let Some(but) = lower[not..].find(" but ").map(|at| not + at)
    {
        let into = clause(&text[but + 5..]);
        let end = but + 5 + into.len();
        return whole(Correction { out: clause(&text[not + 4..but]), into, quote: &text[not..end] });
    }
    // "Y, not X" and, where a correction was announced, "Y instead of X".
    let marks: &[&str] = if announced { &[", not ", " instead of ", " rather than "] } else { &[", not "] };
    for mark in marks {
        if let Some(at) = lower.find(mark) {
            let start = text[..at].rfind(['.', ',', ':', ';']).map_or(0, |dot| dot + 1);
            let into = strip_lead(text[start..at].trim());
            let out = clause(&text[at + mark.len()..]);
            let end = at + mark.len() + out.len();
            return whole(Correction { out, into, quote: text[start..end].trim() });
        }
    }
    None
}

fn whole(correction: Correction<'_>) -> Option<Correction<'_>> {
    let tells = |text: &str| text.chars().any(char::is_alphanumeric);
    (tells(correction.out) && tells(correction.into)).then_some(correction)
}

fn word_at(lower: &str, word: &str) -> Option<usize> {
    lower
        .match_indices(word)
        .map(|(at, _)| at)
        .find(|at| *at == 0 || lower[..*at].ends_with(|c: char| !c.is_alphanumeric()))
}

/// Up to the end of the clause.
fn clause(text: &str) -> &str {
    let first = sentences(text).into_iter().next().unwrap_or_default();
    let end = first.find([';', '\n']).unwrap_or(first.len());
    first[..end].trim().trim_end_matches(['.', '!', '?', ','])
}

/// Without "actually", "it is" and the like before the point.
fn strip_lead(text: &str) -> &str {
    let mut rest = text;
    loop {
        let lower = rest.to_lowercase();
        let leads = [
            "actually",
            "no",
            "oops",
            "my mistake",
            "sorry",
            "correction",
            "wait",
            "i meant",
            "i mean",
            "it is",
            "it's",
            "it’s",
            "that is",
            "that's",
            "we need",
            "we want",
        ];
        let lead =
            leads.iter().find(|lead| lower.strip_prefix(**lead).is_some_and(|after| after.starts_with([' ', ','])));
        match lead {
            Some(lead) if rest.is_char_boundary(lead.len()) => rest = rest[lead.len()..].trim_start_matches([' ', ',']),
            _ => return rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_are_read() {
        let correction = read("Actually, not a website but a mobile app.", true).unwrap();
        assert_eq!((correction.out, correction.into), ("a website", "a mobile app"));
        assert_eq!(correction.quote, "not a website but a mobile app");
        let correction = read("Sorry, it's 5 hours, not 3 hours.", true).unwrap();
        assert_eq!((correction.out, correction.into), ("3 hours", "5 hours"));
        assert_eq!(read("Not only nurses but also doctors.", true), None);
        assert_eq!(read("A target rather than fixed.", false), None);
        assert_eq!(read("Reception loses time.", false), None);
    }
}
