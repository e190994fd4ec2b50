//! A message as words with their places: what everything else in reading works on.

use std::cell::Cell;
use std::ops::Range;

/// A word, a number or a sign that stands for one, with its place in the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// Lower case, without apostrophes.
    pub word: String,
    /// The word without its ending, by the language it is read in.
    pub stem: String,
    pub start: usize,
    pub end: usize,
}

/// A message taken apart.
#[derive(Clone, Debug)]
pub(super) struct Text<'a> {
    pub message: &'a str,
    pub tokens: Vec<Token>,
    /// How often a part of a pattern may still be tried on it.
    pub tries: Cell<u64>,
}

/// So often parts of patterns are tried on a message, and on each of its words. The shipped engines need a tenth of it; an
/// engine whose patterns need more misses some of them instead of keeping people waiting.
const TRIES: (u64, u64) = (500_000, 20_000);

impl<'a> Text<'a> {
    /// Takes a message apart; `stem` cuts a word's ending off.
    pub fn new(message: &'a str, stem: impl Fn(&str) -> String) -> Self {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(start) = next_word(message, at) {
            let end = word_end(message, start);
            let word = folded(&message[start..end]);
            let stem = stem(&word);
            tokens.push(Token { word, stem, start, end });
            at = end;
        }
        let tries = Cell::new(TRIES.0 + TRIES.1 * tokens.len() as u64);
        Self { message, tokens, tries }
    }

    /// What stands between a token and the one before it.
    pub fn before(&self, at: usize) -> &'a str {
        let from = at.checked_sub(1).map_or(0, |before| self.tokens[before].end);
        let to = self.tokens.get(at).map_or(self.message.len(), |token| token.start);
        &self.message[from..to]
    }

    /// The bytes of some tokens, without what stands around them.
    pub fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        if tokens.is_empty() {
            return 0..0;
        }
        self.tokens[tokens.start].start..self.tokens[tokens.end - 1].end
    }

    /// The words of some tokens as they stand in the message.
    /// A bracket that was opened among them is closed.
    pub fn slice(&self, tokens: &Range<usize>) -> &'a str {
        let mut bytes = self.bytes(tokens);
        let said = &self.message[bytes.clone()];
        let after = self.message[bytes.end..].chars().next();
        if after == Some(')') && said.matches('(').count() > said.matches(')').count() {
            bytes.end += 1;
        }
        &self.message[bytes]
    }
}

/// Signs that are words of their own.
fn is_sign(character: char) -> bool {
    matches!(character, '€' | '$' | '£' | '%')
}

fn next_word(message: &str, from: usize) -> Option<usize> {
    message[from..].char_indices().find(|(_, c)| c.is_alphanumeric() || is_sign(*c)).map(|(at, _)| from + at)
}

/// The byte after a word. A mark between two digits belongs to the number, an apostrophe between letters to the word.
fn word_end(message: &str, start: usize) -> usize {
    let mut characters = message[start..].char_indices().peekable();
    let mut before = '\0';
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map_or('\0', |(_, next)| *next);
        let inside = match character {
            _ if is_sign(character) => return if at == 0 { start + character.len_utf8() } else { start + at },
            '.' | ',' | ':' => before.is_ascii_digit() && next.is_ascii_digit(),
            '\'' | '’' => before.is_alphanumeric() && next.is_alphanumeric(),
            other => other.is_alphanumeric(),
        };
        if !inside {
            return start + at;
        }
        before = character;
    }
    message.len()
}

/// A word as it is compared: lower case; apostrophes stay only between digits, where they group thousands.
pub(super) fn folded(word: &str) -> String {
    let digits = word.starts_with(|c: char| c.is_ascii_digit());
    let kept = word.chars().filter(|c| digits || !matches!(c, '\'' | '’'));
    kept.flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(message: &str) -> Vec<String> {
        Text::new(message, str::to_owned).tokens.into_iter().map(|token| token.word).collect()
    }

    #[test]
    fn words_numbers_and_signs_are_told_apart() {
        assert_eq!(words("Don’t: €15,000 at 7:30!"), ["dont", "€", "15,000", "at", "7:30"]);
        assert_eq!(words("10-15 %, 40'000 or 3.5h."), ["10", "15", "%", "40'000", "or", "3.5h"]);
        assert_eq!(words("the 'best' one…"), ["the", "best", "one"]);
        assert_eq!(words(" … "), Vec::<String>::new());
    }
}
