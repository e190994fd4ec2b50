//! Corrections of what was said before: which field they mean, and what holds now. Two texts are never joined: what holds
//! is read from the new words alone.

use std::ops::Range;

use serde_json::{Value, json};

use super::acts;
use super::clauses::{Material, core};
use super::pointing::places;
use super::quantity::Quantity;
use super::rearranged::is_called;
use super::reworded::{element_anew, figure_in, loses, offered_anew, reworded};
use super::template::{Template, breath_end, pauses};
use super::values::{self, Made};
use super::{FieldReading, Standing, quote_of};
use crate::engine::Engine;
use crate::engine::config::{Field, Kind};
use crate::engine::memory::WorkingMemory;
use crate::engine::values::brief_text;
use crate::engine::words::{Folded, content_words};

/// The most telling words of an answer that one word stands for.
const FEW: usize = 3;
/// The reading of a figure that was put right: it stands in the message, and so does what it counts.
const COUNTED_ANEW: &str = "the new figure of what was counted";
/// The most words that say what is counted.
const COUNTED: usize = 2;
/// How many turns ago the last answer may have been given.
const LAST: u32 = 1;
/// How sure a correction is, and one that is only offered.
const SURE: f64 = 0.9;
const OFFERED: f64 = 0.5;

/// What is known of how a sentence stands in its message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    /// Whether it was said before that something is corrected.
    pub announced: bool,
    /// Whether the message has told something before, which is what the sentence may put right.
    pub told: bool,
}

/// What a sentence corrects of what is known: the readings, which may first take a list back.
pub(super) fn find(
    engine: &Engine,
    memory: &WorkingMemory,
    material: &Material<'_, '_>,
    sentence: &Range<usize>,
    said: Said,
) -> Vec<FieldReading> {
    let lexicon = material.lexicon;
    let announced = said.announced || material.has(&lexicon.announced, sentence);
    let readings = by_exchange(engine, memory, material, sentence, (&lexicon.exchanges, announced));
    if !readings.is_empty() {
        return readings;
    }
    let readings = after_denial(engine, memory, material, sentence);
    if !readings.is_empty() {
        return readings;
    }
    if said.told {
        return Vec::new();
    }
    for template in &lexicon.renewals {
        if let Some(found) = template.find(material, sentence) {
            // "X, no wait, Y" puts right what was just said, and no answer of an earlier message.
            let before = core(material, sentence.start..found.words);
            if tells_more(material, &before) || !leads_up(material, found.words, &found.new) {
                return Vec::new();
            }
            return renewed(engine, memory, material, &found.new);
        }
    }
    Vec::new()
}

/// Whether some words say more than that something is put right: "gallery, sorry" does.
fn tells_more(material: &Material<'_, '_>, words: &Range<usize>) -> bool {
    let mut at = words.start;
    while at < words.end {
        let after = material.any_starts(&material.lexicon.announced, &(at..words.end));
        let end = after.filter(|after| *after > at).unwrap_or(at + 1);
        if after.is_none() && material.telling(&(at..at + 1)) > 0 {
            return true;
        }
        at = end;
    }
    false
}

/// Whether literal words lead up to what holds: after a single one there is a pause, or a figure. "Quatsch, es sind 5" does,
/// "hab Quatsch gesagt" does not.
fn leads_up(material: &Material<'_, '_>, words: usize, new: &Range<usize>) -> bool {
    let alone = new.start == words + 1;
    let figure = || material.quantities.within(new).next().is_some_and(|figure| figure.tokens.start == new.start);
    !alone || pauses(material, new.start) || figure()
}

/// Whether some words are a value, and no verdict, objection or refusal: "that's not right" is none.
fn is_value(material: &Material<'_, '_>, point: &Range<usize>) -> bool {
    let rule = acts::rule_of(material, point, false, false);
    !point.is_empty() && rule.is_none_or(|rule| acts::tells(rule.act))
}

