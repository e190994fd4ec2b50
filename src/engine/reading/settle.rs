//! Where each clause goes: what was asked comes first, and a clause leaves it only with a clear lead.

use super::assign::{Piece, Place, Question};
use super::clauses::Material;
use super::cues::Score;
use super::kinds::of_another_kind;
use super::lines;
use super::reader::Tongue;
use super::special::named_in;
use super::stays::{for_sure, goes_on, is_aim, is_figure_elsewhere, is_full_statement, keep_first};
use super::values;
use super::verdict::RETOLD;
use crate::engine::Engine;
use crate::engine::config::{Act, Field, Kind};
use crate::engine::words::content_words;

/// What cues must say to be clear, and by how much they must lead.
pub(super) const LEAVE_FIRST: (f64, f64) = (1.15, 0.7);
/// The same where nothing else is asked for.
pub(super) const LEAVE_LATER: (f64, f64) = (0.8, 0.35);
/// The same beside the answer to a question, where cues are all there is.
const CLEARLY: (f64, f64) = (1.5, 1.0);
/// From here on a clause has something to do with what was asked.
pub(super) const OWN: f64 = 0.45;
/// From here on there is a sign of it.
pub(super) const SIGN: f64 = 0.1;
/// What speaks for another field: that the clause sounds like it, that cues point to it, and that both do. These weights
/// and those below began as a logistic regression over annotated messages and were then tuned by trial on the same ones.
const SOUNDS: f64 = 2.0;
const CUED: f64 = 1.8;
const BOTH: f64 = 0.6;
/// What speaks against it: what has to do with the question, and another field that it sounds like.
const ASKED: f64 = 0.5;
const NEXT: f64 = 0.8;
/// What it needs to be kept at all, and how much less it may have to be no answer to the question either.
const LEAST: f64 = 1.8;
const MAYBE: f64 = -0.6;
/// How much less it may have to be offered for another field, after an answer.
const NEARLY: f64 = -0.2;
/// What it needs besides: as long as the question has no answer (less where several sentences follow and this one has
/// nothing to do with the question), in the sentence that answers it, as the only clause of a message that has to do with
/// the question too, and as a number or a choice where a text was asked for.
const FIRST: f64 = 2.0;
const AMONG: f64 = 0.5;
const WITHIN: f64 = 1.8;
const ALONE: f64 = 0.4;
const TYPED: f64 = 0.5;
/// What speaks for a list that was asked for where several things stand in a row.
const LISTED: f64 = 1.5;
/// The same for an element of the list that stands with the question.
const OF_SHOWN: f64 = 3.0;
/// What speaks for a text that was asked for where a sentence tells much more than a choice or a number.
const IN_STATEMENT: f64 = 2.0;
/// What cues must say of the question to make a clause its answer, and what then speaks against another field.
const ANSWER: f64 = 1.0;
const ANSWERS: f64 = 1.5;
/// By how much another field must lead over the one that the sentence was about so far.
const APART: f64 = 1.5;
/// What the score of a field counts in the other clauses of a sentence.
const BESIDE: f64 = 0.25;
/// The most telling words of a short answer.
const SHORT: usize = 3;
/// How many clauses before and after one count.
const AROUND: usize = 3;

/// Why a clause that follows an answer is offered for the field that it sounds like: without a clear lead, and yet it is
/// not part of the answer.
const MAYBE_ELSEWHERE: &str = "it may be about something else";

/// Why a clause goes to another field than the one that was asked for.
pub(super) const BY_CUES: &str = "a clear lead of its cues";

