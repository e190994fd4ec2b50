//! A message of one sentence that sounds like something else than what was asked: it may well be the answer, so it is
//! offered as one too. Who has just answered is not asked the same again.

use super::assign::{Piece, Place, Question};
use super::clauses::Material;
use super::groups::groups;
use super::values::{self, GUESS};
use super::{FieldReading, Standing, quote_of};
use crate::engine::Engine;
use crate::engine::config::{Act, Field, Kind};
use crate::engine::memory::WorkingMemory;
use crate::engine::outline::field_name;

/// The fewest words of a message that may be the answer.
const LEAST: usize = 4;

/// What was asked, read from all of a sentence that went elsewhere. `found`: what the message is read to say.
pub(super) fn answer(
    fields: &[Field],
    question: &Question<'_>,
    material: &Material<'_, '_>,
    pieces: &[Piece<'_>],
    found: &[FieldReading],
) -> Option<FieldReading> {
    let [asked] = question.fields.as_slice() else { return None };
    let [only] = found else { return None };
    let in_words = |field: &Field| {
        let of_texts = field.shape.items.as_deref().is_some_and(|items| items.r#type == Kind::String);
        field.shape.measure.is_none() && (field.shape.r#type == Kind::String || of_texts)
    };
    let plain = |piece: &Piece<'_>| matches!(piece.judged.act, Act::Volunteered | Act::Social) && !piece.announced;
    let named = pieces.iter().any(|piece| piece.named.is_some() || piece.left_out.is_some());
    let lists = pieces.iter().any(|piece| piece.span.is_list);
    let other = pieces.iter().find_map(|piece| match piece.place {
        Place::Other(field) => Some(field),
        _ => None,
    })?;
    let rival = fields.get(other)?;
    let offered = only.status == Standing::Candidate && *only.path == *rival.path;
    // Who names several things that belong to another list has given that list.
    let several = only.value.as_array().is_some_and(|items| items.len() > 1);
    let confirms = question.asks_for_verdict() || question.confirming || !question.shown.elements.is_empty();
    if confirms
        || several
        || !in_words(asked)
        || !in_words(rival)
        || !pieces.iter().all(plain)
        || named
        || lists
        || !offered
    {
        return None;
    }
    let groups = groups(pieces, Place::Other(other));
    let [group] = groups.as_slice() else { return None };
    if group.tokens.len() < LEAST {
        return None;
    }
    let made = values::make(asked, material, &group.tokens, None)?;
    Some(FieldReading {
        path: asked.path.to_string(),
        value: made.value,
        quote: quote_of(material, &group.quote),
        confidence: GUESS,
        status: Standing::Candidate,
        reading: format!("it may be the answer, {}", made.reading),
        doubt: Some(format!("it may be about `{}`", rival.path)),
        cues: Vec::new(),
        adds: false,
    })
}

/// What a doubt calls by its path is called by its name, as people read it.
pub(super) fn name_rivals(engine: &Engine, memory: &WorkingMemory, fields: &mut [FieldReading]) {
    let language = memory.language.current.as_deref();
    for doubt in fields.iter_mut().filter_map(|reading| reading.doubt.as_mut()) {
        let path = doubt.split('`').nth(1).and_then(|path| engine.field(path));
        if let Some(field) = path {
            *doubt = format!("it may be about “{}”", field_name(engine.definition(), field, language));
        }
    }
}
