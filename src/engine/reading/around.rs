//! What stands around what a message tells: complaints and refusals that speak for their sentence, reasons to stop.

use super::acts::Judged;
use super::assign::Piece;
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
    let speaks = |piece: &&Piece<'_>| {
        let act = piece.judged.act;
        matches!(act, Act::Objection | Act::Refuse | Act::DontKnow | Act::OffTopic) && !says(piece)
    };
    for sentence in pieces.chunk_by_mut(|a, b| a.span.sentence == b.span.sentence) {
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
