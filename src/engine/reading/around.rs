//! What stands around what a message tells: complaints and refusals that speak for their sentence, reasons to stop.

use super::acts::{Judged, OWN_QUESTION};
use super::assign::{Piece, Place, Question};
use super::clauses::Material;
use super::settle::LEAVE_FIRST;
use super::verdict::RETOLD;
use crate::engine::config::{Act, Doing};

/// So much a part before a refusal has to do with a field, at least, to stand by itself.
const TOLD_BEFORE: f64 = 0.9;
/// So many words it has at least.
const TOLD_WORDS: usize = 4;

/// An objection to the question, a refusal or an "I don't know" speaks for its sentence, unless a part of it clearly tells
/// something. Who objects that something was said already, or is wrong, says in the same breath what it was.
pub(super) fn swallow(material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    let says = |piece: &Piece<'_>| {
        let doing = piece.judged.rule.and_then(|rule| rule.does);
        // Who names what they have told says no more than its name.
        let names = material.has(&material.lexicon.retold.about, &piece.span.whole);
        let heads = &material.lexicon.retold.heads;
        let talk =
            piece.span.core.is_empty() && material.any_starts(heads, &piece.span.whole) == Some(piece.span.whole.end);
        talk || matches!(doing, Some(Doing::SaidAlready | Doing::Wrong))
            && !(doing == Some(Doing::SaidAlready) && names)
    };
    // "Wait, the rent is 4500": a word that only leads up to something else.
    let leads = |piece: &Piece<'_>| {
        let words = &piece.span.whole;
        material.any_starts(&material.lexicon.announced, words) == Some(words.end)
    };
    let speaks = |piece: &&Piece<'_>| {
        let act = piece.judged.act;
        let talks = matches!(act, Act::Objection | Act::Refuse | Act::DontKnow | Act::OffTopic);
        talks && !says(piece) && !leads(piece)
    };
    for sentence in pieces.chunk_by_mut(|a, b| a.span.sentence == b.span.sentence) {
        leave_facts(material, sentence);
        if sentence.iter().any(says) {
            for piece in sentence.iter_mut() {
                let beside = is_beside_the_point(material, piece);
                piece.unsure |= beside;
                if !beside && piece.judged.act == Act::Answer && piece.judged.rule.is_none() {
                    piece.judged.name = RETOLD;
                }
            }
        }
        let Some(at) = sentence.iter().position(|piece| speaks(&piece)) else { continue };
        let act = sentence[at].judged.act;
        for (place, piece) in sentence.iter_mut().enumerate().filter(|(_, piece)| piece.judged.act == Act::Answer) {
            let told = act == Act::Objection && material.quantities.within(&piece.span.core).next().is_some();
            // Who tells something and then cannot say the rest has told it.
            let before = place < at && piece.span.core.len() >= TOLD_WORDS;
            let enough = if before { TOLD_BEFORE } else { LEAVE_FIRST.0 };
            let clear = told || piece.scores.iter().any(|score| score.score >= enough);
            let guess = act == Act::DontKnow && material.has(&material.lexicon.guesses, &piece.span.whole);
            if !clear && !guess {
                piece.judged = Judged { act, name: "goes with the rest of its sentence", rule: None };
            }
        }
    }
}

/// "Bad teamwork, we have that already": what there is, and no reproach.
fn leave_facts(material: &Material<'_, '_>, sentence: &mut [Piece<'_>]) {
    let mut told = false;
    for piece in sentence {
        let whole = &piece.span.whole;
        if told && material.any_starts(&material.lexicon.retold.facts, whole) == Some(whole.end) {
            piece.judged = Judged { act: Act::Social, name: "says that there is such a thing", rule: None };
        }
        told |= piece.judged.act == Act::Answer;
    }
}

/// So many words has a message that was written for somebody else: a mail, notes.
const PASTED: usize = 90;

/// Whether a message is a pasted text rather than something said to the interviewer.
pub(super) fn is_pasted(material: &Material<'_, '_>) -> bool {
    material.text.tokens.len() >= PASTED
}

/// What a pasted text asks, refuses or objects to is not meant for the interviewer; its last sentence may be.
pub(super) fn spare_pasted(material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    let last = pieces.last().map(|piece| piece.span.sentence).filter(|_| is_pasted(material));
    let Some(last) = last else { return };
    for piece in pieces.iter_mut().filter(|piece| piece.span.sentence != last) {
        let meant = matches!(
            piece.judged.act,
            Act::Meta | Act::CounterQuestion | Act::Objection | Act::Refuse | Act::DontKnow | Act::OffTopic
        );
        if meant {
            piece.judged = Judged { act: Act::Social, name: "talk in a pasted text", rule: None };
        }
    }
}

/// "No idea. Is the law a problem for us?": a question beside "I don't know" is no answer, where none was asked for.
pub(super) fn leave_questions(question: &Question<'_>, pieces: &mut [Piece<'_>]) {
    let unknown = pieces.iter().any(|piece| piece.judged.act == Act::DontKnow);
    if question.open.takes_questions || !unknown {
        return;
    }
    for piece in pieces.iter_mut().filter(|piece| piece.judged.name == OWN_QUESTION) {
        piece.judged = Judged { act: Act::Social, name: "wonders, and does not answer", rule: None };
    }
}

