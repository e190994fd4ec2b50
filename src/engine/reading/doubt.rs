//! Whether a clause that no rule knows is an answer or talk, by what it sounds like.

use std::ops::Range;

use super::acts::{Judged, OWN_QUESTION, Openness, is_command as is_command_of, is_told};
use super::around::is_pasted;
use super::assign::Piece;
use super::clauses::Material;
use super::likeness::{Marks, marks};
use super::repair::REPAIRED;
use super::verdict::RETOLD;
use crate::engine::config::{Act, Doing};

/// From here on a clause is talk, and from there it may be: logarithms of how much likelier that is.
const TALK: f64 = 2.0;
const UNSURE: f64 = -2.5;
/// The same for talk that the interviewer would act upon. Going back or stopping where nobody asked for it is worse than
/// asking whether something was meant, so that needs a rule.
const COMMAND: f64 = 6.0;
/// The same for a clause of few words. A short answer to a question is most often meant as one.
const UNSURE_OF_FEW: f64 = 0.0;
/// What speaks for an answer where a clause has one, two or three words: there is little to go by.
const FEW: [f64; 4] = [0.0, 4.0, 2.0, 0.5];
/// Below this a question is an answer.
const QUESTION: f64 = -1.0;
/// What the score of the best cue and a figure count against talk.
const CUED: f64 = 4.0;
const FIGURE: f64 = 4.0;
/// What it counts against talk that a clause sounds like an answer to what was asked.
const ALIKE: f64 = 5.0;
/// What the cues of a sentence count for each of its clauses.
const BESIDE: f64 = 1.5;

/// What no rule knows may still sound like talk, and a question like an answer. Cues of a field and figures speak for an
/// answer; of a few words not much can be told.
pub(super) fn doubt<'r>(material: &Material<'r, '_>, open: Openness, pieces: &mut [Piece<'r>]) {
    let likeness = material.lexicon.likeness();
    if likeness.is_empty() {
        return;
    }
    for sentence in pieces.chunk_by_mut(|a, b| a.span.sentence == b.span.sentence) {
        let (Some(first), Some(last)) = (sentence.first(), sentence.last()) else { continue };
        let whole = first.span.whole.start..last.span.whole.end;
        let asks = sentence.iter().any(|piece| piece.span.asks);
        let claims = |piece: &Piece<'_>| piece.judged.rule.is_some_and(|rule| rule.does == Some(Doing::SaidAlready));
        // What is said once more beside "I told you" is no talk.
        if !sentence.iter().any(|piece| is_open(material, open, piece)) || sentence.iter().any(claims) {
            continue;
        }
        let all = likeness.talk(&marks_of(material, &whole, asks), open.yes_no);
        // Where one clause clearly tells something, the others most likely do too.
        let best = sentence.iter().flat_map(|piece| &piece.scores).map(|score| score.score);
        let beside = best.fold(0.0, f64::max) * BESIDE;
        for piece in sentence.iter_mut() {
            // What people ask themselves is no answer for sure.
            piece.unsure |= piece.judged.name == OWN_QUESTION && !open.takes_questions;
            if is_open(material, open, piece) {
                judge(material, open, piece, all - beside * CUED);
            }
        }
    }
}

/// Whether no rule has said what a clause is.
fn is_open(material: &Material<'_, '_>, open: Openness, piece: &Piece<'_>) -> bool {
    let told = piece.judged.act == Act::Answer && ![REPAIRED, RETOLD].contains(&piece.judged.name);
    // "None, we start from scratch": not where the sentence goes on, as in "No I'm not doing that".
    let says_none = || {
        let core = &piece.span.core;
        let ends = material.any_starts(&material.lexicon.nothing, core);
        ends.is_some_and(|end| end == core.end || !material.text.before(end).trim().is_empty())
    };
    let asks_back = piece.judged.act == Act::CounterQuestion;
    // A question of their own is what was asked for.
    if open.takes_questions && piece.judged.name == OWN_QUESTION {
        return false;
    }
    piece.judged.rule.is_none()
        && piece.left_out.is_none()
        && !piece.span.is_list
        && (asks_back || told && !says_none())
}

fn marks_of(material: &Material<'_, '_>, tokens: &Range<usize>, asks: bool) -> Marks {
    let words: Vec<&str> = material.text.tokens[tokens.clone()].iter().map(|token| token.word.as_str()).collect();
    marks(&words, asks)
}

/// Whether the course of the interview changes by it.
fn is_command(doing: Doing) -> bool {
    matches!(
        doing,
        Doing::Stop
            | Doing::Back
            | Doing::SaidAlready
            | Doing::Wrong
            | Doing::Skip
            | Doing::Decline
            | Doing::Unknown
            | Doing::YourPart
    )
}

/// More telling words than this are most likely meant as an answer: "the adviser should stop complaining".
const MOST_OF_COMMAND: usize = 3;

/// Judges a clause by what it sounds like, by itself and in its sentence (`all`).
fn judge<'r>(material: &Material<'r, '_>, open: Openness, piece: &mut Piece<'r>, all: f64) {
    let likeness = material.lexicon.likeness();
    let marks = marks_of(material, &piece.span.whole, piece.span.asks);
    let cued = piece.scores.iter().map(|score| score.score).fold(0.0, f64::max) * CUED;
    let has_figure = material.quantities.within(&piece.span.core).next().is_some();
    let figure = if has_figure { FIGURE } else { 0.0 };
    let few = FEW.get(piece.span.core.len()).copied().unwrap_or_default();
    let alike = ALIKE * piece.asked_by.1;
    let talk = f64::midpoint(likeness.talk(&marks, open.yes_no), all) - cued - figure - few - alike;
    if piece.judged.act == Act::CounterQuestion {
        if talk < QUESTION {
            piece.judged = Judged { act: Act::Answer, name: OWN_QUESTION, rule: None };
            piece.unsure = !open.takes_questions;
        }
    } else if talk > TALK {
        let rules = &material.lexicon.rules;
        let fits = |rule: usize| rules.get(rule).is_some_and(|rule| open.yes_no || !rule.yes_no);
        let Some(rule) = likeness.rule(&marks, fits).and_then(|rule| rules.get(rule)) else { return };
        let commands = rule.does.is_some_and(is_command);
        // "No, that was just hello" sounds like "I just told you", and says nothing of who told what.
        let said = &material.text.tokens[piece.span.core.clone()];
        let speaks = said.iter().any(|token| {
            material.lexicon.speaker.contains(&token.word) || material.lexicon.addressee.contains(&token.word)
        });
        if rule.does == Some(Doing::SaidAlready) && !speaks {
            piece.judged = Judged { act: Act::Social, name: "talk without a point", rule: None };
            return;
        }
        let leads_away = matches!(rule.does, Some(Doing::Stop | Doing::Back));
        let sure = talk > COMMAND && !leads_away && material.telling(&piece.span.core) <= MOST_OF_COMMAND;
        // A pasted text objects to nothing, and who says what they do asks for nothing.
        let told = is_command_of(rule.act) && !piece.span.asks && is_told(material, &piece.span.core);
        let meant = !told && (rule.act == Act::Social || !is_pasted(material));
        if meant && (sure || !commands) {
            piece.judged = Judged { act: rule.act, name: &rule.name, rule: Some(rule) };
        } else {
            piece.unsure = true;
        }
    } else if talk > (if few > 0.0 { UNSURE_OF_FEW } else { UNSURE }) && likeness.knows(&marks) {
        piece.unsure = true;
    }
}
