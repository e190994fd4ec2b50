//! Clauses that are no plain answer, by what was asked: a bare figure after a no, "none", the question said back, and the
//! elements of a list that was shown.

use serde_json::Value;

use super::acts::Judged;
use super::assign::{Piece, Place, Question};
use super::clauses::Material;
use super::edits::is_edit;
use super::lexicon::Lexicon;
use super::pointing::{index, places};
use super::quantity::Quantities;
use super::rearranged::Ground;
use super::text::Text;
use super::{FieldReading, Standing, correction, quote_of};
use crate::engine::Engine;
use crate::engine::config::{Act, Doing, Field, Kind, Obligation};
use crate::engine::memory::WorkingMemory;
use crate::engine::values::brief_text;
use crate::engine::words::{Folded, content_words};

/// "No, 25", where neither a yes or a no nor a figure was asked for: it puts the last figure right.
pub(super) fn figure_after_no(ground: &Ground<'_, '_, '_, '_>, pieces: &mut [Piece<'_>]) -> Vec<FieldReading> {
    let Ground { engine, memory, material, question, .. } = *ground;
    let counts = |field: &&Field| field.shape.r#type == Kind::Number || field.shape.measure.is_some();
    let [no, figure, ..] = pieces else { return Vec::new() };
    if no.judged.act != Act::Deny || question.open.yes_no || question.fields.iter().any(counts) {
        return Vec::new();
    }
    let found = correction::bare_figure(engine, memory, material, &figure.span.core);
    if !found.is_empty() {
        figure.judged = Judged { act: Act::Correction, name: "the last figure is put right", rule: None };
    }
    found
}

/// "None", where something is to be said of each of several things: there is nothing to note, and it stays open.
pub(super) fn say_of_none<'r>(question: &Question<'_>, material: &Material<'r, '_>, pieces: &mut [Piece<'r>]) {
    let records = |field: &&Field| field.shape.items.as_deref().is_some_and(|items| items.r#type == Kind::Object);
    if question.fields.is_empty() || !question.fields.iter().all(records) {
        return;
    }
    let Some(rule) = material.lexicon.rules.iter().find(|rule| rule.does == Some(Doing::Unknown)) else { return };
    for piece in pieces.iter_mut().filter(|piece| piece.judged.act == Act::Answer) {
        if material.any_starts(&material.lexicon.nothing, &piece.span.core) == Some(piece.span.core.end) {
            piece.judged = Judged { act: Act::DontKnow, name: "nothing to say of any of them", rule: Some(rule) };
        }
    }
}

/// "That's wrong. It is the calendar", to a question for more of what is known: a list that gathers is taken back first.
pub(super) fn put_right(memory: &WorkingMemory, pieces: &[Piece<'_>], answers: Vec<FieldReading>) -> Vec<FieldReading> {
    let wrong = |piece: &Piece<'_>| piece.judged.rule.is_some_and(|rule| rule.does == Some(Doing::Wrong));
    let follows_up = memory.asked.iter().any(|asked| asked.follows_up);
    let Some(first) = answers.first().filter(|_| follows_up && pieces.iter().any(wrong)) else { return answers };
    if !first.value.is_array() || memory.extraction.value(&first.path).is_none() {
        return answers;
    }
    let nothing = FieldReading { value: Value::Null, ..first.clone() };
    [nothing].into_iter().chain(answers).collect()
}

/// A long text is not lost to a word or two that have nothing to do with it: "no, both is true". They are asked about.
pub(super) fn spare_known(engine: &Engine, memory: &WorkingMemory, fields: &mut [FieldReading]) {
    const LONG: usize = 4;
    const FEW: usize = 2;
    for reading in fields.iter_mut().filter(|reading| reading.status == Standing::Known) {
        let is_text = engine.field(&reading.path).is_some_and(|field| field.shape.r#type == Kind::String);
        let known = memory.extraction.value(&reading.path).and_then(Value::as_str).filter(|_| is_text);
        let (Some(known), Some(new)) = (known, reading.value.as_str()) else { continue };
        let (old, new): (Vec<String>, Vec<String>) = (content_words(known).collect(), content_words(new).collect());
        if old.len() >= LONG && new.len() <= FEW && !new.iter().any(|word| old.contains(word)) {
            reading.status = Standing::Candidate;
            reading.doubt.get_or_insert_with(|| "you said something else before".to_owned());
        }
    }
}

/// Whether a clause agrees with most of what was shown, and leaves open what it does not agree with: "mostly".
pub(super) fn agrees_partly(material: &Material<'_, '_>, piece: &Piece<'_>) -> bool {
    let (core, almost) = (&piece.span.core, &material.lexicon.verdicts.almost);
    let replies = matches!(piece.judged.act, Act::Deny | Act::Confirm | Act::Answer);
    replies && !core.is_empty() && material.any_starts(almost, core) == Some(core.end)
}

/// "That's wrong", and nothing else, to something that was shown for a yes: it is a no.
pub(super) fn wrong_is_no<'r>(question: &Question<'_>, material: &Material<'r, '_>, pieces: &mut [Piece<'r>]) {
    let wrong = |piece: &Piece<'_>| piece.judged.rule.is_some_and(|rule| rule.does == Some(Doing::Wrong));
    let talks = |piece: &Piece<'_>| wrong(piece) || matches!(piece.judged.act, Act::Social | Act::Deny);
    let Some(rule) = material.lexicon.rules.iter().find(|rule| rule.does == Some(Doing::Deny)) else { return };
    let shown = !question.shown.paths.is_empty() && !question.shown.together;
    if !shown || !pieces.iter().all(|piece| talks(piece) && !is_edit(piece)) {
        return;
    }
    for piece in pieces.iter_mut().filter(|piece| wrong(piece)) {
        piece.judged = Judged { act: Act::Deny, name: "what was shown is wrong", rule: Some(rule) };
    }
}

/// What a question and its fields are called.
pub(super) fn names(obligations: &[&Obligation], fields: &[&Field]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for obligation in obligations {
        all.push(obligation.name.clone());
        all.extend(obligation.name_in.values().map(|name| name.value.clone()));
    }
    for field in fields {
        all.push(field.name.clone());
        all.extend(field.asked_as.clone());
        all.extend(field.asked_as_in.values().map(|name| name.value.clone()));
    }
    all
}

/// So many letters tell what a word is about, however it ends.
const ROOT: usize = 6;

/// "That's who else is affected": words that only name what was asked for tell nothing.
pub(super) fn echo(engine: &Engine, question: &Question<'_>, material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    let [field] = question.fields.as_slice() else { return };
    if !matches!(field.shape.r#type, Kind::String | Kind::Array) || field.shape.measure.is_some() {
        return;
    }
    let called: Vec<Vec<String>> = question.names.iter().map(|name| content_words(name).collect()).collect();
    // "Prioritise features": what the whole conversation is for.
    let purpose: Vec<String> = content_words(&engine.definition().name).collect();
    let of_purpose = |word: &String| purpose.iter().any(|own| own.chars().take(ROOT).eq(word.chars().take(ROOT)));
    for piece in pieces.iter_mut().filter(|piece| piece.judged.act == Act::Answer && !piece.span.is_list) {
        let said: Vec<String> = content_words(material.text.slice(&piece.span.core)).collect();
        // A single word of it may well be an answer: "customers".
        let echoes = |name: &Vec<String>| said.len() > 1 && said.iter().all(|word| name.contains(word));
        let names_purpose = said.len() > 1 && said.len() <= purpose.len() && said.iter().all(of_purpose);
        if names_purpose || called.iter().any(echoes) {
            piece.judged = Judged { act: Act::Social, name: "says what was asked for, and nothing on it", rule: None };
        }
    }
}

/// "Almost, …" where neither a verdict nor a yes or a no was asked for: it is said of what was shown before, and no answer.
pub(super) fn verdict_unasked(question: &Question<'_>, material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    let verdicts = &material.lexicon.verdicts;
    let [first, second, ..] = pieces else { return };
    if question.asks_for_verdict() || question.open.yes_no {
        return;
    }
    // "No, it's both": where there is nothing to choose from, it says nothing.
    let replies = matches!(first.judged.act, Act::Confirm | Act::Deny) && question.shown.elements.is_empty();
    let (piece, words) =
        if replies { (second, [&verdicts.both, &verdicts.whole]) } else { (first, [&verdicts.yes, &verdicts.almost]) };
    let core = &piece.span.core;
    let alone = words.iter().any(|words| material.any_starts(words, core) == Some(core.end));
    if alone && piece.judged.act == Act::Answer && !piece.span.is_list {
        piece.judged = Judged { act: Act::Social, name: "a verdict that was not asked for", rule: None };
    }
}

/// The elements of the lists that questions show.
pub(super) fn elements(obligations: &[&Obligation], memory: &WorkingMemory) -> Vec<String> {
    let paths = obligations.iter().flat_map(|obligation| &obligation.shows);
    let lists = paths.filter_map(|path| memory.extraction.value(path).and_then(Value::as_array));
    lists.flatten().map(brief_text).collect()
}

/// The most telling words around the names of elements that say no more than that these are meant.
const AROUND: usize = 1;

/// Elements of an answer to a question that showed a list: where a few words stand around the name of a shown one, the
/// name is the element. "The calendar and the chat are musts" names two.
pub(super) fn as_shown(value: Value, field: &Field, shown: &[String], lexicon: &Lexicon) -> Value {
    if let Value::String(text) = &value
        && let [name] = at_places(text, shown, lexicon).as_slice()
    {
        return Value::from(name.clone());
    }
    let Value::Array(items) = value else { return value };
    let mut all: Vec<Value> = Vec::new();
    for mut item in items {
        if let Some(key) = field.key.as_deref()
            && let Some(Value::String(name)) = item.as_object_mut().and_then(|record| record.get_mut(key))
            && let [shown] = named_in(name, shown, lexicon).as_slice()
        {
            name.clone_from(shown);
        }
        let named = item.as_str().map(|text| {
            let placed = at_places(text, shown, lexicon);
            let named = if placed.is_empty() { named_in(text, shown, lexicon) } else { placed };
            // "The donations, that brings money": what follows says more of it.
            let head = text.split(',').next().filter(|_| named.is_empty());
            head.map_or(named, |head| named_in(head, shown, lexicon))
        });
        let named = named.unwrap_or_default();
        let found = if named.is_empty() { vec![item] } else { named.into_iter().map(Value::from).collect() };
        for item in found {
            if !all.contains(&item) {
                all.push(item);
            }
        }
    }
    // Beside names of the list a remark is none: "because of the law", "everybody asks for that".
    let is_shown = |item: &Value| item.as_str().is_some_and(|text| shown.iter().any(|name| name == text));
    if all.iter().any(is_shown) {
        all.retain(|item| is_shown(item) || item.as_str().is_none_or(|text| !is_remark(text, lexicon)));
    }
    Value::Array(all)
}

/// Whether a text says something of what stands before it, and names nothing.
fn is_remark(text: &str, lexicon: &Lexicon) -> bool {
    let words = lexicon.words_of(text);
    let small = |word: &str| {
        lexicon.stopwords.contains(word) && !lexicon.determiners.contains(word) || lexicon.because.contains(word)
    };
    let first = words.first().is_some_and(|(word, _)| small(word));
    first || super::answers::is_statement(text, lexicon)
}

/// The elements of a shown list that a text names by their places: "the second one".
fn at_places(text: &str, shown: &[String], lexicon: &Lexicon) -> Vec<String> {
    let read = lexicon.text(text);
    let quantities = Quantities::find(&read, lexicon);
    let material = Material { text: &read, lexicon, quantities: &quantities };
    let places = places(&material, &(0..read.tokens.len()), true).filter(|_| !shown.is_empty()).unwrap_or_default();
    let elements: Option<Vec<usize>> = places.iter().map(|place| index(*place, shown.len())).collect();
    elements.unwrap_or_default().into_iter().map(|at| shown[at].clone()).collect()
}

/// Whether a list has nothing on it but what was shown.
pub(super) fn all_shown(value: &Value, shown: &[String]) -> bool {
    let is_shown = |item: &Value| {
        item.as_str().is_some_and(|text| shown.iter().any(|shown| shown.to_lowercase() == text.to_lowercase()))
    };
    value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(is_shown))
}

/// What was shown for a yes and is said again is a yes.
pub(super) fn said_again<'r>(memory: &WorkingMemory, material: &Material<'r, '_>, pieces: &mut [Piece<'r>]) {
    let shown = memory.asked.iter().flat_map(|asked| &asked.to_confirm);
    let values = shown.filter_map(|path| memory.extraction.get(path)?.doubted());
    let shown: Vec<Vec<String>> = values.map(|value| content_words(&brief_text(value)).collect()).collect();
    let Some(rule) = material.lexicon.rules.iter().find(|rule| rule.does == Some(Doing::Confirm)) else { return };
    for piece in pieces.iter_mut().filter(|piece| piece.judged.act == Act::Answer) {
        let said: Vec<String> = content_words(material.text.slice(&piece.span.core)).collect();
        if !said.is_empty() && shown.contains(&said) {
            piece.judged = Judged { act: Act::Confirm, name: "what was shown is said again", rule: Some(rule) };
        }
    }
}

/// "I told you, the baker", to another question than the one that was answered with it: it is known already.
pub(super) fn known_already(ground: &Ground<'_, '_, '_, '_>, pieces: &mut [Piece<'_>]) {
    let Ground { engine, memory, material, question, .. } = *ground;
    let objects = |piece: &Piece<'_>| piece.judged.rule.is_some_and(|rule| rule.does == Some(Doing::SaidAlready));
    if !pieces.iter().any(objects) {
        return;
    }
    let others = engine.definition().fields.iter().filter(|field| {
        let own = question.fields.iter().any(|asked| asked.path == field.path);
        !own && !question.shown.paths.iter().any(|path| **path == *field.path)
    });
    let values = others.filter_map(|field| memory.extraction.value(&field.path));
    let parts = values.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    let known: Vec<Vec<String>> = parts.map(|value| content_words(&brief_text(value)).collect()).collect();
    for sentence in pieces.chunk_by_mut(|a, b| a.span.sentence == b.span.sentence) {
        if !sentence.iter().any(objects) {
            continue;
        }
        for piece in sentence.iter_mut().filter(|piece| piece.judged.act == Act::Answer) {
            let said: Vec<String> = content_words(material.text.slice(&piece.span.core)).collect();
            if !said.is_empty() && known.contains(&said) {
                piece.judged = Judged { act: Act::Objection, name: "is known already", rule: None };
            }
        }
    }
}

/// The shown elements that a text names, by all of their words or by those that only they have; none where it says more
/// than that.
pub(super) fn named_in(text: &str, shown: &[String], lexicon: &Lexicon) -> Vec<String> {
    let read = lexicon.text(text);
    let quantities = Quantities::find(&read, lexicon);
    let material = Material { text: &read, lexicon, quantities: &quantities };
    let all = 0..read.tokens.len();
    let names: Vec<Text<'_>> = shown.iter().map(|name| lexicon.text(name)).collect();
    let stands = |name: &Text<'_>, at: usize| name.tokens.iter().any(|own| is_part(&own.stem, &read.tokens[at].stem));
    let telling: Vec<usize> = all.clone().filter(|at| material.telling(&(*at..*at + 1)) > 0).collect();
    // All that it says is one of them: "lids on request" of "lids behind the counter, only on request".
    let holding: Vec<usize> = (0..names.len())
        .filter(|name| !telling.is_empty() && telling.iter().all(|at| stands(&names[*name], *at)))
        .collect();
    if let [one] = holding.as_slice() {
        return vec![shown[*one].clone()];
    }
    let folded = Folded::new(text);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (place, name) in shown.iter().enumerate() {
        let whole = folded.find(&Folded::new(name)).map(|range| (range.start, place));
        let only = |at: &&usize| (0..names.len()).filter(|other| stands(&names[*other], **at)).eq([place]);
        found.extend(whole.or_else(|| telling.iter().find(only).map(|at| (read.tokens[*at].start, place))));
    }
    let said = |at: usize| found.iter().any(|(_, place)| stands(&names[*place], at));
    let around = telling.iter().filter(|at| !said(**at)).count();
    // "Not the chat" says something else of it.
    if around > AROUND || material.has(&lexicon.negations, &all) {
        return Vec::new();
    }
    found.sort_unstable();
    found.into_iter().map(|(_, place)| shown[place].clone()).collect()
}

/// Whether a word is another one, or a part of it that says enough: the "spenden" of "Spendenknopf".
fn is_part(word: &str, said: &str) -> bool {
    const LEAST: usize = 5;
    word == said || said.chars().count() >= LEAST && (word.starts_with(said) || word.ends_with(said))
}

/// A list of which all was taken out and something else was told in the same message is emptied before that is added.
pub(super) fn empty_first(engine: &Engine, except: &[String], fields: &mut Vec<FieldReading>) {
    for path in except {
        let list = engine.field(path).is_some_and(|field| field.shape.r#type == Kind::Array);
        let own = |reading: &&FieldReading| reading.path == *path;
        let emptied = fields.iter().filter(own).any(|reading| reading.value.is_null());
        let Some(first) = fields.iter().position(|reading| reading.path == *path).filter(|_| list && !emptied) else {
            continue;
        };
        let nothing = FieldReading { value: Value::Null, ..fields[first].clone() };
        fields.insert(first, nothing);
    }
}

/// A plain yes or no to a question that it can answer, with what is said beside it: "Yes, names and addresses."
pub(super) fn plain(
    question: &Question<'_>,
    material: &Material<'_, '_>,
    pieces: &[Piece<'_>],
    fields: &mut Vec<FieldReading>,
) {
    let replies = |piece: &&Piece<'_>| matches!(piece.judged.act, Act::Confirm | Act::Deny);
    let [field] = question.fields.as_slice() else { return };
    let (Some(piece), Kind::Boolean) = (pieces.iter().find(replies), field.shape.r#type) else { return };
    // "Names and phone numbers, nothing else" is a yes.
    let before = pieces.iter().take_while(|other| !std::ptr::eq(*other, piece));
    let told = fields.iter().any(|reading| *reading.path == *field.path && reading.status == Standing::Known);
    if told && before.into_iter().any(|other| other.judged.act == Act::Answer && other.place == Place::Asked) {
        return;
    }
    let point = if piece.span.core.is_empty() { &piece.span.whole } else { &piece.span.core };
    let beside = pieces.iter().skip_while(|other| !std::ptr::eq(*other, piece)).take_while(|other| {
        let goes_on = other.place == Place::Asked && other.judged.act == Act::Answer;
        other.span.sentence == piece.span.sentence && (replies(other) || goes_on)
    });
    let end = beside.last().map_or(point.end, |last| last.span.core.end.max(point.end));
    let yes = piece.judged.act == Act::Confirm;
    // What goes on after the yes says no more than the yes does.
    fields.retain(|reading| *reading.path != *field.path);
    fields.push(FieldReading {
        path: field.path.to_string(),
        value: Value::Bool(yes),
        quote: quote_of(material, &(point.start..end)),
        confidence: 0.9,
        status: Standing::Known,
        reading: if yes { "a plain yes" } else { "a plain no" }.to_owned(),
        doubt: None,
        cues: Vec::new(),
        adds: false,
    });
}
