//! What is said not to be something: "Ann and Bob are not competitors", "quick is not the map", and what is to be taken out
//! of something by its name: "take them out of the competitors". Only what is named goes; where that is not clear it is
//! asked about.

use std::ops::Range;

use serde_json::Value;

use super::clauses::{breath_end, core};
use super::edits::Done;
use super::pointing::Meant;
use super::rearranged::Ground;
use crate::engine::config::{Field, Kind};
use crate::engine::values::brief_text;

/// The most words of what something is said not to be.
const MOST: usize = 24;
/// The most words after the name of a list that belong to the command: "aus den Mitbewerbern wieder raus".
const AFTER: usize = 2;

/// Which elements of a list are meant, or all of a text.
enum Gone {
    Elements(Vec<usize>),
    Text,
}

impl<'e> Ground<'_, 'e, '_, '_> {
    /// What the first breath of a sentence says not to be part of something that is known, and the words that do so.
    /// `earlier`: what the message says before, which "they" may mean; `objects`: whether a no stands before it.
    pub(super) fn denied(
        &self,
        sentence: &Range<usize>,
        earlier: &Range<usize>,
        objects: bool,
    ) -> Option<(Done, Range<usize>)> {
        let words = core(self.material, sentence.clone());
        let not_in = &self.material.lexicon.edits.not_in;
        let end = words.end.min(words.start + MOST);
        let at = (words.start + 1..end).find(|at| self.material.any_starts(not_in, &(*at..end)).is_some())?;
        let after = self.material.any_starts(not_in, &(at..end)).filter(|after| *after < end)?;
        let (left, right) = (words.start..at, after..breath_end(self.material, &(after..end)));
        let whole = sentence.start..right.end;
        // "As I said" may be what was noted.
        let all = earlier.end.min(left.start)..left.end;
        let found = self.not_part(&right, &all, earlier).or_else(|| self.not_part(&right, &left, earlier));
        let found = found.or_else(|| self.not_part(&left, &right, &(0..0)));
        let Some((field, done)) = found else {
            // "No, who works here is not the tenants!"
            let asked = self.named(&left, |field| self.is_asked(field)).is_some_and(|field| self.is_asked(field));
            return (asked && objects).then_some((Done::Unsaid, whole));
        };
        // "The budget is not 15, it's 20" says what holds, which is read as such.
        let rest = right.end..words.end;
        let anew = self.material.any_starts(&self.material.lexicon.leads, &rest).is_some();
        (!anew || field.shape.r#type == Kind::Array).then_some((done, whole))
    }

    fn is_asked(&self, field: &Field) -> bool {
        self.question.fields.iter().any(|asked| asked.path == field.path)
    }

    /// What some words name of the field that others name.
    fn not_part(&self, name: &Range<usize>, thing: &Range<usize>, earlier: &Range<usize>) -> Option<(&'e Field, Done)> {
        let has = |field: &Field| self.gone(field, thing).is_some();
        let field = self.named_or_cued(name, has)?;
        if self.is_pointer(&core(self.material, thing.clone())) {
            return Some((field, self.pointed_out(field, earlier)));
        }
        let gone = self.gone(field, thing)?;
        Some((field, self.without_these(field, gone, &(name.start.min(thing.start)..name.end.max(thing.end)))))
    }

    /// The field of which something is known that some words name, or that they clearly sound like.
    fn named_or_cued(&self, name: &Range<usize>, likelier: impl Fn(&Field) -> bool) -> Option<&'e Field> {
        let known = |field: &&Field| self.value_of(field).is_some();
        let cued = || self.engine.field(&self.engine.reader().field_of(self.material.text.slice(name))?);
        self.named(name, likelier).filter(known).or_else(|| cued().filter(known))
    }

    /// "Take Ann and Bob out of the competitors", "take them out of the list of rules".
    pub(super) fn taken_out(&self, words: &Range<usize>, earlier: &Range<usize>) -> Option<Done> {
        let edits = &self.material.lexicon.edits;
        let start = self.material.any_starts(&edits.takes, words)?;
        let from = (start..words.end).rev().find_map(|at| {
            let after = self.material.any_starts(&edits.from, &(at..words.end)).filter(|after| *after < words.end)?;
            let ends = (words.end.saturating_sub(AFTER).max(after + 1)..=words.end).rev();
            let holds = |field: &Field| self.value_of(field).is_some();
            let field = ends.into_iter().find_map(|end| self.named_or_cued(&(after..end), holds))?;
            Some((at, field))
        });
        let (at, field) = from?;
        let thing = core(self.material, start..at);
        if self.forbids(&(words.start..start), &thing) {
            return None;
        }
        if thing.is_empty() || self.is_pointer(&thing) {
            return Some(self.pointed_out(field, earlier));
        }
        match self.gone(field, &thing) {
            Some(gone) => Some(self.without_these(field, gone, words)),
            None => Some(Done::Unclear),
        }
    }

    /// "There is no such rule": all of what is known of it, where that is one thing.
    pub(super) fn no_such(&self, words: &Range<usize>) -> Option<Done> {
        let thing = self.material.lexicon.edits.no_such.thing(self.material, words)?;
        let known = |field: &Field| self.value_of(field).is_some();
        let field = self.named(&thing, known).filter(|field| known(field))?;
        let several = self.value_of(field).and_then(Value::as_array).is_some_and(|items| items.len() > 1);
        Some(if several { Done::Unclear } else { Done::Cleared(field.path.to_string()) })
    }

    /// What "they" means of a field: what was spoken of before in the message, or its only element.
    fn pointed_out(&self, field: &'e Field, earlier: &Range<usize>) -> Done {
        match self.spoken_of_in(field, earlier) {
            Some(gone) => self.without_these(field, gone, earlier),
            None => Done::Unclear,
        }
    }

    fn spoken_of_in(&self, field: &Field, earlier: &Range<usize>) -> Option<Gone> {
        let value = self.value_of(field)?;
        let said = self.stems(earlier);
        let Value::Array(items) = value else { return None };
        let spoken =
            |item: &Value| self.stems_of(&brief_text(item)).is_some_and(|own| own.iter().all(|w| said.contains(w)));
        let elements: Vec<usize> = (0..items.len()).filter(|at| spoken(&items[*at])).collect();
        match elements.len() {
            0 => (items.len() == 1).then(|| Gone::Elements(vec![0])),
            _ => Some(Gone::Elements(elements)),
        }
    }

    /// What some words name of the value of a field: elements of a list, and hardly anything else, or most of a text.
    fn gone(&self, field: &Field, thing: &Range<usize>) -> Option<Gone> {
        let value = self.value_of(field)?;
        let said = self.stems(thing);
        let literal = value.as_array().and_then(|items| self.said_elements(items, thing));
        if let Some(elements) = literal {
            return Some(Gone::Elements(elements));
        }
        if said.is_empty() {
            return None;
        }
        let Value::Array(items) = value else {
            let own = self.stems_of(&brief_text(value))?;
            let shared = own.iter().filter(|word| said.contains(word)).count();
            return (shared * 2 > own.len() && said.iter().all(|word| own.contains(word))).then_some(Gone::Text);
        };
        let mut named: Vec<String> = Vec::new();
        let mut elements = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let own = self.stems_of(&brief_text(item)).unwrap_or_default();
            // "Photos" is enough for "photo upload" where nothing else has that word; more words must all be its own.
            let whole = !own.is_empty() && own.iter().all(|word| said.contains(word));
            let alone = || {
                let others = items.iter().enumerate().filter(|(other, _)| *other != at);
                let mut others = others.filter_map(|(_, other)| self.stems_of(&brief_text(other)));
                said.iter().all(|word| own.contains(word))
                    && !others.any(|other| said.iter().all(|w| other.contains(w)))
            };
            if whole || alone() {
                elements.push(at);
                named.extend(own);
            }
        }
        let else_said = said.iter().filter(|word| !named.contains(word)).count();
        (!elements.is_empty() && else_said <= 1).then_some(Gone::Elements(elements))
    }

    fn without_these(&self, field: &'e Field, gone: Gone, words: &Range<usize>) -> Done {
        let offered = !self.memory.extraction.is_known(&field.path);
        let elements = if let Gone::Elements(elements) = gone { elements } else { Vec::new() };
        self.without_it(&Meant { field, elements, offered }, words)
    }

    /// The telling words of some tokens, whatever their endings.
    fn stems(&self, words: &Range<usize>) -> Vec<String> {
        let tokens = self.material.text.tokens[words.clone()].iter();
        let telling = tokens.filter(|token| !self.material.lexicon.stopwords.contains(&token.word));
        telling.map(|token| token.stem.clone()).collect()
    }

    fn stems_of(&self, text: &str) -> Option<Vec<String>> {
        let tokens = self.material.lexicon.text(text).tokens.into_iter();
        let telling = tokens.filter(|token| !self.material.lexicon.stopwords.contains(&token.word));
        let stems: Vec<String> = telling.map(|token| token.stem).collect();
        (!stems.is_empty()).then_some(stems)
    }
}
