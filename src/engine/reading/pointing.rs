//! What a command means by "the second one", "that" or "the one about the fence", of what was noted.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use super::clauses::{Material, breath_end, core};
use super::correction::holds;
use super::rearranged::{Ground, is_called};
use crate::engine::config::{Field, Kind};
use crate::engine::values::brief_text;
use crate::engine::words::Folded;

/// How many turns ago a list may have been spoken of whose places are meant.
const LATELY: u32 = 6;
/// How many turns ago something may have been said that "that" means.
const JUST_NOW: u32 = 3;

/// The most elements of a list that "that" may mean.
const A_FEW: usize = 2;

/// What is meant.
#[derive(Clone, Debug)]
pub(super) struct Meant<'e> {
    pub field: &'e Field,
    /// The places of elements of its list; none where all of the field is meant.
    pub elements: Vec<usize>,
    /// Whether it does not count yet.
    pub offered: bool,
}

/// What some words point to.
#[derive(Clone, Debug)]
pub(super) enum Pointing<'e> {
    Nothing,
    /// To several things, or to a place that the list does not have.
    Unclear,
    To(Meant<'e>),
}

impl<'e> Ground<'_, 'e, '_, '_> {
    /// What some words point to. `earlier`: what was said before them in the sentence, which "it" may mean.
    pub(super) fn pointed_to(&self, thing: &Range<usize>, earlier: &Range<usize>) -> Pointing<'e> {
        // What is noted may well be a phrase that is cut off elsewhere: "as I said".
        if let Some(said) = self.series(thing) {
            return said;
        }
        let thing = &core(self.material, thing.clone());
        if thing.is_empty() {
            return if self.tells(earlier) { Pointing::Unclear } else { self.last_told() };
        }
        if let Some(places) = self.places_in(thing, true) {
            return self.at_places(&places);
        }
        if let Some(several) = self.several(thing) {
            return several;
        }
        if self.is_pointer(thing) {
            return match self.places_in(earlier, false) {
                Some(places) => self.at_places(&places),
                None => match self.spoken_of(earlier) {
                    Some(found) => found,
                    // "End of March. And remove that": what was said last is not what was noted last.
                    None if self.tells(earlier) => Pointing::Unclear,
                    None => self.last_told(),
                },
            };
        }
        self.described(thing)
    }

    /// The element of a list that was spoken of in the same sentence: "that about the app is no feature, strike it".
    fn spoken_of(&self, earlier: &Range<usize>) -> Option<Pointing<'e>> {
        let breath = earlier.start..breath_end(self.material, earlier);
        let starts = breath.clone().filter(|at| *at < breath.end);
        let thing = starts.map(|at| self.what_it_is_about(&(at..breath.end))).find(|rest| rest.start > breath.start)?;
        let ends = (thing.start + 1..=thing.end).rev();
        ends.map(|end| thing.start..end).find_map(|words| self.element(&words))
    }

    /// Whether some words speak of something else than "that": "nobody needs it" does not.
    fn tells(&self, words: &Range<usize>) -> bool {
        let pointers = &self.material.lexicon.edits.pointers;
        let own = core(self.material, words.clone());
        self.material.telling(&own) > 0 && !self.material.has(pointers, &own)
    }

    /// Whether some words say no more than "that".
    pub(super) fn is_pointer(&self, words: &Range<usize>) -> bool {
        self.material.any_starts(&self.material.lexicon.edits.pointers, words) == Some(words.end)
    }

    /// The places of a list that some words name: all of them do (`whole`), or the first of them that does counts.
    pub(super) fn places_in(&self, words: &Range<usize>, whole: bool) -> Option<Vec<i32>> {
        places(self.material, words, whole)
    }

    /// The elements at some places of the list that is spoken of.
    fn at_places(&self, places: &[i32]) -> Pointing<'e> {
        let Some((field, items, offered)) = self.list_spoken_of() else { return Pointing::Unclear };
        let all: Option<BTreeSet<usize>> = places.iter().map(|place| index(*place, items.len())).collect();
        let Some(elements) = all else { return Pointing::Unclear };
        Pointing::To(Meant { field, elements: elements.into_iter().collect(), offered })
    }

    /// The list that is spoken of: the one that was shown for a yes, the one that was just told, the one that stands with
    /// the question, or the one that was spoken of last; and whether it does not count yet.
    pub(super) fn list_spoken_of(&self) -> Option<(&'e Field, &Vec<Value>, bool)> {
        let shown = self.question.shown.paths.iter().filter(|_| !self.question.shown.together);
        let offered = shown.filter_map(|path| {
            let items = self.memory.extraction.get(path)?.candidate.as_ref()?.value.as_array()?;
            Some((self.engine.field(path)?, items, true))
        });
        if let Some(found) = offered.into_iter().next() {
            return Some(found);
        }
        // Who went back to a list speaks of that one.
        let asked = || {
            self.question.fields.iter().find_map(|field| {
                let items = self.memory.extraction.value(&field.path)?.as_array()?;
                Some((*field, items, false))
            })
        };
        if let Some(found) = asked() {
            return Some(found);
        }
        let with_question = || {
            let asked = self.memory.asked.iter().filter_map(|asked| self.engine.obligation(&asked.obligation));
            let mut paths = asked.flat_map(|obligation| &obligation.shows);
            paths.find_map(|path| {
                Some((self.engine.field(path)?, self.memory.extraction.value(path)?.as_array()?, false))
            })
        };
        let told = self.engine.definition().fields.iter().filter_map(|field| {
            let known = self.memory.extraction.get(&field.path)?;
            Some((known.last_updated_at_turn, field, known.value.as_ref()?.as_array()?))
        });
        let latest = told.max_by_key(|(turn, ..)| *turn).filter(|(turn, ..)| self.is_within(*turn, LATELY));
        let just = latest.filter(|(turn, ..)| self.is_within(*turn, 1)).map(|(_, field, items)| (field, items, false));
        just.or_else(with_question).or(latest.map(|(_, field, items)| (field, items, false)))
    }

    /// Whether a turn was one of the last.
    fn is_within(&self, turn: u32, last: u32) -> bool {
        turn > 0 && turn + last >= self.memory.turn
    }

    /// What was said last: what was shown for a yes, or the last answer. Of a list that grew it is what was added.
    fn last_told(&self) -> Pointing<'e> {
        let shown = self.question.shown.paths.as_slice();
        if let [path] = shown
            && let Some(field) = self.engine.field(path)
        {
            return Pointing::To(Meant { field, elements: Vec::new(), offered: true });
        }
        if !shown.is_empty() {
            return Pointing::Unclear;
        }
        let told = self.engine.definition().fields.iter().filter_map(|field| {
            let known = self.memory.extraction.get(&field.path)?;
            known.value.as_ref().map(|value| (known.last_updated_at_turn, field, value))
        });
        let told: Vec<_> = told.filter(|(turn, ..)| self.is_within(*turn, JUST_NOW)).collect();
        let Some(latest) = told.iter().map(|(turn, ..)| *turn).max() else { return Pointing::Nothing };
        let last: Vec<_> = told.into_iter().filter(|(turn, ..)| *turn == latest).collect();
        let [(_, field, value)] = last.as_slice() else { return Pointing::Unclear };
        let elements = self.added(field, value);
        // A whole list is not lost to a "that".
        if elements.is_empty() && value.as_array().is_some_and(|items| items.len() > A_FEW) {
            return Pointing::Unclear;
        }
        Pointing::To(Meant { field, elements, offered: false })
    }

    /// The elements of a list that its last words brought, where there are others.
    pub(super) fn added(&self, field: &Field, value: &Value) -> Vec<usize> {
        let evidence = self.memory.extraction.get(&field.path).and_then(|known| known.evidence.as_ref());
        let (Some(items), Some(said)) = (value.as_array(), evidence) else { return Vec::new() };
        let quote = Folded::new(&said.quote);
        let brought = |item: &Value| quote.find(&Folded::new(&brief_text(item))).is_some();
        let places: Vec<usize> = (0..items.len()).filter(|at| brought(&items[*at])).collect();
        if places.len() < items.len() { places } else { Vec::new() }
    }

    /// Some words without those that only lead up to them: "that about the drilling" is about the drilling.
    pub(super) fn what_it_is_about(&self, thing: &Range<usize>) -> Range<usize> {
        let about = self.material.any_starts(&self.material.lexicon.edits.about, thing);
        about.filter(|after| *after < thing.end).unwrap_or(thing.start)..thing.end
    }

    /// What some words are taken from, or are about: an element of a list, or a whole answer.
    fn described(&self, thing: &Range<usize>) -> Pointing<'e> {
        let lexicon = self.material.lexicon;
        let about = self.material.any_starts(&lexicon.edits.about, thing).filter(|after| *after < thing.end);
        let words = about.unwrap_or(thing.start)..thing.end;
        let small = |at: &usize| lexicon.stopwords.contains(&self.material.text.tokens[*at].word);
        let Some(start) = words.clone().find(|at| !small(at)) else { return Pointing::Nothing };
        let words = start..words.end;
        if let Some(found) = self.element(&words) {
            return found;
        }
        let phrase = self.material.text.slice(&words);
        // "Two of them" is no figure that was noted.
        let numbers: Vec<f64> = self.material.quantities.within(&words).map(|q| q.high.unwrap_or(q.low)).collect();
        let numbers = if self.is_bare_count(&words) { Vec::new() } else { numbers };
        let texts = self.engine.definition().fields.iter().filter_map(|field| {
            let known = self.memory.extraction.get(&field.path)?;
            let value = self.value_of(field).filter(|value| !value.is_array())?;
            let exact =
                is_called(value, phrase) || !numbers.is_empty() && holds(value, phrase, &numbers, self.material);
            let speaks = about.is_some() && self.speaks_of(value, &words);
            let offered = known.value.is_none();
            (exact || speaks).then_some((
                exact,
                known.last_updated_at_turn,
                Meant { field, elements: Vec::new(), offered },
            ))
        });
        let text = texts.max_by_key(|(exact, turn, _)| (*exact, *turn)).map(|(.., meant)| meant);
        let named = || {
            let known = |field: &Field| self.value_of(field).is_some();
            // What is said of something is no name: "that about the tips is no feature" does not mean the features.
            let names = about.is_some() && !self.material.has(&lexicon.verbs, &words);
            let field = self.named(&words, known).filter(|field| names && known(field))?;
            let offered = !self.memory.extraction.is_known(&field.path);
            Some(Meant { field, elements: Vec::new(), offered })
        };
        text.or_else(|| self.said_back(&words)).or_else(named).map_or(Pointing::Nothing, Pointing::To)
    }

    /// Whether some words are no more than a small number in letters.
    fn is_bare_count(&self, words: &Range<usize>) -> bool {
        let (text, numbers) = (self.material.text, &self.material.lexicon.numbers.words);
        let counts = |at: usize| numbers.get(&text.tokens[at].word).is_some_and(|number| *number <= 10.0);
        words.clone().all(|at| counts(at) || self.material.telling(&(at..at + 1)) == 0)
    }

    /// The element of a list that is called by some words, or has all the telling ones of them.
    fn element(&self, words: &Range<usize>) -> Option<Pointing<'e>> {
        let phrase = self.material.text.slice(words);
        let lists = self.engine.definition().fields.iter().filter_map(|field| {
            let known = self.memory.extraction.get(&field.path)?;
            let items = self.value_of(field)?.as_array().filter(|_| field.shape.r#type == Kind::Array)?;
            let places = |says: &dyn Fn(&Value) -> bool| -> Vec<usize> {
                (0..items.len()).filter(|at| says(&items[*at])).collect()
            };
            let called = places(&|item| is_called(item, phrase));
            let elements = if called.is_empty() { places(&|item| self.speaks_of(item, words)) } else { called.clone() };
            let rank = (!called.is_empty(), known.last_updated_at_turn);
            let offered = known.value.is_none();
            (!elements.is_empty()).then_some((rank, Meant { field, elements, offered }))
        });
        let (_, meant) = lists.max_by_key(|(rank, _)| *rank)?;
        Some(if meant.elements.len() == 1 { Pointing::To(meant) } else { Pointing::Unclear })
    }

    /// Whether a value has all the telling words of some tokens, whatever their endings.
    pub(super) fn speaks_of(&self, value: &Value, words: &Range<usize>) -> bool {
        let lexicon = self.material.lexicon;
        let said: Vec<String> = lexicon.text(&brief_text(value)).tokens.into_iter().map(|token| token.stem).collect();
        let tokens = &self.material.text.tokens[words.clone()];
        let mut telling = tokens.iter().filter(|token| !lexicon.stopwords.contains(&token.word)).peekable();
        telling.peek().is_some() && telling.all(|token| said.contains(&token.stem))
    }
}

