//! Answers that say again what was said: the message given back, or an earlier answer repeated.

use std::collections::BTreeSet;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::{asks_something, shared};
use crate::engine::transcript::{Message, Role, Transcript};
use crate::engine::words::{content_words, folded};

/// The fewest words of a message that can be echoed: shorter ones are taken up whole by anybody.
const LONG_ENOUGH: usize = 8;
/// The share of a message that an echo gives back in one piece.
const ECHOED: f64 = 0.75;
/// The fewest words of a short message that is given back all but for one word, in a sentence that asks nothing.
const SHORT_ECHO: usize = 6;

/// Whether an answer gives the user's message back, in one piece and no matter whose "my" became "your"; or is nothing
/// but words of it.
pub(super) fn echoes(message: &str, answer: &str) -> bool {
    let (said, answered) = (spoken(message), spoken(answer));
    let run = longest_run(&said, &answered);
    let whole = said.len() >= LONG_ENOUGH && run as f64 >= said.len() as f64 * ECHOED;
    let short = (SHORT_ECHO..LONG_ENOUGH).contains(&said.len()) && run + 1 >= said.len() && {
        let stated: String = statements(answer).collect();
        longest_run(&said, &spoken(&stated)) + 1 >= said.len()
    };
    let nothing_else = answered.len() >= 3 && run == answered.len();
    whole || short || nothing_else || says_back(message, answer)
}

/// The fewest telling words of a message that can be said back in other sentences.
const TELLING: usize = 6;
/// The share of them that an answer says back, and the share of its own telling words that these are.
const SAID_BACK: f64 = 0.7;

/// Whether what an answer says besides its questions is what the message said, in whatever order.
fn says_back(message: &str, answer: &str) -> bool {
    let told: BTreeSet<String> = content_words(message).collect();
    let said: BTreeSet<String> = statements(answer).flat_map(content_words).collect();
    told.len() >= TELLING && shared(&told, &said) >= SAID_BACK && shared(&said, &told) >= SAID_BACK
}

/// The sentences of an answer that ask nothing.
pub(super) fn statements(answer: &str) -> impl Iterator<Item = &str> {
    let ends = |sign: char| matches!(sign, '.' | '!' | '?' | '…' | '\n');
    answer.split_inclusive(ends).filter(|sentence| !sentence.ends_with('?'))
}

/// Earlier answers that an answer is compared with.
const COMPARED: usize = 40;
/// The fewest words of an answer that can be a repetition.
const SAID_AGAIN: usize = 5;

/// So many answers back, even a few words are a repetition.
const LATELY: usize = 2;

/// Whether an answer says again what an earlier one said: most of its words, all of what is no question, or, of the last
/// ones, the same words but for how they begin.
pub(super) fn repeats(transcript: &Transcript, answer: &str) -> bool {
    let now = spoken(answer);
    let earlier = || transcript.messages().iter().rev().filter(|message| message.role == Role::Assistant);
    // Where a question was added to an answer that asked nothing, the rest of it is what is said again.
    let asks = asks_something(answer);
    let same = |message: &Message| {
        let then = spoken(&message.text);
        let run = longest_run(&then, &now) as f64;
        run >= now.len() as f64 * 0.9 && (!asks || run >= then.len() as f64 * 0.6)
    };
    let core = without_lead_in(answer);
    let just_said = |message: &Message| !core.is_empty() && without_lead_in(&message.text) == core;
    earlier().take(LATELY).any(just_said) || (now.len() >= SAID_AGAIN && earlier().take(COMPARED).any(same))
}

/// The most words of a sentence that only leads up to what is said: "Got it.", "Thank you for that."
const LEAD_IN: usize = 4;

/// The words of an answer without what leads up to them.
fn without_lead_in(answer: &str) -> String {
    let mut rest = answer.trim();
    while let Some(end) = rest.find(['.', '!', '?', ','])
        && !rest[end..].starts_with('?')
        && rest[..end].split_whitespace().count() <= LEAD_IN
        && rest[end + 1..].chars().any(char::is_alphanumeric)
    {
        rest = rest[end + 1..].trim_start();
    }
    folded(rest)
}

/// The words of a text as numbers, which compare faster. The two people in it are made one: "my queue" said back is "your
/// queue".
pub(super) fn spoken(text: &str) -> Vec<u64> {
    let state = FixedState::default();
    let word = |word: &str| match word {
        "i" | "we" | "you" | "me" | "us" => state.hash_one("one"),
        "my" | "our" | "your" | "mine" | "ours" | "yours" => state.hash_one("ones"),
        "am" | "is" | "are" => state.hash_one("be"),
        other => state.hash_one(other),
    };
    folded(text).split(' ').filter(|part| !part.is_empty()).take(MOST_COMPARED).map(word).collect()
}

/// More words of a text are not compared.
const MOST_COMPARED: usize = 300;

/// The most words in a row that two texts share.
pub(super) fn longest_run(a: &[u64], b: &[u64]) -> usize {
    let mut best = 0;
    // From the end, so that the row above is still there where it is looked at.
    let mut row = vec![0; b.len() + 1];
    for left in a {
        for (at, right) in b.iter().enumerate().rev() {
            row[at + 1] = if left == right { row[at] + 1 } else { 0 };
            best = best.max(row[at + 1]);
        }
    }
    best
}
