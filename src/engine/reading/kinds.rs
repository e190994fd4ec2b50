//! Whether what was said for a field that holds a sum or a time can be one.

use std::ops::Range;

use super::assign::{Piece, Question};
use super::clauses::Material;
use super::cues::Score;
use super::pattern::Slot;
use super::quantity::Quantity;
use super::settle::{Before, OWN};
use crate::engine::Engine;
use crate::engine::config::{Field, Kind, Measure};

/// How well some words fit the kind of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fits {
    Yes,
    /// It is asked back.
    Perhaps,
    /// It is something else, and nothing is taken from it.
    No,
}

/// What a clause has to do with a field, at least, to be asked back where no figure stands in it.
const A_SIGN: f64 = 0.1;
/// The most words of an answer without a figure that is asked back, whatever it sounds like.
const FEW: usize = 4;

/// The hours of a day.
const A_DAY: f64 = 24.0;

/// Whether some words can be a value of a field that holds a sum or a time. `asked`: how much they have to do with it, by
/// cues and by what they sound like.
pub(super) fn fits(field: &Field, material: &Material<'_, '_>, tokens: &Range<usize>, asked: (f64, f64)) -> Fits {
    let answering = &material.lexicon.answering;
    let (wanted, words) = match (field.shape.r#type, field.shape.measure) {
        (Kind::String, Some(Measure::Money)) => (Slot::Money, &answering.sums),
        (Kind::String, Some(Measure::Date)) => (Slot::Date, &answering.times),
        _ => return Fits::Yes,
    };
    let figures: Vec<&Quantity> = material.quantities.within(tokens).collect();
    let own = figures.iter().find(|figure| figure.kind == wanted || wanted == Slot::Money && is_sum(material, figure));
    let days = material.text.slice(tokens).split_whitespace();
    if wanted == Slot::Date && days.into_iter().any(is_no_day) {
        return Fits::No;
    }
    if let Some(own) = own {
        return if is_negative(material, own.tokens.start) { Fits::No } else { Fits::Yes };
    }
    let none = material.any_starts(&material.lexicon.nothing, tokens).is_some();
    if none || material.has(words, tokens) {
        return Fits::Yes;
    }
    if wanted == Slot::Date {
        // "Three months" is a time, "an hour at most" is a length; a number as people write days may be one.
        let days = |figure: &Quantity| {
            let unit = |at: usize| material.lexicon.units.named(&material.text.tokens[at].word)?.hours();
            figure.tokens.clone().filter_map(unit).any(|hours| hours >= A_DAY)
        };
        let later = |figure: &&Quantity| figure.kind == Slot::Duration && (has_cue(asked) || days(figure));
        let named = |at: usize| {
            let word = &material.text.tokens[at].word;
            material.lexicon.months.contains(word) || material.lexicon.weekdays.contains(word)
        };
        if figures.iter().any(later) || tokens.clone().any(named) {
            return Fits::Yes;
        }
    }
    let lexicon = material.lexicon;
    let in_time =
        |at: usize| lexicon.units.named(&material.text.tokens[at].word).is_some_and(|unit| unit.hours().is_some());
    let spans_time = wanted == Slot::Money && tokens.clone().any(in_time);
    let other = spans_time || figures.iter().any(|figure| figure.kind != Slot::Number);
    if other && !has_cue(asked) {
        return Fits::No;
    }
    if has_cue(asked) {
        return Fits::Yes;
    }
    let short = tokens.len() <= FEW || wanted == Slot::Date;
    if asked.1 >= A_SIGN || (material.telling(tokens) > 0 && short && !is_statement(material, tokens)) {
        Fits::Perhaps
    } else {
        Fits::No
    }
}

/// What cues count at least for words to be about a sum or a time.
const CUED: f64 = 0.45;

fn has_cue(asked: (f64, f64)) -> bool {
    asked.0 >= CUED
}

