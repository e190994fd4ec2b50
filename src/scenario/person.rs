//! A simulated user: hidden facts, rules of when they come out, and habits. No model is involved, and a seed repeats.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::declare::{Fact, Person, Reveal};
use super::random::Random;
use crate::engine::Engine;
use crate::engine::memory::WorkingMemory;
use crate::engine::values::brief_text;

/// Something said, and what there is to find in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Utterance {
    pub message: String,
    /// Path, value and quote of each fact in them.
    pub found: Vec<(String, Value, String)>,
}

impl Utterance {
    fn plain(message: &str) -> Self {
        Self { message: message.to_owned(), found: Vec::new() }
    }

    fn add(&mut self, path: &str, value: Value, words: &str) {
        if !self.message.is_empty() {
            self.message.push(' ');
        }
        self.message.push_str(words);
        self.found.push((path.to_owned(), value, words.to_owned()));
    }
}

/// How a fact has been told so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Wrongly,
    Rightly,
}

/// A person in the middle of a conversation.
#[derive(Debug)]
pub struct Simulation<'a> {
    person: &'a Person,
    random: Random,
    told: BTreeMap<&'a str, Told>,
}

impl Fact {
    /// What it comes to, as the analysis of a good model would have it.
    pub fn worth(&self) -> Value {
        self.value.clone().unwrap_or_else(|| json!(self.says))
    }
}

impl Person {
    /// What they know of a field.
    pub fn knows(&self, path: &str) -> Option<&Fact> {
        self.facts.iter().map(|fact| &fact.value).find(|fact| fact.path.as_str() == path)
    }

    /// Facts told one after the other, after some words.
    pub(crate) fn telling<'p>(&self, words: Option<&str>, paths: impl IntoIterator<Item = &'p str>) -> Utterance {
        let mut utterance = Utterance::plain(words.unwrap_or_default());
        for fact in paths.into_iter().filter_map(|path| self.knows(path)) {
            utterance.add(&fact.path, fact.worth(), &fact.says);
        }
        utterance
    }
}

impl<'a> Simulation<'a> {
    /// The person at the start of a conversation.
    pub fn new(person: &'a Person, seed: u64) -> Self {
        Self { person, random: Random::new(seed), told: BTreeMap::new() }
    }

    /// What they say next.
    pub fn next(&mut self, engine: &Engine, memory: &WorkingMemory) -> Utterance {
        let habits = self.person.habits.clone();
        let (corrects, contradicts) = (self.random.happens(habits.corrects), self.random.happens(habits.contradicts));
        let (wanders, refuses) = (self.random.happens(habits.wanders), self.random.happens(habits.refuses));
        let (unsure, terse) = (self.random.happens(habits.unsure), self.random.happens(habits.terse));
        if corrects && let Some(fact) = self.any(Told::Wrongly) {
            return self.put_right(fact);
        }
        if contradicts && let Some(fact) = self.any(Told::Rightly) {
            return self.tell(fact, Told::Wrongly, false);
        }
        if wanders && let Some(line) = self.random.pick(&self.person.wanders) {
            return Utterance::plain(line);
        }
        let mut utterance = self.answer(engine, memory, refuses, unsure, terse);
        if let Some(fact) = self.unasked(memory.turn + 1) {
            let more = self.tell(fact, Told::Rightly, terse);
            for (path, value, words) in more.found {
                utterance.add(&path, value, &words);
            }
        }
        if utterance.message.is_empty() {
            utterance.message.push_str("That is all I can say for now.");
        }
        utterance
    }

    /// The answer to what was asked.
    fn answer(
        &mut self,
        engine: &Engine,
        memory: &WorkingMemory,
        refuses: bool,
        unsure: bool,
        terse: bool,
    ) -> Utterance {
        let Some(question) = memory.asked.first() else { return Utterance::default() };
        if !question.to_confirm.is_empty() {
            return Utterance::plain("Yes, that is right.");
        }
        if refuses {
            return Utterance::plain("I'd rather not say.");
        }
        if unsure {
            return Utterance::plain("I don't know yet.");
        }
        let person = self.person;
        let mut utterance = Utterance::default();
        let asked = memory.asked.iter().flat_map(|asked| engine.fields_of(&asked.obligation));
        let known = asked.filter_map(|path| person.knows(path)).filter(|fact| fact.reveal != Reveal::Never);
        for fact in known.take(3) {
            let how = match self.told.get(fact.path.as_str()) {
                None if fact.first.is_some() && person.habits.corrects > 0.0 => Told::Wrongly,
                _ => Told::Rightly,
            };
            let told = self.tell(fact, how, terse);
            for (path, value, words) in told.found {
                utterance.add(&path, value, &words);
            }
        }
        if utterance.message.is_empty() { Utterance::plain("I don't know.") } else { utterance }
    }

    /// Facts that come out unasked: at most one a turn.
    fn unasked(&self, turn: u32) -> Option<&'a Fact> {
        let due = |fact: &&Fact| match (fact.reveal, fact.after) {
            (Reveal::Never, _) => false,
            (_, Some(after)) => turn > after,
            (reveal, None) => reveal == Reveal::Volunteers,
        };
        let facts = self.person.facts.iter().map(|fact| &fact.value);
        facts.filter(due).find(|fact| !self.told.contains_key(fact.path.as_str()))
    }

    /// A fact with a wrong first version that stands so.
    fn any(&mut self, told: Told) -> Option<&'a Fact> {
        let stands = |fact: &&Fact| fact.first.is_some() && self.told.get(fact.path.as_str()) == Some(&told);
        let facts: Vec<&'a Fact> = self.person.facts.iter().map(|fact| &fact.value).filter(stands).collect();
        self.random.pick(&facts).copied()
    }

    fn put_right(&mut self, fact: &'a Fact) -> Utterance {
        let mut utterance = Utterance::plain("I have to correct myself.");
        for (path, value, words) in self.tell(fact, Told::Rightly, false).found {
            utterance.add(&path, value, &words);
        }
        utterance
    }

    fn tell(&mut self, fact: &'a Fact, how: Told, terse: bool) -> Utterance {
        self.told.insert(&fact.path, how);
        let mut utterance = Utterance::default();
        if let (Some(first), Told::Wrongly) = (&fact.first, how) {
            let value = first.value.clone().unwrap_or_else(|| json!(first.says));
            utterance.add(&fact.path, value, &first.says);
        } else {
            let worth = fact.worth();
            let plain = matches!(worth, Value::String(_) | Value::Array(_)) && !brief_text(&worth).is_empty();
            let words = if terse && plain { brief_text(&worth) } else { fact.says.clone() };
            utterance.add(&fact.path, worth, &words);
        }
        utterance
    }
}
