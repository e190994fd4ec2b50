//! Corrections that say where something belongs: elements taken off a list or put on it, values of another field, figures
//! that were said before.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use super::acts;
use super::assign::Question;
use super::clauses::{Material, breath_end, core};
use super::correction::{self, holds, meant, point, speaks_of};
use super::naming::Names;
use super::quantity::{Quantities, Quantity};
use super::template::{Match, breath_start};
use super::values;
use super::{CORRECTION, FieldReading, Standing, quote_of};
use crate::engine::Engine;
use crate::engine::config::{Field, Kind};
use crate::engine::memory::WorkingMemory;
use crate::engine::values::brief_text;
use crate::engine::words::content_words;

/// So many words may stand before a command: "oh and please".
const BEFORE_COMMAND: usize = 4;
/// How sure such a correction is.
const SURE: f64 = 0.9;

/// What a sentence says that only names things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// The name of something that was just told.
    Told,
    /// The name of one thing, told apart from another.
    Apart,
}

/// What a sentence is read against.
pub(super) struct Ground<'a, 'e, 't, 'm> {
    pub engine: &'e Engine,
    pub memory: &'a WorkingMemory,
    pub material: &'a Material<'t, 'm>,
    pub question: &'a Question<'e>,
    /// What the fields are called, once it is needed.
    pub names: &'a OnceCell<Names>,
}