/// "Not 20, 30": what is taken back and what holds, with nothing but a pause between.
fn after_denial(
    engine: &Engine,
    memory: &WorkingMemory,
    material: &Material<'_, '_>,
    sentence: &Range<usize>,
) -> Vec<FieldReading> {
    let words = core(material, sentence.clone());
    let Some(head) = material.any_starts(&material.lexicon.changes.denials, &words) else { return Vec::new() };
    let old = head..breath_end(material, head, words.end);
    let new = old.end..words.end;
    if old.is_empty() || new.is_empty() || old.len() > COUNTED * 2 || material.has(&material.lexicon.verbs, &old) {
        return Vec::new();
    }
    let stands = meant(engine, memory, material, &old, true);
    stands.map(|(field, value)| exchanged(memory, field, value, material, &old, &new)).unwrap_or_default()
}

/// What is said in the place of something else, by templates that say both.
pub(super) fn by_exchange(
    engine: &Engine,
    memory: &WorkingMemory,
    material: &Material<'_, '_>,
    sentence: &Range<usize>,
    (templates, announced): (&[Template], bool),
) -> Vec<FieldReading> {
    for template in templates {
        let Some(found) = template.find(material, sentence) else { continue };
        let Some(old) = &found.old else { continue };
        // "My trade is bike repair, not the chain store": what is called by its name is meant.
        let parted = pauses(material, old.start.saturating_sub(1));
        // "The office is not a feature" puts nothing in its place.
        let says_not = material.has(&material.lexicon.verbs, &(found.new.end - 1..found.new.end)) && !parted;
        if says_not && found.new.end <= old.start {
            continue;
        }
        let held = meant(engine, memory, material, old, announced);
        // A figure that is put right may be one of several in what was said, so the rest of it stays.
        let counts = material.quantities.within(old).next().is_some();
        let other = |field: &&Field| held.is_none_or(|(held, _)| held.path != field.path || !counts);
        let mut fields = engine.definition().fields.iter();
        let called = fields.find(|field| other(field) && is_named(field, material, &point(material, &found.new)));
        let readings = match (called.filter(|_| parted || held.is_some()), held) {
            (Some(called), _) => exchanged(memory, called, &Value::Null, material, &found.new, &found.new),
            (None, Some((field, value))) => exchanged(memory, field, value, material, old, &found.new),
            (None, None) => continue,
        };
        if !readings.is_empty() {
            return readings;
        }
    }
    Vec::new()
}

/// A bare figure after a no, where no figure was asked for: the one that was said last is meant.
pub(super) fn bare_figure(
    engine: &Engine,
    memory: &WorkingMemory,
    material: &Material<'_, '_>,
    tokens: &Range<usize>,
) -> Vec<FieldReading> {
    let bare = material.quantities.within(tokens).next().is_some_and(|quantity| quantity.tokens == *tokens);
    if bare { renewed(engine, memory, material, tokens) } else { Vec::new() }
}

/// Whether some words call a field by its name near their beginning, and say what it is: "my trade is bike repair".
fn is_named(field: &Field, material: &Material<'_, '_>, tokens: &Range<usize>) -> bool {
    let lexicon = material.lexicon;
    let name: Vec<String> = lexicon.text(&field.name).tokens.into_iter().map(|token| token.stem).collect();
    let said = &material.text.tokens[tokens.clone()];
    let stands = |at: usize| {
        let run = said.get(at..at + name.len());
        let after = tokens.start + at + name.len()..tokens.end;
        run.is_some_and(|run| run.iter().zip(&name).all(|(token, word)| token.stem == *word))
            && material.any_starts(&lexicon.notes.copulas, &after).is_some()
    };
    !name.is_empty() && (0..3).any(stands)
}

