//! How much is understood of what people really type: a hundred untidy messages with what is to be heard in them, and
//! every example of the shipped engines as the answer to its own question.

use elenchus::engine::Engine;
use elenchus::engine::edit::correct;
use elenchus::engine::memory::{Asked, WorkingMemory};
use elenchus::engine::reading::{FieldReading, Standing, read};
use serde_json::Value;

use crate::engine::support::shipped;

const MESSAGES: &str = include_str!("../../data/offline-own.jsonl");
const ENGINES: [&str; 5] =
    ["business-profile", "exploration", "feature-prioritization", "ideation", "project-discovery"];

fn asked(engine: &Engine, obligation: &str) -> WorkingMemory {
    let mut memory = WorkingMemory::new(engine.definition());
    memory.asked = vec![Asked { obligation: obligation.to_owned(), ..Asked::default() }];
    memory
}

fn words(text: &str) -> Vec<String> {
    let split = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    split.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// How much two texts share: twice the common words over all words.
fn likeness(a: &str, b: &str) -> f64 {
    let (a, mut b) = (words(a), words(b));
    let all = a.len() + b.len();
    let mut common = 0;
    for word in &a {
        if let Some(at) = b.iter().position(|other| other == word) {
            b.swap_remove(at);
            common += 1;
        }
    }
    if all == 0 { 0.0 } else { 2.0 * f64::from(common) / all as f64 }
}

/// Whether a reading is what a line of the file says is to be heard.
fn fits(reading: &FieldReading, gold: &Value) -> bool {
    let also = gold["also"].as_array().into_iter().flatten();
    let paths = also.chain([&gold["field"]]).filter_map(Value::as_str).collect::<Vec<_>>();
    paths.contains(&reading.path.as_str()) && likeness(&reading.quote, gold["clause"].as_str().unwrap()) >= 0.6
}

/// Hits among a number of tries.
#[derive(Default)]
struct Rate {
    hits: u32,
    all: u32,
}

impl Rate {
    fn count(&mut self, hit: bool) {
        self.hits += u32::from(hit);
        self.all += 1;
    }

    fn share(&self) -> f64 {
        f64::from(self.hits) / f64::from(self.all.max(1))
    }
}

#[test]
fn a_hundred_untidy_messages_are_understood_and_no_talk_is_stored() {
    let engines = ENGINES.map(|id| (id, shipped(id)));
    let (mut precision, mut recall, mut offered, mut heard) =
        (Rate::default(), Rate::default(), Rate::default(), Rate::default());
    let mut stored: Vec<String> = Vec::new();
    for line in MESSAGES.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let engine = &engines.iter().find(|(id, _)| row["engine"] == *id).unwrap().1;
        let mut memory = asked(engine, row["asked"].as_str().unwrap());
        for (path, value) in row["known"].as_object().unwrap() {
            memory.turn = 1;
            memory = correct(engine, &memory, path, value).unwrap().memory;
        }
        memory.asked = vec![Asked { obligation: row["asked"].as_str().unwrap().to_owned(), ..Asked::default() }];
        let text = row["text"].as_str().unwrap();
        let found = read(engine, &memory, text).fields;
        let gold = row["gold"].as_array().unwrap();
        if gold.is_empty() && found.iter().any(|reading| reading.status == Standing::Known) {
            stored.push(text.to_owned());
        }
        let unasked = |path: &str| !row["asked_fields"].as_array().unwrap().iter().any(|asked| asked == path);
        for reading in &found {
            let right = gold.iter().any(|gold| fits(reading, gold));
            precision.count(right);
            if unasked(&reading.path) {
                offered.count(right);
            }
        }
        for gold in gold {
            let right = found.iter().any(|reading| fits(reading, gold));
            recall.count(right);
            if unasked(gold["field"].as_str().unwrap()) {
                heard.count(right);
            }
        }
    }
    let f1 = 2.0 * precision.share() * recall.share() / (precision.share() + recall.share());
    assert!(stored.len() <= 1, "talk was stored: {stored:?}");
    assert!(f1 >= 0.80, "strict F1 {f1:.2}");
    assert!(offered.share() >= 0.85, "volunteered, precision {:.2}", offered.share());
    assert!(heard.share() >= 0.70, "volunteered, recall {:.2}", heard.share());
}

/// What an example says, between quotation marks.
fn quoted(example: &str) -> Option<&str> {
    let (_, rest) = example.split_once('“')?;
    Some(rest.split_once('”')?.0)
}

#[test]
fn every_example_is_an_answer_to_its_own_question() {
    let mut tried = 0;
    let mut elsewhere: Vec<String> = Vec::new();
    for id in ENGINES {
        let engine = shipped(id);
        for obligation in engine.definition().obligations.iter() {
            let example = obligation.example.as_deref().unwrap_or_default();
            let Some(said) = quoted(example) else { continue };
            tried += 1;
            let found = read(&engine, &asked(&engine, &obligation.id), said).fields;
            let own = engine.fields_of(&obligation.id);
            if !found.iter().any(|reading| own.contains(&reading.path)) {
                elsewhere.push(format!("{id}, {}: {said}", obligation.id));
            }
        }
    }
    assert!(tried >= 110, "{tried}");
    assert!(elsewhere.len() <= 3, "{} of {tried}:\n{}", elsewhere.len(), elsewhere.join("\n"));
}

#[test]
fn every_obligation_can_be_explained() {
    for id in ENGINES {
        let engine = shipped(id);
        for obligation in engine.definition().obligations.iter() {
            let told = [&obligation.meaning, &obligation.why, &obligation.example];
            assert!(told.iter().all(|text| text.is_some()), "{id}, {}", obligation.id);
            for text in told.into_iter().flatten() {
                assert!(!text.contains("the user ") && !text.contains("the owner"), "{id}, {}: {text}", obligation.id);
            }
        }
    }
}
