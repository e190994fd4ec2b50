//! What introduces a value and is no part of it: "our budget is", "the problem is that", "I'd like". The quote keeps it.

use std::ops::Range;

use super::clauses::Material;
use super::pattern::Slot;
use crate::engine::config::{Field, Kind, Measure};

/// The most words of a name with what stands around it.
const LONGEST_NAME: usize = 6;

/// Some words without what introduces them, as a note-taker would write them for a field.
pub(super) fn point(field: &Field, material: &Material<'_, '_>, tokens: &Range<usize>) -> Range<usize> {
    let mut rest = tokens.clone();
    while let Some(start) = after_opening(field, material, &rest).filter(|start| says(material, &(*start..rest.end))) {
        rest.start = start;
    }
    measured(field, material, rest)
}

/// Where the words go on after what introduces them.
fn after_opening(field: &Field, material: &Material<'_, '_>, rest: &Range<usize>) -> Option<usize> {
    let lexicon = material.lexicon;
    let listed = field.shape.r#type == Kind::Array;
    let of_list = || material.any_starts(&lexicon.notes.of_lists, rest).filter(|_| listed);
    // "Maybe 200 euros" says how sure the figure is.
    let hedge = || {
        let end = material.any_starts(&lexicon.notes.hedges, rest)?;
        material.quantities.within(&(end..rest.end)).next().is_none_or(|first| first.tokens.start != end).then_some(end)
    };
    let opening = [material.any_starts(&lexicon.notes.openings, rest), of_list(), after_name(field, material, rest)];
    opening.into_iter().flatten().max().or_else(hedge)
}

/// Where the words go on after the name of the field: "our main income is", "Budget:".
fn after_name(field: &Field, material: &Material<'_, '_>, rest: &Range<usize>) -> Option<usize> {
    let (text, lexicon) = (material.text, material.lexicon);
    let asked_as = field.asked_as_in.get(&lexicon.id).map(|asked| asked.value.as_str()).or(field.asked_as.as_deref());
    let names = [field.name.as_str(), asked_as.unwrap_or_default()].map(|name| lexicon.text(name).tokens);
    let is_small = |word: &str| lexicon.stopwords.contains(word);
    let names_it = |stem: &str| names.iter().flatten().any(|token| token.stem == stem && !is_small(&token.word));
    let mut has_name = false;
    for at in rest.start..rest.end.min(rest.start + LONGEST_NAME) {
        if has_name {
            let marked = text.before(at).trim_start().starts_with([':', '=']);
            let end = if marked { Some(at) } else { material.any_starts(&lexicon.notes.copulas, &(at..rest.end)) };
            if end.is_some() {
                return end;
            }
        }
        let own = names_it(&text.tokens[at].stem);
        if !own && !is_small(&text.tokens[at].word) {
            return None;
        }
        has_name |= own;
    }
    None
}

/// Whether some words say something by themselves: not where a denial would lose what it denies, "the problem is not …".
fn says(material: &Material<'_, '_>, tokens: &Range<usize>) -> bool {
    let lexicon = material.lexicon;
    let counts = || material.quantities.within(tokens).next().is_some();
    let denies = || {
        let of_verb = tokens.start > 0 && material.has(&lexicon.verbs, &(tokens.start - 1..tokens.start));
        of_verb && material.any_starts(&lexicon.negations, tokens).is_some()
    };
    // "The van is what worries me most" says it of the van.
    let relates = || {
        let words = |at: usize| material.text.tokens.get(at).filter(|_| at < tokens.end).map(|token| &token.word);
        let asks = words(tokens.start).is_some_and(|word| lexicon.question_words.contains(word));
        asks && words(tokens.start + 1).is_some_and(|word| lexicon.speaker.contains(word))
    };
    !tokens.is_empty() && (material.telling(tokens) > 0 || counts()) && !denies() && !relates()
}

/// Of a field that holds a sum or a date, what begins with it, where nothing is told before: "it has to run by May".
fn measured(field: &Field, material: &Material<'_, '_>, rest: Range<usize>) -> Range<usize> {
    let wanted: &[Slot] = match field.shape.measure {
        Some(Measure::Money) => &[Slot::Money],
        Some(Measure::Date) => &[Slot::Date],
        // "We lost 9000": of what is counted the verb says what became of it.
        _ => return rest,
    };
    let (text, lexicon) = (material.text, material.lexicon);
    let Some(first) = material.quantities.within(&rest).next().filter(|first| wanted.contains(&first.kind)) else {
        return rest;
    };
    let qualifies = |at: &usize| lexicon.notes.qualifiers.contains(&text.tokens[*at].word);
    let start = (rest.start..first.tokens.start).rev().take_while(qualifies).last().unwrap_or(first.tokens.start);
    let plain = |at: usize| {
        let denies = material.has(&lexicon.negations, &(at..at + 1));
        let small = lexicon.stopwords.contains(&text.tokens[at].word) || material.has(&lexicon.verbs, &(at..at + 1));
        small && !denies && (at == rest.start || !text.before(at).contains([',', ';', '.', '?', '!']))
    };
    if (rest.start..start).all(plain) { start..rest.end } else { rest }
}
