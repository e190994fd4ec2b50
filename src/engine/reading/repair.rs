//! What is put right in the same breath: "14… no wait, 40".

use std::ops::Range;

use super::acts::Judged;
use super::assign::Piece;
use super::clauses::{Material, breath_end, core};
use super::edits::EDIT;
use super::replaced::REPLACED;
use crate::engine::config::Act;

/// The name of the rule for what was put right at once.
pub(super) const REPAIRED: &str = "put right in the same breath";
/// The name of the rule for what it replaces.
const TAKEN_BACK: &str = "taken back in the same breath";

/// "14… no wait, 40": what stands before is taken back, what follows holds.
pub(super) fn repair(material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    for at in 0..pieces.len() {
        // What was found to replace something has been read.
        if matches!(pieces[at].judged.name, REPLACED | EDIT) {
            continue;
        }
        let span = pieces[at].span.clone();
        let found = material.first(&material.lexicon.repairs, &span.whole);
        let figure = figure_repair(material, &span.whole);
        let Some(words) = found.or(figure.clone()) else { continue };
        let mut rest = core(material, words.end..span.whole.end);
        if figure.is_some() {
            rest.end = breath_end(material, &rest);
        }
        let says_before = words.start > span.core.start;
        if rest.is_empty() {
            // The words alone: the next clause of the sentence is what holds.
            let follows = pieces.get(at + 1).is_some_and(|next| next.span.sentence == span.sentence);
            if !follows {
                continue;
            }
        }
        if !says_before && at == 0 {
            continue;
        }
        // In one breath only that figure is put right; the others stay as they are.
        if says_before && is_one_figure_of_several(material, &(span.core.start..words.start), &rest) {
            continue;
        }
        if !says_before {
            take_back(material, pieces, at, &words, &rest);
        }
        pieces[at].judged =
            Judged { act: if rest.is_empty() { Act::Correction } else { Act::Answer }, name: REPAIRED, rule: None };
        pieces[at].span.core = rest;
    }
}

/// Whether only one of several figures is put right: "14 people in 200 sqm, no wait, 240 sqm" still has 14 people.
fn is_one_figure_of_several(material: &Material<'_, '_>, before: &Range<usize>, rest: &Range<usize>) -> bool {
    let first = material.quantities.within(rest).next();
    first.is_some_and(|first| first.tokens.start == rest.start) && material.quantities.within(before).count() > 1
}

/// Takes back what stands before a repair: the clause, or only its figure where it tells more than that.
fn take_back(
    material: &Material<'_, '_>,
    pieces: &mut [Piece<'_>],
    at: usize,
    words: &Range<usize>,
    rest: &Range<usize>,
) {
    let follows =
        if rest.is_empty() { pieces.get(at + 1).map(|next| next.span.core.clone()) } else { Some(rest.clone()) };
    let figure = follows.and_then(|new| figure_of(material, &pieces[at - 1].span.core, &new));
    let all = is_taken_back(material, pieces, at, words);
    let begins = words.start == pieces[at].span.whole.start;
    let before = &mut pieces[at - 1];
    let kept = figure.map(|figure| without_end(material, before.span.core.start..figure.start));
    let tells = |kept: &Range<usize>| {
        let another = material.quantities.within(kept).next().is_some();
        another || !all && material.telling(kept) > 1
    };
    match kept {
        Some(kept) if begins && tells(&kept) => {
            before.span.whole.end = kept.end;
            before.span.core = kept;
        }
        Some(_) if begins => before.judged = Judged { act: Act::Correction, name: TAKEN_BACK, rule: None },
        _ if all => before.judged = Judged { act: Act::Correction, name: TAKEN_BACK, rule: None },
        _ => {}
    }
}

/// The last figure of a clause that counts the same as the first one of another.
fn figure_of(material: &Material<'_, '_>, clause: &Range<usize>, new: &Range<usize>) -> Option<Range<usize>> {
    let counted = |end: usize| material.text.tokens.get(end).map(|token| token.stem.as_str());
    let new = material.quantities.within(new).next()?;
    let same = material.quantities.within(clause).filter(|old| {
        old.kind == new.kind && old.unit == new.unit && counted(old.tokens.end) == counted(new.tokens.end)
    });
    same.last().map(|old| old.tokens.clone())
}

/// Some words without the small ones at their end: of "14 people in" the "in" belonged to what was taken back.
fn without_end(material: &Material<'_, '_>, mut tokens: Range<usize>) -> Range<usize> {
    let small = |at: usize| material.lexicon.stopwords.contains(&material.text.tokens[at].word);
    while !tokens.is_empty() && small(tokens.end - 1) {
        tokens.end -= 1;
    }
    tokens
}

/// Whether the clause before one that begins with a repair is taken back: in its own sentence always, and where a no
/// begins the next sentence, the few words that were the whole one before: "Weddings. No wait, funerals."
fn is_taken_back(material: &Material<'_, '_>, pieces: &[Piece<'_>], at: usize, words: &Range<usize>) -> bool {
    const FEW: usize = 5;
    let (before, sentence) = (&pieces[at - 1], pieces[at].span.sentence);
    if before.span.sentence == sentence {
        return true;
    }
    let whole = at < 2 || pieces[at - 2].span.sentence != before.span.sentence;
    let first = words.start == pieces[at].span.whole.start;
    let told = before.judged.act == Act::Answer && before.span.core.len() <= FEW;
    first && whole && told && material.has(&material.lexicon.negations, words)
}

/// Words that take a figure back where they stand between it and another of its kind: "12k… sorry, 21k".
fn figure_repair(material: &Material<'_, '_>, tokens: &Range<usize>) -> Option<Range<usize>> {
    const NEAR: usize = 4;
    let text = 0..material.text.tokens.len();
    let follows = |at: usize| material.quantities.within(&(at..text.end)).next().filter(|next| next.tokens.start == at);
    tokens.clone().find_map(|at| {
        let words = material.any_starts(&material.lexicon.figure_repairs, &(at..tokens.end));
        let end = words.filter(|end| *end <= tokens.end)?;
        let next = follows(end)?;
        let before = material.quantities.within(&(at.saturating_sub(NEAR)..at)).last()?;
        (before.kind == next.kind && before.tokens.end + 1 >= at).then_some(at..end)
    })
}
