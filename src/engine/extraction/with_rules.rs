//! What a small model found, put together with what rules heard: what it missed they may have heard, what both have counts,
//! and where they disagree it is asked.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Reading, coerce};
use crate::engine::Engine;
use crate::engine::config::{Act, Kind};
use crate::engine::reading::{FieldReading, Heard, Standing};
use crate::engine::values::{brief_text, same};
use crate::engine::words::{Folded, content_words};

/// What both have found is worth so much.
const BOTH: f64 = 0.9;
/// What a small model alone has found for what was asked.
const MODEL: f64 = 0.8;
/// The share of a text's telling words that stand in the message, at least, where it was heard there.
const OWN: f64 = 0.5;
/// A text of fewer telling words is not judged by them.
const FEWEST: usize = 4;

/// What a small model is held against.
pub(crate) struct Beside<'a> {
    pub engine: &'a Engine,
    pub message: &'a str,
    /// What rules heard in it.
    pub heard: &'a Heard,
    /// The paths that were asked for.
    pub asked: &'a BTreeSet<String>,
}

/// The readings that a turn takes in.
pub(crate) fn with_rules(beside: &Beside<'_>, found: Vec<Reading>) -> Vec<Reading> {
    let kept = beside.heard.kept(beside.message);
    let by_rules = |path: &str| kept.iter().filter(|own| own.path == path).collect::<Vec<_>>();
    let said = Folded::new(beside.message);
    let mut readings = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    // What it has not heard in this message it has made up; and a small model that takes something back has mostly
    // misunderstood: rules know how people do that.
    let heard = |reading: &Reading| !reading.value.is_null() && said.find(&Folded::new(&reading.quote)).is_some();
    let spread: BTreeSet<String> =
        found.iter().filter(|one| beside.is_spread(one, &found)).map(|one| one.path.clone()).collect();
    for reading in found.into_iter().filter(|reading| heard(reading) && !spread.contains(&reading.path)) {
        let own = by_rules(&reading.path);
        if own.is_empty() {
            readings.extend(beside.alone(reading));
        } else if !beside.is_made_up(&reading) && seen.insert(reading.path.clone()) {
            let agrees =
                own.iter().any(|own| agree(beside.engine, own, &reading) || beside.puts_otherwise(own, &reading));
            readings.extend(own.into_iter().map(|own| match agrees {
                true => confirmed(own),
                false if beside.is_about_something_else(own, &reading) => of_rules(own),
                false => disputed(own, &reading),
            }));
        }
    }
    let missed = kept.iter().filter(|own| !seen.contains(&own.path));
    readings.extend(missed.map(|own| beside.unheard(own)));
    readings
}

