//! An earlier answer with the words in it that were put right. It joins what was said in two messages, so it never counts by
//! itself: it is offered, and holds once the user has said yes to it.

use std::ops::Range;

use serde_json::{Value, json};

use super::clauses::Material;
use super::pattern::Slot;
use super::quantity::{Quantities, Quantity};
use super::template::pauses;
use super::text::Text;
use super::{FieldReading, Standing};
use crate::engine::config::{Field, Kind, Measure};
use crate::engine::memory::WorkingMemory;
use crate::engine::words::{Folded, content_words};

/// How an offer of this kind was read.
const REWORDED: &str = "the earlier answer with what was put right, offered";
/// How sure such an offer is: enough to be asked about at once.
const OFFERED: f64 = 0.6;
/// The most words that take the place of others.
const FEW: usize = 4;

/// The earlier answer with what was put right, where only a part of it was: a figure, or words that stand in it.
pub(super) fn reworded(
    field: &Field,
    known: &Value,
    material: &Material<'_, '_>,
    (old, new): (Option<&Range<usize>>, &Range<usize>),
) -> Option<String> {
    // A sum or a date says all by itself; a bare figure does not say what it counts.
    let told = !matches!(field.shape.measure, Some(Measure::Money | Measure::Date));
    let text = known.as_str().filter(|_| field.shape.r#type == Kind::String && told)?;
    let now: Vec<String> = content_words(material.text.slice(new)).collect();
    let before: Vec<String> = content_words(text).collect();
    let shared = before.iter().filter(|word| now.contains(word)).count();
    // Who says most of it again has said all of it again.
    if new.is_empty() || new.len() > FEW || before.len() < 2 || shared * 2 > before.len() {
        return None;
    }
    let figure = || with_figure(text, material, old, new);
    // More words in the place of a figure are the figure and what it counts: "12 people" for "11".
    let counts = |old: &Range<usize>| material.quantities.within(old).next().is_some() && new.len() > old.len();
    let reworded = match old.filter(|old| !counts(old)) {
        Some(old) => with_words(text, material, old, new).or_else(figure)?,
        None => figure()?,
    };
    (reworded != text).then_some(reworded)
}

/// An element of a list with a new figure in the place of the one that was taken back.
pub(super) fn element_anew(
    text: &str,
    material: &Material<'_, '_>,
    old: &Range<usize>,
    new: &Range<usize>,
) -> Option<String> {
    with_words(text, material, old, new).or_else(|| with_figure(text, material, Some(old), new))
}

/// The most words after a figure that say what it counts.
const COUNTED: usize = 2;

/// The figure of a clause that takes the place of another one of its kind, with what it counts.
pub(super) fn figure_in(material: &Material<'_, '_>, old: &Range<usize>, new: &Range<usize>) -> Option<Range<usize>> {
    let only = |tokens: &Range<usize>| {
        let mut figures = material.quantities.within(tokens);
        figures.next().filter(|_| figures.next().is_none())
    };
    let (taken, given) = (only(old)?, only(new)?);
    let counts = |at: &usize| {
        let small = material.lexicon.stopwords.contains(&material.text.tokens[*at].word);
        !small && !pauses(material, *at) && !material.has(&material.lexicon.verbs, &(*at..*at + 1))
    };
    let last = new.end.min(given.tokens.end + COUNTED);
    let end = (given.tokens.end..last).find(|at| !counts(at)).unwrap_or(last);
    (taken.kind == given.kind).then_some(given.tokens.start..end)
}

/// Whether an earlier answer says much that a correction neither takes back nor says anew: the new words cannot stand for
/// all of it.
pub(super) fn loses(known: &Value, material: &Material<'_, '_>, (old, new): (&Range<usize>, &Range<usize>)) -> bool {
    const MUCH: usize = 2;
    let said: Vec<String> =
        [old, new].into_iter().flat_map(|words| content_words(material.text.slice(words))).collect();
    let figure = |word: &str| material.lexicon.number_in(word).is_some();
    let left_out = |word: &String| !said.contains(word) && !figure(word);
    known.as_str().is_some_and(|text| content_words(text).filter(left_out).count() >= MUCH)
}

/// The offer of it, which replaces nothing before it is confirmed. The words that it was first told in speak for it.
pub(super) fn offered_anew(memory: &WorkingMemory, field: &Field, text: &str, quote: String) -> FieldReading {
    let known = memory.extraction.get(&field.path);
    let said = known.and_then(|known| match &known.candidate {
        Some(candidate) => candidate.evidence.as_ref(),
        None => known.evidence.as_ref(),
    });
    FieldReading {
        path: field.path.to_string(),
        value: json!(text),
        quote: said.map_or(quote, |said| said.quote.clone()),
        confidence: OFFERED,
        status: Standing::Candidate,
        reading: REWORDED.to_owned(),
        doubt: Some("only a part of it was put right".to_owned()),
        cues: Vec::new(),
        adds: false,
    }
}

/// A text with a new figure in the place of the one that is meant, or of the only one of its kind.
fn with_figure(
    text: &str,
    material: &Material<'_, '_>,
    old: Option<&Range<usize>>,
    new: &Range<usize>,
) -> Option<String> {
    let lexicon = material.lexicon;
    let said = lexicon.text(text);
    let figures = Quantities::find(&said, lexicon);
    let mut given = material.quantities.within(new);
    let figure = given.next().filter(|_| given.next().is_none())?;
    if let Some(text) = old.and_then(|old| in_thousands(text, &said, &figures, material, (old, &figure.tokens))) {
        return Some(text);
    }
    // Whatever else is said stands in the text already: "three apprentices".
    let around = new.clone().filter(|at| !figure.tokens.contains(at));
    let mut telling =
        around.map(|at| &material.text.tokens[at]).filter(|token| !lexicon.stopwords.contains(&token.word));
    if !telling.all(|token| said.tokens.iter().any(|own| is_one_word(&own.stem, &token.stem))) {
        return None;
    }
    let taken_back = old.and_then(|old| material.quantities.within(old).last()).map(|old| old.high.unwrap_or(old.low));
    // Of dates there are only the words: "June" of "June 2026".
    let dates = old.into_iter().flat_map(|old| material.quantities.within(old)).filter(|old| old.kind == Slot::Date);
    let of_dates: Vec<String> = dates.flat_map(|date| content_words(material.text.slice(&date.tokens))).collect();
    let meant = |own: &&Quantity| {
        let same = |amount: f64| (own.high.unwrap_or(own.low) - amount).abs() < f64::EPSILON;
        let words: Vec<String> = content_words(said.slice(&own.tokens)).collect();
        is_alike(own, figure) && taken_back.is_none_or(same) && of_dates.iter().all(|word| words.contains(word))
    };
    let all = 0..said.tokens.len();
    let mut alike: Vec<&Quantity> = figures.within(&all).filter(meant).collect();
    if alike.len() > 1 {
        // In "14 hours a month" the month is no figure of its own.
        let article = |own: &Quantity| lexicon.numbers.articles.contains(&said.tokens[own.tokens.start].word);
        alike.retain(|own| !article(own));
    }
    if alike.len() > 1 {
        // Of several the one that counts the same: "eleven people".
        let counted = material.text.tokens.get(figure.tokens.end).filter(|_| figure.tokens.end < new.end)?;
        alike.retain(|own| said.tokens.get(own.tokens.end).is_some_and(|word| word.stem == counted.stem));
    }
    let [place] = alike.as_slice() else { return None };
    let mut place = without_unit(&said, place, figure)?;
    // The "in" of "in June 2026" stays, where the new date has none.
    let small = |word: &str| lexicon.stopwords.contains(word);
    let bare = figure.kind == Slot::Date && !small(&material.text.tokens[figure.tokens.start].word);
    while bare && place.len() > 1 && small(&said.tokens[place.start].word) {
        place.start += 1;
    }
    Some(exchanged(text, &said, &place, material.text.slice(&figure.tokens)))
}

/// Whether two words are one, but for their endings: "Leut" and "Leute".
fn is_one_word(one: &str, other: &str) -> bool {
    const LEAST: usize = 4;
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    short == long || short.chars().count() >= LEAST && long.strip_prefix(short).is_some_and(|rest| rest.len() <= 2)
}

/// "I said 210, it's 240", of 210,000: the thousands are understood.
fn in_thousands(
    text: &str,
    said: &Text<'_>,
    figures: &Quantities,
    material: &Material<'_, '_>,
    (old, new): (&Range<usize>, &Range<usize>),
) -> Option<String> {
    let taken_back = material.quantities.within(old).last()?;
    let bare = |tokens: &Range<usize>| material.text.slice(tokens).chars().all(|c| c.is_ascii_digit());
    let all = 0..said.tokens.len();
    let mut meant = figures.within(&all).filter(|own| (own.low - taken_back.low * 1000.0).abs() < 1e-6);
    let place = meant.next().filter(|_| meant.next().is_none())?;
    let number = place
        .tokens
        .clone()
        .map(|at| at..at + 1)
        .find(|at| said.slice(at).starts_with(|c: char| c.is_ascii_digit()))?;
    let thousands = said.slice(&number).strip_prefix(material.text.slice(&taken_back.tokens))?;
    let groups = thousands.len() == 4 && thousands.ends_with("000");
    let fits = bare(&taken_back.tokens) && bare(new) && groups;
    fits.then(|| exchanged(text, said, &number, &format!("{}{thousands}", material.text.slice(new))))
}

/// Whether one figure can stand in the place of another: it counts the same, or says no more than a number.
fn is_alike(own: &Quantity, new: &Quantity) -> bool {
    own.kind == new.kind && own.unit == new.unit || new.unit.is_none() && own.tokens.len() > 1
}

/// Where the figure itself stands, without what it counts where the new one has no unit of its own.
fn without_unit(said: &Text<'_>, own: &Quantity, new: &Quantity) -> Option<Range<usize>> {
    if own.unit == new.unit {
        return Some(own.tokens.clone());
    }
    let number = own.tokens.start..own.tokens.end - 1;
    let digits =
        said.tokens.get(own.tokens.end - 1).is_some_and(|last| last.word.starts_with(|c: char| c.is_ascii_digit()));
    (!number.is_empty() && !digits).then_some(number)
}

/// A text with new words in the place of those that are taken back, as they stand in it.
fn with_words(text: &str, material: &Material<'_, '_>, old: &Range<usize>, new: &Range<usize>) -> Option<String> {
    let telling = |tokens: &Range<usize>| {
        let small = |at: &usize| material.lexicon.stopwords.contains(&material.text.tokens[*at].word);
        tokens.clone().find(|at| !small(at)).map(|start| start..tokens.end)
    };
    let (old, new) = (telling(old)?, telling(new)?);
    if material.has(&material.lexicon.verbs, &new) {
        return None;
    }
    let place = Folded::new(text).find(&Folded::new(material.text.slice(&old)))?;
    let said = material.lexicon.text(text);
    // Only whole words are replaced: "210" is no part of "210,000".
    let whole = |at: usize| said.tokens.iter().all(|token| at <= token.start || token.end <= at);
    if !whole(place.start) || !whole(place.end) {
        return None;
    }
    // What stands beside it already is not said twice.
    let beside = format!("{} {}", &text[..place.start], &text[place.end..]);
    let beside: Vec<String> = content_words(&beside).collect();
    if beside.is_empty() || content_words(material.text.slice(&new)).any(|word| beside.contains(&word)) {
        return None;
    }
    Some(format!("{}{}{}", &text[..place.start], material.text.slice(&new), &text[place.end..]))
}

fn exchanged(text: &str, said: &Text<'_>, place: &Range<usize>, by: &str) -> String {
    let bytes = said.bytes(place);
    format!("{}{by}{}", &text[..bytes.start], &text[bytes.end..])
}
