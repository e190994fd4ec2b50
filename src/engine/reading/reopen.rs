//! Who wants to go back to something they name: "back to the budget", "I want to fix the list of features".

use std::ops::Range;

use super::acts::Judged;
use super::assign::Piece;
use super::clauses::{Material, core};
use super::edits::is_edit;
use super::rearranged::Ground;
use crate::engine::config::{Doing, Field};

/// The name of the rule for it.
pub(super) const REOPEN: &str = "goes back to what they name";

/// Finds the clauses that go back to something by its name. What is to be changed has been told; else it is something that
/// is wanted: "I want to change the way we book".
pub(super) fn reopen<'r>(ground: &Ground<'_, '_, 'r, '_>, pieces: &mut [Piece<'r>]) {
    let material = ground.material;
    let Some(rule) = material.lexicon.rules.iter().find(|rule| rule.does == Some(Doing::Back)) else { return };
    for piece in pieces.iter_mut().filter(|piece| !is_edit(piece)) {
        let words = core(material, piece.span.whole.clone());
        let edits = &material.lexicon.edits;
        let known = |field: &Field| ground.value_of(field).is_some();
        let goes = edits.returns.thing(material, &words).and_then(|thing| ground.named(&thing, known));
        let changes = edits.reopens.thing(material, &words).and_then(|thing| ground.named(&thing, known));
        if goes.is_some() || changes.is_some_and(known) {
            piece.judged = Judged { act: rule.act, name: REOPEN, rule: Some(rule) };
        }
    }
}

/// What a clause names to go back to.
pub(super) fn thing(material: &Material<'_, '_>, words: &Range<usize>) -> Option<Range<usize>> {
    let (edits, words) = (&material.lexicon.edits, core(material, words.clone()));
    edits.returns.thing(material, &words).or_else(|| edits.reopens.thing(material, &words))
}
