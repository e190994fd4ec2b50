//! What became of a fact: whether the memory has it where it belongs, elsewhere, or not at all, and what the memory has
//! that was never said of a field.

use serde_json::Value;

use super::Stray;
use super::telling::Telling;
use crate::engine::Engine;
use crate::engine::config::Kind;
use crate::engine::memory::{ExtractedField, FieldState, WorkingMemory};
use crate::engine::values::{brief_text, same};
use crate::engine::words::{Folded, words};
use crate::scenario::declare::Fact;

/// From how much agreement on two texts are the same statement: twice the words they share, over all their words.
const SAME: f64 = 0.6;
/// From how large a share of its words on a text comes from another.
const FROM: f64 = 0.6;

/// What became of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Known in its field, as it was told.
    Right,
    /// A candidate of its field, as it was told.
    Offered,
    /// Kept in another way: in these fields, which may be its own, where it is mixed with something else.
    Elsewhere(Vec<String>),
    Missed,
}

pub(super) fn of_fact(fact: &Fact, engine: &Engine, memory: &WorkingMemory) -> Verdict {
    let kind = engine.field(&fact.path).map_or(Kind::String, |field| field.shape.r#type);
    if let Some(field) = memory.extraction.get(&fact.path) {
        let known = field.value.as_ref().filter(|_| field.state == FieldState::Known);
        if known.is_some_and(|value| tells(fact, kind, value)) {
            return Verdict::Right;
        }
        if field.doubted().is_some_and(|value| tells(fact, kind, value)) {
            return Verdict::Offered;
        }
    }
    let holds = |field: &ExtractedField<Value>| {
        let known = field.value.as_ref().filter(|_| field.state == FieldState::Known);
        known.into_iter().chain(field.doubted()).any(|value| from(&fact.says, &brief_text(value)) >= FROM)
    };
    let elsewhere: Vec<String> =
        memory.extraction.iter().filter(|(_, field)| holds(field)).map(|(path, _)| path.to_owned()).collect();
    if elsewhere.is_empty() { Verdict::Missed } else { Verdict::Elsewhere(elsewhere) }
}

/// Whether a value of the fact's own field says the fact.
fn tells(fact: &Fact, kind: Kind, value: &Value) -> bool {
    let worth = fact.worth();
    if matches!(kind, Kind::Number | Kind::Enum | Kind::Boolean) {
        return same(value, &worth);
    }
    let text = brief_text(value);
    let said = same(value, &worth) || alike(&text, &fact.says) || alike(&text, &brief_text(&worth));
    let Some(first) = &fact.first else { return said };
    // What was put right says what is new and nothing of what was wrong.
    let (new, old) = (without(&fact.says, &first.says), without(&first.says, &fact.says));
    let has = |word: &String| words(&text).any(|other| other == *word);
    let put_right = first.put_right.as_deref().is_some_and(|words| from(&text, words) >= FROM);
    (said || put_right) && 2 * new.iter().filter(|word| has(word)).count() >= new.len() && !old.iter().any(has)
}

/// The values that are known and that were not said of their field. Lists are judged by their elements.
pub(super) fn strays(facts: &[&Fact], engine: &Engine, memory: &WorkingMemory, telling: &Telling) -> Vec<Stray> {
    let mut found = Vec::new();
    for (path, field) in memory.extraction.iter().filter(|(_, field)| field.state == FieldState::Known) {
        let Some(value) = &field.value else { continue };
        let typed = engine
            .field(path)
            .is_some_and(|field| matches!(field.shape.r#type, Kind::Number | Kind::Enum | Kind::Boolean));
        // A number or a choice stands for the words it was read from.
        let quote = field.evidence.as_ref().map(|evidence| evidence.quote.clone()).filter(|_| typed);
        let texts = match (quote, value) {
            (Some(quote), _) => vec![quote],
            (None, Value::Array(items)) => items.iter().map(brief_text).collect(),
            (None, value) => vec![brief_text(value)],
        };
        found.extend(texts.into_iter().filter_map(|text| stray(facts, path, text, telling)));
    }
    found
}

fn stray(facts: &[&Fact], path: &str, text: String, telling: &Telling) -> Option<Stray> {
    let about = |fact: &&&Fact| *fact.path == *path || fact.also.iter().any(|also| *also.value == *path);
    let of = |facts: &mut dyn Iterator<Item = &&Fact>| facts.map(|fact| share_of(fact, &text)).fold(0.0, f64::max);
    let own = of(&mut facts.iter().filter(about));
    let other = of(&mut facts.iter().filter(|fact| !about(fact)));
    let talk = telling.talk.iter().map(|talk| from(&text, talk)).fold(0.0, f64::max);
    let folded = Folded::new(&text);
    let has_talk = telling.talk.iter().any(|talk| {
        let talk = Folded::new(talk);
        talk.as_str().contains(' ') && folded.find(&talk).is_some()
    });
    // Two facts in one value are said of something, if not of this field.
    let said: Vec<&str> = facts.iter().flat_map(|fact| ways(fact)).collect();
    let anywhere = from(&text, &said.join(" "));
    let is_junk = has_talk || talk > own.max(other) || anywhere < FROM;
    let is_stray = is_junk || own < FROM || own < other;
    is_stray.then(|| Stray { path: path.to_owned(), text, is_junk })
}

/// How much of a text comes from any way in which a fact is told.
fn share_of(fact: &Fact, text: &str) -> f64 {
    ways(fact).map(|way| from(text, way)).fold(0.0, f64::max)
}

/// All words in which a fact is told.
fn ways(fact: &Fact) -> impl Iterator<Item = &str> {
    let first = fact.first.iter().flat_map(|first| [Some(&first.says), first.put_right.as_ref()]).flatten();
    first.map(String::as_str).chain([fact.says.as_str()])
}

/// The share of a text's words that stand in a source.
fn from(text: &str, source: &str) -> f64 {
    let (all, shared) = common(text, source);
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

fn alike(a: &str, b: &str) -> bool {
    let (all, shared) = common(a, b);
    let both = all + words(b).count();
    both > 0 && 2.0 * shared as f64 / both as f64 >= SAME
}

/// How many words a text has, and how many of them stand in another; each of those counts once.
fn common(text: &str, other: &str) -> (usize, usize) {
    let mut left: Vec<String> = words(other).collect();
    let (mut all, mut shared) = (0, 0);
    for word in words(text) {
        all += 1;
        if let Some(at) = left.iter().position(|other| *other == word) {
            left.swap_remove(at);
            shared += 1;
        }
    }
    (all, shared)
}

/// The words of a text that another does not have.
fn without(text: &str, other: &str) -> Vec<String> {
    let other: Vec<String> = words(other).collect();
    words(text).filter(|word| !other.contains(word)).collect()
}
