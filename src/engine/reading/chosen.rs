//! Replies to a yes-or-no question about a list that stands with it: one of its elements instead of a yes, and another order
//! instead of a no.

use serde_json::{Value, json};

use super::acts::Judged;
use super::assign::{Piece, Place};
use super::edits::EDIT;
use super::pointing::{index, places};
use super::rearranged::{Ground, reading};
use super::special::named_in;
use super::template::Template;
use super::values::CLEAR;
use super::{FieldReading, Standing, quote_of};
use crate::engine::config::{Act, Field, Kind, Merge};
use crate::engine::values::same;

/// "The cargo bike", to "is there one that you would like to pursue?": a yes, and the one that is meant.
pub(super) fn one_of_list(
    ground: &Ground<'_, '_, '_, '_>,
    pieces: &mut [Piece<'_>],
    found: &[FieldReading],
) -> Vec<FieldReading> {
    let Ground { engine, question, material, .. } = *ground;
    let ([asked], [obligation]) = (question.fields.as_slice(), question.obligations.as_slice()) else {
        return Vec::new();
    };
    let known = found.iter().any(|reading| reading.path == *asked.path);
    let judged = !question.verdicts.is_empty() || !question.shown.paths.is_empty();
    if asked.shape.r#type != Kind::Boolean || question.shown.elements.is_empty() || judged || known {
        return Vec::new();
    }
    // What is chosen from the same list belongs to a field of its own.
    let chosen = engine.definition().obligations.iter().find_map(|other| {
        let [path] = other.satisfied_by.as_slice() else { return None };
        let field = engine.field(path).filter(|field| field.shape.r#type == Kind::Array)?;
        (other.id != obligation.id && other.shows == obligation.shows).then_some(field)
    });
    let Some(chosen) = chosen else { return Vec::new() };
    let elements = &question.shown.elements;
    for piece in pieces.iter_mut().filter(|piece| piece.judged.act == Act::Answer && !piece.span.asks) {
        let named = named_in(material.text.slice(&piece.span.core), elements, material.lexicon);
        if named.is_empty() {
            continue;
        }
        let quote = quote_of(material, &piece.span.whole);
        let place = engine.definition().fields.iter().position(|field| field.path == chosen.path);
        piece.place = place.map_or(Place::Nowhere, Place::Other);
        piece.why = "one of the list, instead of a yes";
        piece.judged.act = Act::Volunteered;
        let told = |field: &Field, value: Value| FieldReading {
            path: field.path.to_string(),
            value,
            quote: quote.clone(),
            confidence: CLEAR,
            status: Standing::Known,
            reading: "one of the list, instead of a yes".to_owned(),
            doubt: None,
            cues: Vec::new(),
            adds: false,
        };
        return vec![told(asked, json!(true)), told(chosen, json!(named))];
    }
    Vec::new()
}

/// Where a name goes in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    First,
    Last,
    Up,
    Down,
    Before,
    After,
    /// To a place, counted from the first or, below zero, from the last.
    At(i32),
}

/// "Move login up", "search, login, export", to "would you defend this order?": the order as it is to be.
pub(super) fn reordered(ground: &Ground<'_, '_, '_, '_>, pieces: &mut [Piece<'_>]) -> Vec<FieldReading> {
    let Ground { engine, memory, question, material, .. } = *ground;
    let [obligation] = question.obligations.as_slice() else { return Vec::new() };
    let [path] = obligation.shows.as_slice() else { return Vec::new() };
    let field = engine.field(path).filter(|field| field.merge == Merge::Replace && question.closing);
    let Some((field, known)) = field.zip(memory.extraction.value(path).and_then(Value::as_array)) else {
        return Vec::new();
    };
    let names: Vec<String> = known.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect();
    if names.len() < 2 || names.len() != known.len() {
        return Vec::new();
    }
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return Vec::new() };
    let words = first.span.whole.start..last.span.whole.end;
    let mut order = names.clone();
    let mut moved = false;
    for piece in pieces.iter() {
        let at = &piece.span.whole;
        if let Some((to, what, other)) = command(ground, at, &names) {
            moved |= place(&mut order, to, &what, other.as_deref());
        }
    }
    if !moved {
        let said = listed(ground, &words, &names);
        if said.len() < 2 || said.len() * 2 < names.len() {
            return Vec::new();
        }
        let rest = names.iter().filter(|name| !said.contains(name)).cloned();
        order = said.iter().cloned().chain(rest).collect();
    }
    let new = json!(order);
    if same(&new, &Value::Array(known.clone())) && order == names {
        return Vec::new();
    }
    for piece in pieces.iter_mut().filter(|piece| piece.judged.act != Act::Deny) {
        piece.judged = Judged { act: Act::Correction, name: EDIT, rule: None };
    }
    let quote = quote_of(material, &words);
    vec![reading(field, Value::Null, quote.clone()), reading(field, new, quote)]
}

