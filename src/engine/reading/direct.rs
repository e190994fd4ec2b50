//! Answers as people give them: with the question said back before them, with "that was it" behind them, or as nothing but
//! the figure that was asked for.

use std::collections::HashSet;

use super::acts::Judged;
use super::assign::{Piece, Question};
use super::clauses::Material;
use super::lexicon::Lexicon;
use super::pattern::Slot;
use crate::engine::Engine;
use crate::engine::config::{Act, Field, Kind, Measure};

/// The most words of a question that is said back.
const SAID_BACK: usize = 7;
/// The most words behind "that was" that only name what was asked.
const MOST_BEHIND: usize = 3;

/// Leaves what stands around an answer and tells nothing: the question said back, "that was it", "the rest is clear".
pub(super) fn leave_talk(question: &Question<'_>, material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    leave_said_back(question, material, pieces);
    point_back(question, material, pieces);
    leave_rest(question, material, pieces);
}

/// The telling words of the question as it is put, and of what it asks for, whatever their endings.
fn words_of(question: &Question<'_>, lexicon: &Lexicon) -> HashSet<String> {
    let questions = question.obligations.iter().flat_map(|obligation| {
        let others = obligation.question_in.values().map(|text| text.value.as_str());
        std::iter::once(obligation.question.as_str()).chain(others)
    });
    let all = questions.chain(question.names.iter().map(String::as_str));
    all.flat_map(|text| lexicon.words_of(text)).map(|(_, stem)| stem).collect()
}

/// "First day? The waiter takes the order": who says back what was asked, in a sentence of its own, answers in the next.
fn leave_said_back(question: &Question<'_>, material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    if question.fields.is_empty() || question.open.yes_no {
        return;
    }
    let asked = words_of(question, material.lexicon);
    for at in 0..pieces.len().saturating_sub(1) {
        let (piece, next) = (&pieces[at], &pieces[at + 1]);
        let core = &piece.span.core;
        let told = piece.judged.act == Act::Answer || piece.span.asks && piece.judged.act == Act::CounterQuestion;
        let marks = material.text.before(next.span.whole.start);
        let parted = marks.contains(['?', '.', '…', ':', '!']) && !piece.span.is_list && !next.span.is_list;
        let follows = pieces[at + 1..].iter().any(|later| later.judged.act == Act::Answer);
        if !told || !parted || !follows || core.is_empty() || core.len() > SAID_BACK {
            continue;
        }
        let telling = core.clone().filter(|at| material.telling(&(*at..*at + 1)) > 0);
        let stems: Vec<&String> = telling.map(|at| &material.text.tokens[at].stem).collect();
        // One word of a question may well answer it: "customers. They go elsewhere".
        let named = material.lexicon.determiners.contains(&material.text.tokens[core.start].word)
            || piece.span.asks
            || material.lexicon.question_words.contains(&material.text.tokens[core.start].word);
        if !stems.is_empty() && (stems.len() > 1 || named) && stems.iter().all(|stem| asked.contains(*stem)) {
            pieces[at].judged = Judged { act: Act::Social, name: "says back what was asked", rule: None };
        }
    }
}

/// "SSO is single sign-on, the rest is clear": what is left is spoken of and not told.
fn leave_rest(question: &Question<'_>, material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    if question.asks_for_verdict() || question.open.yes_no {
        return;
    }
    for piece in pieces.iter_mut().skip(1).filter(|piece| piece.judged.act == Act::Answer && !piece.span.is_list) {
        let core = &piece.span.core;
        if material.any_starts(&material.lexicon.verdicts.whole, core) == Some(core.end) {
            piece.judged = Judged { act: Act::Social, name: "speaks of the rest", rule: None };
        }
    }
}

/// "The wife. Just kidding, accounting": the few words before were not meant, what follows is.
pub(super) fn take_back_jokes(material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    const FEW: usize = 5;
    for at in 1..pieces.len() {
        let core = pieces[at].span.whole.clone();
        let Some(end) = material.any_starts(&material.lexicon.answering.jokes, &core) else { continue };
        let follows = end < core.end || pieces.get(at + 1).is_some_and(|next| next.judged.act == Act::Answer);
        let sentence = pieces[at - 1].span.sentence;
        let words: usize = pieces[..at]
            .iter()
            .filter(|piece| piece.span.sentence == sentence)
            .map(|piece| piece.span.core.len())
            .sum();
        if !follows || words > FEW {
            continue;
        }
        for piece in pieces[..at].iter_mut().filter(|piece| piece.span.sentence == sentence) {
            piece.judged = Judged { act: Act::Social, name: "was not meant", rule: None };
        }
        let rest = super::clauses::core(material, end..core.end);
        if rest.is_empty() {
            pieces[at].judged = Judged { act: Act::Social, name: "says that it was not meant", rule: None };
        } else {
            pieces[at].judged = Judged { act: Act::Answer, name: "no act but telling", rule: None };
            pieces[at].span.whole.start = rest.start;
        }
        pieces[at].span.core = rest;
    }
}

