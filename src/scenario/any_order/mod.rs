//! A trial of listening: what a person knows, told in any order, a few facts to a message with talk in between, whatever
//! is asked. The interviewer without a model hears it; what became of each fact is counted.

mod report;
mod telling;
mod verdict;

pub use report::{any_order_json, any_order_text};

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::declare::{Fact, Person};
use super::run::failed;
use crate::engine::Engine;
use crate::host::{Backend, Rehearsed, Session, rehearse};
use telling::{Telling, tell, tellable};
use verdict::{Verdict, of_fact, strays};

/// What became of facts, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Heard {
    pub told: usize,
    /// Known in their field, as they were told.
    pub right: usize,
    /// Offered for confirmation in their field, as they were told.
    pub offered: usize,
    /// Kept in another field, or mixed with something else.
    pub elsewhere: usize,
    pub missed: usize,
    /// Facts that were put right later.
    pub corrected: usize,
    /// Those of them whose right version was heard.
    pub corrections_heard: usize,
    /// Values that are known and were said of another field.
    pub misfiled: usize,
    /// Values that are known and were made of talk, or of nothing that was said.
    pub junk: usize,
}

impl Heard {
    /// The share of facts that are known as they were told.
    pub fn right_share(&self) -> f64 {
        self.right as f64 / self.told.max(1) as f64
    }

    /// The share of facts that are known or offered as they were told.
    pub fn heard_share(&self) -> f64 {
        (self.right + self.offered) as f64 / self.told.max(1) as f64
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self {
            told: self.told + other.told,
            right: self.right + other.right,
            offered: self.offered + other.offered,
            elsewhere: self.elsewhere + other.elsewhere,
            missed: self.missed + other.missed,
            corrected: self.corrected + other.corrected,
            corrections_heard: self.corrections_heard + other.corrections_heard,
            misfiled: self.misfiled + other.misfiled,
            junk: self.junk + other.junk,
        }
    }

    fn count(&mut self, fact: &Fact, verdict: &Verdict) {
        self.told += 1;
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::Offered => self.offered += 1,
            Verdict::Elsewhere(_) => self.elsewhere += 1,
            Verdict::Missed => self.missed += 1,
        }
        if fact.first.is_some() {
            self.corrected += 1;
            self.corrections_heard += usize::from(matches!(verdict, Verdict::Right | Verdict::Offered));
        }
    }
}

/// What became of one fact in all orders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FactHeard {
    pub path: String,
    pub says: String,
    #[serde(flatten)]
    pub heard: Heard,
    /// Where it was found instead, and how often.
    pub went_to: BTreeMap<String, usize>,
}

/// A known value that was not said of its field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Stray {
    pub path: String,
    pub text: String,
    pub is_junk: bool,
}

/// What was heard of a person in all orders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AnyOrder {
    pub engine: String,
    pub person: String,
    pub orders: u32,
    pub messages: usize,
    pub heard: Heard,
    pub facts: Vec<FactHeard>,
    /// Values that were not said of their field, and how often.
    #[serde(serialize_with = "report::strays")]
    pub strays: BTreeMap<Stray, usize>,
    /// What was said in each order, message by message.
    pub tellings: Vec<Vec<String>>,
}

/// Tells what a person knows in several random orders. The error says why a conversation broke off.
pub async fn any_order(person: &Person, engine: &Arc<Engine>, orders: u32, seed: u64) -> Result<AnyOrder, String> {
    let facts: Vec<&Fact> = tellable(person).collect();
    let mut all = AnyOrder {
        engine: engine.definition().id.to_string(),
        person: person.name.clone(),
        orders,
        facts: facts
            .iter()
            .map(|fact| FactHeard { path: fact.path.value.clone(), says: fact.says.clone(), ..FactHeard::default() })
            .collect(),
        ..AnyOrder::default()
    };
    for order in 0..orders {
        let telling = tell(person, seed.wrapping_add(u64::from(order)));
        all.listen(&facts, engine, &telling).await.map_err(|why| format!("{}: {why}", person.name))?;
        all.tellings.push(telling.messages);
    }
    Ok(all)
}

impl AnyOrder {
    /// Adds what was heard of one telling, on a session that is kept nowhere.
    async fn listen(&mut self, facts: &[&Fact], engine: &Arc<Engine>, telling: &Telling) -> Result<(), String> {
        let with = Rehearsed { backend: Backend::Offline, handoff: None, cap_usd: None };
        let (session, rehearsal) = rehearse(engine, with).map_err(|fault| fault.to_string())?;
        let mut memory = session.read(Session::memory_now).await.map_err(|error| error.to_string())?;
        for message in &telling.messages {
            // Background tasks fail, as they do for somebody who cannot reach what they need.
            rehearsal.tell(failed(engine, rehearsal.take_orders()));
            let done = session.say(message.clone()).await.map_err(|refused| refused.to_string())?;
            memory = Arc::clone(&done.memory);
            self.messages += 1;
        }
        for (fact, tally) in facts.iter().zip(&mut self.facts) {
            let verdict = of_fact(fact, engine, &memory);
            tally.heard.count(fact, &verdict);
            self.heard.count(fact, &verdict);
            if let Verdict::Elsewhere(paths) = verdict {
                for path in paths {
                    *tally.went_to.entry(path).or_default() += 1;
                }
            }
        }
        for stray in strays(facts, engine, &memory, telling) {
            let counted = if stray.is_junk { &mut self.heard.junk } else { &mut self.heard.misfiled };
            *counted += 1;
            *self.strays.entry(stray).or_default() += 1;
        }
        Ok(())
    }
}
