//! What keeps known facts from being lost: nothing is emptied by a message that does not ask for it, or that names neither
//! the field nor what is in it.

use std::ops::Range;

use serde_json::Value;

use super::acts::Judged;
use super::assign::{Piece, Place};
use super::edits::is_edit;
use super::quantity::Quantity;
use super::rearranged::{Ground, is_called};
use super::template::pauses;
use super::{FieldReading, Standing};
use crate::engine::config::{Act, Doing, Field, Kind};
use crate::engine::values::{brief_text, same};
use crate::engine::words::content_words;

/// The name of the rule for what is not to be taken out.
const LEFT_ALONE: &str = "says what is to stay";
/// The name of the rule for the element that is not the one that was asked for.
const NOT_CHOSEN: &str = "says which one it is not";

/// Whether a clause only says what stays, or which one it is not.
pub(super) fn only_keeps(piece: &Piece<'_>) -> bool {
    matches!(piece.judged.name, LEFT_ALONE | NOT_CHOSEN)
}

/// Marks clauses that take nothing out though they sound like it: "please delete nothing from the rules", and "not dark mode,
/// surely", to "which would they miss most?".
pub(super) fn keep(ground: &Ground<'_, '_, '_, '_>, pieces: &mut [Piece<'_>]) {
    go_on_after_halt(pieces);
    for piece in pieces.iter_mut().filter(|piece| !is_edit(piece) && !piece.span.asks) {
        let words = piece.span.whole.clone();
        let name = if ground.leaves_alone(&words) {
            LEFT_ALONE
        } else if ground.is_not_chosen(&words) {
            NOT_CHOSEN
        } else {
            continue;
        };
        piece.judged = Judged { act: Act::Social, name, rule: None };
        piece.place = Place::Nowhere;
    }
}

/// "No, stop! It's 80, not 412" puts something right and does not end the talk: a word or two between a no and what holds
/// only break in.
fn go_on_after_halt(pieces: &mut [Piece<'_>]) {
    const A_WORD: usize = 2;
    let tells = |piece: &Piece<'_>| matches!(piece.judged.act, Act::Answer | Act::Correction);
    for at in 1..pieces.len() {
        let stops = pieces[at].judged.rule.is_some_and(|rule| rule.does == Some(Doing::Stop));
        let denied = pieces[..at].iter().any(|piece| piece.judged.act == Act::Deny);
        let goes_on = pieces[at + 1..].iter().any(tells);
        if stops && denied && goes_on && pieces[at].span.whole.len() <= A_WORD {
            pieces[at].judged = Judged { act: Act::Social, name: "breaks in to put something right", rule: None };
        }
    }
}

impl Ground<'_, '_, '_, '_> {
    /// Whether what some words would take out is denied: "delete nothing", "please don't delete the rules". What is called so
    /// may have a no in its name: "no double bookings".
    pub(super) fn forbids(&self, lead: &Range<usize>, thing: &Range<usize>) -> bool {
        let denies = |words: &Range<usize>| self.material.has(&self.material.lexicon.negations, words);
        denies(lead) || denies(thing) && !self.is_element(self.material.text.slice(thing))
    }

    fn is_element(&self, phrase: &str) -> bool {
        let mut fields = self.engine.definition().fields.iter();
        fields.any(|field| match self.value_of(field) {
            Some(Value::Array(items)) => items.iter().any(|item| is_called(item, phrase)),
            Some(value) => is_called(value, phrase),
            None => false,
        })
    }

    /// "Please don't delete anything from the rules": a removal that is denied, of something that is known.
    fn leaves_alone(&self, words: &Range<usize>) -> bool {
        const LONGEST: usize = 12;
        let lexicon = self.material.lexicon;
        if words.len() > LONGEST || !self.material.has(&lexicon.negations, words) {
            return false;
        }
        let said = || words.clone().find_map(|at| lexicon.edits.removes.thing(self.material, &(at..words.end)));
        let mut templates = lexicon.changes.removals.iter();
        let thing = templates.find_map(|template| template.find(self.material, words)?.old).or_else(said);
        let Some(thing) = thing.filter(|thing| self.forbids(&(words.start..thing.start), thing)) else { return false };
        // "The owner, and delete nothing from the rules" tells something before it.
        if (words.start + 1..thing.end).any(|at| pauses(self.material, at)) {
            return false;
        }
        let known = |field: &Field| self.value_of(field).is_some();
        (thing.start..words.end).any(|at| self.named(&(at..words.end), known).is_some_and(known))
            || self.named(&thing, known).is_some_and(known)
    }

    /// Whether the question is which of the elements of another list it is, so that "not that one" is a part of the answer.
    pub(super) fn chooses_from(&self, field: &Field) -> bool {
        let [asked] = self.question.fields.as_slice() else { return false };
        let fields = &self.engine.definition().fields;
        let leaves_out = asked.left_out.is_some() || fields.iter().any(|f| f.left_out.as_ref() == Some(&asked.path));
        let lists = [*asked, field].iter().all(|field| field.shape.r#type == Kind::Array);
        lists && !leaves_out && asked.path != field.path && self.question.shown.paths.is_empty()
    }

    /// "Not dark mode, surely": one element of the list to choose from, denied, and hardly more.
    fn is_not_chosen(&self, words: &Range<usize>) -> bool {
        const AROUND: usize = 1;
        if !self.material.has(&self.material.lexicon.negations, words) {
            return false;
        }
        let telling = self.material.telling(words);
        let mut fields = self.engine.definition().fields.iter();
        fields.any(|field| {
            let items = self.memory.extraction.value(&field.path).and_then(Value::as_array);
            let Some(items) = items.filter(|_| self.chooses_from(field)) else { return false };
            let names: Vec<String> = items.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect();
            self.only_one(words, &names).is_some_and(|name| telling <= content_words(name).count() + AROUND)
        })
    }

    /// The only one of some names of which some words have all that tells.
    pub(super) fn only_one<'n>(&self, words: &Range<usize>, names: &'n [String]) -> Option<&'n String> {
        let lexicon = self.material.lexicon;
        let said = &self.material.text.tokens[words.clone()];
        let stands = |name: &&String| {
            let own = lexicon.text(name).tokens;
            let mut telling = own.iter().filter(|token| !lexicon.stopwords.contains(&token.word)).peekable();
            telling.peek().is_some() && telling.all(|token| said.iter().any(|other| other.stem == token.stem))
        };
        let mut meant = names.iter().filter(stands);
        meant.next().filter(|_| meant.next().is_none())
    }

    /// Whether a message speaks of a value: by one of its telling words or figures.
    fn mentions(&self, value: &Value) -> bool {
        let text = brief_text(value);
        let all = 0..self.material.text.tokens.len();
        let stems = self.material.lexicon.text(&text).tokens;
        let stopwords = &self.material.lexicon.stopwords;
        let said = |stem: &str| self.material.text.tokens.iter().any(|token| token.stem == stem);
        let same_figure = |figure: &Quantity| value.as_f64().is_some_and(|known| (known - figure.low).abs() < 1e-9);
        stems.iter().any(|token| !stopwords.contains(&token.word) && said(&token.stem))
            || self.material.quantities.within(&all).any(same_figure)
    }

    /// Whether some words of the message name a field.
    fn calls(&self, field: &Field) -> bool {
        const A_NAME: usize = 5;
        let len = self.material.text.tokens.len();
        let runs = (0..len).flat_map(|at| (at + 1..=len.min(at + A_NAME)).map(move |end| at..end));
        let own = |found: &Field| found.path == field.path;
        runs.into_iter().any(|run| self.named(&run, own).is_some_and(own))
    }
}

/// Takes back what would empty a field, or take elements out of a list, without the message naming what is lost. What was
/// to stand in its place is only offered.
pub(super) fn spare_unnamed(ground: &Ground<'_, '_, '_, '_>, pieces: &[Piece<'_>], fields: &mut Vec<FieldReading>) {
    let wrong = |piece: &Piece<'_>| {
        let doing = piece.judged.rule.and_then(|rule| rule.does);
        is_edit(piece) || matches!(doing, Some(Doing::Wrong | Doing::Deny)) && ground.question.fields.is_empty()
    };
    if pieces.iter().any(wrong) {
        return;
    }
    let mut paths: Vec<String> =
        fields.iter().filter(|reading| reading.value.is_null()).map(|reading| reading.path.clone()).collect();
    paths.dedup();
    for path in paths {
        let Some((field, known)) = ground.engine.field(&path).zip(ground.memory.extraction.value(&path)) else {
            continue;
        };
        // A list may be given anew by several readings, of which each adds to the one before.
        let own = fields.iter().filter(|reading| reading.path == path && reading.status == Standing::Known);
        let after: Vec<&Value> = own.rev().map(|reading| &reading.value).take_while(|value| !value.is_null()).collect();
        let stays = |item: &Value| {
            let mut left = after.iter().filter_map(|value| value.as_array()).flatten();
            left.any(|other| same(other, item))
        };
        let lost: Vec<&Value> = match known {
            Value::Array(items) => items.iter().filter(|item| !stays(item)).collect(),
            value => after.is_empty().then_some(value).into_iter().collect(),
        };
        if lost.iter().all(|item| ground.mentions(item)) || ground.calls(field) {
            continue;
        }
        fields.retain(|reading| reading.path != path || !reading.value.is_null());
        for reading in fields.iter_mut().filter(|reading| reading.path == path) {
            reading.status = Standing::Candidate;
            reading.doubt.get_or_insert_with(|| "you said something else before".to_owned());
        }
    }
}
