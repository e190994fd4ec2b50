//! What an answer must not be. Deterministic: an answer is checked, not judged.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Engine;
use super::config::Obligation;
use super::handoff::verify;
use super::memory::{Status, WorkingMemory};
use super::obligations::{AgendaItem, open_in_phase};
use super::values::brief_text;
use super::words::{Folded, content_words};

/// Something wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub code: FindingCode,
    /// What to do better, for the model that revises the answer.
    pub message: String,
}

/// What can be wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingCode {
    Empty,
    /// It is data, not words.
    LeakedJson,
    /// It repeats its instructions.
    LeakedPrompt,
    TooManyQuestions,
    /// It asks for what is settled or set aside.
    ReAsked,
    TooLong,
    /// It does not take up what was handed over.
    HandoffIgnored,
}

impl FindingCode {
    /// The word in traces.
    pub fn word(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::LeakedJson => "leaked-json",
            Self::LeakedPrompt => "leaked-prompt",
            Self::TooManyQuestions => "too-many-questions",
            Self::ReAsked => "re-asked",
            Self::TooLong => "too-long",
            Self::HandoffIgnored => "handoff-ignored",
        }
    }
}

/// Everything that is wrong with an answer.
pub fn check(engine: &Engine, memory: &WorkingMemory, answer: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |code: FindingCode, message: String| findings.push(Finding { code, message });
    if answer.trim().is_empty() {
        find(FindingCode::Empty, "The answer is empty.".to_owned());
        return findings;
    }
    if is_json(answer) {
        find(FindingCode::LeakedJson, "The answer is data, not words to the user.".to_owned());
    }
    if let Some(line) = leaked_line(engine.prompt(), answer) {
        find(FindingCode::LeakedPrompt, format!("The answer repeats its instructions: “{line}”."));
    }
    let asked = questions(answer);
    let limit = engine.definition().agenda.max_questions as usize;
    if asked.len() > limit {
        find(
            FindingCode::TooManyQuestions,
            format!("The answer asks {} questions, at most {limit} are allowed.", asked.len()),
        );
    }
    for label in re_asked(engine, memory, &asked) {
        find(FindingCode::ReAsked, format!("“{label}” is settled or set aside; do not ask about it again."));
    }
    let words = answer.split_whitespace().count();
    let most = engine.definition().qa.max_words as usize;
    if words > most {
        find(FindingCode::TooLong, format!("The answer has {words} words, at most {most} are allowed."));
    }
    if let Some(inbound) = memory.inbound_handoff.as_ref().filter(|inbound| inbound.verification.is_none()) {
        let verification = verify(&inbound.handoff, &memory.engine_id, answer);
        if !verification.verified && !verification.missing.is_empty() {
            let missing = verification.missing.join("; ");
            find(FindingCode::HandoffIgnored, format!("Take up what was handed over: {missing}."));
        }
    }
    findings
}

/// The questions in an answer, code blocks and quotations left out.
pub fn questions(answer: &str) -> Vec<String> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in answer.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !line.trim_start().starts_with('>') {
            let parts = line.split_inclusive(['.', '!', '?', ':']).filter(|part| part.ends_with('?'));
            found.extend(parts.map(|part| part.trim().to_owned()).filter(|part| part.len() > 3));
        }
    }
    found
}

/// Beginnings of sentences that ask without a question mark.
const REQUESTS: &[&str] =
    &["tell me", "describe", "walk me through", "let me know", "please tell", "please describe", "please share"];

/// Whether an answer leaves the user something to answer.
pub(crate) fn asks_something(answer: &str) -> bool {
    let asks = |sentence: &str| REQUESTS.iter().any(|request| begins_with(sentence, request));
    // Other scripts have question marks of their own.
    !questions(answer).is_empty() || answer.contains(['？', '؟']) || sentences(answer).any(asks)
}

