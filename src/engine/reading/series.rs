//! Several things that a command means at once: elements of a list said one after the other, "those two", "both of them".

use std::ops::Range;

use serde_json::Value;

use super::pointing::{Meant, Pointing};
use super::rearranged::{Ground, is_called};
use crate::engine::config::{Field, Kind};
use crate::engine::values::brief_text;
use crate::engine::words::{Folded, content_words};

impl<'e> Ground<'_, 'e, '_, '_> {
    /// The elements of one list that some words say, and nothing else: as they are noted, or each by words of its own.
    /// Of several lists it is the one that was spoken of last.
    pub(super) fn series(&self, words: &Range<usize>) -> Option<Pointing<'e>> {
        let lists = self.engine.definition().fields.iter().filter_map(|field| {
            let known = self.memory.extraction.get(&field.path)?;
            let items = self.value_of(field)?.as_array().filter(|_| field.shape.r#type == Kind::Array)?;
            let elements = self.said_elements(items, words)?;
            let meant = Meant { field, elements, offered: known.value.is_none() };
            Some(((meant.elements.len(), known.last_updated_at_turn), meant))
        });
        lists.max_by_key(|(rank, _)| *rank).map(|(_, meant)| Pointing::To(meant))
    }

    /// The elements of a list that some words say, where they say nothing else.
    pub(super) fn said_elements(&self, items: &[Value], words: &Range<usize>) -> Option<Vec<usize>> {
        self.literally(items, words).or_else(|| self.one_by_one(items, words))
    }

    /// Elements whose whole text stands there.
    fn literally(&self, items: &[Value], words: &Range<usize>) -> Option<Vec<usize>> {
        let text = self.material.text.slice(words);
        let said = Folded::new(text);
        let start = self.material.text.bytes(words).start;
        let mut places: Vec<(Range<usize>, usize)> = items
            .iter()
            .enumerate()
            .filter_map(|(at, item)| Some((said.find(&Folded::new(&brief_text(item)))?, at)))
            .collect();
        // Of two that stand in the same place the longer one is meant.
        let all = places.clone();
        places.retain(|(place, at)| {
            !all.iter()
                .any(|(other, of)| of != at && other.start <= place.start && place.end <= other.end && other != place)
        });
        let is_said = |at: usize| {
            let token = &self.material.text.tokens[at];
            places.iter().any(|(place, _)| start + place.start <= token.start && token.end <= start + place.end)
        };
        let rest = words.clone().filter(|at| !is_said(*at));
        let tells = rest.into_iter().any(|at| self.material.telling(&(at..at + 1)) > 0);
        let mut elements: Vec<usize> = places.iter().map(|(_, at)| *at).collect();
        elements.sort_unstable();
        (!elements.is_empty() && !tells).then_some(elements)
    }

    /// Elements that are named one after the other, each by words that only it has.
    fn one_by_one(&self, items: &[Value], words: &Range<usize>) -> Option<Vec<usize>> {
        let lexicon = self.material.lexicon;
        let joins = |at: usize| {
            let joint = lexicon.lists.joints.contains(&self.material.text.tokens[at].word);
            joint || self.material.text.before(at).contains([',', ';', '"', '“', '”', '„'])
        };
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut from = words.start;
        for at in words.start + 1..=words.end {
            if at == words.end || joins(at) {
                parts.push(from..at);
                from = at;
            }
        }
        let parts: Vec<Range<usize>> = parts.into_iter().filter(|part| self.material.telling(part) > 0).collect();
        if parts.len() < 2 {
            return None;
        }
        let named = |part: &Range<usize>| {
            let phrase = self.material.text.slice(part);
            let by = |says: &dyn Fn(&Value) -> bool| {
                let mut places = (0..items.len()).filter(|at| says(&items[*at]));
                places.next().filter(|_| places.next().is_none())
            };
            by(&|item| is_called(item, phrase)).or_else(|| by(&|item| self.speaks_of(item, part)))
        };
        let mut elements = parts.iter().map(named).collect::<Option<Vec<usize>>>()?;
        elements.sort_unstable();
        elements.dedup();
        Some(elements)
    }

    /// What "those two" or "both of them" means: what was shown for a yes, or what was told last, where it is as many.
    pub(super) fn several(&self, thing: &Range<usize>) -> Option<Pointing<'e>> {
        const A_FEW: usize = 2;
        let several = &self.material.lexicon.edits.several;
        if self.material.any_starts(several, thing) != Some(thing.end) {
            return None;
        }
        let count = self.material.quantities.within(thing).next().map(|figure| figure.low as usize);
        let fits = |number: usize| count.is_none_or(|count| count == number);
        let shown = &self.question.shown.paths;
        if let Some(field) = shown.first().and_then(|path| self.engine.field(path)) {
            let offered = self.memory.extraction.get(&field.path).and_then(|known| known.candidate.as_ref());
            let number = offered.and_then(|offered| offered.value.as_array()).map_or(shown.len(), Vec::len);
            let meant = Meant { field, elements: Vec::new(), offered: true };
            return Some(if fits(number) { Pointing::To(meant) } else { Pointing::Unclear });
        }
        // A long list is not lost to a "both" or an "all of them".
        let meant = |number: usize| fits(number) && (count.is_some() || number <= A_FEW);
        Some(self.last_several(meant).map_or(Pointing::Unclear, Pointing::To))
    }

    /// The elements that the last message told, where they are as many as were meant.
    fn last_several(&self, fits: impl Fn(usize) -> bool) -> Option<Meant<'e>> {
        let lists = |field: &&Field| field.shape.r#type == Kind::Array && self.is_just_told(field);
        let mut told = self.engine.definition().fields.iter().filter(lists);
        let field = told.next().filter(|_| told.next().is_none())?;
        let items = self.value_of(field)?.as_array()?;
        let added = self.added(field, self.value_of(field)?);
        let elements = if added.is_empty() { (0..items.len()).collect() } else { added };
        let offered = !self.memory.extraction.is_known(&field.path);
        fits(elements.len()).then_some(Meant { field, elements, offered })
    }

    /// The value that some words in quotation marks, or several telling ones, say back.
    pub(super) fn said_back(&self, words: &Range<usize>) -> Option<Meant<'e>> {
        const ENOUGH: usize = 2;
        let all = self.material.text.slice(words);
        let phrase = Folded::new(all);
        // A few words of a long answer are not all of it.
        let most = |text: &str| content_words(text).count() < 2 * self.material.telling(words);
        let says = |value: &Value| {
            let stands = |text: &str| {
                let said = Folded::new(text);
                said.find(&phrase).is_some() && most(text) || phrase.find(&said).is_some()
            };
            let enough = self.material.telling(words) >= ENOUGH;
            is_called(value, all) || enough && value.as_str().is_some_and(stands)
        };
        let told = self.engine.definition().fields.iter().filter_map(|field| {
            let known = self.memory.extraction.get(&field.path)?;
            self.value_of(field).filter(|value| says(value))?;
            let meant = Meant { field, elements: Vec::new(), offered: known.value.is_none() };
            Some((known.last_updated_at_turn, meant))
        });
        told.max_by_key(|(turn, _)| *turn).map(|(_, meant)| meant)
    }
}