/// Whether a bare number can be a sum: it counts nothing.
fn is_sum(material: &Material<'_, '_>, figure: &Quantity) -> bool {
    let next = material.text.tokens.get(figure.tokens.end);
    let counts = next.is_some_and(|next| {
        let apart = material.text.before(figure.tokens.end).chars().any(|c| !c.is_whitespace());
        !apart
            && !material.lexicon.stopwords.contains(&next.word)
            && !material.lexicon.abbreviations.contains(&next.word)
    });
    figure.kind == Slot::Number && !counts
}

/// Whether a minus stands right before a figure: there are no sums below nothing.
pub(super) fn is_negative(material: &Material<'_, '_>, at: usize) -> bool {
    let before = material.text.before(at);
    let alone = at == 0 || before.chars().rev().nth(1).is_some_and(char::is_whitespace);
    before.ends_with(['-', '−']) && alone && (at > 0 || before.trim() == before)
}

/// Whether somebody says what they or others do: "I decide".
fn is_statement(material: &Material<'_, '_>, tokens: &Range<usize>) -> bool {
    let lexicon = material.lexicon;
    let subject = tokens.clone().any(|at| lexicon.speaker.contains(&material.text.tokens[at].word));
    subject || lexicon.conditions.contains(&material.text.tokens[tokens.start].word)
}

/// Whether a word is written like a day and can be none: "31.2.2027", "45.13.2026last".
pub(super) fn is_no_day(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', ';', '!', '?', ')']);
    let end = word.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '/' | '-')).unwrap_or(word.len());
    let parts: Vec<&str> = word[..end].split(['.', '/', '-']).collect();
    let numbers: Option<Vec<u32>> = parts.iter().map(|part| part.parse().ok()).collect();
    let Some(&[a, b, c]) = numbers.as_deref().and_then(|all| <&[u32; 3]>::try_from(all).ok()) else { return false };
    let year_first = parts[0].len() == 4;
    let days = if year_first {
        [(c, b), (c, b)]
    } else if word.contains('/') {
        [(a, b), (b, a)]
    } else {
        [(a, b), (a, b)]
    };
    let is_day = |(day, month): &(u32, u32)| {
        let longest = match month {
            2 => 29,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => 0,
        };
        (1..=longest).contains(day)
    };
    !days.iter().any(is_day) || end < word.len() && word[end..].starts_with(char::is_alphabetic)
}

/// The field that a clause means which is a sum or a date and little else, where none of that kind was asked for:
/// "15k max, before easter". A date alone may be an answer in words; beside an answer it is none.
pub(super) fn of_another_kind(
    engine: &Engine,
    material: &Material<'_, '_>,
    question: &Question<'_>,
    piece: &Piece<'_>,
    before: Before,
) -> Option<usize> {
    let core = &piece.span.core;
    let figure = material.quantities.within(core).last()?;
    let wanted = match figure.kind {
        Slot::Money => Measure::Money,
        Slot::Date => Measure::Date,
        _ => return None,
    };
    // "20 next year" counts something.
    if material.quantities.within(core).any(|quantity| quantity.kind == Slot::Number) {
        return None;
    }
    let around = material.telling(core) - material.telling(&figure.tokens);
    let measures = || question.fields.iter().filter_map(|field| field.shape.measure);
    // "End of May would be great": a date that is wished for is one by which something has to be done.
    let wished = figure.tokens.end < core.end
        && material.any_starts(&material.lexicon.tails, &(figure.tokens.end..core.end)) == Some(core.end);
    let takes = question.fields.iter().any(|field| match (field.shape.r#type, field.shape.measure) {
        (Kind::Number, _) => true,
        (_, measure) => measure == Some(wanted) || measure == Some(Measure::Count),
    });
    let beside = wished || measures().next().is_some() || before.beside(piece).is_some();
    if around > 1
        || takes
        || piece.asked_by.0 > OWN && !wished
        || question.fields.is_empty()
        || wanted == Measure::Date && !beside
    {
        return None;
    }
    let rank = |at: usize| piece.scores.iter().find(|score| score.field == at).map_or(f64::MIN, Score::rank);
    let fields = engine.definition().fields.iter().enumerate();
    let of_kind = fields.filter(|(_, field)| field.shape.measure == Some(wanted)).map(|(at, _)| at);
    of_kind.max_by(|a, b| rank(*a).total_cmp(&rank(*b)))
}