fn sentences(answer: &str) -> impl Iterator<Item = &str> {
    answer.split(['.', '!', ':', '\n']).map(|sentence| sentence.trim_matches(|c: char| !c.is_alphanumeric()))
}

fn begins_with(sentence: &str, request: &str) -> bool {
    let head = sentence.get(..request.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(request))
        && !sentence[request.len()..].starts_with(char::is_alphanumeric)
}

/// Whether an answer shows a value: in so many words, or its figures and most of its telling words.
pub fn shows(value: &serde_json::Value, answer: &str) -> bool {
    let text = brief_text(value);
    if Folded::new(answer).find(&Folded::new(&text)).is_some() {
        return true;
    }
    let (wanted, said): (BTreeSet<String>, BTreeSet<String>) =
        (content_words(&text).collect(), content_words(answer).collect());
    let figures = |words: &BTreeSet<String>| {
        words.iter().filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).cloned().collect::<BTreeSet<_>>()
    };
    !wanted.is_empty() && shared(&wanted, &said) >= 0.6 && figures(&wanted).is_subset(&said)
}

/// How like the question of an obligation a question must be to count as asking it.
const SAME_QUESTION: f64 = 0.34;

/// Obligations whose question stands in an answer. A question that is like none of them asks for none of them.
pub(super) fn recognised(engine: &Engine, items: &[AgendaItem], answer: &str) -> Vec<String> {
    let questions = questions(answer);
    let asked: Vec<BTreeSet<String>> = questions.iter().map(|question| content_words(question).collect()).collect();
    let shows_all = |item: &AgendaItem| {
        !item.to_confirm.is_empty() && item.to_confirm.iter().all(|(_, value)| shows(value, answer))
    };
    let is_asked = |item: &&AgendaItem| {
        let wanted = engine.question_words(&item.obligation);
        asked.iter().any(|question| shared(wanted, question) >= SAME_QUESTION) || shows_all(item)
    };
    items.iter().filter(is_asked).map(|item| item.obligation.clone()).collect()
}

/// The share of one set of words that is in another.
pub fn shared(wanted: &BTreeSet<String>, asked: &BTreeSet<String>) -> f64 {
    if wanted.is_empty() { 0.0 } else { wanted.intersection(asked).count() as f64 / wanted.len() as f64 }
}

/// Settled obligations, and those set aside, whose own question stands in the answer nearly word for word. A question
/// that is at least as like one that is still open asks for that one.
fn re_asked(engine: &Engine, memory: &WorkingMemory, asked: &[String]) -> Vec<String> {
    if asked.is_empty() {
        return Vec::new();
    }
    let definition = engine.definition();
    let asked: Vec<BTreeSet<String>> = asked.iter().map(|question| content_words(question).collect()).collect();
    let open = open_in_phase(definition, memory);
    let settled = |o: &&Obligation| matches!(memory.obligations.status(&o.id), Status::Satisfied | Status::Deferred);
    let asks_for = |settled: &BTreeSet<String>, question: &BTreeSet<String>| {
        let like = shared(settled, question);
        let liker = |open: &&Obligation| shared(engine.question_words(&open.id), question) >= like;
        like >= 0.75 && !open.iter().any(liker)
    };
    let again = |o: &&Obligation| {
        let own = engine.question_words(&o.id);
        own.len() >= 3 && asked.iter().any(|question| asks_for(own, question))
    };
    definition.obligations.iter().filter(settled).filter(again).map(|o| o.name.clone()).collect()
}

fn is_json(answer: &str) -> bool {
    let text = answer.trim().trim_start_matches("```json").trim_start_matches("```").trim_start();
    text.starts_with('{') && text.contains("\":") || answer.contains("\"fields\":")
}

/// A line of the prompt that stands in the answer word for word.
fn leaked_line<'a>(prompt: &'a str, answer: &str) -> Option<&'a str> {
    let long = prompt.lines().map(|line| line.trim().trim_start_matches("- ")).filter(|line| line.len() >= 50);
    long.into_iter().find(|line| answer.contains(*line))
}
