//! Which clauses of a message replace what was said, and which name what is not right.

use std::ops::Range;

use super::acts::Judged;
use super::assign::{Piece, Place};
use super::correction::Said;
use super::keeping::only_keeps;
use super::pointed::excepted;
use super::rearranged::{Ground, Naming};
use super::reworded::{offered_anew, reworded};
use super::verdict::KEPT;
use super::{FieldReading, correction, edits, quote_of};
use crate::engine::Engine;
use crate::engine::config::{Act, Doing, Field, Kind};

/// The name of the rule for clauses that replace what was said.
pub(super) const REPLACED: &str = "what was said is replaced";

/// Whether a clause says that what follows corrects something: "I have to correct myself", "that's not right".
pub(super) fn announces(judged: &Judged<'_>) -> bool {
    let wrong = judged.rule.is_some_and(|rule| rule.does == Some(Doing::Wrong));
    judged.act == Act::Correction && judged.rule.is_some() || wrong
}

/// Corrections take their whole sentence, but for the verdict before them.
pub(super) fn corrections(ground: &Ground<'_, '_, '_, '_>, pieces: &mut [Piece<'_>]) -> Vec<FieldReading> {
    let mut found = Vec::new();
    let replies = ground.question.asks_for_verdict();
    let mut told = false;
    for sentence in pieces.chunk_by_mut(|a, b| a.span.sentence == b.span.sentence) {
        let before = told;
        told |= sentence.iter().any(|piece| tells(ground, piece));
        let settled = |piece: &Piece<'_>| edits::is_edit(piece) || only_keeps(piece) || piece.judged.name == KEPT;
        if sentence.last().is_some_and(|last| last.span.asks) || sentence.iter().any(settled) {
            continue;
        }
        let leads = |piece: &Piece<'_>| match piece.judged.act {
            // "Not 14 but 40" is no verdict, though it may begin like one.
            Act::Confirm | Act::Deny if replies => piece.judged.rule.is_none_or(|rule| !rule.yes_no),
            // "No, that's what it costs", to a question that asks for no verdict.
            Act::Deny => piece.span.whole.len() == 1,
            _ => false,
        };
        let (mut first, mut last) = (0, sentence.len());
        while first < last && leads(&sentence[first]) {
            first += 1;
        }
        // "…, the rest is right": "not the cost" at the end may say what is taken back.
        while last > first && leads(&sentence[last - 1]) && sentence[last - 1].judged.rule.is_none() {
            last -= 1;
        }
        let announced = sentence.iter().any(|piece| piece.excepts || announces(&piece.judged));
        let denied = sentence[..first].iter().any(|piece| piece.judged.act == Act::Deny);
        let sentence_start = sentence[0].span.whole.start;
        let own = &mut sentence[first..last];
        let (Some(start), Some(end)) = (own.first(), own.last()) else { continue };
        let words = start.span.whole.start..end.span.whole.end;
        // "Yes, no, I mean a café": the yes was the beginning of the answer.
        let agreed = !replies && start.judged.act == Act::Confirm;
        // Who asks back, refuses or gives a command puts nothing right.
        let aside = |piece: &Piece<'_>| {
            matches!(piece.judged.act, Act::Refuse | Act::DontKnow | Act::CounterQuestion | Act::Meta)
        };
        if own.iter().all(aside) && ground.find(&words).is_empty() {
            continue;
        }
        let said = Said { announced: announced || denied, told: before || agreed };
        let mut readings = said_of(ground, &words, said, denied);
        if readings.is_empty() && denied && !replies {
            // "No wait, 40": the no is part of how a correction begins.
            let all = sentence_start..words.end;
            let said = Said { announced: true, ..said };
            readings = correction::find(ground.engine, ground.memory, ground.material, &all, said);
        }
        if readings.is_empty() && !replies {
            readings = counted_anew(ground, &words);
        }
        if !readings.is_empty() {
            replace(ground.engine, own, &readings);
            found.extend(readings);
        } else if replies {
            found.extend(own.iter_mut().flat_map(|piece| exchanged_here(ground, piece)));
        } else if let Some(rest) = after_verdict(ground, &words) {
            // "Mostly right, but April should be May", to what was said back: no verdict was asked for, but one is given.
            let readings = said_of(ground, &rest, Said { announced: true, ..said }, false);
            if readings.is_empty() {
                for piece in own.iter_mut() {
                    piece.unsure = true;
                }
            } else {
                replace(ground.engine, own, &readings);
                found.extend(readings);
            }
        }
        call_by_name(ground, own, &words, denied);
    }
    found
}