/// The names of a list in the order in which they are said, where little else is.
fn listed(ground: &Ground<'_, '_, '_, '_>, words: &std::ops::Range<usize>, names: &[String]) -> Vec<String> {
    const AROUND: usize = 2;
    let material = ground.material;
    let said = material.text.slice(words).to_lowercase();
    let mut places: Vec<(usize, &String)> =
        names.iter().filter_map(|name| Some((said.find(&name.to_lowercase())?, name))).collect();
    places.sort_unstable();
    let own: usize = places.iter().map(|(_, name)| name.split_whitespace().count()).sum();
    let parted = said.contains([',', '\n', '>', ';']) || material.has(&material.lexicon.answering.then, words);
    if !parted || material.telling(words).saturating_sub(own) > AROUND {
        return Vec::new();
    }
    places.into_iter().map(|(_, name)| name.clone()).collect()
}

/// What a clause wants moved, where to, and what it is told apart from.
fn command(
    ground: &Ground<'_, '_, '_, '_>,
    words: &std::ops::Range<usize>,
    names: &[String],
) -> Option<(To, String, Option<String>)> {
    const LONGEST: usize = 14;
    let material = ground.material;
    let moves = &material.lexicon.answering.moves;
    let kinds = [
        (To::Before, &moves.before),
        (To::After, &moves.after),
        (To::First, &moves.first),
        (To::Last, &moves.last),
        (To::Up, &moves.up),
        (To::Down, &moves.down),
    ];
    let one = |tokens: &std::ops::Range<usize>| match named_in(material.text.slice(tokens), names, material.lexicon)
        .as_slice()
    {
        [name] => Some(name.clone()),
        _ => None,
    };
    if words.len() > LONGEST {
        return None;
    }
    let said = kinds.iter().find_map(|(to, templates)| {
        templates.iter().find_map(|template: &Template| {
            let found = template.find(material, words)?;
            let what = one(&found.new)?;
            let other = found.old.as_ref().map(one);
            match other {
                Some(None) => None,
                other => Some((*to, what, other.flatten())),
            }
        })
    });
    said.or_else(|| {
        let what = ground.only_one(words, names)?.clone();
        let to = place_said(ground, words).filter(|_| !material.has(&material.lexicon.negations, words))?;
        Some((To::At(to), what, None))
    })
}

/// The place that a clause says: "second", "number two".
fn place_said(ground: &Ground<'_, '_, '_, '_>, words: &std::ops::Range<usize>) -> Option<i32> {
    let (material, edits) = (ground.material, &ground.material.lexicon.edits);
    let number = || {
        let mut figures = material.quantities.within(words).filter(|figure| {
            let before = figure.tokens.start.checked_sub(1).filter(|at| words.contains(at));
            figure.unit.is_none() && before.is_some_and(|at| edits.nouns.contains(&material.text.tokens[at].word))
        });
        figures.next().filter(|figure| (1.0..100.0).contains(&figure.low)).map(|figure| figure.low as i32)
    };
    places(material, words, false).and_then(|found| found.first().copied()).or_else(number)
}

/// Moves a name within an order, and says whether that changes it.
fn place(order: &mut Vec<String>, to: To, what: &str, other: Option<&str>) -> bool {
    let Some(from) = order.iter().position(|name| name == what) else { return false };
    let before = order.clone();
    let name = order.remove(from);
    let beside = other.and_then(|other| order.iter().position(|name| name == other));
    let at = match to {
        To::First => 0,
        To::Last => order.len(),
        To::Up => from.saturating_sub(1),
        To::Down => (from + 1).min(order.len()),
        To::Before => beside.unwrap_or(from),
        To::After => beside.map_or(from, |at| at + 1),
        To::At(place) => index(place, before.len()).unwrap_or(from),
    };
    order.insert(at.min(order.len()), name);
    *order != before
}
