//! Finding words in the conversation.

use std::ops::Range;

use super::{Chat, Highlight};

/// A place where the words stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub entry: usize,
    /// The bytes of its text.
    pub bytes: Range<usize>,
}

/// What is being looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Find {
    /// The words, in lower case.
    pub words: String,
    /// Where they stand, oldest first.
    pub matches: Vec<Match>,
    /// The one that is shown.
    pub current: usize,
}

/// Looks for words; the place that is nearest to what is in view is shown first.
pub fn start(chat: &mut Chat, words: &str) {
    let words = words.trim().to_lowercase();
    if words.is_empty() {
        chat.find = None;
        return;
    }
    let entries = chat.entries.iter().enumerate();
    let matches: Vec<Match> = entries
        .flat_map(|(entry, said)| places(&said.text, &words).into_iter().map(move |bytes| Match { entry, bytes }))
        .collect();
    let seen = chat.in_view();
    let away = |place: &Match| place.entry.abs_diff(seen);
    // Of two that are as near the later one.
    let nearest = matches.iter().enumerate().rev().min_by_key(|(_, place)| away(place));
    let current = nearest.map_or(0, |(at, _)| at);
    chat.find = Some(Find { words, matches, current });
    show(chat);
}

/// Goes to what was searched for in a turn: all of it as it was typed, or else its longest word that stands there.
pub(crate) fn land(chat: &mut Chat, turn: u32, words: &str) {
    let mut single: Vec<&str> = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    single.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    for wanted in std::iter::once(words.trim()).chain(single) {
        start(chat, wanted);
        let of_turn = |place: &Match| chat.entries.get(place.entry).is_some_and(|entry| entry.turn == turn);
        let here = chat.find.as_ref().and_then(|find| find.matches.iter().position(of_turn));
        if let (Some(here), Some(find)) = (here, &mut chat.find) {
            find.current = here;
            return show(chat);
        }
    }
    chat.find = None;
    chat.reveal =
        chat.entries.iter().position(|entry| entry.turn == turn).map(|entry| Highlight { entry, bytes: 0..0 });
}

/// Goes to the next or the previous place, around the ends.
pub fn step(chat: &mut Chat, forward: bool) {
    let Some(find) = &mut chat.find else { return };
    let count = find.matches.len();
    if count > 0 {
        find.current = (find.current + if forward { 1 } else { count - 1 }) % count;
        show(chat);
    }
}

fn show(chat: &mut Chat) {
    let place = chat.find.as_ref().and_then(|find| find.matches.get(find.current));
    if let Some(Match { entry, bytes }) = place {
        chat.reveal = Some(Highlight { entry: *entry, bytes: bytes.clone() });
    }
}

/// Where `words` (in lower case) stand in a text, upper and lower case being the same.
fn places(text: &str, words: &str) -> Vec<Range<usize>> {
    let starts = text.char_indices().map(|(at, _)| at);
    let mut found: Vec<Range<usize>> = Vec::new();
    for start in starts {
        if found.last().is_some_and(|last| start < last.end) {
            continue;
        }
        if let Some(length) = matches_at(&text[start..], words) {
            found.push(start..start + length);
        }
    }
    found
}

fn matches_at(text: &str, words: &str) -> Option<usize> {
    let mut wanted = words.chars();
    let mut length = 0;
    let mut next = wanted.next();
    for c in text.chars() {
        next?;
        for lower in c.to_lowercase() {
            if next != Some(lower) {
                return None;
            }
            next = wanted.next();
        }
        length += c.len_utf8();
        if next.is_none() {
            return Some(length);
        }
    }
    None
}