impl<'e> Ground<'_, 'e, '_, '_> {
    /// What a sentence rearranges: the readings, of which a null takes something back.
    pub fn find(&self, sentence: &Range<usize>) -> Vec<FieldReading> {
        let ways = [Self::taken_off, Self::moved, Self::placed];
        ways.iter().map(|way| way(self, sentence)).find(|readings| !readings.is_empty()).unwrap_or_default()
    }

    pub(super) fn called_as(&self) -> &Names {
        self.names.get_or_init(|| Names::of(self.engine, self.material.lexicon))
    }

    pub(super) fn field(&self, at: usize) -> Option<&'e Field> {
        self.engine.definition().fields.get(at)
    }

    /// The value of a field, or the one that is only offered.
    pub(super) fn value_of(&self, field: &Field) -> Option<&Value> {
        let extracted = self.memory.extraction.get(&field.path)?;
        extracted.value.as_ref().or(extracted.candidate.as_ref().map(|candidate| &candidate.value))
    }

    pub(super) fn named(&self, words: &Range<usize>, likelier: impl Fn(&Field) -> bool) -> Option<&'e Field> {
        let words = self.material.text.slice(words);
        self.field(self.called_as().find(self.engine, self.material.lexicon, words, likelier)?)
    }

    /// "Remove the gallery from the list", "drop the gallery, add a newsletter".
    fn taken_off(&self, sentence: &Range<usize>) -> Vec<FieldReading> {
        let (changes, whole) = (&self.material.lexicon.changes, quote_of(self.material, sentence));
        let added = changes.additions.iter().find_map(|template| template.find(self.material, sentence));
        let added = added.map(|found| point(self.material, &found.new));
        let removed = changes.removals.iter().find_map(|template| {
            let found = template.find(self.material, sentence)?;
            let old = core(self.material, found.old?);
            let ends = added.is_some() || self.is_all(&old, sentence);
            let asked = ends && self.commands(sentence, old.start) && !self.forbids(&(sentence.start..old.start), &old);
            asked.then(|| self.without(&old)).flatten()
        });
        let added = added.filter(|new| removed.is_some() || self.commands(sentence, new.start));
        let mut readings = Vec::new();
        let list = |field: &&&Field| field.shape.r#type == Kind::Array;
        let field =
            removed.as_ref().map(|(field, _)| *field).or_else(|| self.question.fields.iter().find(list).copied());
        if let Some((field, left)) = &removed {
            readings.push(reading(field, Value::Null, whole.clone()));
            readings.extend(left.clone().map(|left| reading(field, left, whole.clone())));
        }
        if let (Some(new), Some(field)) = (added, field.filter(|field| list(&field))) {
            let made = values::make(field, self.material, &new, None);
            readings.extend(made.map(|made| reading(field, made.value, quote_of(self.material, &new))));
        }
        readings
    }

    /// Whether little follows some words, and no pause: "drop the catalogue, not this round" says more than that.
    fn is_all(&self, words: &Range<usize>, sentence: &Range<usize>) -> bool {
        const FROM_THE_LIST: usize = 5;
        let rest = words.end..sentence.end;
        rest.len() <= FROM_THE_LIST && !rest.into_iter().any(|at| self.material.text.before(at).contains(','))
    }

    /// Whether a sentence begins with a command that ends before a token: nobody tells what they do themselves.
    fn commands(&self, sentence: &Range<usize>, end: usize) -> bool {
        let lexicon = self.material.lexicon;
        let words = &self.material.text.tokens[sentence.start..end];
        let joined = |at: usize| self.material.text.before(at).contains([',', ';', '.']);
        let start = (sentence.start + 1..end).rev().find(|at| joined(*at)).unwrap_or(sentence.start);
        end - start <= BEFORE_COMMAND && !words.iter().any(|token| lexicon.speaker.contains(&token.word))
    }

    /// The list that has an element, without it; nothing is left of some, and of a value that is all of a field.
    fn without(&self, old: &Range<usize>) -> Option<(&'e Field, Option<Value>)> {
        let small = |at: &usize| self.material.lexicon.stopwords.contains(&self.material.text.tokens[*at].word);
        // "The gallery" is on the list as "a gallery".
        let old = &(old.clone().find(|at| !small(at))?..old.end);
        let phrase = self.material.text.slice(old);
        let numbers: Vec<f64> = self.material.quantities.within(old).map(|q| q.high.unwrap_or(q.low)).collect();
        let says = |item: &Value| holds(item, phrase, &numbers, self.material) || speaks_of(item, phrase);
        let fields = self.engine.definition().fields.iter();
        let lists = fields.filter_map(|field| Some((field, self.value_of(field)?.as_array()?)));
        let lists = lists.filter(|(_, items)| items.iter().any(says));
        // Of several lists the one that has it by this very name, or that was spoken of last.
        let told = |field: &Field| self.memory.extraction.get(&field.path).map(|known| known.last_updated_at_turn);
        let rank =
            |(field, items): &(&Field, &Vec<Value>)| (items.iter().any(|item| is_called(item, phrase)), told(field));
        if let Some((field, items)) = lists.max_by_key(rank) {
            let by_name = items.iter().any(|item| is_called(item, phrase));
            let goes = |item: &&Value| if by_name { is_called(item, phrase) } else { says(item) };
            let left: Vec<Value> = items.iter().filter(|item| !goes(item)).cloned().collect();
            return Some((field, (!left.is_empty()).then_some(Value::Array(left))));
        }
        // A text that is said back goes; one in quotes is no name of a field.
        let mut fields = self.engine.definition().fields.iter();
        let text = fields.find(|field| self.value_of(field).is_some_and(|value| is_called(value, phrase)));
        let is_quoted = self.material.text.before(old.start).contains(['\'', '"', '“', '„', '‘', '«']);
        let known = |field: &Field| self.value_of(field).is_some();
        let named = || self.named(old, known).filter(|field| known(field) && !is_quoted);
        text.or_else(named).map(|field| (field, None))
    }

    /// "25 is the number of users, not who is affected": a value goes from one field to another.
    fn moved(&self, sentence: &Range<usize>) -> Vec<FieldReading> {
        let known = |field: &Field| self.value_of(field).is_some();
        for mut found in self.moves(sentence) {
            // "We are 12 people, not 11" names no field.
            let counts = |words: &Range<usize>| self.material.quantities.within(words).any(|q| !self.is_article(q));
            if counts(&found.new) || found.old.as_ref().is_some_and(counts) {
                continue;
            }
            if found.old.is_none() && !self.is_only_name(&found.new, sentence) {
                continue;
            }
            // "Alterations, that is three quarters of it": where only "that" is to go somewhere, nothing else is told
            // beside it, and nothing but the name of where.
            let bare = found.old.is_none() && found.value.is_none();
            if bare && (self.tells_before(&found.new, sentence) || self.called(&found.new).is_none()) {
                continue;
            }
            found.value = found.value.map(|value| self.what_it_is_about(&value));
            let from = self.moved_from(&found);
            if found.old.is_none() || from.is_none() && found.value.is_none() {
                // What it is was heard right, and only not counted yet.
                let heard = self.named(&found.new, known).filter(|field| self.is_just_offered(field));
                if let Some((field, value)) = heard.and_then(|field| Some((field, self.value_of(field)?))) {
                    return self.given(field, field, value).into_iter().collect();
                }
            }
            let Some(from) = from else { continue };
            let named = self.named(&found.new, |field| field.path != from.path).filter(|to| to.path != from.path);
            let Some((value, left)) = self.part_of(from, found.value.as_ref(), named) else { continue };
            if named.is_none() && (found.value.is_none() || found.old.is_none()) {
                continue;
            }
            let given = match named {
                Some(to) => self.given(from, to, &value),
                // What it is has another name here: by its own words it may still be known where it belongs.
                None => self
                    .by_cues(&value)
                    .filter(|to| to.path != from.path)
                    .and_then(|to| Some(FieldReading { status: Standing::Candidate, ..self.given(from, to, &value)? })),
            };
            // Nothing is lost to words that name neither where it was nor where it belongs.
            let leaves =
                found.old.as_ref().and_then(|old| self.named(old, known)).is_some_and(|own| own.path == from.path);
            if given.is_none() && !leaves {
                continue;
            }
            let quote = quote_of(self.material, sentence);
            let mut readings = Vec::new();
            // Of what was only shown in the place of something else there is nothing to take back.
            if !self.is_shown_instead(from) {
                readings.push(reading(from, Value::Null, quote.clone()));
                readings.extend(left.map(|left| reading(from, left, quote)));
            }
            readings.extend(given);
            return readings;
        }
        Vec::new()
    }

    /// The ways in which a sentence says what something is. "That's wrong" says nothing of the kind.
    fn moves<'s>(&'s self, sentence: &'s Range<usize>) -> impl Iterator<Item = Match> + use<'s> {
        let (material, all) = (self.material, &self.material.lexicon.changes.moves);
        all.iter().filter_map(|template| template.find(material, sentence)).filter(|found| {
            let rule = acts::rule_of(material, &(found.words..found.new.end.max(found.words)), false, true);
            rule.is_none_or(|rule| acts::tells(rule.act))
        })
    }

    /// Whether a number is no more than an article.
    fn is_article(&self, figure: &Quantity) -> bool {
        let articles = &self.material.lexicon.numbers.articles;
        figure.tokens.len() == 1 && articles.contains(&self.material.text.tokens[figure.tokens.start].word)
    }

    /// The field that a value is to leave: the one that is named, the one that has it, or the one that was shown.
    fn moved_from(&self, found: &Match) -> Option<&'e Field> {
        let known = |field: &Field| self.value_of(field).is_some();
        let offered = self.question.shown.paths.first().filter(|_| !self.question.shown.together);
        let shown = || offered.and_then(|path| self.engine.field(path));
        let held = || {
            let (field, _) = meant(self.engine, self.memory, self.material, found.value.as_ref()?, false)?;
            Some(field)
        };
        let Some(old) = &found.old else {
            return if found.value.is_some() { held() } else { shown().or_else(|| self.only_told()) };
        };
        self.named(old, known).filter(|field| known(field)).or_else(held).or_else(shown)
    }

    /// What a field has of a phrase, and what stays of a list without it. Where only "that" is said of a list, it is the
    /// elements that sound like where they are to go, or all of a list that was just heard.
    fn part_of(
        &self,
        from: &Field,
        phrase: Option<&Range<usize>>,
        to: Option<&Field>,
    ) -> Option<(Value, Option<Value>)> {
        let offered = || self.memory.extraction.get(&from.path)?.candidate.as_ref().map(|offered| &offered.value);
        let value = if self.is_shown_instead(from) { offered()? } else { self.value_of(from)? };
        let says = |value: &Value, phrase: &Range<usize>| {
            let numbers: Vec<f64> = self.material.quantities.within(phrase).map(|q| q.high.unwrap_or(q.low)).collect();
            holds(value, self.material.text.slice(phrase), &numbers, self.material)
        };
        let Value::Array(items) = value else {
            return phrase.is_none_or(|phrase| says(value, phrase)).then(|| (value.clone(), None));
        };
        let goes = |item: &Value| match phrase {
            Some(phrase) => says(item, phrase),
            None => to.is_some_and(|to| self.by_cues(item).is_some_and(|field| field.path == to.path)),
        };
        let (mut going, staying): (Vec<Value>, Vec<Value>) = items.iter().cloned().partition(goes);
        if going.is_empty() {
            let shown = self.question.shown.paths.iter().any(|path| **path == *from.path);
            let all = phrase.is_none() && (items.len() == 1 || shown || self.is_just_told(from));
            return all.then(|| (value.clone(), None));
        }
        let value = if going.len() == 1 { going.remove(0) } else { Value::Array(going) };
        Some((value, (!staying.is_empty()).then_some(Value::Array(staying))))
    }

    /// Whether something was shown in the place of what is known of a field.
    fn is_shown_instead(&self, field: &Field) -> bool {
        self.question.shown.replaces.iter().any(|path| **path == *field.path)
    }

    pub(super) fn by_cues(&self, value: &Value) -> Option<&'e Field> {
        self.engine.field(&self.engine.reader().field_of(&brief_text(value))?)
    }

    /// The field that some words name and nothing else.
    fn called(&self, words: &Range<usize>) -> Option<&'e Field> {
        let (lexicon, words) = (self.material.lexicon, self.material.text.slice(words));
        let at = self.called_as().find(self.engine, lexicon, words, |field| self.is_just_told(field))?;
        self.field(at).filter(|_| self.called_as().is_name(lexicon, at, words))
    }

    /// "No, that's what it costs", after an answer that was taken for something else: it goes where it is said to belong.
    pub fn renamed(&self, sentence: &Range<usize>) -> Vec<FieldReading> {
        let name = self.moves(sentence).find_map(|found| {
            let alone = found.old.is_none() && found.value.is_none() && self.is_only_name(&found.new, sentence);
            alone.then(|| self.called(&found.new)).flatten()
        });
        let (Some(to), Some(from)) = (name, self.only_told()) else { return Vec::new() };
        let Some(value) = self.value_of(from).filter(|_| to.path != from.path && self.value_of(to).is_none()) else {
            return Vec::new();
        };
        let back = reading(from, Value::Null, quote_of(self.material, sentence));
        self.given(from, to, value).map(|given| vec![back, given]).unwrap_or_default()
    }

    /// The one field that the last message told something of.
    pub(super) fn only_told(&self) -> Option<&'e Field> {
        let mut told = self.engine.definition().fields.iter().filter(|field| self.is_just_told(field));
        told.next().filter(|_| told.next().is_none())
    }

    /// Whether a sentence says what something is called: something that was just told, or one thing and not another.
    pub fn names(&self, sentence: &Range<usize>, denied: bool) -> Option<Naming> {
        self.moves(sentence).filter(|found| found.value.is_none()).find_map(|found| {
            if found.old.is_none() && !self.is_only_name(&found.new, sentence) {
                return None;
            }
            let (new, old) = (self.called(&found.new), found.old.as_ref().map(|old| self.called(old)));
            let told = |field: &Field| self.is_just_told(field) || denied && self.value_of(field).is_some();
            match old {
                None => new.filter(|new| told(new)).map(|_| Naming::Told),
                Some(old) if old.or(new).is_some_and(told) => Some(Naming::Told),
                Some(old) => old.and(new).map(|_| Naming::Apart),
            }
        })
    }

    /// Whether a sentence says hardly more than a name: "that's who else is affected". Longer ones tell something.
    fn is_only_name(&self, name: &Range<usize>, sentence: &Range<usize>) -> bool {
        const BEFORE: usize = 5;
        const A_NAME: usize = 5;
        let denies = self.material.has(&self.material.lexicon.negations, name);
        !denies && name.len() <= A_NAME && name.end == sentence.end && name.start <= sentence.start + BEFORE
    }

    /// Whether a sentence tells something in an earlier breath than the one that some words stand in.
    fn tells_before(&self, words: &Range<usize>, sentence: &Range<usize>) -> bool {
        let start = breath_start(self.material, sentence.start, words.start);
        self.material.telling(&core(self.material, sentence.start..start)) > 0
    }

    /// Whether the value of a field was heard in the last message and does not count yet.
    fn is_just_offered(&self, field: &Field) -> bool {
        let extracted = self.memory.extraction.get(&field.path);
        extracted.is_some_and(|known| known.value.is_none()) && self.is_just_told(field)
    }

    /// Whether something was heard of a field in the last message.
    pub(super) fn is_just_told(&self, field: &Field) -> bool {
        let fresh = |turn: u32| turn > 0 && turn + 1 >= self.memory.turn;
        self.memory.extraction.get(&field.path).is_some_and(|known| match &known.candidate {
            Some(offered) => fresh(offered.turn),
            None => known.value.is_some() && fresh(known.last_updated_at_turn),
        })
    }

    /// A value of one field as the value of another, in the words in which it was said.
    pub(super) fn given(&self, from: &Field, to: &Field, value: &Value) -> Option<FieldReading> {
        let text = brief_text(value);
        let lexicon = self.material.lexicon;
        let words = lexicon.text(&text);
        let quantities = Quantities::find(&words, lexicon);
        let material = Material { text: &words, lexicon, quantities: &quantities };
        let made = values::make(to, &material, &(0..words.tokens.len()), None)?;
        let extracted = self.memory.extraction.get(&from.path);
        let said = extracted.and_then(|field| {
            field.candidate.as_ref().and_then(|candidate| candidate.evidence.as_ref()).or(field.evidence.as_ref())
        });
        let quote = said.map_or(text.clone(), |said| said.quote.clone());
        Some(reading(to, made.value, quote))
    }

    /// "I wanted buy or lease as the decision": a value with the name of its field.
    fn placed(&self, sentence: &Range<usize>) -> Vec<FieldReading> {
        let found = self.material.lexicon.changes.placings.iter().find_map(|template| {
            let found = template.find(self.material, sentence)?;
            let value = core(self.material, found.value.clone()?);
            // "I meant that as the cost" names no value.
            if value.start > sentence.start + BEFORE_COMMAND || self.material.telling(&value) == 0 {
                return None;
            }
            let known = |field: &Field| self.value_of(field).is_some();
            let by_cues = || self.engine.field(&self.engine.reader().field_of(self.material.text.slice(sentence))?);
            let field = self.named(&found.new, known).or_else(by_cues)?;
            let made = values::make(field, self.material, &value, None)?;
            Some((field, made.value, quote_of(self.material, &value)))
        });
        let Some((field, value, quote)) = found else { return Vec::new() };
        let gathers = field.shape.r#type == Kind::Array && self.memory.extraction.is_known(&field.path);
        let back = gathers.then(|| reading(field, Value::Null, quote.clone()));
        back.into_iter().chain([reading(field, value, quote.clone())]).collect()
    }

    /// "I said 620, that is the old figure, last year it was 655": a figure that is known, and another one after it.
    pub fn said_otherwise(&self, sentence: &Range<usize>) -> Vec<FieldReading> {
        let recalls = &self.material.lexicon.changes.recalls;
        let recalled = sentence.clone().find_map(|at| self.material.any_starts(recalls, &(at..sentence.end)));
        let Some(after) = recalled else { return Vec::new() };
        let mut figures = self.material.quantities.within(&(after..sentence.end));
        let Some(old) = figures.next().filter(|old| old.tokens.start <= after + 1) else { return Vec::new() };
        let Some(new) = figures.filter(|new| new.kind == old.kind && new.low.total_cmp(&old.low).is_ne()).last() else {
            return Vec::new();
        };
        let Some((field, value)) = meant(self.engine, self.memory, self.material, &old.tokens, true) else {
            return Vec::new();
        };
        let start = breath_start(self.material, old.tokens.end, new.tokens.start);
        let end = breath_end(self.material, &(new.tokens.end - 1..sentence.end));
        correction::exchanged(self.memory, field, value, self.material, &old.tokens, &(start..end))
    }
}

pub(super) fn reading(field: &Field, value: Value, quote: String) -> FieldReading {
    FieldReading {
        path: field.path.to_string(),
        value,
        quote,
        confidence: SURE,
        status: Standing::Known,
        reading: format!("{CORRECTION} of what was said before"),
        doubt: None,
        cues: Vec::new(),
        adds: false,
    }
}

/// Whether an element of a list is called by a phrase: both have the same telling words.
pub(super) fn is_called(item: &Value, phrase: &str) -> bool {
    let name = match item {
        Value::Object(parts) => parts.values().next().map(brief_text).unwrap_or_default(),
        other => brief_text(other),
    };
    let words = |text: &str| content_words(text).collect::<BTreeSet<String>>();
    let (name, phrase) = (words(&name), words(phrase));
    !name.is_empty() && name == phrase
}
