//! Which field a clause points to, of those that something is known of: by its name, by what it was shown with, by its figure.

use std::ops::Range;

use super::acts::Judged;
use super::assign::Piece;
use super::clauses::{Material, core};
use super::correction::{self, speaks_of};
use super::quantity::Quantities;
use super::rearranged::Ground;
use crate::engine::Engine;
use crate::engine::config::{Act, Field};
use crate::engine::memory::WorkingMemory;
use crate::engine::values::brief_text;
use crate::engine::words::content_words;

/// The most words of a name.
const A_NAME: usize = 7;

/// The fields that a clause names as not right, without saying how they should be: "everything but the budget".
pub(super) fn excepted(ground: &Ground<'_, '_, '_, '_>, words: &Range<usize>) -> Option<String> {
    let shown = |field: &Field| ground.question.shown.paths.iter().any(|path| **path == *field.path);
    let told = |field: &Field| shown(field) || ground.value_of(field).is_some();
    let named = ground.named(words, shown).filter(|field| told(field)).map(|field| field.path.to_string());
    named.or_else(|| {
        let phrase = ground.material.text.slice(words);
        let shown = ground.question.shown.paths.iter().find(|path| {
            let value = ground.engine.field(path).and_then(|field| ground.value_of(field));
            value.is_some_and(|value| speaks_of(value, phrase))
        });
        shown.cloned().or_else(|| told_of(ground, phrase))
    })
}

/// The only field that says some words, where all that is known was shown.
fn told_of(ground: &Ground<'_, '_, '_, '_>, phrase: &str) -> Option<String> {
    let says = |field: &&Field| ground.value_of(field).is_some_and(|value| speaks_of(value, phrase));
    let mut fields = ground.engine.definition().fields.iter().filter(|_| ground.question.reviews).filter(says);
    let field = fields.next()?;
    fields.next().is_none().then(|| field.path.to_string())
}

/// What a clause calls by its name, and what it says that this is.
#[derive(Clone, Debug)]
struct Labelled {
    field: usize,
    /// Nothing where the clause ends with the name and a colon.
    value: Range<usize>,
}

/// The field that a clause names and then says what it is, with a colon or a word such as "is" between: "the deadline is
/// May", "budget: 15k". A sentence that only has the name in it is about something else. `loosely`: whether words that are
/// most of a name will do, because something was said to be wrong.
fn labelled(ground: &Ground<'_, '_, '_, '_>, words: &Range<usize>, loosely: bool) -> Option<Labelled> {
    let material = ground.material;
    let start = core(material, words.clone()).start;
    let last = words.end.min(start + A_NAME);
    let copulas = &material.lexicon.notes.copulas;
    for at in start + 1..=last {
        let mark = material.text.before(at);
        let colon = mark.contains([':', '=']);
        if !colon && mark.contains([',', ';', '.', '!', '?', '–', '—', '(', '"', '“', '”']) {
            return None;
        }
        let value = if colon || is_figure(material, &(at..words.end)) {
            Some(at)
        } else {
            material.any_starts(copulas, &(at..words.end))
        };
        let Some(value) = value.filter(|value| colon || *value < words.end) else { continue };
        let field = called(ground, &(start..at), colon, loosely)?;
        return Some(Labelled { field, value: value..words.end });
    }
    None
}

/// Whether some words are a figure and nothing else: "budget twelve thousand".
fn is_figure(material: &Material<'_, '_>, words: &Range<usize>) -> bool {
    let first = material.quantities.within(words).next();
    first.is_some_and(|first| first.tokens == *words)
}

/// The field that some words before a colon or an "is" name.
fn called(ground: &Ground<'_, '_, '_, '_>, name: &Range<usize>, colon: bool, loosely: bool) -> Option<usize> {
    let (material, names) = (ground.material, ground.called_as());
    let words = material.text.slice(name);
    // "In the trade it is the electric cars" says something of another thing.
    let first = &material.text.tokens[name.start].word;
    let lexicon = material.lexicon;
    let begins = lexicon.determiners.contains(first) || lexicon.question_words.contains(first);
    if lexicon.stopwords.contains(first) && !begins && !colon && !loosely {
        return None;
    }
    let told = |field: &Field| ground.value_of(field).is_some();
    if let Some(field) = names.only(material.lexicon, words) {
        return Some(field);
    }
    if colon && let Some(field) = names.part(material.lexicon, words) {
        return Some(field);
    }
    let field = names.find(ground.engine, material.lexicon, words, told).filter(|_| loosely)?;
    ground.field(field).filter(|field| told(field)).map(|_| field)
}

