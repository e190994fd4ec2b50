//! Which field a clause points to, of those that something is known of: by its name, by what it was shown with, by its figure.

use std::ops::Range;

use super::correction::speaks_of;
use super::quantity::Quantities;
use super::rearranged::Ground;
use crate::engine::config::Field;
use crate::engine::values::brief_text;

/// The most words before what a name is said of.
const A_NAME: usize = 5;

/// The fields that a clause names as not right, without saying how they should be: "everything but the budget".
pub(super) fn excepted(ground: &Ground<'_, '_, '_, '_>, words: &Range<usize>) -> Option<String> {
    let shown = |field: &Field| ground.question.shown.paths.iter().any(|path| **path == *field.path);
    let told = |field: &Field| shown(field) || ground.value_of(field).is_some();
    let named = ground.named(words, shown).filter(|field| told(field)).map(|field| field.path.to_string());
    named.or_else(|| {
        let phrase = ground.material.text.slice(words);
        let shown = ground.question.shown.paths.iter().find(|path| {
            let value = ground.engine.field(path).and_then(|field| ground.value_of(field));
            value.is_some_and(|value| speaks_of(value, phrase))
        });
        shown.cloned()
    })
}

/// The field that the subject of a clause names, of those that something is known of: "people in the business is 10".
pub(super) fn subject_named(ground: &Ground<'_, '_, '_, '_>, words: &Range<usize>) -> Option<usize> {
    let verb = words.clone().find(|at| ground.material.has(&ground.material.lexicon.verbs, &(*at..*at + 1)))?;
    let subject = ground.material.text.slice(&(words.start..verb));
    let told = |field: &Field| ground.value_of(field).is_some();
    let at = ground.called_as().find(ground.engine, ground.material.lexicon, subject, told)?;
    ground.field(at).filter(|field| told(field)).map(|_| at)
}

/// The field that a clause names and then says what it is, whether anything is known of it or not: "the deadline is May".
pub(super) fn told_by_name(ground: &Ground<'_, '_, '_, '_>, words: &Range<usize>) -> Option<usize> {
    let material = ground.material;
    let copulas = &material.lexicon.notes.copulas;
    let copula =
        words.clone().skip(1).take(A_NAME).find(|at| material.any_starts(copulas, &(*at..words.end)).is_some())?;
    ground.called_as().only(material.lexicon, material.text.slice(&(words.start..copula)))
}

/// The shown field whose figure counts the same as that of a clause, or is the only one of its kind: "it's 11 staff".
pub(super) fn of_same_kind(ground: &Ground<'_, '_, '_, '_>, words: &Range<usize>) -> Option<usize> {
    let material = ground.material;
    let new = material.quantities.within(words).next()?;
    let counted = material.text.tokens.get(new.tokens.end).filter(|_| new.tokens.end < words.end);
    let mut alike: Vec<(bool, usize)> = Vec::new();
    for (at, field) in ground.engine.definition().fields.iter().enumerate() {
        let shown = ground.question.shown.paths.iter().any(|path| **path == *field.path);
        let now = |turn: u32| ground.memory.turn > 0 && turn == ground.memory.turn;
        let extracted = ground.memory.extraction.get(&field.path);
        let fresh = extracted.is_some_and(|field| now(field.last_updated_at_turn));
        let Some(value) = ground.value_of(field).filter(|_| shown || fresh || ground.question.reviews) else {
            continue;
        };
        // Of a number the words tell what it counts.
        let offered =
            extracted.and_then(|field| field.candidate.as_ref()).and_then(|offered| offered.evidence.as_ref());
        let said = offered.or(extracted.and_then(|field| field.evidence.as_ref())).filter(|_| value.is_number());
        let text = said.map_or_else(|| brief_text(value), |said| said.quote.clone());
        let said = material.lexicon.text(&text);
        let figures = Quantities::find(&said, material.lexicon);
        let all = 0..said.tokens.len();
        let mut same = figures.within(&all).filter(|old| old.kind == new.kind).peekable();
        if same.peek().is_some() {
            let counts = same.any(|old| {
                let own = said.tokens.get(old.tokens.end);
                counted.is_some_and(|word| own.is_some_and(|own| own.stem == word.stem))
            });
            alike.push((counts, at));
        }
    }
    let counting: Vec<usize> = alike.iter().filter(|(counts, _)| *counts).map(|(_, at)| *at).collect();
    match (counting.as_slice(), alike.as_slice()) {
        ([one], _) => Some(*one),
        // A bare figure can only be what has one of its kind.
        ([], [(_, one)]) if counted.is_none() => Some(*one),
        _ => None,
    }
}