/// The field whose value says what is taken back: in so many words, or, where a correction was announced, by its telling
/// words. What was said last comes first.
pub(super) fn meant<'e, 'v>(
    engine: &'e Engine,
    memory: &'v WorkingMemory,
    material: &Material<'_, '_>,
    old: &Range<usize>,
    announced: bool,
) -> Option<(&'e Field, &'v Value)> {
    let phrase = material.text.slice(old);
    let numbers: Vec<f64> =
        material.quantities.within(old).map(|quantity| quantity.high.unwrap_or(quantity.low)).collect();
    let known = engine.definition().fields.iter().filter_map(|field| {
        let extracted = memory.extraction.get(&field.path)?;
        // What is only offered for a second field was told of the first.
        let elsewhere = |value: &Value| {
            memory.extraction.iter().any(|(_, other)| other.value.as_ref().is_some_and(|told| same_text(told, value)))
        };
        let offered = extracted.candidate.as_ref().map(|candidate| &candidate.value);
        let value = extracted.value.as_ref().or(offered.filter(|value| !elsewhere(value)))?;
        let literal = holds(value, phrase, &numbers, material);
        let mentions = literal || (announced && speaks_of(value, phrase));
        mentions.then_some(((literal, extracted.last_updated_at_turn), field, value))
    });
    known.max_by_key(|(rank, ..)| *rank).map(|(_, field, value)| (field, value))
}

fn same_text(one: &Value, other: &Value) -> bool {
    one.is_string() && one == other
}

/// Whether a value says a phrase: a text in so many words, a number by its amount.
pub(super) fn holds(value: &Value, phrase: &str, numbers: &[f64], material: &Material<'_, '_>) -> bool {
    let same = |a: f64, b: f64| (a - b).abs() < 1e-9 * a.abs().max(1.0);
    match value {
        Value::Number(known) => known.as_f64().is_some_and(|known| numbers.iter().any(|number| same(*number, known))),
        Value::Array(items) => items.iter().any(|item| holds(item, phrase, numbers, material)),
        Value::Object(parts) => parts.values().any(|part| holds(part, phrase, numbers, material)),
        Value::String(text) => {
            let telling = content_words(phrase).next().is_some() || !numbers.is_empty();
            let said = Folded::new(text).find(&Folded::new(phrase)).is_some();
            // "Not one person came" takes nothing back of "one evening": what is counted must be the same.
            let counted = || {
                let counts = |word: &String| !values::amounts(word, material.lexicon).is_empty();
                let known: Vec<String> = content_words(text).collect();
                content_words(phrase).filter(|word| !counts(word)).all(|word| known.contains(&word))
            };
            telling
                && (said
                    || counted()
                        && values::amounts(text, material.lexicon).iter().any(|known| {
                            // "The limit is 20k, not 10": the thousands are understood.
                            numbers.iter().any(|number| same(*known, *number) || same(*known, number * 1000.0))
                        }))
        }
        Value::Null | Value::Bool(_) => false,
    }
}

/// Whether a value has all the telling words of a phrase.
pub(super) fn speaks_of(value: &Value, phrase: &str) -> bool {
    let said: Vec<String> = content_words(&brief_text(value)).collect();
    let mut wanted = content_words(phrase).peekable();
    wanted.peek().is_some() && wanted.all(|word| said.contains(&word))
}

/// What holds, without the words that lead up to it.
pub(super) fn point(material: &Material<'_, '_>, new: &Range<usize>) -> Range<usize> {
    let mut rest = core(material, new.clone());
    let leads = &material.lexicon.leads;
    while let Some(after) = material.any_starts(leads, &rest).filter(|after| *after < rest.end) {
        if belongs_to_value(material, after, rest.end) {
            break;
        }
        rest.start = after;
    }
    rest
}

/// Whether a word that can lead up to what holds is part of it: the no of "no double bookings", but not that of "no, 40"
/// and "no it's 40".
fn belongs_to_value(material: &Material<'_, '_>, after: usize, end: usize) -> bool {
    let lexicon = material.lexicon;
    let denies = material.has(&lexicon.negations, &(after - 1..after));
    let figure = || material.quantities.within(&(after..end)).next().is_some_and(|next| next.tokens.start == after);
    let leads = || material.any_starts(&lexicon.leads, &(after..end)).is_some();
    denies && !pauses(material, after) && !figure() && !leads()
}