/// What the clauses around one in its sentence point to counts a little: most sentences are about one thing.
pub(super) fn share_sentences(pieces: &mut [Piece<'_>]) {
    let before: Vec<(usize, Vec<Score>)> =
        pieces.iter().map(|piece| (piece.span.sentence, piece.scores.clone())).collect();
    for (at, piece) in pieces.iter_mut().enumerate() {
        if piece.span.is_list {
            continue;
        }
        let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(before.len());
        for score in &mut piece.scores {
            let others = around.clone().filter(|other| *other != at && before[*other].0 == piece.span.sentence);
            let same = others.flat_map(|other| &before[other].1).filter(|other| other.field == score.field);
            score.score += BESIDE * same.map(|other| other.score).fold(0.0, f64::max);
        }
        piece.scores.sort_by(|a, b| b.rank().total_cmp(&a.rank()));
    }
}

/// How much each clause has to do with what was asked.
pub(super) fn weigh_asked(question: &Question<'_>, tongue: &Tongue, pieces: &mut [Piece<'_>]) {
    let is_asked = |score: &&Score| question.fields.iter().any(|field| *field.path == *tongue.cues.path(score.field));
    for piece in pieces {
        let asked = || piece.scores.iter().filter(is_asked);
        let most = |of: fn(&Score) -> f64| asked().map(of).fold(0.0, f64::max);
        piece.asked_by = (most(|score| score.score), most(|score| score.like));
        piece.asked = piece.asked_by.0 + piece.asked_by.1;
    }
}

/// What was made of the clauses before one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    /// Whether one of them answered what was asked.
    pub answered: bool,
    /// The sentence and the place of the last one.
    pub last: Option<(usize, Place)>,
    /// Whether the message has no clause but this one.
    alone: bool,
    /// Whether it has several sentences that tell something.
    several: bool,
}

