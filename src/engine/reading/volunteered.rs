//! What clauses say of fields that were not asked for: candidates, or corrections of what is known by its name.

use std::ops::Range;

use super::assign::{Group, Piece, Place, groups};
use super::clauses::Material;
use super::cues::Score;
use super::values::{self, GUESS, Made};
use super::{FieldReading, Standing, quote_of};
use crate::engine::Engine;
use crate::engine::config::{Act, Field};
use crate::engine::memory::WorkingMemory;
use crate::engine::values::same;

/// What clauses say of fields that were not asked for: candidates, and corrections by name of what is known.
pub(super) fn readings(
    engine: &Engine,
    memory: &WorkingMemory,
    material: &Material<'_, '_>,
    pieces: &mut [Piece<'_>],
) -> Vec<FieldReading> {
    let mut places: Vec<usize> = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.judged.act == Act::Answer) {
        if let Place::Other(field) = piece.place
            && !places.contains(&field)
        {
            places.push(field);
        }
    }
    let mut found = Vec::new();
    for place in places {
        let Some(field) = engine.definition().fields.get(place) else { continue };
        for group in groups(pieces, Place::Other(place)) {
            let score = group.scores.iter().find(|score| score.field == place);
            let option = score.and_then(|score| score.option.as_deref());
            let Some(made) = values::make(field, material, &group.tokens, option) else { continue };
            let known = memory.extraction.value(&field.path);
            if known.is_some_and(|known| same(known, &made.value)) {
                continue;
            }
            let told = memory.extraction.get(&field.path).is_some_and(|field| field.doubted().is_some());
            let by_name = (known.is_some() || told) && is_named(field, material, &group.tokens);
            let standing = if by_name {
                Said::ByName
            } else if known.is_some() {
                Said::Otherwise
            } else {
                Said::InPassing
            };
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

/// How something that was not asked for was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    /// Of a field that is known, by its name.
    ByName,
    /// Against what is known.
    Otherwise,
    InPassing,
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
        Said::ByName => None,
        Said::Otherwise => Some("you said something else before".to_owned()),
        Said::InPassing => Some("it was said in passing".to_owned()),
    };
    let (status, confidence, reading) = match said {
        Said::ByName => (Standing::Known, values::CLEAR, "a correction by name".to_owned()),
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
    }
}

/// Whether some words call a field by its name near their beginning: "the budget is 15,000".
pub(super) fn is_named(field: &Field, material: &Material<'_, '_>, tokens: &Range<usize>) -> bool {
    let lexicon = material.lexicon;
    let name: Vec<String> = lexicon.text(&field.name).tokens.into_iter().map(|token| token.stem).collect();
    let said = &material.text.tokens[tokens.clone()];
    !name.is_empty()
        && (0..3).any(|at| {
            said.get(at..at + name.len())
                .is_some_and(|run| run.iter().zip(&name).all(|(token, word)| token.stem == *word))
        })
        && said.len() > name.len() + 1
}
