//! What stays with the question though it sounds like something else: what is said to be the answer, what was told first,
//! what goes on with an answer; and what does not answer it though nothing else is asked for.

use super::acts::OWN_QUESTION;
use super::assign::{Piece, Place, Question};
use super::clauses::Material;
use super::cues::Score;
use super::direct::{beside_figures, is_bare_figure};
use super::pattern::Slot;
use super::settle::{BY_CUES, Before, OWN, SIGN};
use crate::engine::Engine;
use crate::engine::config::{Act, Field, Kind, Obligation};

/// Whether a sentence right behind the answer goes on with it: what it may be about besides is a choice or a number, which
/// a sentence that tells something has in it by the way.
pub(super) fn goes_on(question: &Question<'_>, piece: &Piece<'_>, counts: bool, before: Before) -> bool {
    let text = matches!(question.fields.as_slice(), [field] if is_plain_text(field));
    let behind = before.last.is_some_and(|(_, place)| place == Place::Asked);
    text && counts && behind && !piece.announced && !question.confirming && !question.closing
}

/// Whether a clause tells much more than the choice or the number that one cue of it points to.
pub(super) fn is_full_statement(
    question: &Question<'_>,
    material: &Material<'_, '_>,
    piece: &Piece<'_>,
    other: &Score,
) -> bool {
    const MUCH: usize = 4;
    let text = matches!(question.fields.as_slice(), [field] if is_plain_text(field));
    text && other.cues.len() < 2 && material.telling(&piece.span.core) >= MUCH
}

fn is_plain_text(field: &Field) -> bool {
    field.shape.r#type == Kind::String && field.shape.measure.is_none()
}

/// How much a clause sounds like a field to which it clearly belongs.
const CLEARLY: f64 = 2.0;

/// Whether a clause is the answer whatever it sounds like: the message says so, or it is the figure that was asked for.
fn answers_directly(question: &Question<'_>, material: &Material<'_, '_>, piece: &Piece<'_>, before: Before) -> bool {
    let figure = || question.fields.iter().any(|field| is_bare_figure(field, material, piece));
    // "We lost 9000 last winter", "Fifty percent would be a success": a sentence that clearly belongs elsewhere is more than
    // the figure that was asked for.
    let own = |at: usize| material.lexicon.speaker.contains(&material.text.tokens[at].word);
    let clear = piece.scores.first().is_some_and(|best| best.score >= CLEARLY);
    let told = || beside_figures(material, piece) > 0 && material.has(&material.lexicon.verbs, &piece.span.core);
    let elsewhere = clear && (piece.span.core.clone().any(own) || told());
    piece.is_answer || !before.answered && !piece.announced && !question.confirming && !elsewhere && figure()
}