/// Whether a clause tells something that a later one may put right.
fn tells(ground: &Ground<'_, '_, '_, '_>, piece: &Piece<'_>) -> bool {
    piece.judged.act == Act::Answer && ground.material.telling(&piece.span.core) > 0
}

/// "It's eleven people now", right after an answer that counts people: that figure is put right, where none was asked for.
fn counted_anew(ground: &Ground<'_, '_, '_, '_>, words: &Range<usize>) -> Vec<FieldReading> {
    let Ground { memory, material, question, .. } = *ground;
    let counts = |field: &&Field| field.shape.r#type == Kind::Number || field.shape.measure.is_some();
    let leads = material.any_starts(&material.lexicon.leads, words).is_some();
    let told = ground.only_told().filter(|_| leads && !question.fields.iter().any(counts));
    let Some(field) = told else { return Vec::new() };
    let new = correction::point(material, words);
    let text = memory.extraction.value(&field.path);
    let text = text.and_then(|known| reworded(field, known, material, (None, &new)));
    text.map(|text| offered_anew(memory, field, &text, quote_of(material, words))).into_iter().collect()
}

/// Clauses that only say what something is called tell nothing, and those that tell two names apart may do so.
fn call_by_name(ground: &Ground<'_, '_, '_, '_>, pieces: &mut [Piece<'_>], words: &Range<usize>, denied: bool) {
    let tells = |piece: &Piece<'_>| piece.judged.act == Act::Answer;
    let several = pieces.len() > 1;
    let all = if pieces.iter().all(tells) { ground.names(words, denied) } else { None };
    for piece in pieces.iter_mut().filter(|piece| tells(piece)) {
        let own = || if several { ground.names(&piece.span.whole, denied) } else { None };
        match all.or_else(own) {
            Some(Naming::Told) => {
                piece.judged = Judged { act: Act::Social, name: "says what something is called", rule: None };
            }
            Some(Naming::Apart) => piece.unsure = true,
            None => {}
        }
    }
}

/// What some words replace of what is known.
fn said_of(ground: &Ground<'_, '_, '_, '_>, words: &Range<usize>, said: Said, denied: bool) -> Vec<FieldReading> {
    let Ground { engine, memory, material, .. } = *ground;
    let mut readings = ground.misread(words);
    if readings.is_empty() {
        readings = ground.find(words);
    }
    if readings.is_empty() && denied {
        readings = ground.renamed(words);
    }
    if readings.is_empty() {
        readings = correction::find(engine, memory, material, words, said);
    }
    if readings.is_empty() { ground.said_otherwise(words) } else { readings }
}

/// What follows a verdict and a word that makes an exception to it, where neither a verdict nor a yes or a no was asked for.
fn after_verdict(ground: &Ground<'_, '_, '_, '_>, words: &Range<usize>) -> Option<Range<usize>> {
    let Ground { material, question, .. } = *ground;
    let verdicts = &material.lexicon.verdicts;
    if question.open.yes_no || material.any_starts(&verdicts.unless, words).is_some() {
        return None;
    }
    let heads = [&verdicts.yes, &verdicts.agreed, &verdicts.almost];
    let head = heads.iter().filter_map(|words_of| material.any_starts(words_of, words)).max()?;
    let after = material.any_starts(&verdicts.except, &(head..words.end)).filter(|after| *after > head)?;
    (after < words.end).then_some(after..words.end)
}

/// The most words of "June is July": more of them tell something else.
const AN_EXCHANGE: usize = 6;

/// What a clause of a reply to "is that right?" says in the place of what was shown: "June is July".
fn exchanged_here(ground: &Ground<'_, '_, '_, '_>, piece: &mut Piece<'_>) -> Vec<FieldReading> {
    let Ground { engine, memory, material, .. } = *ground;
    let brief = piece.span.core.len() <= AN_EXCHANGE && !ground.question.verdicts.is_empty();
    if piece.judged.act != Act::Answer || !brief {
        return Vec::new();
    }
    let exchanges = &material.lexicon.verdicts.exchanges;
    let readings = correction::by_exchange(engine, memory, material, &piece.span.core.clone(), (exchanges, false));
    if !readings.is_empty() {
        replace(engine, std::slice::from_mut(piece), &readings);
    }
    readings
}

/// Marks clauses whose words replace what was said.
fn replace(engine: &Engine, pieces: &mut [Piece<'_>], readings: &[FieldReading]) {
    let path = readings.first().map(|reading| reading.path.clone());
    let place = engine.definition().fields.iter().position(|field| Some(&*field.path) == path.as_deref());
    for piece in pieces {
        piece.judged = Judged { act: Act::Correction, name: REPLACED, rule: None };
        piece.place = place.map_or(Place::Nowhere, Place::Other);
    }
}

/// The fields that a reply to "is that right?" names as not right, without saying how they should be.
pub(super) fn exceptions(ground: &Ground<'_, '_, '_, '_>, pieces: &mut [Piece<'_>]) -> Vec<String> {
    const A_NAME: usize = 7;
    let mut except = Vec::new();
    if !ground.question.asks_for_verdict() {
        return except;
    }
    let mut left_out: Option<usize> = None;
    except.extend(speaks_against(ground, pieces));
    for piece in pieces {
        // "…, they are 12": of what was left out, and of nothing else.
        let goes_on = ground.material.any_starts(&ground.material.lexicon.leads, &piece.span.whole).is_some();
        if left_out.take() == Some(piece.span.sentence) && goes_on && piece.judged.act == Act::Answer {
            piece.judged = Judged { act: Act::Correction, name: "goes with what is not right", rule: None };
            continue;
        }
        let denies = piece.judged.act == Act::Deny && piece.judged.name != KEPT;
        let excepts = piece.excepts && matches!(piece.judged.act, Act::Answer | Act::Confirm);
        let brief =
            piece.span.core.len() <= A_NAME && ground.material.quantities.within(&piece.span.core).next().is_none();
        let says = ground.material.has(&ground.material.lexicon.verbs, &piece.span.core);
        if !brief || !(denies || excepts && !says) {
            continue;
        }
        if let Some(path) = excepted(ground, &piece.span.core) {
            piece.judged = Judged { act: Act::Deny, name: "named as not right", rule: None };
            // A text is asked for anew; a sum or a date may follow at once.
            let measured = ground.engine.field(&path).is_some_and(|field| field.shape.measure.is_some());
            let text = ground.engine.field(&path).is_some_and(|field| field.shape.r#type == Kind::String);
            left_out = Some(piece.span.sentence).filter(|_| text && !measured);
            except.push(path);
        }
    }
    except
}

/// "Yes, but Dad is retired", to what was shown with Dad in it: the yes does not hold for all of it, and how it should be is
/// asked for.
fn speaks_against(ground: &Ground<'_, '_, '_, '_>, pieces: &mut [Piece<'_>]) -> Option<String> {
    let shown = &ground.question.shown;
    let [path] = shown.paths.as_slice() else { return None };
    let mut agreed = false;
    let mut against = false;
    for piece in pieces {
        let tokens = &ground.material.text.tokens[piece.span.core.clone()];
        let takes_up =
            tokens.iter().any(|token| shown.words.contains(&token.word) || shown.words.contains(&token.stem));
        if against || agreed && piece.excepts && piece.judged.act == Act::Answer && takes_up {
            against = true;
            piece.judged = Judged { act: Act::Correction, name: "goes against what was shown", rule: None };
        }
        agreed |= piece.judged.act == Act::Confirm;
    }
    against.then(|| path.clone())
}