impl Beside<'_> {
    /// Whether a reading of what was not asked stands on words that are to prove another field as well: who does that has gone
    /// through the fields and not through the message, and agrees with nobody.
    fn is_spread(&self, reading: &Reading, found: &[Reading]) -> bool {
        let shares = |other: &Reading| other.path != reading.path && overlap(&other.quote, &reading.quote);
        !self.asked.contains(&reading.path) && found.iter().any(shares)
    }

    /// Whether a model has put into other words what rules have heard in the same place. What counts are the user's own.
    fn puts_otherwise(&self, own: &FieldReading, reading: &Reading) -> bool {
        let is_text = self.engine.field(&own.path).is_some_and(|field| field.shape.r#type == Kind::String);
        let Some(text) = reading.value.as_str().filter(|_| is_text) else { return false };
        let long_enough = content_words(text).collect::<BTreeSet<_>>().len() >= FEWEST;
        long_enough && overlap(&own.quote, &reading.quote) && !self.is_made_up(reading)
    }

    /// Whether a text has mostly words that the message has not, whatever it quotes: small models take them from their
    /// instructions. Such a text casts no doubt on what rules have heard.
    fn is_made_up(&self, reading: &Reading) -> bool {
        let Some(text) = reading.value.as_str() else { return false };
        let said: BTreeSet<String> = content_words(self.message).collect();
        let words: BTreeSet<String> = content_words(text).collect();
        words.len() >= FEWEST && (words.intersection(&said).count() as f64) < words.len() as f64 * OWN
    }

    /// Whether a reading of a model that is not the one of the rules casts no doubt on it: rules know how people put
    /// something right, and words without a figure say nothing about one.
    fn is_about_something_else(&self, own: &FieldReading, reading: &Reading) -> bool {
        let measured = self.engine.field(&own.path).is_some_and(|field| field.shape.measure.is_some());
        let counts = |text: &str| content_words(text).any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let figure = measured && counts(&own.quote) && !counts(&brief_text(&reading.value));
        figure || (self.heard.has(Act::Correction) && own.status == Standing::Known)
    }

    /// What only rules have heard. Words that were taken as the answer to what was asked, and that sound more like something
    /// else, are asked about.
    fn unheard(&self, own: &FieldReading) -> Reading {
        let reading = of_rules(own);
        let quote = Folded::new(&own.quote);
        let mut clauses = self.heard.clauses.iter().filter(|clause| Folded::new(&clause.text).find(&quote).is_some());
        let likest = clauses.find_map(|clause| clause.best.first()).filter(|fit| fit.field != own.path);
        let Some(likest) = likest.filter(|_| own.cues.is_empty() && own.value.is_string()) else { return reading };
        let name = self.engine.field(&likest.field).map_or(likest.field.as_str(), |field| field.name.as_str());
        Reading { doubt: reading.doubt.clone().or_else(|| Some(format!("it may be about “{name}”"))), ..reading }
    }

    /// What only the model has found counts where it was asked for. Words that rules have brought to another field are not
    /// said about this one as well.
    fn alone(&self, reading: Reading) -> Option<Reading> {
        let taken = self.heard.fields.iter().any(|own| overlap(&own.quote, &reading.quote));
        let asked = self.asked.contains(&reading.path);
        if taken && !asked {
            return None;
        }
        let doubt = (taken || !asked).then(|| "only a small model has heard it".to_owned());
        Some(Reading { confidence: MODEL, doubt: reading.doubt.clone().or(doubt), ..reading })
    }
}

/// Whether one of two pieces of a message stands in the other.
fn overlap(one: &str, other: &str) -> bool {
    let (one, other) = (Folded::new(one), Folded::new(other));
    one.find(&other).is_some() || other.find(&one).is_some()
}

fn of_rules(own: &FieldReading) -> Reading {
    Reading {
        path: own.path.clone(),
        value: own.value.clone(),
        confidence: own.confidence,
        quote: own.quote.clone(),
        reasoning: own.reading.clone(),
        doubt: own.doubt.clone(),
    }
}

fn confirmed(own: &FieldReading) -> Reading {
    Reading { confidence: own.confidence.max(BOTH), doubt: None, ..of_rules(own) }
}

fn disputed(own: &FieldReading, reading: &Reading) -> Reading {
    let other = brief_text(&reading.value);
    let doubt = own.doubt.clone().unwrap_or_else(|| format!("it may also mean “{other}”"));
    Reading { doubt: Some(doubt), ..of_rules(own) }
}

/// Whether two readings come to the same: the same value, or one in the words of the other.
fn agree(engine: &Engine, own: &FieldReading, reading: &Reading) -> bool {
    let shape = engine.field(&own.path).map(|field| &field.shape);
    let typed = shape.and_then(|shape| coerce(&reading.value, shape).ok());
    if typed.as_ref().is_some_and(|typed| same(typed, &own.value)) {
        return true;
    }
    match (&own.value, typed.as_ref().unwrap_or(&reading.value)) {
        (Value::String(_) | Value::Array(_), other @ (Value::String(_) | Value::Array(_))) => {
            overlap(&brief_text(&own.value), &brief_text(other))
        }
        _ => false,
    }
}
