//! Clauses that went to the same place one after the other, as what is read from in one piece.

use std::ops::Range;

use super::assign::{Piece, Place};
use super::clauses::Material;
use super::cues::Score;
use super::repair::REPAIRED;
use super::values::{self, Made};
use crate::engine::config::{Act, Field, Kind};

/// A lead that is not clear enough to leave, and too large to be sure.
const DOUBT: (f64, f64) = (0.95, 0.5);

/// Clauses that went to the same place one after the other.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is found out by itself")]
pub(super) struct Group {
    /// From the first point to the last.
    pub tokens: Range<usize>,
    /// The same with the talk after the last point, for the quote.
    pub quote: Range<usize>,
    /// The points of its clauses.
    pub cores: Vec<Range<usize>>,
    /// The sentence they belong to.
    pub sentence: usize,
    pub scores: Vec<Score>,
    /// Whether cues speak for another field too: it, and by how much.
    pub rival: Option<usize>,
    /// Whether a correction was announced before it.
    pub announced: bool,
    /// Whether its field is called by its name.
    pub labelled: bool,
    /// How much it has to do with what was asked.
    pub asked: f64,
    /// Whether all of it may be talk.
    pub unsure: bool,
    /// Whether its points are lines of a list.
    pub listed: bool,
}

impl Group {
    /// A value of the field's kind: of lines each is an element.
    pub fn make(&self, field: &Field, material: &Material<'_, '_>, option: Option<&str>) -> Option<Made> {
        if self.listed && field.shape.r#type == Kind::Array {
            return values::of_lines(field, material, &self.cores);
        }
        values::make(field, material, &self.tokens, option)
    }
}

pub(super) fn groups(pieces: &[Piece<'_>], place: Place) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut joined = false;
    let mut talked = false;
    for piece in pieces {
        let here = piece.place == place && matches!(piece.judged.act, Act::Answer | Act::Volunteered);
        // Talk without a point between two clauses does not part them.
        if !here {
            joined &= piece.span.core.is_empty();
            talked |= joined;
            continue;
        }
        // What follows some talk goes on with what came before, unless one of them points to the question much more.
        let goes_on = |group: &Group| {
            // Between what was said first and what it was put right with stands what was taken back.
            let repaired = piece.judged.name == REPAIRED;
            group.sentence == piece.span.sentence
                && group.listed == piece.span.is_list
                && !repaired
                && (!talked || (group.asked - piece.asked).abs() < DOUBT.1)
        };
        match groups.last_mut().filter(|group| joined && goes_on(group)) {
            Some(group) => {
                group.asked = group.asked.max(piece.asked);
                group.unsure &= piece.unsure;
                group.tokens.end = piece.span.core.end;
                group.quote.end = quote_end(piece);
                group.cores.push(piece.span.core.clone());
                group.scores.extend(piece.scores.iter().cloned());
            }
            None => groups.push(Group {
                tokens: piece.span.core.clone(),
                quote: piece.span.core.start..quote_end(piece),
                cores: vec![piece.span.core.clone()],
                sentence: piece.span.sentence,
                scores: piece.scores.clone(),
                rival: rival(piece),
                announced: piece.announced,
                labelled: piece.labelled,
                asked: piece.asked,
                unsure: piece.unsure,
                listed: piece.span.is_list,
            }),
        }
        (joined, talked) = (true, false);
    }
    groups
}

/// Where the words of a clause end that are quoted: with the talk after its point, unless that is about a repair.
fn quote_end(piece: &Piece<'_>) -> usize {
    if piece.judged.name == REPAIRED { piece.span.core.end } else { piece.span.whole.end }
}

/// Whether the best of some scores reaches a least and leads by so much.
pub(super) fn leads(scores: &[Score], (least, lead): (f64, f64)) -> bool {
    let others = scores.iter().skip(1).map(|score| score.score).fold(0.0, f64::max);
    scores.first().is_some_and(|best| best.score >= least && best.score >= others + lead)
}

/// A field whose cues speak for it nearly as much as leaving would need. A single word makes nothing doubtful.
fn rival(piece: &Piece<'_>) -> Option<usize> {
    if piece.is_answer {
        return None;
    }
    let says = |best: &&Score| best.cues.iter().any(|cue| cue.contains(' '));
    piece.scores.first().filter(says).filter(|_| leads(&piece.scores, DOUBT)).map(|best| best.field)
}
