//! A title from what was said.

use crate::engine::Engine;
use crate::engine::memory::WorkingMemory;
use crate::engine::values::shaped_text;

/// The longest title.
const MAX_TITLE: usize = 60;

/// The title of a turn that is about to be kept, from what is known and what the user has just said.
pub fn from_content(engine: &Engine, memory: &WorkingMemory, message: &str) -> Option<String> {
    of_session(engine, memory, (memory.turn == 1).then_some(message))
}

/// The first thing the engine wanted to know, once it is known; until then what the user said first.
pub(super) fn of_session(engine: &Engine, memory: &WorkingMemory, said: Option<&str>) -> Option<String> {
    let first = engine.definition().obligations.iter().flat_map(|o| engine.fields_of(&o.id));
    let known =
        first.take(3).find_map(|path| Some(shaped_text(memory.extraction.value(path)?, &engine.field(path)?.shape)));
    let text = known.or_else(|| said.map(ToOwned::to_owned))?;
    let line = text.lines().find(|line| !line.trim().is_empty())?.trim();
    Some(clip(line))
}

/// How people begin to say what they want; a title begins after it.
const LEADS: &[&str] = &[
    "we need ",
    "we want ",
    "we would like ",
    "we'd like ",
    "i need ",
    "i want ",
    "i would like ",
    "i'd like ",
    "to build ",
    "to have ",
];

fn clip(line: &str) -> String {
    let sentence = first_sentence(line);
    let mut told = sentence;
    while let Some(lead) =
        LEADS.iter().find(|lead| told.get(..lead.len()).is_some_and(|l| l.eq_ignore_ascii_case(lead)))
    {
        told = told[lead.len()..].trim_start();
    }
    let mut letters = told.chars();
    let title = letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect());
    if title.chars().count() <= MAX_TITLE {
        return title;
    }
    // A whole clause reads better than a cut sentence.
    let clause = title.find([',', ';', ':', '(']).map(|at| title[..at].trim());
    if let Some(clause) = clause.filter(|clause| (12..=MAX_TITLE).contains(&clause.chars().count())) {
        return clause.to_owned();
    }
    let mut cut = String::new();
    for word in title.split_whitespace() {
        if cut.chars().count() + word.chars().count() + 3 > MAX_TITLE {
            break;
        }
        if !cut.is_empty() {
            cut.push(' ');
        }
        cut.push_str(word);
    }
    if cut.is_empty() { title.chars().take(MAX_TITLE).collect() } else { format!("{cut} …") }
}

/// Up to the first mark that ends a sentence, which a stop inside a number or after a short word is not.
fn first_sentence(line: &str) -> &str {
    let ends = |at: usize, mark: char| {
        let closed = line[at + mark.len_utf8()..].chars().next().is_none_or(char::is_whitespace);
        let word = line[..at].rsplit(' ').next().unwrap_or_default();
        closed && (mark != '.' || word.chars().count() > 2)
    };
    let end = line.char_indices().find(|(at, mark)| matches!(mark, '.' | '!' | '?') && ends(*at, *mark));
    end.map_or(line, |(at, _)| &line[..at]).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sentence_is_cut_after_a_word() {
        assert_eq!(clip("A booking app. And more."), "A booking app");
        assert_eq!(clip("Dr. Weber's 2.5 hours. And more."), "Dr. Weber's 2.5 hours");
        let long = "We need a booking app for our clinic because reception loses hours on the phone";
        assert_eq!(clip(long), "A booking app for our clinic because reception loses hours …");
        assert_eq!(clip(&"x".repeat(100)).chars().count(), 60);
    }

    #[test]
    fn a_long_sentence_is_cut_after_a_clause_where_it_has_one() {
        let long = "We need a booking app for our clinic, reception loses 3 hours a day on the phone.";
        assert_eq!(clip(long), "A booking app for our clinic");
    }
}
