//! What clauses say of fields that were not asked for: candidates, or corrections of what is known by its name.

use serde_json::Value;

use super::answers::is_of_kind;
use super::assign::{Piece, Place};
use super::clauses::Material;
use super::cues::Score;
use super::groups::{Group, groups};
use super::kinds::{self, Fits};
use super::rearranged::Ground;
use super::values::{self, GUESS, Made};
use super::{FieldReading, Standing, quote_of};
use crate::engine::config::{Act, Field, Kind, Merge};
use crate::engine::memory::WorkingMemory;
use crate::engine::values::{brief_text, same};
use crate::engine::words::content_words;

/// What clauses say of fields that were not asked for: candidates, and corrections by name of what is known.
pub(super) fn readings(ground: &Ground<'_, '_, '_, '_>, pieces: &mut [Piece<'_>]) -> Vec<FieldReading> {
    let Ground { engine, memory, material, question, .. } = *ground;
    let mut places: Vec<usize> = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.judged.act == Act::Answer) {
        if let Place::Other(field) = piece.place
            && !places.contains(&field)
        {
            places.push(field);
        }
    }
    let tells_freely = tells_freely(pieces);
    let mut found = Vec::new();
    for place in places {
        let Some(field) = engine.definition().fields.get(place) else { continue };
        for group in groups(pieces, Place::Other(place)) {
            let score = group.scores.iter().find(|score| score.field == place);
            let option = score.and_then(|score| score.option.as_deref());
            let Some(made) = group.make(field, material, option) else { continue };
            // A bare figure is no element of a list of ideas or reasons.
            if field.shape.r#type == Kind::Array && !is_of_kind(field, material, &group.tokens) {
                continue;
            }
            let how = score.map_or((0.0, 0.0), |score| (score.score, score.like));
            if kinds::fits(field, material, &group.tokens, how) != Fits::Yes {
                continue;
            }
            let known = memory.extraction.value(&field.path);
            if known.is_some_and(|known| same(known, &made.value)) {
                continue;
            }
            if breaks_quote(&made.value) {
                continue;
            }
            let told = memory.extraction.get(&field.path).is_some_and(|field| field.doubted().is_some());
            let gathers = field.merge != Merge::Replace;
            // What was shown is put right in the place of a yes to it.
            let judged = question.shown.together && !question.verdicts.is_empty();
            let shown = judged && question.shown.paths.iter().any(|path| **path == *field.path);
            let anew = (known.is_some() || told) && (group.labelled || shown || corrects(field, known, &made, &group));
            let standing = if anew {
                Said::Anew
            } else if known.is_some() && !gathers {
                // A remark that sounds a little like it goes against nothing.
                let goes_against = is_figure(field) || group.announced || is_clear(place, material, &group);
                if !goes_against && piece_named(pieces, place).is_none() {
                    continue;
                }
                Said::Otherwise
            } else if is_said_again(memory, field, &made) {
                Said::Again
            } else if tells_freely && !is_figure(field) && is_clear(place, material, &group) {
                Said::Clearly
            } else {
                Said::InPassing
            };
            let adds = material.lexicon.edits.adds.thing(material, &group.tokens).is_some();
            let renews = group.announced || question.closing && !adds;
            if anew && renews && gathers && known.is_some() {
                // A list gathers, so it is taken back first and then given anew.
                let nothing = Made { value: Value::Null, ..made.clone() };
                found.push(reading_of(field, material, &group, nothing, score, standing));
            }
            found.push(reading_of(field, material, &group, made, score, standing));
        }
    }
    for piece in pieces.iter_mut().filter(|piece| piece.judged.act == Act::Answer) {
        if let Place::Other(_) = piece.place {
            piece.judged.act = Act::Volunteered;
        }
    }
    found
}

/// Whether what is said was heard before and waits for a yes: who says it again means it.
fn is_said_again(memory: &WorkingMemory, field: &Field, made: &Made) -> bool {
    const MOST: f64 = 0.6;
    let known = memory.extraction.get(&field.path);
    let waiting = known.and_then(|known| known.candidate.as_ref()).filter(|offered| offered.turn < memory.turn);
    let Some(waiting) = waiting.filter(|_| memory.extraction.value(&field.path).is_none()) else { return false };
    let words = |value: &Value| content_words(&brief_text(value)).collect::<Vec<String>>();
    let (old, new) = (words(&waiting.value), words(&made.value));
    let shared = new.iter().filter(|word| old.contains(word)).count();
    same(&waiting.value, &made.value) || shared > 0 && shared as f64 >= MOST * old.len().min(new.len()) as f64
}

