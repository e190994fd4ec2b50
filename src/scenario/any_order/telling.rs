//! What a person says when they tell all they know in an order of their own: two or three facts to a message, talk in
//! between, and late what puts the first version of a fact right.

use crate::scenario::declare::{Fact, Person, Talk};
use crate::scenario::random::Random;

const GREETS: &[&str] = &["Hi!", "Hello again.", "Good morning!", "Thanks for your patience.", "Hey there!"];
const FILLERS: &[&str] =
    &["ok so", "hm, let me think", "to be honest", "by the way", "so yeah", "oh, and", "well, you know", "what else"];
const ASKS: &[&str] = &[
    "What do you mean?",
    "What do you mean by that?",
    "Why do you ask?",
    "How many more questions?",
    "How many more questions are there?",
    "Can you give me an example?",
];
/// What announces a correction that has no words of its own.
const ANNOUNCES: &str = "I have to correct myself.";

/// How often talk is a message of its own, before one that tells something.
const TALKS: f64 = 0.3;
/// How often a message that tells something greets or asks back besides.
const BESIDE: f64 = 0.4;
/// How often a fact begins with a filler.
const FILLS: f64 = 0.35;

/// A telling: the messages, and the talk that is in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Telling {
    pub messages: Vec<String>,
    pub talk: Vec<String>,
}

/// The facts that can be told unasked.
pub(super) fn tellable(person: &Person) -> impl Iterator<Item = &Fact> {
    person.facts.iter().map(|fact| &fact.value).filter(|fact| !fact.only_as_reply)
}

/// One order of telling; the seed decides everything.
pub(super) fn tell(person: &Person, seed: u64) -> Telling {
    let mut teller = Teller { random: Random::new(seed), talk: &person.talk, telling: Telling::default() };
    let order = teller.shuffle(tellable(person).collect());
    let mut rest = order.as_slice();
    while !rest.is_empty() {
        teller.chat();
        let many = if teller.random.happens(0.5) { 2 } else { 3 };
        let (now, later) = rest.split_at(many.min(rest.len()));
        teller.say(now.iter().map(|fact| fact.first.as_ref().map_or(&*fact.says, |first| &*first.says)).collect());
        rest = later;
    }
    for fact in &order {
        let Some(first) = &fact.first else { continue };
        teller.chat();
        let right = first.put_right.clone().unwrap_or_else(|| format!("{ANNOUNCES} {}", fact.says));
        teller.telling.messages.push(right);
    }
    teller.telling
}

struct Teller<'p> {
    random: Random,
    talk: &'p Talk,
    telling: Telling,
}

impl Teller<'_> {
    /// Any order, but what is wrong at first comes early, so that it is put right many messages later.
    fn shuffle<'f>(&mut self, facts: Vec<&'f Fact>) -> Vec<&'f Fact> {
        let (wrong, mut left): (Vec<&Fact>, Vec<&Fact>) = facts.into_iter().partition(|fact| fact.first.is_some());
        let mut order = Vec::with_capacity(left.len() + wrong.len());
        while !left.is_empty() {
            let at = self.random.place(left.len() - 1);
            order.push(left.swap_remove(at));
        }
        for fact in wrong {
            let at = self.random.place(order.len() / 2);
            order.insert(at, fact);
        }
        order
    }

    fn pick(&mut self, own: &[String], else_these: &[&str]) -> String {
        let picked = match own {
            [] => self.random.pick(else_these).map(|words| (*words).to_owned()),
            own => self.random.pick(own).cloned(),
        };
        let picked = picked.unwrap_or_default();
        self.telling.talk.push(picked.clone());
        picked
    }

    /// A greeting or a question back.
    fn small_talk(&mut self) -> String {
        if self.random.happens(0.4) { self.pick(&self.talk.greets, GREETS) } else { self.pick(&self.talk.asks, ASKS) }
    }

    /// Now and then a message that tells nothing.
    fn chat(&mut self) {
        if self.random.happens(TALKS) {
            let talk = self.small_talk();
            self.telling.messages.push(talk);
        }
    }

    /// A message with some facts, a filler before some of them, and talk at any place between them.
    fn say(&mut self, facts: Vec<&str>) {
        let mut parts: Vec<String> = Vec::new();
        for fact in facts {
            if self.random.happens(FILLS) {
                let filler = self.pick(&self.talk.fillers, FILLERS);
                parts.push(format!("{filler}, {}", lower_first(fact)));
            } else {
                parts.push(fact.to_owned());
            }
        }
        if self.random.happens(BESIDE) {
            let at = self.random.place(parts.len());
            let talk = self.small_talk();
            parts.insert(at, talk);
        }
        self.telling.messages.push(parts.join(" "));
    }
}

/// A sentence as it goes on after a comma.
fn lower_first(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().into_iter().flat_map(char::to_lowercase);
    if sentence.starts_with("I ") { sentence.to_owned() } else { first.chain(characters).collect() }
}
