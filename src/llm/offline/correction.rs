//! Corrections of what was said before: "actually, not X but Y", "it is Y, not X", "I meant Y".

use serde_json::{Value, json};

use super::Found;
use super::quantity::quantities;
use crate::engine::config::{Field, Kind};
use crate::engine::ports::AnalysisRequest;
use crate::engine::values::brief_text;
use crate::engine::words::{Folded, content_words};

/// What is out and what is in, as they stand in the message.
#[derive(Debug, PartialEq, Eq)]
struct Correction<'a> {
    out: &'a str,
    into: &'a str,
    quote: &'a str,
}

/// Fields that the message corrects.
pub fn find(request: &AnalysisRequest<'_>) -> Vec<Found> {
    let Some(correction) = read(request.message) else { return Vec::new() };
    let out = Folded::new(correction.out);
    let mut best: Option<(u32, &Field, &Value)> = None;
    for field in request.engine.definition().fields.iter() {
        let Some(extracted) = request.memory.extraction.get(&field.path) else { continue };
        let Some(value) = &extracted.value else { continue };
        let mentions = Folded::new(&brief_text(value)).find(&out).is_some() || speaks_of(value, correction.out);
        let newer = best.as_ref().is_none_or(|(turn, ..)| extracted.last_updated_at_turn > *turn);
        if mentions && newer {
            best = Some((extracted.last_updated_at_turn, field, value));
        }
    }
    let Some((_, field, old)) = best else { return Vec::new() };
    let Some(value) = replaced(field, old, &correction) else { return Vec::new() };
    let (path, quote) = (field.path.to_string(), correction.quote.to_owned());
    vec![Found { path, value, confidence: 0.9, quote, reasoning: "a correction of what was said before" }]
}

/// Whether a value has all the telling words of a phrase.
fn speaks_of(value: &Value, phrase: &str) -> bool {
    let text = brief_text(value).to_lowercase();
    let mut words = content_words(phrase).peekable();
    words.peek().is_some() && words.all(|word| text.contains(&word))
}

/// The corrected value: the old one with the wrong part replaced, where it can be found in it.
fn replaced(field: &Field, old: &Value, correction: &Correction<'_>) -> Option<Value> {
    match (field.shape.r#type, old) {
        (Kind::String, Value::String(text)) => {
            let range = Folded::new(text).find(&Folded::new(correction.out));
            Some(match range {
                Some(range) => json!(format!("{}{}{}", &text[..range.start], correction.into, &text[range.end..])),
                None => json!(correction.into),
            })
        }
        (Kind::Number, _) => quantities(correction.into).first().map(|quantity| json!(quantity.value)),
        (Kind::Enum, _) => {
            let folded = Folded::new(correction.into);
            let option =
                field.shape.options.iter().find(|o| folded.find(&Folded::new(&o.replace(['_', '-'], " "))).is_some());
            option.map(|option| json!(option))
        }
        // Elements gather; taking one out is an edit the user makes by hand.
        _ => None,
    }
}

fn read(message: &str) -> Option<Correction<'_>> {
    let text = message.trim();
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    // "not X but Y"
    if let Some(not) = word_at(&lower, "not ")
        && let Some(but) = lower[not..].find(" but ").map(|at| not + at)
    {
        let into = clause(&text[but + 5..]);
        let end = but + 5 + into.len();
        return whole(Correction { out: clause(&text[not + 4..but]), into, quote: &text[not..end] });
    }
    // "Y, not X" and "Y instead of X"
    for mark in [", not ", " instead of ", " rather than "] {
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
    let end = text.find(['.', ';', '!', '?', '\n']).unwrap_or(text.len());
    text[..end].trim().trim_end_matches(',')
}

/// Without "actually", "it is" and the like before the point.
fn strip_lead(text: &str) -> &str {
    let mut rest = text;
    loop {
        let lower = rest.to_lowercase();
        let leads = [
            "actually",
            "no",
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
        let correction = read("Actually, not a website but a mobile app.").unwrap();
        assert_eq!((correction.out, correction.into), ("a website", "a mobile app"));
        assert_eq!(correction.quote, "not a website but a mobile app");
        let correction = read("Sorry, it's 5 hours, not 3 hours.").unwrap();
        assert_eq!((correction.out, correction.into), ("3 hours", "5 hours"));
        assert_eq!(
            read("We do not know but we hope."),
            Some(Correction { out: "know", into: "we hope", quote: "not know but we hope" })
        );
        assert_eq!(read("Reception loses time."), None);
    }
}