/// The clause that was found to name a field or to say anew what is known of it.
fn piece_named<'p, 'r>(pieces: &'p [Piece<'r>], place: usize) -> Option<&'p Piece<'r>> {
    pieces.iter().find(|piece| piece.named == Some(place))
}

/// Whether what follows the announcement of a correction corrects this field: it counts, or has most words of what is
/// known.
fn corrects(field: &Field, known: Option<&Value>, made: &Made, group: &Group) -> bool {
    let words = |value: &Value| content_words(&brief_text(value)).collect::<Vec<String>>();
    let alike = || {
        let (old, new) = (known.map(words).unwrap_or_default(), words(&made.value));
        old.is_empty() || old.iter().filter(|word| new.contains(word)).count() * 2 > old.len()
    };
    group.announced && (is_figure(field) || alike())
}

/// How something that was not asked for was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    /// Of a field that is known, by its name or after a correction was announced.
    Anew,
    /// Once more, while it still waited for a yes.
    Again,
    /// Against what is known.
    Otherwise,
    /// In words that can hardly be about anything else.
    Clearly,
    InPassing,
}

/// What the cues of a field must say, and by how much they must lead, for something unasked to count at once.
const CLEARLY: (f64, f64) = (1.25, 0.5);

/// Whether a message tells several things and takes issue with nothing. A single sentence is most likely meant as the
/// answer, and who objects or refuses says things that are not meant as they stand.
fn tells_freely(pieces: &[Piece<'_>]) -> bool {
    let upset = |piece: &Piece<'_>| matches!(piece.judged.act, Act::Objection | Act::Refuse | Act::OffTopic);
    let mut telling = pieces.iter().filter(|piece| piece.judged.act == Act::Answer).map(|piece| piece.span.sentence);
    let first = telling.next();
    telling.any(|sentence| Some(sentence) != first) && !pieces.iter().any(upset)
}

/// Whether a field holds a figure or a choice. What nobody asked for may be a figure of something else, so it is asked
/// back; words say themselves what they are about.
pub(super) fn is_figure(field: &Field) -> bool {
    field.shape.measure.is_some() || !matches!(field.shape.r#type, Kind::String | Kind::Array)
}

/// Whether the cues leave no doubt about what was said, and the words no doubt that it is so.
fn is_clear(field: usize, material: &Material<'_, '_>, group: &Group) -> bool {
    let most = |own: bool| {
        let scores = group.scores.iter().filter(|score| (score.field == field) == own);
        scores.map(|score| score.score).fold(0.0, f64::max)
    };
    let (own, other) = (most(true), most(false));
    own >= CLEARLY.0 && own >= other + CLEARLY.1 && !material.has(&material.lexicon.guesses, &group.quote)
}

fn reading_of(
    field: &Field,
    material: &Material<'_, '_>,
    group: &Group,
    made: Made,
    score: Option<&Score>,
    said: Said,
) -> FieldReading {
    let doubt = match said {
        Said::Anew | Said::Again => None,
        Said::Clearly if made.confidence >= field.confidence_threshold.0 => None,
        Said::Otherwise => Some("you said something else before".to_owned()),
        Said::Clearly | Said::InPassing => Some("it was said in passing".to_owned()),
    };
    let (status, confidence, reading) = match said {
        Said::Anew => (Standing::Known, values::CLEAR, "a correction by name".to_owned()),
        Said::Again => (Standing::Known, values::CLEAR.max(made.confidence), format!("said again, {}", made.reading)),
        Said::Clearly if doubt.is_none() => {
            (Standing::Known, made.confidence, format!("said unasked, {}", made.reading))
        }
        _ => (Standing::Candidate, GUESS, format!("said in passing, {}", made.reading)),
    };
    FieldReading {
        path: field.path.to_string(),
        value: made.value,
        quote: quote_of(material, &group.quote),
        confidence,
        status,
        reading,
        doubt,
        cues: score.map(|score| score.cues.clone()).unwrap_or_default(),
        adds: false,
    }
}

/// Whether an element of a list has one half of a pair of quotes: what is quoted is taken up, and not told.
fn breaks_quote(value: &Value) -> bool {
    let odd = |item: &Value| item.as_str().is_some_and(|text| text.matches('"').count() % 2 == 1);
    value.as_array().is_some_and(|items| items.iter().any(odd))
}