/// Whether a number stands behind a sentence that was about something else: it may well belong there.
pub(super) fn is_figure_elsewhere(
    question: &Question<'_>,
    material: &Material<'_, '_>,
    piece: &Piece<'_>,
    before: Before,
) -> bool {
    let counts = question.fields.iter().any(|field| field.shape.r#type == Kind::Number);
    let elsewhere = matches!(before.last, Some((_, Place::Other(_)))) && !before.answered;
    let figures: Vec<_> = material.quantities.within(&piece.span.core).collect();
    let counted = |at: usize| figures.iter().any(|figure| figure.tokens.contains(&at));
    let around = piece.span.core.clone().filter(|at| !counted(*at) && material.telling(&(*at..*at + 1)) > 0);
    let bare = around.count() <= 1;
    counts && elsewhere && bare && piece.place == Place::Asked && piece.asked_by.0 < OWN
}

/// The field that takes a question of the user's, where one stands in the answer to another question and sounds like it.
fn own_question(engine: &Engine, question: &Question<'_>, piece: &Piece<'_>) -> Option<usize> {
    if piece.judged.name != OWN_QUESTION || question.open.takes_questions || question.confirming {
        return None;
    }
    let best = piece.scores.first()?;
    let field = engine.definition().fields.get(best.field)?;
    let takes = |o: &&Obligation| o.takes_questions && o.satisfied_by.iter().any(|path| **path == *field.path);
    engine.definition().obligations.iter().find(takes).map(|_| best.field)
}

/// What was told first answers the question, where nothing behind it has anything to do with that: "whether people would
/// stay. Two of them have children". It sounded like another field, and that is no better reason than the question.
pub(super) fn keep_first(
    engine: &Engine,
    material: &Material<'_, '_>,
    question: &Question<'_>,
    pieces: &mut [Piece<'_>],
) {
    let [asked] = question.fields.as_slice() else { return };
    let in_words =
        |field: &Field| matches!(field.shape.r#type, Kind::String | Kind::Array) && field.shape.measure.is_none();
    if question.confirming || question.closing || !in_words(asked) {
        return;
    }
    let told = |piece: &Piece<'_>| piece.judged.act == Act::Answer;
    let Some(first) = pieces.iter().position(told) else { return };
    let Place::Other(field) = pieces[first].place else { return };
    let by_cues = pieces[first].why == BY_CUES && !pieces[first].announced && !pieces[first].span.is_list;
    let other = engine.definition().fields.get(field).filter(|field| in_words(field));
    let sentence = pieces[first].span.sentence;
    let behind = |piece: &Piece<'_>| told(piece) && piece.place == Place::Asked && piece.span.sentence != sentence;
    let most = pieces.iter().filter(|piece| behind(piece)).map(|piece| piece.asked).fold(f64::NEG_INFINITY, f64::max);
    if !by_cues || other.is_none() || !(f64::NEG_INFINITY..SIGN).contains(&most) || most == f64::NEG_INFINITY {
        return;
    }
    if !pieces.iter().any(|piece| behind(piece) && refers_back(material, piece)) {
        return;
    }
    let lists = asked.shape.r#type == Kind::Array;
    for piece in pieces.iter_mut().filter(|piece| told(piece)) {
        if piece.span.sentence == sentence && piece.place == Place::Other(field) {
            (piece.place, piece.why) = (Place::Asked, "told first, and nothing behind it answers the question");
            piece.is_answer = true;
        } else if lists && piece.place == Place::Asked && piece.asked < SIGN {
            (piece.place, piece.why) = (Place::Nowhere, "says more of the answer");
        }
    }
}

/// Whether a clause has the figure of an aim, where something to be measured and its aim were asked for together.
pub(super) fn is_aim(question: &Question<'_>, material: &Material<'_, '_>, piece: &Piece<'_>) -> bool {
    let fields = &question.fields;
    let aims = |field: &&Field| field.depends_on.iter().any(|on| fields.iter().any(|other| *other.path == **on));
    let aim = fields.iter().copied().find(|field| aims(field) && field.shape.r#type == Kind::String);
    let counts =
        material.quantities.within(&piece.span.core).any(|own| matches!(own.kind, Slot::Number | Slot::Percent));
    aim.is_some() && counts && !piece.announced
}

/// Whether a clause speaks of what was named before it: "two of them have children".
fn refers_back(material: &Material<'_, '_>, piece: &Piece<'_>) -> bool {
    let lexicon = material.lexicon;
    // "Two have children": a number without a noun counts what was named.
    let counts = material.quantities.within(&piece.span.core).any(|own| {
        let next = own.tokens.end..own.tokens.end + 1;
        own.kind == Slot::Number && next.end <= piece.span.core.end && material.has(&lexicon.verbs, &next)
    });
    counts
        || piece.span.core.clone().any(|at| {
            let word = &material.text.tokens[at].word;
            lexicon.lists.asides.contains(word) && !lexicon.speaker.contains(word) && !lexicon.addressee.contains(word)
        })
}

/// Where a clause goes that can be told without weighing it: to the question that it answers directly, or to the field that
/// takes a question of the user's.
pub(super) fn for_sure(
    engine: &Engine,
    material: &Material<'_, '_>,
    question: &Question<'_>,
    piece: &mut Piece<'_>,
    before: Before,
) -> Option<(Place, &'static str)> {
    if piece.named.is_none() && answers_directly(question, material, piece, before) {
        piece.is_answer = true;
        return Some((Place::Asked, "said to be the answer, or the figure that was asked for"));
    }
    let field = own_question(engine, question, piece)?;
    Some((Place::Other(field), "a question of their own, for what takes one"))
}