/// The places of a list that some words name: all of them do (`whole`), or the first of them that does counts.
pub(super) fn places(material: &Material<'_, '_>, words: &Range<usize>, whole: bool) -> Option<Vec<i32>> {
    let lexicon = material.lexicon;
    let mut found: Vec<i32> = Vec::new();
    for at in words.clone() {
        let word = &material.text.tokens[at].word;
        if let Some(place) = lexicon.edits.places.get(word) {
            found.push(*place);
            if !whole {
                break;
            }
        } else if let Some(count) = count_at(material, at).filter(|_| found.len() == 1 && found[0].abs() == 1) {
            // "The last two", "the first three".
            let last = found[0] < 0;
            found = (1..=count).map(|place| if last { place - count - 1 } else { place }).collect();
        } else if whole {
            let small = lexicon.stopwords.contains(word) || lexicon.joints.contains(word);
            if !small && !lexicon.edits.nouns.contains(word) {
                return None;
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The small number that stands at a token.
fn count_at(material: &Material<'_, '_>, at: usize) -> Option<i32> {
    let figure = material.quantities.within(&(at..at + 1)).next()?;
    (2.0..10.0).contains(&figure.low).then_some(figure.low as i32)
}

/// The place in a list of so many elements, counted from its beginning or its end.
pub(super) fn index(place: i32, len: usize) -> Option<usize> {
    let steps = usize::try_from(place.unsigned_abs()).ok()?;
    let at = if place > 0 { steps.checked_sub(1) } else { len.checked_sub(steps) };
    at.filter(|at| *at < len)
}