/// The field that a clause calls by its name, or that the name before a colon in its sentence was: "capacity: only me, five
/// hours a week". `under`: that name, and the sentence.
pub(super) fn by_label(
    ground: &Ground<'_, '_, '_, '_>,
    piece: &mut Piece<'_>,
    under: &mut Option<(usize, usize)>,
    announced: bool,
) {
    let Ground { material, question, .. } = *ground;
    if piece.named.is_some() || piece.span.is_list {
        return;
    }
    let is_asked =
        |at: usize| question.fields.iter().any(|field| ground.field(at).is_some_and(|own| own.path == field.path));
    let Some(label) = labelled(ground, &piece.span.core, announced || question.closing) else {
        if let Some((field, _)) =
            under.filter(|(field, sentence)| *sentence == piece.span.sentence && !is_asked(*field))
        {
            (piece.named, piece.labelled) = (Some(field), true);
        }
        return;
    };
    let colon = material.text.before(label.value.start).contains([':', '=']);
    *under = colon.then_some((label.field, piece.span.sentence));
    if is_asked(label.field) {
        return;
    }
    (piece.named, piece.labelled) = (Some(label.field), true);
    if label.value.is_empty() {
        piece.judged = Judged { act: Act::Social, name: "names what follows", rule: None };
    } else {
        piece.span.core = without_pronoun(material, correction::point(material, &label.value));
    }
}

/// "Bei den Systemen ist es nur X": the pronoun belongs to the verb.
fn without_pronoun(material: &Material<'_, '_>, value: Range<usize>) -> Range<usize> {
    let lexicon = material.lexicon;
    let small = lexicon.stopwords.contains(&material.text.tokens[value.start].word)
        && !lexicon.determiners.contains(&material.text.tokens[value.start].word);
    let leads = value.len() > 1 && material.any_starts(&lexicon.leads, &(value.start + 1..value.end)).is_some();
    if small && leads { correction::point(material, &(value.start + 1..value.end)) } else { value }
}

/// The shown field whose figure counts the same as that of a clause, or is the only one of its kind: "it's 11 staff".
pub(super) fn of_same_kind(ground: &Ground<'_, '_, '_, '_>, words: &Range<usize>) -> Option<usize> {
    let material = ground.material;
    let new = material.quantities.within(words).next()?;
    let counted = material.text.tokens.get(new.tokens.end).filter(|_| new.tokens.end < words.end);
    let mut alike: Vec<(bool, usize)> = Vec::new();
    for (at, field) in ground.engine.definition().fields.iter().enumerate() {
        let shown = ground.question.shown.paths.iter().any(|path| **path == *field.path);
        let now = |turn: u32| ground.memory.turn > 0 && turn == ground.memory.turn;
        let extracted = ground.memory.extraction.get(&field.path);
        let fresh = extracted.is_some_and(|field| now(field.last_updated_at_turn));
        let Some(value) = ground.value_of(field).filter(|_| shown || fresh || ground.question.reviews) else {
            continue;
        };
        // Of a number the words tell what it counts.
        let offered =
            extracted.and_then(|field| field.candidate.as_ref()).and_then(|offered| offered.evidence.as_ref());
        let said = offered.or(extracted.and_then(|field| field.evidence.as_ref())).filter(|_| value.is_number());
        let text = said.map_or_else(|| brief_text(value), |said| said.quote.clone());
        let said = material.lexicon.text(&text);
        let figures = Quantities::find(&said, material.lexicon);
        let all = 0..said.tokens.len();
        let mut same = figures.within(&all).filter(|old| old.kind == new.kind).peekable();
        if same.peek().is_some() {
            let counts = same.any(|old| {
                let own = said.tokens.get(old.tokens.end);
                counted.is_some_and(|word| own.is_some_and(|own| own.stem == word.stem))
            });
            alike.push((counts, at));
        }
    }
    let counting: Vec<usize> = alike.iter().filter(|(counts, _)| *counts).map(|(_, at)| *at).collect();
    match (counting.as_slice(), alike.as_slice()) {
        ([one], _) => Some(*one),
        // A bare figure can only be what has one of its kind.
        ([], [(_, one)]) if counted.is_none() => Some(*one),
        _ => None,
    }
}

/// The field whose value a sentence says anew after a correction was announced: the one it shares most telling words with.
pub(super) fn said_anew(
    engine: &Engine,
    memory: &WorkingMemory,
    material: &Material<'_, '_>,
    tokens: &Range<usize>,
) -> Option<usize> {
    /// Of the telling words of the shorter one, one in this many is in both of two versions of an answer.
    const ALIKE: usize = 2;
    /// The most telling words of an answer that one word stands for.
    const FEW: usize = 3;
    let said: Vec<String> = content_words(material.text.slice(tokens)).collect();
    let alike = engine.definition().fields.iter().enumerate().filter_map(|(at, field)| {
        let extracted = memory.extraction.get(&field.path)?;
        let value = extracted.value.as_ref().or(extracted.candidate.as_ref().map(|candidate| &candidate.value))?;
        let before: Vec<String> = content_words(&brief_text(value)).collect();
        let shared = before.iter().filter(|word| said.contains(word)).count();
        let least = before.len().min(said.len());
        // One word that both have makes two versions of one answer only where there are hardly more.
        let enough = shared > 1 || shared == 1 && before.len() <= FEW;
        (enough && shared * ALIKE >= least).then_some((shared, extracted.last_updated_at_turn, at))
    });
    alike.max().map(|(.., at)| at)
}
