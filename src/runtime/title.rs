//! A title from what was said.

use crate::engine::Engine;
use crate::engine::memory::WorkingMemory;
use crate::engine::values::brief_text;

/// The longest title.
const MAX_TITLE: usize = 60;

/// The first thing the engine wanted to know, once it is known; until then what the user said first.
pub fn from_content(engine: &Engine, memory: &WorkingMemory, message: &str) -> Option<String> {
    let first = engine.definition().obligations.iter().flat_map(|o| engine.fields_of(&o.id));
    let known = first.take(3).find_map(|path| memory.extraction.value(path)).map(brief_text);
    let text = known.or_else(|| (memory.turn == 1).then(|| message.to_owned()))?;
    let line = text.lines().find(|line| !line.trim().is_empty())?.trim();
    Some(clip(line))
}

fn clip(line: &str) -> String {
    let sentence = line.split_inclusive(['.', '!', '?']).next().unwrap_or(line).trim_end_matches(['.', '!', '?']);
    if sentence.chars().count() <= MAX_TITLE {
        return sentence.to_owned();
    }
    let mut title = String::new();
    for word in sentence.split_whitespace() {
        if title.chars().count() + word.chars().count() + 2 > MAX_TITLE {
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
    }
    if title.is_empty() { sentence.chars().take(MAX_TITLE).collect() } else { format!("{title} …") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sentence_is_cut_after_a_word() {
        assert_eq!(clip("A booking app. And more."), "A booking app");
        let long = "We need a booking app for our clinic because reception loses hours on the phone";
        assert_eq!(clip(long), "We need a booking app for our clinic because reception …");
        assert_eq!(clip(&"x".repeat(100)).chars().count(), 60);
    }
}