/// Decides for each clause that tells something where it goes.
pub(super) fn settle(
    engine: &Engine,
    tongue: &Tongue,
    material: &Material<'_, '_>,
    question: &Question<'_>,
    label: &dyn Fn(&str) -> Option<usize>,
    pieces: &mut [Piece<'_>],
) {
    let telling = pieces.iter().filter(|piece| piece.judged.act == Act::Answer).count();
    let alone = telling == 1 && !question.fields.is_empty() && !question.confirming;
    let mut sentences: Vec<usize> =
        pieces.iter().filter(|piece| piece.judged.act == Act::Answer).map(|piece| piece.span.sentence).collect();
    sentences.dedup();
    let mut before = Before { alone, several: sentences.len() > 1, ..Before::default() };
    let kind = |score: &Score| engine.definition().fields.get(score.field).map(|field| field.shape.r#type);
    let is_asked = |path: &str| question.fields.iter().any(|field| *field.path == *path);
    let lists = question.fields.iter().any(|field| field.shape.r#type == Kind::Array);
    let lines = lines::places(question, tongue, material, &engine.definition().fields, label, pieces);
    for (piece, line) in pieces.iter_mut().zip(lines).filter(|(piece, _)| piece.judged.act == Act::Answer) {
        if let Some(found) = line.or_else(|| for_sure(engine, material, question, piece, before)) {
            (piece.place, piece.why) = found;
            before.answered |= piece.place == Place::Asked;
            before.last = Some((piece.span.sentence, piece.place));
            continue;
        }
        let mut others = piece.scores.iter().filter(|score| !is_asked(tongue.cues.path(score.field)));
        let other = others.find(|score| kind(score) != Some(Kind::Object));
        let leaves = other.filter(|other| {
            let counts = matches!(kind(other), Some(Kind::Enum | Kind::Number | Kind::Boolean));
            // Several things in a row answer a question for a list.
            let commas = piece.span.core.clone().skip(1).filter(|at| material.text.before(*at).contains(',')).count();
            let lists = lists && commas > 1 && kind(other) != Some(Kind::Array);
            let of_shown = !before.answered && !piece.announced && names_shown(question, material, piece);
            let listed = f64::from(u8::from(lists)) * LISTED + f64::from(u8::from(of_shown)) * OF_SHOWN;
            let told = before.answered && counts && is_full_statement(question, material, piece, other);
            let listed = listed + if told { IN_STATEMENT } else { 0.0 };
            let leads = lead(question, piece, other, counts, before) > listed
                || is_clear_beside(material, piece, other, before);
            let text = matches!(kind(other), Some(Kind::String | Kind::Array));
            leads && leaves_sentence(piece, other, before) && !(text && is_aim(question, material, piece))
        });
        let named = piece.named.filter(|field| !is_asked(tongue.cues.path(*field)));
        let of_kind = if leaves.is_none() { of_another_kind(engine, material, question, piece, before) } else { None };
        (piece.place, piece.why) = match (named, leaves, of_kind) {
            (Some(field), ..) => (Place::Other(field), "a field by its name"),
            (None, Some(other), _) => (Place::Other(other.field), BY_CUES),
            (None, None, Some(field)) => (Place::Other(field), "a figure of its kind"),
            (None, None, None) => {
                let rest = other.map_or(f64::NEG_INFINITY, |other| lead(question, piece, other, false, before));
                let texts = |other: &&Score| matches!(kind(other), Some(Kind::String | Kind::Array));
                let in_words = other.filter(texts).filter(|_| rest > NEARLY);
                let in_words = in_words.map(|other| other.field);
                let goes_on = goes_on(question, piece, other.is_some_and(|other| !texts(&other)), before);
                match (without_lead(question, material, piece, before, rest), in_words) {
                    ((Place::Nowhere, MAYBE_ELSEWHERE), _) if goes_on => (Place::Asked, "goes on with the answer"),
                    ((Place::Nowhere, MAYBE_ELSEWHERE), Some(other)) => (Place::Other(other), MAYBE_ELSEWHERE),
                    (found, _) => found,
                }
            }
        };
        piece.unsure |= is_figure_elsewhere(question, material, piece, before);
        before.answered |= piece.place == Place::Asked;
        before.last = Some((piece.span.sentence, piece.place));
    }
    keep_first(engine, material, question, pieces);
    leave_unlike(tongue, material, question, pieces);
}

/// Whether a clause names an element of the list that stands with the question.
fn names_shown(question: &Question<'_>, material: &Material<'_, '_>, piece: &Piece<'_>) -> bool {
    let shown = &question.shown.elements;
    !shown.is_empty() && !named_in(material.text.slice(&piece.span.core), shown, material.lexicon).is_empty()
}

/// Who somebody is says nothing on what they want: words that the engine knows to be no answer to its question are none,
/// and beside an answer they are no part of it.
fn leave_unlike(tongue: &Tongue, material: &Material<'_, '_>, question: &Question<'_>, pieces: &mut [Piece<'_>]) {
    let Some(field) = question.fields.first() else { return };
    let is_asked = |piece: &&mut Piece<'_>| piece.place == Place::Asked && piece.judged.act == Act::Answer;
    let known = |field: &&Field, piece: &Piece<'_>| tongue.is_unlike(&field.path, material, &piece.span.core);
    let unlike = |piece: &Piece<'_>| question.fields.iter().any(|field| known(field, piece));
    if pieces.iter_mut().filter(is_asked).all(|piece| unlike(piece)) {
        for piece in pieces.iter_mut().filter(is_asked) {
            (piece.place, piece.why) = (Place::Nowhere, "the engine knows it to be no answer");
        }
    } else if field.shape.r#type == Kind::String {
        // "We run a bakery and want to build an app" is about the app.
        for piece in pieces.iter_mut().filter(is_asked).filter(|piece| unlike(piece)) {
            (piece.place, piece.why) = (Place::Nowhere, "who they are, beside the answer");
        }
    }
}

impl Before {
    /// The place of the clause before in the same sentence.
    pub fn beside(&self, piece: &Piece<'_>) -> Option<Place> {
        self.last.filter(|(sentence, _)| *sentence == piece.span.sentence).map(|(_, place)| place)
    }
}

/// How much speaks for another field than what was asked; positive where that is enough. `counts`: whether it holds a
/// number or a choice.
fn lead(question: &Question<'_>, piece: &Piece<'_>, other: &Score, counts: bool, before: Before) -> f64 {
    let both = if other.score > 0.0 { other.like } else { 0.0 };
    let (cued, like) = piece.asked_by;
    let others = piece.scores.iter().filter(|score| score.field != other.field);
    let next = others.map(|score| score.like).fold(0.0, f64::max);
    let speaks = SOUNDS * other.like + CUED * other.score + BOTH * both;
    let against = ASKED * (cued + like) + NEXT * next + LEAST;
    // A sentence that answers a question for a text may well have a number or a choice in it. In a later sentence both
    // may well be new facts.
    let texts = question.fields.iter().any(|field| matches!(field.shape.r#type, Kind::String | Kind::Array));
    let typed = if counts && texts && !before.answered { TYPED } else { 0.0 };
    let place = match before.beside(piece) {
        // What corrects something is no answer to the question, and to "is that right?" the answer is a yes or a no.
        _ if piece.announced || question.confirming || question.closing || question.fields.is_empty() => 0.0,
        // "I said the turnover is 240": what was told before is most often no answer to this question.
        _ if piece.judged.name == RETOLD && piece.asked < OWN => 0.0,
        // What clearly answers the question goes only to what it is much clearer about.
        _ if !before.answered && cued >= ANSWER && other.score < cued + LEAVE_FIRST.1 / 2.0 => FIRST + ANSWERS,
        _ if !before.answered && before.several && piece.asked < OWN => AMONG,
        _ if !before.answered => FIRST,
        Some(Place::Asked) => WITHIN,
        _ => 0.0,
    };
    let alone = if before.alone && piece.asked > 0.0 && !piece.announced { ALONE } else { 0.0 };
    speaks - against - place - typed - alone
}

/// The field that a line by itself is clearly about; where a list was asked for, it takes more to be none of its elements.
pub(super) fn lead_of_line<'p>(
    question: &Question<'_>,
    tongue: &Tongue,
    fields: &[Field],
    piece: &'p Piece<'_>,
    lists: bool,
) -> Option<&'p Score> {
    let asked = |score: &&Score| question.fields.iter().any(|field| *field.path == *tongue.cues.path(score.field));
    let object = |score: &&Score| fields.get(score.field).is_some_and(|field| field.shape.r#type == Kind::Object);
    let best = piece.scores.iter().find(|score| !asked(score) && !object(score))?;
    let last = lists.then_some((piece.span.sentence, Place::Asked));
    let before = Before { answered: true, last, alone: false, several: true };
    (lead(question, piece, best, false, before) > 0.0).then_some(best)
}

/// Whether cues and a figure clearly lead away from the answer that stands beside a clause: "a booking app, we lose 3 hours
/// a day".
fn is_clear_beside(material: &Material<'_, '_>, piece: &Piece<'_>, other: &Score, before: Before) -> bool {
    let (least, lead) = CLEARLY;
    let has_figure = material.quantities.within(&piece.span.core).next().is_some();
    let clear = other.score >= least && other.score >= piece.asked_by.0 + lead;
    before.beside(piece) == Some(Place::Asked) && has_figure && clear
}

/// Whether another field leads clearly over the one that the sentence was about so far.
fn leaves_sentence(piece: &Piece<'_>, other: &Score, before: Before) -> bool {
    match before.beside(piece) {
        Some(Place::Other(field)) if field != other.field => {
            let own = piece.scores.iter().find(|score| score.field == field);
            let cued = own.map_or(0.0, |own| own.score);
            // Cues that are clear need not sound like it too.
            let clear = other.score >= LEAVE_FIRST.0 && other.score >= cued + LEAVE_FIRST.1;
            clear || other.score > 0.0 && other.rank() >= own.map_or(f64::NEG_INFINITY, Score::rank) + APART
        }
        _ => true,
    }
}

/// Where a clause goes that no other field clearly has a claim to.
fn without_lead(
    question: &Question<'_>,
    material: &Material<'_, '_>,
    piece: &mut Piece<'_>,
    before: Before,
    rest: f64,
) -> (Place, &'static str) {
    if question.agreed() && !question.shown.paths.is_empty() && !question.fields.is_empty() {
        return beside_yes(question, material, piece);
    }
    if question.shown.renews() && question.verdicts.contains(&Act::Deny) {
        return beside_no(material, piece);
    }
    if piece.asked > OWN {
        return (Place::Asked, "what was asked, with cues of its own");
    }
    if let Some(Place::Other(field)) = before.beside(piece) {
        return (Place::Other(field), "goes on with what came before");
    }
    if question.closing {
        return (Place::Nowhere, "neither a yes nor a no to all of it, and it points to no part");
    }
    if question.shown.together {
        return (Place::Nowhere, "several things were shown, and it points to none of them");
    }
    if piece.announced {
        return (Place::Nowhere, "it corrects something, and nothing points to what");
    }
    if question.fields.is_empty() {
        return (Place::Nowhere, "nothing was asked, and nothing points to a field");
    }
    if question.confirming && !renews(question, material, piece) {
        return (Place::Nowhere, "neither a yes nor a no, and of another kind than what was shown");
    }
    if before.answered && before.last.is_some_and(|(_, place)| place != Place::Asked) {
        return (Place::Nowhere, "it follows something else and points to no field");
    }
    if before.answered && before.beside(piece).is_none() && rest > MAYBE {
        return (Place::Nowhere, MAYBE_ELSEWHERE);
    }
    (Place::Asked, "what was asked")
}

/// Where a clause goes that stands beside a yes to what was shown: an exception takes its place, and what has to do with it
/// adds to it. Anything else is talk.
fn beside_yes(question: &Question<'_>, material: &Material<'_, '_>, piece: &mut Piece<'_>) -> (Place, &'static str) {
    let core = &piece.span.core.clone();
    let has_figure = material.quantities.within(core).next().is_some();
    let gathers = question.fields.iter().any(|field| field.shape.r#type == Kind::Array);
    if piece.excepts {
        let figures = question.shown.counts || question.fields.iter().any(|field| field.shape.measure.is_some());
        let replaces = has_figure && figures;
        if !replaces && question.fields.iter().any(|field| field.shape.r#type == Kind::String) {
            // "Yes, but only on Mondays": the yes holds, and so does what stands beside it.
            piece.announced = false;
            piece.span.core.start = exception_start(material, core.start);
            return (Place::Asked, "narrows what the yes was for");
        }
        return if replaces || piece.asked > OWN {
            (Place::Asked, "an exception to the yes")
        } else {
            (Place::Nowhere, "talk beside a yes")
        };
    }
    let words: Vec<String> = content_words(material.text.slice(core)).collect();
    if words.iter().all(|word| question.shown.words.contains(word)) {
        return (Place::Nowhere, "says again what was shown");
    }
    // "That's around 400 a week": said of what was shown.
    let of_it = has_figure && !gathers && material.any_starts(&material.lexicon.leads, core).is_some();
    if piece.asked > OWN || of_it {
        return (Place::Asked, "adds to what the yes was for");
    }
    (Place::Nowhere, "talk beside a yes")
}

/// Where an exception begins with the words that make it one: "only on Mondays" is more than "on Mondays".
fn exception_start(material: &Material<'_, '_>, mut start: usize) -> usize {
    const MOST: usize = 3;
    let Material { text, lexicon, .. } = material;
    for _ in 0..MOST {
        let Some(before) = start.checked_sub(1) else { break };
        let word = &text.tokens[before].word;
        let ends = !text.before(start).chars().all(char::is_whitespace);
        if ends || lexicon.joints.contains(word) || lexicon.plain_replies.contains(word) {
            break;
        }
        start = before;
    }
    start
}

/// Where a clause goes that stands beside a no, where what was shown would have taken the place of something. The no keeps
/// what was known, so only a short answer or one that is clearly meant for it takes its place, and is asked about again
/// where it is long.
fn beside_no(material: &Material<'_, '_>, piece: &mut Piece<'_>) -> (Place, &'static str) {
    let short = material.telling(&piece.span.core) <= SHORT;
    if piece.asked < SIGN && !short {
        return (Place::Nowhere, "talk beside a no");
    }
    piece.unsure |= !short;
    (Place::Asked, "an answer in the place of what was not right")
}

/// Whether words that are neither a yes nor a no can be a new answer in place of what was shown: not where that clearly
/// belongs there, and where a quantity is wanted they need one.
fn renews(question: &Question<'_>, material: &Material<'_, '_>, piece: &Piece<'_>) -> bool {
    // One of the list that stands with the question is an answer whatever was shown.
    let said: Vec<String> = content_words(material.text.slice(&piece.span.core)).collect();
    if question.shown.elements.iter().any(|element| content_words(element).eq(said.iter().cloned())) {
        return true;
    }
    let core = &piece.span.core;
    let has_figure = material.quantities.within(core).next().is_some();
    question.fields.iter().any(|field| match field.shape.r#type {
        Kind::String => !question.shown.fits && (field.shape.measure.is_none() || has_figure),
        // Almost anything can be an element, so it takes a sign that it is meant as one.
        Kind::Array => piece.asked > SIGN,
        _ => values::make(field, material, core, None).is_some_and(|made| made.confidence > values::GUESS),
    })
}
