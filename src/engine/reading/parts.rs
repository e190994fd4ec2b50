//! Elements of a list without what is said of them, and what is left out of a list.

use std::ops::Range;

use super::acts::Judged;
use super::assign::Piece;
use super::clauses::{Material, clause_starts, core, ends_before};
use super::lexicon::Lexicon;
use super::list::{Manner, elements};
use super::pattern::Slot;
use super::quantity::Quantities;
use crate::engine::config::Act;

/// The most words that leave something out.
const MOST_WORDS: usize = 8;

/// The elements of a list that some tokens are.
pub(super) fn parts<'m>(material: &Material<'_, 'm>, tokens: &Range<usize>) -> Vec<&'m str> {
    let text = material.text;
    let said = text.slice(tokens);
    let offset = text.bytes(tokens).start;
    let ends = |at: usize| {
        let next = text.tokens.partition_point(|token| token.start <= offset + at);
        next == 0 || next >= tokens.end || ends_before(material, next)
    };
    let manner = Manner::of(material.lexicon);
    let mut found = Vec::new();
    let whole = elements(said, Manner { ends: Some(&ends), ..manner });
    for part in if let [_] = whole.as_slice() { statements(material, tokens, whole) } else { whole } {
        let Some(own) = bare(part, material.lexicon) else { continue };
        if own.len() < part.len() {
            // "The list and the gallery would be nice": two things of which something was said.
            found.extend(elements(own, manner));
        } else {
            found.push(own);
        }
    }
    // "Dark mode, one day, and the photos, two or three days": figures say more of what stands before them.
    let names = found.iter().filter(|part| !is_figure(part, material.lexicon)).count();
    if names > 0 && names < found.len() {
        let first = found.first().copied();
        // What stands first has nothing before it: "at most 200 euros, and no new rooms".
        let kept =
            |part: &&str| first.is_some_and(|first| std::ptr::eq(first, *part)) && is_sum(part, material.lexicon);
        found.retain(|part| kept(part) || !is_figure(part, material.lexicon));
    }
    let mut at = 0;
    found.retain(|part| {
        at += 1;
        at == 1 || !is_estimate(part, material.lexicon)
    });
    found
}

/// What was said of several things in one sentence, each by itself: "we can't spend more and the barn can't be extended".
fn statements<'m>(material: &Material<'_, 'm>, tokens: &Range<usize>, whole: Vec<&'m str>) -> Vec<&'m str> {
    let (text, lists) = (material.text, &material.lexicon.lists);
    let is_joint = |at: usize| lists.joints.contains(&text.tokens[at].word);
    let is_aside = |at: usize| text.tokens.get(at).is_some_and(|token| lists.asides.contains(&token.word));
    let own = |start: usize| is_joint(start) && (!is_aside(start + 1) || is_aside(tokens.start));
    let mut starts = clause_starts(material, tokens, false);
    if starts.len() < 2 || !starts.iter().skip(1).all(|start| own(*start)) {
        return whole;
    }
    starts.push(tokens.end);
    let mut parts: Vec<&str> = starts.windows(2).map(|pair| text.slice(&(pair[0]..pair[1]))).collect();
    for part in parts.iter_mut().skip(1) {
        *part = part.split_once(char::is_whitespace).map_or(*part, |(_, rest)| rest.trim_start());
    }
    parts
}

/// Whether an element says of the one before it how much work it is: "Ben reckons two days".
fn is_estimate(part: &str, lexicon: &Lexicon) -> bool {
    let text = lexicon.text(part);
    let quantities = Quantities::find(&text, lexicon);
    let material = Material { text: &text, lexicon, quantities: &quantities };
    material.has(&lexicon.answering.estimates, &(0..text.tokens.len()))
}

/// Whether an element names a sum.
fn is_sum(part: &str, lexicon: &Lexicon) -> bool {
    let text = lexicon.text(part);
    let quantities = Quantities::find(&text, lexicon);
    quantities.within(&(0..text.tokens.len())).any(|quantity| quantity.kind == Slot::Money)
}

/// Whether an element is a figure and nothing else: a number, a sum, a length of time.
fn is_figure(part: &str, lexicon: &Lexicon) -> bool {
    let text = lexicon.text(part);
    let quantities = Quantities::find(&text, lexicon);
    let all = 0..text.tokens.len();
    let figures: Vec<_> = quantities.within(&all).filter(|q| !matches!(q.kind, Slot::Date | Slot::Time)).collect();
    let small = |at: usize| {
        let word = &text.tokens[at].word;
        lexicon.stopwords.contains(word) || lexicon.notes.qualifiers.contains(word)
    };
    let unit = lexicon.units.named(&part.to_lowercase()).is_some();
    unit || !figures.is_empty()
        && all.clone().all(|at| small(at) || figures.iter().any(|figure| figure.tokens.contains(&at)))
}

