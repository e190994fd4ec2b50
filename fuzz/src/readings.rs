//! What is read in a message by rules: acts, clauses, numbers, dates, lists, corrections; and what comes of it turn by turn.

use super::{BASE, Outside, SHIPPED, Talk};
use elenchus::engine::memory::{Asked, LanguageState, WorkingMemory};
use elenchus::engine::reading::read;
use elenchus::engine::sensitive;

pub fn try_input(text: &str) {
    for (engine, language) in [(&*BASE, "en"), (&*SHIPPED, "en"), (&*SHIPPED, "de")] {
        let mut memory = WorkingMemory::new(engine.definition());
        memory.language = LanguageState::begun_in(language.to_owned(), true);
        let first = engine.definition().obligations.first();
        memory.asked.extend(first.map(|first| Asked { obligation: first.id.to_string(), ..Asked::default() }));
        let heard = read(engine, &memory, text);
        for clause in &heard.clauses {
            let there = text.get(clause.start..).is_some_and(|rest| rest.starts_with(&clause.text));
            assert!(there, "a clause stands where it says");
        }
        for reading in &heard.fields {
            assert!(text.contains(&reading.quote), "a value is read from the message");
            assert!((0.0..=1.0).contains(&reading.confidence));
        }
    }
    let mut end = 0;
    for (_, range) in sensitive::find(text) {
        assert!(range.start >= end && text.get(range.clone()).is_some(), "findings are in order");
        end = range.end;
    }
    let redacted = sensitive::redact(text);
    assert!(sensitive::find(text).is_empty() || redacted != text);
    let mut talk = Talk::new();
    for message in text.split('\n').take(6) {
        talk.say(message, &Outside::default());
    }
}
