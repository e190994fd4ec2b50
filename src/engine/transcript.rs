//! What was said, word by word. Append-only, and indexed as it grows, so that nothing a turn does costs more because
//! much was said before.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::memory::Evidence;
use super::tokens;
use super::words::{Folded, content_words, words};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    User,
    /// The engine.
    Assistant,
}

/// One thing said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The turn it belongs to; 0 for the opening.
    pub turn: u32,
    pub role: Role,
    /// Shared, so that showing it takes no copy.
    pub text: Arc<str>,
    /// Its tokens, estimated once.
    pub tokens: u32,
}

impl Message {
    pub fn new(turn: u32, role: Role, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let tokens = tokens::estimate(&text);
        Self { turn, role, text, tokens }
    }
}

/// Everything said in a session, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    messages: Vec<Message>,
    /// Tokens of all messages up to and including each.
    sums: Vec<u64>,
    /// The user's messages folded, by index into `messages`.
    folded: HashMap<u32, Folded>,
    /// The user's messages that have a word.
    postings: HashMap<String, Vec<u32>>,
    /// Runs of digits the user wrote, also inside words such as 40k.
    digits: HashSet<String>,
}

/// How many messages a quote without a telling word is looked for in, newest first.
const BLIND_SEARCH: usize = 40;

impl Transcript {
    pub fn from_messages(messages: impl IntoIterator<Item = Message>) -> Self {
        let mut transcript = Self::default();
        for message in messages {
            transcript.push(message);
        }
        transcript
    }

    pub fn push(&mut self, message: Message) {
        let index = u32::try_from(self.messages.len()).unwrap_or(u32::MAX);
        if message.role == Role::User {
            let folded = Folded::new(&message.text);
            // Folding joins what an apostrophe parts ("don't" is "dont"), and quotes are looked up folded.
            for word in words(&message.text).chain(folded.as_str().split(' ').map(ToOwned::to_owned)) {
                let at = self.postings.entry(word).or_default();
                if at.last() != Some(&index) {
                    at.push(index);
                }
            }
            let runs = message.text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
            self.digits.extend(runs.map(ToOwned::to_owned));
            self.folded.insert(index, folded);
        }
        self.sums.push(self.total_tokens() + u64::from(message.tokens));
        self.messages.push(message);
    }

    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    pub(crate) fn total_tokens(&self) -> u64 {
        self.sums.last().copied().unwrap_or(0)
    }

    /// Where the first message after `turn` stands.
    pub(crate) fn index_after(&self, turn: u32) -> usize {
        self.messages.partition_point(|message| message.turn <= turn)
    }

    /// Tokens of the messages from `index` on.
    pub(crate) fn tokens_from(&self, index: usize) -> u64 {
        let before = if index == 0 { 0 } else { self.sums.get(index - 1).copied().unwrap_or_default() };
        self.total_tokens().saturating_sub(before)
    }

    /// Whether the user has used a word, in lower case, before.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        self.postings.contains_key(word)
    }

    /// Whether the user has written this run of digits before.
    pub(crate) fn has_digits(&self, digits: &str) -> bool {
        self.digits.contains(digits)
    }

    /// Where the user said `quote`, in the newest message that has it.
    pub(crate) fn find_quote(&self, quote: &Folded) -> Option<Evidence> {
        let rarest =
            content_words(quote.as_str()).map(|word| self.postings.get(&word)).min_by_key(|at| at.map_or(0, Vec::len));
        let found = match rarest {
            // A word of it was never used, so the quote was not either.
            Some(None) => None,
            Some(Some(candidates)) => candidates.iter().rev().find_map(|at| self.find_in(*at, quote)),
            None => (0..self.messages.len() as u32)
                .rev()
                .filter(|at| self.folded.contains_key(at))
                .take(BLIND_SEARCH)
                .find_map(|at| self.find_in(at, quote)),
        };
        found.map(|(message, range)| Evidence::at(message.turn, &message.text, range))
    }

    fn find_in(&self, index: u32, quote: &Folded) -> Option<(&Message, std::ops::Range<usize>)> {
        let range = self.folded.get(&index)?.find(quote)?;
        Some((self.messages.get(index as usize)?, range))
    }

    /// Takes back everything said after `turn`.
    pub fn rewind(&mut self, turn: u32) {
        let kept = self.messages[..self.index_after(turn)].to_vec();
        *self = Self::from_messages(kept);
    }
}
