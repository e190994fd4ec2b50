//! What was heard in a message, as it is told: acts, clauses and fields.

use super::acts;
use super::assign::{Piece, Place};
use super::clauses::Material;
use super::cues::Score;
use super::reader::Tongue;
use super::{Clause, FieldReading, Fit, Heard};
use crate::engine::config::{Act, Doing};

/// How many fields are named for each clause.
const NAMED: usize = 3;

/// Puts together what was heard: the acts of all clauses, each clause with its best fields, and what is taken.
pub(super) fn report(
    tongue: &Tongue,
    material: &Material<'_, '_>,
    pieces: Vec<Piece<'_>>,
    fields: Vec<FieldReading>,
) -> Heard {
    let mut acts: Vec<Act> = Vec::new();
    let mut does: Vec<Doing> = Vec::new();
    let mut clauses = Vec::with_capacity(pieces.len());
    let fit = |score: &Score| Fit {
        field: tongue.cues.path(score.field).to_owned(),
        score: (score.score * 100.0).round() / 100.0,
        cues: score.cues.clone(),
    };
    for piece in pieces {
        let act = piece.judged.act;
        if !acts.contains(&act) {
            acts.push(act);
        }
        let doing = piece.judged.rule.and_then(|rule| rule.does);
        does.extend(doing.filter(|doing| !does.contains(doing)));
        let text = material.text.slice(&piece.span.whole);
        let asked = fields.iter().find(|reading| {
            piece.place == Place::Asked && reading.quote.contains(material.text.slice(&piece.span.core))
        });
        let field = match piece.place {
            Place::Other(field) => Some(tongue.cues.path(field).to_owned()),
            _ => asked.map(|reading| reading.path.clone()),
        };
        let score = piece.scores.iter().find(|score| Some(tongue.cues.path(score.field)) == field.as_deref());
        clauses.push(Clause {
            text: text.to_owned(),
            start: material.text.bytes(&piece.span.whole).start,
            act,
            rule: if piece.why.is_empty() { piece.judged.name.to_owned() } else { piece.why.to_owned() },
            score: score.map_or(0.0, |score| (score.score * 100.0).round() / 100.0),
            field,
            best: piece.scores.iter().take(NAMED).map(fit).collect(),
            reply: piece.judged.rule.and_then(|rule| rule.reply.clone()),
            does: doing,
        });
    }
    acts.sort_by_key(|act| acts::rank(*act));
    Heard { language: material.lexicon.id.clone(), acts, clauses, fields, does, ..Heard::default() }
}