/// "Sorry, the kids. Where were we?": what kept somebody is no answer.
pub(super) fn interruption(material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    const SHORT: usize = 6;
    let again = |piece: &Piece<'_>| piece.judged.rule.is_some_and(|rule| rule.does == Some(Doing::Repeat));
    let Some(back) = pieces.iter().position(again) else { return };
    let sentence = pieces[back].span.sentence;
    let before = sentence.checked_sub(1);
    for piece in pieces[..back].iter_mut().filter(|piece| Some(piece.span.sentence) == before) {
        let brief = piece.span.whole.len() <= SHORT;
        let figure = material.quantities.within(&piece.span.core).next().is_some();
        if brief && !figure && piece.judged.act == Act::Answer {
            piece.judged = Judged { act: Act::OffTopic, name: "what kept them", rule: None };
        }
    }
}

/// "Paper. By the way, Ines decides on the money": what is told besides is no part of the answer before it.
pub(super) fn leave_by_the_way(material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    let mut answered = None;
    let told: Vec<usize> = pieces
        .iter()
        .filter(|piece| material.has(&material.lexicon.by_the_way, &piece.span.whole))
        .map(|piece| piece.span.sentence)
        .collect();
    for piece in pieces.iter_mut().filter(|piece| piece.judged.act == Act::Answer && piece.place == Place::Asked) {
        let sentence = piece.span.sentence;
        if told.contains(&sentence) && answered.is_some_and(|before| before != sentence) {
            (piece.place, piece.why) = (Place::Nowhere, "told besides, after the answer");
        } else {
            piece.unsure |= told.contains(&sentence) && piece.asked < A_SIGN;
            answered.get_or_insert(sentence);
        }
    }
}

/// So many sentences tell something, at least, where a message is more than an answer.
const SEVERAL: usize = 4;
/// What a sentence has to do with the question, at least, where others answer it, and what those have to do with it.
const A_SIGN: f64 = 0.1;
const ANSWERS: f64 = 0.6;

/// Where a message tells many things and some of them answer the question, a sentence that has nothing to do with it is no
/// part of the answer: "I spent the weekend in the garden".
pub(super) fn leave_beside_answer(question: &Question<'_>, pieces: &mut [Piece<'_>]) {
    let told = |piece: &Piece<'_>| piece.judged.act == Act::Answer && !piece.span.is_list;
    let mut sentences: Vec<(usize, f64)> = Vec::new();
    for piece in pieces.iter().filter(|piece| told(piece)) {
        let asked = if piece.place == Place::Asked { piece.asked } else { f64::NEG_INFINITY };
        match sentences.last_mut().filter(|(sentence, _)| *sentence == piece.span.sentence) {
            Some((_, most)) => *most = most.max(asked),
            None => sentences.push((piece.span.sentence, asked)),
        }
    }
    let answered = sentences.iter().any(|(_, most)| *most >= ANSWERS);
    if sentences.len() < SEVERAL || !answered || question.fields.len() != 1 {
        return;
    }
    for piece in pieces.iter_mut().filter(|piece| told(piece) && piece.place == Place::Asked) {
        let most =
            sentences.iter().find(|(sentence, _)| *sentence == piece.span.sentence).map_or(0.0, |(_, most)| *most);
        if most < A_SIGN {
            (piece.place, piece.why) = (Place::Nowhere, "others answer the question, and it has nothing to do with it");
        }
    }
}

/// What follows a wish to stop is most often the reason for it: "I have dough rising".
pub(super) fn excuse(material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    let mut stopped = false;
    for piece in pieces {
        let points = piece.scores.iter().any(|score| score.score > 0.0);
        let figure = material.quantities.within(&piece.span.core).next().is_some();
        let words = &material.text.tokens[piece.span.core.clone()];
        let own = words.iter().any(|token| material.lexicon.speaker.contains(&token.word));
        if stopped && own && piece.judged.act == Act::Answer && !points && !figure {
            piece.judged = Judged { act: Act::OffTopic, name: "a reason to stop", rule: None };
        }
        stopped |= piece.judged.rule.is_some_and(|rule| rule.does == Some(Doing::Stop));
    }
}

/// Whether what stands beside an objection may be part of it: many words without a figure that point to nothing asked for.
fn is_beside_the_point(material: &Material<'_, '_>, piece: &Piece<'_>) -> bool {
    const FEW: usize = 5;
    let cued = piece.scores.iter().any(|score| score.score > 0.0);
    let figure = material.quantities.within(&piece.span.core).next().is_some();
    piece.span.core.len() > FEW && !cued && !figure
}

/// Who has just said what it is not says next what it is.
pub(super) fn sure_after_exception(question: &Question<'_>, except: &[String], pieces: &mut [Piece<'_>]) {
    if question.fields.iter().any(|field| except.iter().any(|path| *path == *field.path)) {
        for piece in pieces {
            piece.unsure = false;
        }
    }
}
