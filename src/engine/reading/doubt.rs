//! Whether a clause that no rule knows is an answer or talk, by what it sounds like.

use super::acts::{Judged, OWN_QUESTION, Openness};
use super::assign::{Piece, REPAIRED};
use super::clauses::Material;
use super::likeness::Sound;
use crate::engine::config::Act;

/// From here on a clause is talk, and from there it may be: logarithms of how much likelier that is.
const TALK: f64 = 2.0;
const UNSURE: f64 = -1.0;
/// What a clause of one, two or three words needs besides to be talk.
const FEW: [f64; 4] = [0.0, 4.0, 2.0, 0.5];
/// Below this a question is an answer.
const QUESTION: f64 = -1.0;
/// What the score of the best cue and a figure count against talk.
const CUED: f64 = 4.0;
const FIGURE: f64 = 4.0;

/// What no rule knows may still sound like talk, and a question like an answer. Cues of a field and figures speak for an
/// answer; of a few words not much can be told.
pub(super) fn doubt<'r>(material: &Material<'r, '_>, open: Openness, pieces: &mut [Piece<'r>]) {
    for at in 0..pieces.len() {
        let piece = &pieces[at];
        let asks_back = piece.judged.act == Act::CounterQuestion;
        let told = piece.judged.act == Act::Answer && piece.judged.name != REPAIRED;
        if !(told || asks_back) || piece.judged.rule.is_some() || piece.span.is_list {
            continue;
        }
        let none = material.lexicon.nothing.iter().any(|nothing| material.starts(nothing, &piece.span.core).is_some());
        if none && told {
            continue;
        }
        let Some(sound) = sound_of(material, open, pieces, piece) else { continue };
        let few = FEW.get(piece.span.core.len()).copied().unwrap_or_default();
        let piece = &mut pieces[at];
        if asks_back {
            if sound.talk < QUESTION {
                piece.judged = Judged { act: Act::Answer, name: OWN_QUESTION, rule: None };
                piece.unsure = !open.takes_questions;
            }
        } else if sound.talk > TALK + few {
            let rule = &material.lexicon.rules[sound.rule];
            piece.judged = Judged { act: rule.act, name: &rule.name, rule: Some(rule) };
        } else if sound.talk > UNSURE {
            piece.unsure = true;
        }
    }
}

/// What a clause sounds like, by itself and in its sentence, with what else speaks for an answer.
fn sound_of(material: &Material<'_, '_>, open: Openness, pieces: &[Piece<'_>], piece: &Piece<'_>) -> Option<Sound> {
    let likeness = material.lexicon.likeness();
    let own = likeness.hear(material, &piece.span.whole, piece.span.asks, open.yes_no)?;
    let mut sentence = piece.span.whole.clone();
    let mut asks = piece.span.asks;
    for other in pieces.iter().filter(|other| other.span.sentence == piece.span.sentence) {
        sentence = sentence.start.min(other.span.whole.start)..sentence.end.max(other.span.whole.end);
        asks |= other.span.asks;
    }
    let whole = likeness.hear(material, &sentence, asks, open.yes_no)?;
    let cued = piece.scores.first().map_or(0.0, |score| score.score) * CUED;
    let has_figure = material.quantities.within(&piece.span.core).next().is_some();
    let figure = if has_figure { FIGURE } else { 0.0 };
    Some(Sound { talk: f64::midpoint(own.talk, whole.talk) - cued - figure, rule: own.rule })
}
