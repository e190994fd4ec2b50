//! Makes a long history short.

use std::fmt::Write as _;

use crate::engine::memory::WorkingMemory;
use crate::engine::tokens;
use crate::engine::transcript::{Message, Role};
use crate::engine::words::content_words;

/// Reduces messages to the sentences that carried something: those that were quoted as proof, then the densest.
pub fn extractive(previous: Option<&str>, messages: &[Message], memory: &WorkingMemory, target_tokens: u32) -> String {
    let first = messages.first().map_or(0, |message| message.turn);
    let last = messages.last().map_or(0, |message| message.turn);
    let quotes: Vec<(u32, &str)> = memory
        .extraction
        .iter()
        .filter_map(|(_, field)| field.evidence.as_ref())
        .filter(|evidence| (first..=last).contains(&evidence.turn))
        .map(|evidence| (evidence.turn, evidence.quote.as_str()))
        .collect();
    let mut ranked: Vec<(f64, u32, usize, &str)> = Vec::new();
    for message in messages.iter().filter(|message| message.role == Role::User) {
        for (at, sentence) in message.text.split_inclusive(['.', '!', '?', '\n']).enumerate() {
            let sentence = sentence.trim();
            let words = sentence.split_whitespace().count();
            if words < 3 {
                continue;
            }
            let proof = quotes.iter().any(|(turn, quote)| *turn == message.turn && sentence.contains(quote));
            let density = content_words(sentence).count() as f64 / words as f64;
            ranked.push((density + f64::from(u8::from(proof)) * 2.0, message.turn, at, sentence));
        }
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut kept: Vec<(u32, usize, &str)> = Vec::new();
    let previous = previous.map(|text| tokens::cut(text, target_tokens / 2));
    let mut used = previous.map_or(0, tokens::estimate);
    for (_, turn, at, sentence) in ranked {
        let cost = tokens::estimate(sentence) + 4;
        if used + cost <= target_tokens {
            used += cost;
            kept.push((turn, at, sentence));
        }
    }
    kept.sort_by_key(|(turn, at, _)| (*turn, *at));
    let mut out = previous.map(|text| format!("{text}\n")).unwrap_or_default();
    for (turn, _, sentence) in kept {
        let _ = writeln!(out, "(turn {turn}) {sentence}");
    }
    out.trim_end().to_owned()
}
