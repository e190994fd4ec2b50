//! A trial of listening: what a person knows, told in any order, a few facts to a message with talk in between, whatever
//! is asked. The interviewer without a model hears it; what it made of each fact is counted.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::declare::{Fact, Person};
use super::random::Random;
use crate::engine::Engine;
use crate::engine::memory::{ExtractedField, FieldState, WorkingMemory};
use crate::engine::values::{brief_text, same};
use crate::engine::words::words;
use crate::host::{Backend, Rehearsed, Session, rehearse};

/// Talk that is no answer to anything.
const TALK: &[&str] = &[
    "Hi!",
    "Hello again.",
    "Hm, let me think.",
    "Good question.",
    "Thanks.",
    "What do you mean by that?",
    "Why do you ask?",
    "How many more questions are there?",
    "OK so look,",
    "To be honest,",
    "By the way,",
];
/// Turns after everything was told, in which only offers are answered.
const CLOSING_TURNS: usize = 45;
/// How much of a text must come from a fact, by words, for it to be that fact.
const SAME_WORDS: f64 = 0.5;

/// What became of the facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Listened {
    pub told: usize,
    /// Known, and as it was told.
    pub right: usize,
    /// Offered for confirmation, as it was told.
    pub offered: usize,
    /// Known, and taken from what was said of something else.
    pub misfiled: usize,
    /// Known, and taken from talk.
    pub junk: usize,
    /// Facts that were put right later.
    pub corrected: usize,
    /// Those of them whose right version was heard.
    pub corrections_heard: usize,
}

impl Listened {
    /// The share of facts that were filed right.
    pub fn right_share(&self) -> f64 {
        self.right as f64 / self.told.max(1) as f64
    }

    /// The share of facts that were filed right or offered for confirmation.
    pub fn heard_share(&self) -> f64 {
        (self.right + self.offered) as f64 / self.told.max(1) as f64
    }

    fn add(&mut self, other: Self) {
        self.told += other.told;
        self.right += other.right;
        self.offered += other.offered;
        self.misfiled += other.misfiled;
        self.junk += other.junk;
        self.corrected += other.corrected;
        self.corrections_heard += other.corrections_heard;
    }
}

/// Tells what a person knows in several random orders; `None` where a session could not be held.
pub async fn any_order(person: &Person, engine: &Arc<Engine>, orders: u32, seed: u64) -> Option<Listened> {
    let mut all = Listened::default();
    for order in 0..orders {
        all.add(one_order(person, engine, seed + u64::from(order)).await?);
    }
    Some(all)
}

async fn one_order(person: &Person, engine: &Arc<Engine>, seed: u64) -> Option<Listened> {
    let with = Rehearsed { backend: Backend::Offline, handoff: None, cap_usd: None };
    let (session, _rehearsal) = rehearse(engine, with).ok()?;
    let mut memory = session.read(Session::memory_now).await.ok()?;
    let mut random = Random::new(seed);
    // A yes to a summary is an answer and no fact: it can only be told when it is asked for.
    let tellable = |fact: &&Fact| !matches!(fact.value, Some(Value::Bool(_)));
    let facts: Vec<&Fact> = person.facts.iter().map(|fact| &fact.value).filter(tellable).collect();
    let mut order: Vec<&Fact> = Vec::with_capacity(facts.len());
    let mut left = facts.clone();
    while let Some(fact) = random.pick(&left).copied() {
        left.retain(|other| other.path != fact.path);
        order.push(fact);
    }
    let mut rest = order.as_slice();
    while !rest.is_empty() {
        let most = rest.len().min(if random.happens(0.5) { 2 } else { 3 });
        let mut parts: Vec<String> = Vec::new();
        parts.extend(random.pick(TALK).filter(|_| random.clone().happens(0.6)).map(|talk| (*talk).to_owned()));
        parts.extend(
            rest[..most].iter().map(|fact| fact.first.as_ref().map_or(&fact.says, |first| &first.says).clone()),
        );
        rest = &rest[most..];
        memory = Arc::clone(&session.say(parts.join(" ")).await.ok()?.memory);
    }
    let wrong: Vec<&&Fact> = facts.iter().filter(|fact| fact.first.is_some()).collect();
    for fact in &wrong {
        memory = Arc::clone(&session.say(format!("I have to correct myself. {}", fact.says)).await.ok()?.memory);
    }
    for _ in 0..CLOSING_TURNS {
        let reply = closing_reply(&facts, &memory);
        memory = Arc::clone(&session.say(reply.to_owned()).await.ok()?.memory);
    }
    Some(count(&facts, &memory))
}

/// A true yes or no to what is offered; everything else is put off.
fn closing_reply(facts: &[&Fact], memory: &WorkingMemory) -> &'static str {
    let Some(asked) = memory.asked.first() else { return "That is all." };
    let [path, ..] = asked.to_confirm.as_slice() else { return "Let us skip that." };
    let offered = memory.extraction.get(path).and_then(ExtractedField::doubted);
    let right = facts.iter().any(|fact| *fact.path == **path && offered.is_some_and(|value| tells(fact, value)));
    if right { "Yes, that is right." } else { "No." }
}

fn count(facts: &[&Fact], memory: &WorkingMemory) -> Listened {
    let mut listened = Listened { told: facts.len(), ..Listened::default() };
    for fact in facts {
        let field = memory.extraction.get(&fact.path);
        let known = memory.extraction.value(&fact.path).is_some_and(|value| tells(fact, value));
        let offered = field.and_then(ExtractedField::doubted).is_some_and(|value| tells(fact, value));
        listened.right += usize::from(known);
        listened.offered += usize::from(!known && offered);
        if fact.first.is_some() {
            listened.corrected += 1;
            listened.corrections_heard += usize::from(known || offered);
        }
    }
    for (path, field) in memory.extraction.iter().filter(|(_, field)| field.state == FieldState::Known) {
        let Some(value) = &field.value else { continue };
        let own = facts.iter().any(|fact| *fact.path == *path && (tells(fact, value) || tells_first(fact, value)));
        let text = brief_text(value).to_lowercase();
        let talk = TALK.iter().any(|talk| talk.to_lowercase().trim_end_matches(['.', ',', '?', '!']) == text);
        listened.junk += usize::from(talk);
        listened.misfiled += usize::from(!own && !talk);
    }
    listened
}

fn tells(fact: &Fact, value: &Value) -> bool {
    same(value, &fact.worth()) || like(&fact.says, value)
}

fn tells_first(fact: &Fact, value: &Value) -> bool {
    fact.first.as_ref().is_some_and(|first| like(&first.says, value))
}

/// Whether a value is made of the words of a text, or the number in it.
fn like(says: &str, value: &Value) -> bool {
    let said: Vec<String> = words(says).collect();
    let value: Vec<String> = words(&brief_text(value)).collect();
    let shared = value.iter().filter(|word| said.contains(word)).count();
    !value.is_empty() && shared as f64 / value.len() as f64 >= SAME_WORDS && shared >= value.len().min(2)
}