pub(super) fn exchanged(
    memory: &WorkingMemory,
    field: &Field,
    known: &Value,
    material: &Material<'_, '_>,
    old: &Range<usize>,
    new: &Range<usize>,
) -> Vec<FieldReading> {
    let point = point(material, new);
    if !is_value(material, &point) {
        return Vec::new();
    }
    let whole = new.start.min(old.start)..new.end.max(old.end);
    let in_words = matches!(field.shape.r#type, Kind::String | Kind::Array);
    let anew = counted_anew(material, old, &point).filter(|_| in_words);
    // The words of the clause that says what holds; where both stand in one breath or make up what holds, all of it.
    let apart = (whole.start + 1..whole.end).any(|at| pauses(material, at)) && anew.is_none();
    let quote = if apart { new.clone() } else { whole };
    let reading = |value: Value| FieldReading {
        path: field.path.to_string(),
        value,
        quote: quote_of(material, &quote),
        confidence: SURE,
        status: Standing::Known,
        reading: if anew.is_some() { COUNTED_ANEW } else { "a correction of what was said before" }.to_owned(),
        doubt: None,
        cues: Vec::new(),
        adds: false,
    };
    if let (Kind::Array, Value::Array(items)) = (field.shape.r#type, known) {
        let numbers: Vec<f64> = material.quantities.within(old).map(|q| q.high.unwrap_or(q.low)).collect();
        let phrase = material.text.slice(old);
        let into = anew.as_deref().unwrap_or_else(|| material.text.slice(&point));
        // "The calendar, not the chat", of two things on the list, says which one is meant and changes no list.
        if !items.iter().all(Value::is_string) || items.iter().any(|item| is_called(item, into)) {
            return Vec::new();
        }
        // "Login should be second" moves it, and puts no "second" in its place.
        if places(material, &point, true).is_some() {
            return Vec::new();
        }
        let wrong = |item: &Value| holds(item, phrase, &numbers, material) || speaks_of(item, phrase);
        // Only the figure takes the place of a figure: what else an element says stays.
        let anew = |item: &Value| {
            let text = item.as_str().filter(|_| !numbers.is_empty());
            text.and_then(|text| element_anew(text, material, old, &point)).unwrap_or_else(|| into.to_owned())
        };
        let items: Vec<Value> =
            items.iter().map(|item| if wrong(item) { json!(anew(item)) } else { item.clone() }).collect();
        // A list gathers, so it is taken back first and then given anew.
        return vec![reading(Value::Null), reading(Value::Array(items))];
    }
    if let Some(text) = &anew {
        return vec![reading(json!(text))];
    }
    // "The lease is actually December, not June": only the month takes the place of the other one.
    let figure = figure_in(material, old, &point);
    if let Some(text) = reworded(field, known, material, (Some(old), figure.as_ref().unwrap_or(&point))) {
        return vec![offered_anew(memory, field, &text, quote_of(material, &quote))];
    }
    let made = values::make(field, material, &point, None).map(|made| reading(made.value));
    let offered = |reading: FieldReading| FieldReading {
        status: Standing::Candidate,
        doubt: Some("it is only a part of what you said before".to_owned()),
        confidence: OFFERED,
        ..reading
    };
    let part =
        field.shape.measure.is_none() && (is_only_part(known, material, old) || loses(known, material, (old, &point)));
    made.into_iter().map(|reading| if part { offered(reading) } else { reading }).collect()
}

/// Whether what is taken back is a small part of a longer text: "I said Kassel" of "a carpentry workshop in Kassel". The
/// new words cannot stand for all of it, so they are only offered.
fn is_only_part(known: &Value, material: &Material<'_, '_>, old: &Range<usize>) -> bool {
    let counts = material.quantities.within(old).next().is_some();
    let parts = known.as_str().map_or(0, |text| content_words(text).count());
    let taken = content_words(material.text.slice(old)).count();
    !counts && parts >= FEW && taken * 2 < parts
}

/// "I said 3 vans, it is 5": what is counted stands with the old figure and holds for the new one.
fn counted_anew(material: &Material<'_, '_>, old: &Range<usize>, new: &Range<usize>) -> Option<String> {
    let is_bare = |figure: &&Quantity| figure.tokens == *new && figure.unit.is_none() && figure.high.is_none();
    let bare = material.quantities.within(new).next().filter(is_bare)?;
    let figure = material.quantities.within(old).last().filter(|figure| figure.kind == bare.kind)?;
    let (lexicon, said) = (material.lexicon, &material.text.tokens);
    let counts =
        |at: &usize| !lexicon.stopwords.contains(&said[*at].word) && !material.has(&lexicon.verbs, &(*at..*at + 1));
    let counted = figure.tokens.end..old.end;
    let counted = counted.start
        ..counted.clone().take(COUNTED).find(|at| !counts(at)).unwrap_or(old.end.min(counted.start + COUNTED));
    let says = |tokens: &Range<usize>| material.text.slice(tokens);
    (!counted.is_empty()).then(|| format!("{} {}", says(new), says(&counted)))
}

/// "I meant September": the last answer, given anew. Of several it is the one it is most like; where none is, none.
fn renewed(
    engine: &Engine,
    memory: &WorkingMemory,
    material: &Material<'_, '_>,
    new: &Range<usize>,
) -> Vec<FieldReading> {
    let point = point(material, new);
    let said = material.text.slice(&point);
    if !is_value(material, &point) {
        return Vec::new();
    }
    let counts = material.quantities.within(&point).next().is_some();
    let bare = material.quantities.within(&point).next().is_some_and(|figure| figure.tokens == point);
    let about = engine.reader().field_of(said);
    let mut fresh: Vec<(usize, &Field, Made)> = Vec::new();
    for field in engine.definition().fields.iter() {
        let Some(known) = memory.extraction.get(&field.path) else { continue };
        let Some(value) = known.value.as_ref().or(known.doubted()) else { continue };
        // What clearly belongs elsewhere is no new version of this.
        let elsewhere = about.as_ref().is_some_and(|path| **path != *field.path);
        if elsewhere || memory.turn == 0 || known.last_updated_at_turn + LAST < memory.turn {
            continue;
        }
        let before = brief_text(value);
        // A bare figure takes the place of a figure, and not of words.
        if bare && values::amounts(&before, material.lexicon).is_empty() {
            continue;
        }
        let words: Vec<String> = content_words(&before).collect();
        let shared = content_words(said).filter(|word| words.contains(word)).count();
        let alike = shared + 2 * usize::from(values::amounts(&before, material.lexicon).is_empty() != counts);
        fresh.extend(values::make(field, material, &point, None).map(|made| (alike, field, made)));
    }
    // The answer before the last one counts where the last message gave none.
    let newest =
        fresh.iter().filter_map(|(_, field, _)| memory.extraction.get(&field.path)).map(|f| f.last_updated_at_turn);
    let newest = newest.max().unwrap_or_default();
    fresh.retain(|(_, field, _)| memory.extraction.get(&field.path).is_some_and(|f| f.last_updated_at_turn == newest));
    fresh.sort_by_key(|(alike, ..)| std::cmp::Reverse(*alike));
    let tied = fresh.get(1).is_some_and(|second| second.0 == fresh[0].0);
    let Some((_, field, made)) = fresh.into_iter().next().filter(|_| !tied) else { return Vec::new() };
    let known = memory.extraction.get(&field.path).and_then(|known| known.value.as_ref().or(known.doubted()));
    // "No wait, 22 is percent", of 22, gives no other figure.
    if known.is_some_and(|known| *known == made.value) {
        return Vec::new();
    }
    if let Some(text) = known.and_then(|known| reworded(field, known, material, (None, &point))) {
        return vec![offered_anew(memory, field, &text, quote_of(material, &point))];
    }
    // Several elements are not lost to one that names none of them.
    if known.and_then(Value::as_array).is_some_and(|items| items.len() > 1) {
        return Vec::new();
    }
    let mut readings = Vec::new();
    let reading = |value: Value| FieldReading {
        path: field.path.to_string(),
        value,
        quote: quote_of(material, &point),
        confidence: SURE,
        status: Standing::Known,
        reading: "a correction of the answer before".to_owned(),
        doubt: None,
        cues: Vec::new(),
        adds: false,
    };
    if field.shape.r#type == Kind::Array {
        readings.push(reading(Value::Null));
    }
    readings.push(reading(made.value));
    readings
}
