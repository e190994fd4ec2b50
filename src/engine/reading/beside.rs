//! Figures that a clause tells beside its own point: "a bike shop in Leeds with 4 people" is about the shop, and says how
//! many work there too. They are offered, to be confirmed.

use super::assign::{Piece, Place, Question};
use super::clauses::Material;
use super::pattern::Slot;
use super::values::{self, GUESS};
use super::volunteered::is_figure;
use super::{FieldReading, Standing, quote_of};
use crate::engine::Engine;
use crate::engine::config::{Act, Kind};
use crate::engine::memory::WorkingMemory;

/// What the cues of a field must say of a figure that stands in a clause about something else.
const LEAST: f64 = 0.9;

/// The figures beside the point of clauses that have gone to a field, for fields of which nothing is known yet.
/// `found`: what the message is read to say already.
pub(super) fn figures(
    engine: &Engine,
    memory: &WorkingMemory,
    question: &Question<'_>,
    material: &Material<'_, '_>,
    pieces: &[Piece<'_>],
    found: &[FieldReading],
) -> Vec<FieldReading> {
    let mut beside: Vec<FieldReading> = Vec::new();
    let told = |piece: &&Piece<'_>| {
        matches!(piece.judged.act, Act::Answer | Act::Volunteered) && !piece.unsure && !piece.is_answer
    };
    for piece in pieces.iter().filter(told) {
        let own = match piece.place {
            Place::Nowhere => continue,
            Place::Asked => question.fields.clone(),
            Place::Other(field) => engine.definition().fields.get(field).into_iter().collect(),
        };
        // A field of figures takes the figures of its clause itself.
        if own.iter().any(|field| is_figure(field)) {
            continue;
        }
        for score in piece.scores.iter().filter(|score| score.score >= LEAST) {
            let Some(field) = engine.definition().fields.get(score.field) else { continue };
            let Some(place) = score.figure.clone().filter(|place| place.len() < piece.span.core.len()) else {
                continue;
            };
            // "Take two" counts nothing.
            let counts = material.quantities.within(&place).any(|q| q.kind == Slot::Number && q.tokens.end < place.end);
            if !counts {
                continue;
            }
            let heard = |readings: &[FieldReading]| readings.iter().any(|reading| *reading.path == *field.path);
            let open = memory
                .extraction
                .get(&field.path)
                .is_none_or(|field| field.value.is_none() && field.doubted().is_none());
            if !open || own.iter().any(|own| own.path == field.path) || heard(found) || heard(&beside) {
                continue;
            }
            let Some(made) = values::make(field, material, &place, score.option.as_deref()) else { continue };
            beside.push(FieldReading {
                path: field.path.to_string(),
                value: made.value,
                quote: quote_of(material, &place),
                confidence: GUESS,
                status: Standing::Candidate,
                reading: format!("said beside something else, {}", made.reading),
                doubt: Some("it was said in passing".to_owned()),
                cues: score.cues.clone(),
                adds: false,
            });
        }
    }
    beside
}

/// What cues must say of a text that a clause tells besides, and what it must sound like.
const CLEAR: f64 = 1.4;
const SOUNDS: f64 = 0.3;

/// The texts that clauses tell beside the answer they are part of: "I run a workshop with my sister" says who works there
/// too. One that is clear is offered for its field, where nothing is known of that.
pub(super) fn texts(
    engine: &Engine,
    memory: &WorkingMemory,
    material: &Material<'_, '_>,
    pieces: &[Piece<'_>],
    found: &[FieldReading],
) -> Vec<FieldReading> {
    let mut beside: Vec<FieldReading> = Vec::new();
    let told = |piece: &&Piece<'_>| {
        piece.judged.act == Act::Answer && piece.place == Place::Asked && !piece.unsure && !piece.span.is_list
    };
    for piece in pieces.iter().filter(told) {
        let clear = |score: &&super::cues::Score| {
            score.score >= CLEAR && score.score > piece.asked_by.0 && score.like >= SOUNDS && score.cues.len() > 1
        };
        let Some(score) = piece.scores.iter().find(clear) else { continue };
        let Some(field) = engine.definition().fields.get(score.field) else { continue };
        let known = memory.extraction.get(&field.path);
        let open = known.is_none_or(|field| field.value.is_none() && field.doubted().is_none());
        let heard = |readings: &[FieldReading]| readings.iter().any(|reading| *reading.path == *field.path);
        if field.shape.r#type != Kind::String || !open || heard(found) || heard(&beside) {
            continue;
        }
        let Some(made) = values::make(field, material, &piece.span.core, None) else { continue };
        beside.push(FieldReading {
            path: field.path.to_string(),
            value: made.value,
            quote: quote_of(material, &piece.span.core),
            confidence: GUESS,
            status: Standing::Candidate,
            reading: format!("said beside something else, {}", made.reading),
            doubt: Some("it was said in passing".to_owned()),
            cues: score.cues.clone(),
            adds: false,
        });
    }
    beside
}