/// "In March we forgot two patients. That was the trigger": what stands before is the answer.
fn point_back(question: &Question<'_>, material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    if question.fields.is_empty() {
        return;
    }
    let asked = words_of(question, material.lexicon);
    for at in 1..pieces.len() {
        let core = pieces[at].span.core.clone();
        let points = material.any_starts(&material.lexicon.answering.points_back, &core);
        let Some(end) = points.filter(|_| pieces[at].judged.act == Act::Answer && !pieces[at].span.asks) else {
            continue;
        };
        let rest: Vec<usize> = (end..core.end).filter(|at| material.telling(&(*at..*at + 1)) > 0).collect();
        let says_more = rest.iter().any(|at| !asked.contains(&material.text.tokens[*at].stem));
        // Small words alone say something else: "that was it" and "that was there"; so do many.
        if says_more || core.end - end > MOST_BEHIND || rest.is_empty() && end < core.end {
            continue;
        }
        let sentence = pieces[at - 1].span.sentence;
        let told = |piece: &Piece<'_>| piece.judged.act == Act::Answer && piece.span.sentence == sentence;
        if !pieces[..at].iter().any(told) {
            continue;
        }
        for piece in pieces[..at].iter_mut().filter(|piece| told(piece)) {
            piece.is_answer = true;
        }
        pieces[at].judged = Judged { act: Act::Social, name: "says that it was the answer", rule: None };
    }
}

/// "Staying. Final.": a word or two that only say of what stands before them what it is. They lead it to their field.
pub(super) fn point_back_elsewhere(
    engine: &Engine,
    question: &Question<'_>,
    material: &Material<'_, '_>,
    pieces: &mut [Piece<'_>],
) {
    const FEW: usize = 2;
    const SHORT: usize = 6;
    for at in 1..pieces.len() {
        let (before, piece) = (&pieces[at - 1], &pieces[at]);
        let told = |piece: &Piece<'_>| piece.judged.act == Act::Answer && !piece.span.is_list && !piece.span.asks;
        let apart = before.span.sentence != piece.span.sentence;
        if !told(before) || !told(piece) || !apart || piece.span.core.len() > FEW || before.span.core.len() > SHORT {
            continue;
        }
        let whole = |cue: &String| cue.starts_with('^') && cue.ends_with('$');
        let Some(best) = piece.scores.iter().find(|score| score.cues.iter().any(whole)) else { continue };
        let field = engine.definition().fields.get(best.field);
        let Some(field) = field.filter(|field| field.shape.r#type == Kind::String && field.shape.measure.is_none())
        else {
            continue;
        };
        let asked = question.fields.iter().any(|asked| asked.path == field.path);
        let counts = material.quantities.within(&piece.span.core).next().is_some();
        if asked || counts {
            continue;
        }
        let meant = best.field;
        pieces[at - 1].named = Some(meant);
        pieces[at].judged = Judged { act: Act::Social, name: "says what stands before it is", rule: None };
    }
}

/// Whether a clause is the figure that a field wants and little else: "so eight hours a week" of what something costs.
pub(super) fn is_bare_figure(field: &Field, material: &Material<'_, '_>, piece: &Piece<'_>) -> bool {
    const AROUND: usize = 1;
    let kinds: &[Slot] = match (field.shape.r#type, field.shape.measure) {
        (Kind::String, Some(Measure::Money)) => &[Slot::Money],
        (Kind::String, Some(Measure::Date)) => &[Slot::Date],
        (Kind::String, Some(Measure::Duration)) => &[Slot::Duration],
        (Kind::String, Some(Measure::Percent)) => &[Slot::Percent],
        (Kind::String, Some(Measure::Count)) => &[Slot::Number, Slot::Money, Slot::Percent, Slot::Duration],
        _ => return false,
    };
    let figure = material.quantities.within(&piece.span.core).next();
    figure.is_some_and(|figure| kinds.contains(&figure.kind)) && beside_figures(material, piece) <= AROUND
}

/// How many telling words of a clause are no part of its figures.
pub(super) fn beside_figures(material: &Material<'_, '_>, piece: &Piece<'_>) -> usize {
    let core = &piece.span.core;
    let figures: Vec<_> = material.quantities.within(core).collect();
    let is_unit = |at: usize| material.lexicon.units.named(&material.text.tokens[at].word).is_some();
    let inside = |at: usize| figures.iter().any(|figure| figure.tokens.contains(&at));
    core.clone().filter(|at| !inside(*at) && !is_unit(*at) && material.telling(&(*at..*at + 1)) > 0).count()
}