/// An element without what is said of it; nothing where it is all talk: "An app, ok so, a web page".
fn bare<'m>(part: &'m str, lexicon: &Lexicon) -> Option<&'m str> {
    let text = lexicon.text(part);
    let quantities = Quantities::find(&text, lexicon);
    let material = Material { text: &text, lexicon, quantities: &quantities };
    let all = 0..text.tokens.len();
    if all.is_empty() {
        return Some(part);
    }
    if core(&material, all.clone()).is_empty() {
        return None;
    }
    Some(tail_of(&material, &all).map_or(part, |tail| &part[text.bytes(&(0..tail))]))
}

/// Where it begins what some words say of the thing they name: "… is quick, that's two days".
fn tail_of(material: &Material<'_, '_>, all: &Range<usize>) -> Option<usize> {
    let ends = |at: usize, end: usize| end == all.end || end > at && material.text.before(end).contains(',');
    all.clone().skip(1).find(|at| {
        let mut tails = material.candidates(&material.lexicon.tails, *at);
        tails.any(|tail| material.starts(tail, &(*at..all.end)).is_some_and(|end| ends(*at, end)))
    })
}

/// "Offline mode is months of work, I'd park it": what is left out was named by the clause before.
pub(super) fn leave_out_named_before(material: &Material<'_, '_>, place: usize, pieces: &mut [Piece<'_>]) {
    for at in 1..pieces.len() {
        let core = pieces[at].span.core.clone();
        let excludes = &material.lexicon.excludes;
        let parks = core.len() > 1 && ends_with(material, excludes, core.clone());
        let told = |piece: &Piece<'_>| piece.judged.act == Act::Answer && !piece.span.core.is_empty();
        if !parks || !told(&pieces[at]) || !told(&pieces[at - 1]) {
            continue;
        }
        let before = pieces[at - 1].span.core.clone();
        let named = before.start..tail_of(material, &before).unwrap_or(before.end);
        (pieces[at].span.core, pieces[at].left_out) = (named, Some(place));
    }
}

/// A line of a list without the words around it; nothing where it is all talk.
pub(super) fn trimmed<'m>(line: &'m str, lexicon: &Lexicon) -> Option<&'m str> {
    let own = super::list::trim(line, &lexicon.lists);
    bare(own, lexicon).filter(|own| own.chars().any(char::is_alphanumeric))
}

/// Whether a part of a list is nothing but talk.
pub(super) fn is_talk(part: &str, lexicon: &Lexicon) -> bool {
    bare(part, lexicon).is_none()
}

/// Whether a pattern stands at the first of some tokens and ends with the last.
fn ends_with(material: &Material<'_, '_>, patterns: &super::patterns::Patterns, tokens: Range<usize>) -> bool {
    let mut found = material.candidates(patterns, tokens.start);
    found.any(|pattern| material.starts(pattern, &tokens) == Some(tokens.end))
}

/// "What it must do:" before a list of lines says nothing by itself.
pub(super) fn introduce(material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    const SHORT: usize = 8;
    for at in 1..pieces.len() {
        let text = material.text;
        let between = text.bytes(&pieces[at - 1].span.whole).end..text.bytes(&pieces[at].span.whole).start;
        let listed = pieces[at].span.is_list && text.message.get(between).is_some_and(|marks| marks.contains(':'));
        let lead = &mut pieces[at - 1];
        let counts = material.quantities.within(&lead.span.core).any(|quantity| quantity.kind != Slot::Date);
        let brief = lead.span.core.len() <= SHORT && !counts;
        if listed && brief && !lead.span.is_list && lead.judged.act == Act::Answer {
            lead.judged = Judged { act: Act::Social, name: "announces a list", rule: None };
        }
    }
}

/// What is left out by some words, without the words that do so: the chat of "not the chat" and "chat we won't do".
pub(super) fn left_out(material: &Material<'_, '_>, tokens: &Range<usize>) -> Option<Range<usize>> {
    if tokens.is_empty() || tokens.len() > MOST_WORDS {
        return None;
    }
    let excludes = &material.lexicon.excludes;
    let first = material.any_starts(excludes, tokens).map(|end| end..tokens.end);
    let last = || {
        let found = tokens.clone().skip(1).find(|at| ends_with(material, excludes, *at..tokens.end));
        found.map(|at| tokens.start..at)
    };
    first.filter(|rest| !rest.is_empty()).or_else(last)
}
