//! What frames a pasted mail: who it is from and what it is about, its greeting, and its end. Nothing of it is told.

use super::acts::Judged;
use super::assign::Piece;
use super::clauses::Material;
use crate::engine::config::Act;

/// How far into a mail its greeting may stand, and the most words that stand behind its end.
const HEAD: usize = 60;
const END: usize = 8;

/// The tokens with which what a mail tells begins and ends; of any other message all of it.
pub(super) fn body(material: &Material<'_, '_>) -> std::ops::Range<usize> {
    let all = 0..material.text.tokens.len();
    let start = head_end(material);
    let end = end_start(material, start).filter(|end| *end > start).unwrap_or(all.end);
    start..end
}

/// Where the head of a mail and its greeting end.
fn head_end(material: &Material<'_, '_>) -> usize {
    let text = material.text;
    let is_head = |at: usize| {
        let named =
            text.tokens.get(at).is_some_and(|token| material.lexicon.answering.mail_heads.contains(&token.word));
        named && at + 1 < text.tokens.len() && text.before(at + 1).trim_start().starts_with(':')
    };
    if text.tokens.is_empty() {
        return 0;
    }
    let begins = |at: usize| at == 0 || text.before(at).contains(['\n', '.', '!', '?']);
    if !is_head(0) {
        return greeting_end(material, 0).unwrap_or(0);
    }
    let last = text.tokens.len().min(HEAD);
    let greeting = (1..last).find_map(|at| greeting_end(material, at));
    // Without a greeting only whole lines of the head are known to be one.
    greeting.unwrap_or_else(|| {
        let mut end = 0;
        while end < last && begins(end) && is_head(end) {
            let next = (end + 1..=text.tokens.len()).find(|at| text.before(*at).contains('\n'));
            let Some(next) = next.filter(|next| *next < text.tokens.len()) else { return end };
            end = next;
        }
        end
    })
}

/// Where a greeting that stands at a token ends: a pause follows, and something is told behind it.
fn greeting_end(material: &Material<'_, '_>, at: usize) -> Option<usize> {
    let text = material.text;
    let rest = at..text.tokens.len();
    let greetings = material.candidates(&material.lexicon.answering.mail_greetings, at);
    let ends = greetings.filter_map(|greeting| material.starts(greeting, &rest));
    let paused = |end: &usize| *end < rest.end && text.before(*end).contains([',', '\n', '!', ':', '.', '–', '—']);
    let parted = |end: &usize| (at + 1..*end).any(|at| text.before(at).contains([',', '\n', '!', '?', '.']));
    ends.filter(|end| paused(end) && !parted(end)).max()
}

/// Where the end of a mail begins: regards and a name, in lines of their own or after a greeting.
fn end_start(material: &Material<'_, '_>, head: usize) -> Option<usize> {
    let text = material.text;
    let all = text.tokens.len();
    let first = all.saturating_sub(END).max(head + 1);
    (first..all).find(|at| {
        let begins = text.before(*at).contains('\n') || head > 0 && text.before(*at).contains(['.', '!', '?']);
        begins && material.any_starts(&material.lexicon.answering.mail_ends, &(*at..all)).is_some()
    })
}

/// What frames a mail is no answer.
pub(super) fn leave_frame(material: &Material<'_, '_>, pieces: &mut [Piece<'_>]) {
    let body = body(material);
    for piece in pieces.iter_mut() {
        let whole = &piece.span.whole;
        let outside = whole.end <= body.start || whole.start >= body.end;
        if outside && matches!(piece.judged.act, Act::Answer | Act::CounterQuestion | Act::Meta) {
            piece.judged = Judged { act: Act::Social, name: "frames a mail", rule: None };
        }
    }
}
