//! A title from what was said.

use crate::engine::Engine;
use crate::engine::memory::WorkingMemory;
use crate::engine::values::shaped_text;

/// The longest title.
const MAX_TITLE: usize = 60;

/// A title as the heading or the name of a file: that it was cut to fit a list is nothing to be read there.
pub(super) fn for_file(title: &str) -> String {
    let whole = title.trim_end_matches([' ', '…']);
    if whole.is_empty() { title.to_owned() } else { whole.to_owned() }
}

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
    Some(clip(after_who(line)))
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
    "need to decide ",
    "want to ",
    "need ",
    "wir brauchen ",
    "wir wollen ",
    "wir möchten ",
    "ich brauche ",
    "ich möchte ",
    "ich will ",
    "wollen ",
    "brauchen ",
];

/// How people say who they are; a title is about what they want.
const WHO: &[&str] = &[
    "i am ",
    "i'm ",
    "my name is ",
    "this is ",
    "we are ",
    "we're ",
    "we run ",
    "i run ",
    "we have a ",
    "ich bin ",
    "ich heiße ",
    "mein name ist ",
    "wir sind ",
    "wir betreiben ",
    "ich betreibe ",
    "hi",
    "hello",
    "hallo",
    "good morning",
    "guten tag",
    "guten morgen",
    "moin",
    "servus",
];

/// Words with which people go on from who they are to what they want.
const GOES_ON: &[&str] = &[" and ", " und ", " aber ", " but "];
/// The fewest letters of a title.
const SHORTEST: usize = 8;

fn begins(text: &str, leads: &[&str]) -> bool {
    leads.iter().any(|lead| {
        let head = text.get(..lead.len()).is_some_and(|head| head.eq_ignore_ascii_case(lead));
        head && (lead.ends_with(' ') || !text[lead.len()..].starts_with(char::is_alphanumeric))
    })
}

/// A text without the sentences and the part of one in which somebody says who they are, where something else follows.
fn after_who(text: &str) -> &str {
    let mut rest = text.trim();
    while begins(rest, WHO) {
        let sentence = first_sentence(rest);
        let next = rest.get(sentence.len()..).unwrap_or_default();
        let next = next.trim_start_matches(|c: char| !c.is_alphanumeric());
        let joined = || {
            let at = GOES_ON.iter().filter_map(|joint| Some((sentence.find(joint)?, joint.len()))).min()?;
            Some(&rest[at.0 + at.1..])
        };
        match joined().or(Some(next)).filter(|next| next.chars().count() >= SHORTEST) {
            Some(next) => rest = next,
            None => break,
        }
    }
    rest
}

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
    fn a_title_is_what_they_want_and_not_who_they_are() {
        let title = |said: &str| clip(after_who(said));
        for (said, wanted) in [
            ("We run a small cheese dairy and need to decide how to get cheese to town", "How to get cheese to town"),
            ("Hi, I'm Ann. A booking app for the clinic", "A booking app for the clinic"),
            ("Ich bin der Werner und wir brauchen eine Stundenerfassung", "Eine Stundenerfassung"),
            ("Guten Tag. Ein Hofladen im Netz", "Ein Hofladen im Netz"),
            ("Historic tours for schools", "Historic tours for schools"),
            ("Ich bin der Werner", "Ich bin der Werner"),
        ] {
            assert_eq!(title(said), wanted, "{said}");
        }
    }

    #[test]
    fn a_long_sentence_is_cut_after_a_clause_where_it_has_one() {
        let long = "We need a booking app for our clinic, reception loses 3 hours a day on the phone.";
        assert_eq!(clip(long), "A booking app for our clinic");
    }
}
