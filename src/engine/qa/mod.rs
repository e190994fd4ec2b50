//! What an answer must not be. Deterministic: an answer is checked, not judged.

pub(in crate::engine) mod aim;
mod echo;
mod leaks;

pub(super) use leaks::leaks_note;
pub(crate) use leaks::{AGAIN, GO_ON, without_label};

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use echo::{echoes, longest_run, repeats, spoken, statements};
use leaks::{is_json, leaked_line, plays_both, refuses};

use super::Engine;
use super::config::Obligation;
use super::context::preamble::CONTRACT;
use super::handoff::verify;
use super::memory::{Status, WorkingMemory};
use super::obligations::AgendaItem;
use super::reading::question_faults;
use super::transcript::Transcript;
use super::values::brief_text;
use super::words::{content_words, folded, has_phrase};

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
    /// It repeats a note that was meant for the model.
    LeakedNote,
    /// It turns the user away, who has asked for nothing.
    Refuses,
    /// It gives the user's message back.
    Echo,
    /// It says again what an earlier answer said.
    Repeated,
    TooManyQuestions,
    /// One of its questions asks for two things, leads, or supposes.
    FaultyQuestion,
    /// It asks for what is settled or set aside.
    ReAsked,
    TooLong,
    /// It is in another language than the conversation.
    OtherLanguage,
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
            Self::LeakedNote => "leaked-note",
            Self::Refuses => "refuses",
            Self::Echo => "echo",
            Self::Repeated => "repeated",
            Self::TooManyQuestions => "too-many-questions",
            Self::FaultyQuestion => "faulty-question",
            Self::ReAsked => "re-asked",
            Self::TooLong => "too-long",
            Self::OtherLanguage => "other-language",
            Self::HandoffIgnored => "handoff-ignored",
        }
    }

    /// Whether an answer with it is worse than the plain question of the agenda.
    pub(super) fn is_unfit(self) -> bool {
        match self {
            Self::Empty
            | Self::LeakedJson
            | Self::LeakedPrompt
            | Self::LeakedNote
            | Self::Refuses
            | Self::Echo
            | Self::Repeated
            | Self::ReAsked
            | Self::OtherLanguage => true,
            Self::TooManyQuestions | Self::FaultyQuestion | Self::TooLong | Self::HandoffIgnored => false,
        }
    }

    /// Whether an answer with it has too much in it, which a small model does not mend.
    pub(super) fn is_too_much(self) -> bool {
        matches!(self, Self::TooManyQuestions | Self::FaultyQuestion | Self::TooLong)
    }
}

/// What an answer is held against besides the memory.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// What it answers.
    pub message: &'a str,
    /// What was said before.
    pub transcript: &'a Transcript,
    /// The note it was written with; empty where there was none.
    pub note: &'a str,
    /// Whether the user has asked something back, so that saying it again may be right.
    pub asks_back: bool,
}

/// Everything that is wrong with an answer.
pub fn check(engine: &Engine, memory: &WorkingMemory, said: &Said<'_>, answer: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |code: FindingCode, message: String| findings.push(Finding { code, message });
    if !answer.contains(char::is_alphanumeric) {
        find(FindingCode::Empty, "The answer is empty.".to_owned());
        return findings;
    }
    if is_json(answer) {
        find(FindingCode::LeakedJson, "The answer is data, not words to the user.".to_owned());
    }
    if let Some(line) = leaked_line(engine.prompt(), answer) {
        find(FindingCode::LeakedPrompt, format!("The answer repeats its instructions: “{line}”."));
    } else if speaks_of_contract(answer) || (!said.asks_back && names_point(engine, memory, answer)) {
        let better = "The answer speaks of its own instructions: say only what the user is to hear.";
        find(FindingCode::LeakedPrompt, better.to_owned());
    }
    if leaks_note(said.note, answer) {
        find(FindingCode::LeakedNote, "The answer repeats the note, which is not for the user.".to_owned());
    } else if plays_both(answer) {
        find(FindingCode::LeakedNote, "The answer speaks for the user: write only your own part.".to_owned());
    }
    if echoes(said.message, answer) {
        let better = "The answer gives the user's message back: take up one particular of it, and ask.";
        find(FindingCode::Echo, better.to_owned());
    }
    if !said.asks_back && repeats(said.transcript, answer) {
        find(FindingCode::Repeated, "The answer says again what an earlier one said: say something else.".to_owned());
    }
    let asked = questions(answer);
    if asked.is_empty() && !said.asks_back && refuses(answer) {
        let better = "The answer turns the user away, who has only told something: take up one thing of it, and ask.";
        find(FindingCode::Refuses, better.to_owned());
    }
    let limit = engine.definition().agenda.max_questions as usize;
    if asked.len() > limit {
        find(
            FindingCode::TooManyQuestions,
            format!("The answer asks {} questions, at most {limit} are allowed.", asked.len()),
        );
    }
    let lexicon = engine.reader().lexicon(memory.language.current.as_deref());
    for fault in lexicon.into_iter().flat_map(|lexicon| asked.iter().flat_map(|q| question_faults(lexicon, q))) {
        find(FindingCode::FaultyQuestion, format!("In a question, {fault}."));
    }
    for label in re_asked(engine, memory, &asked, answer) {
        find(FindingCode::ReAsked, format!("“{label}” is settled or set aside; do not ask about it again."));
    }
    let words = answer.split_whitespace().count();
    let most = engine.definition().qa.max_words as usize;
    if words > most {
        find(FindingCode::TooLong, format!("The answer has {words} words, at most {most} are allowed."));
    }
    if let Some(language) = other_language(engine, memory, said.message, answer) {
        find(FindingCode::OtherLanguage, format!("The answer is in another language; write it in “{language}”."));
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

/// So many words in a row of what every model is told are not said by chance.
const OF_CONTRACT: usize = 5;

/// Whether an answer says what every model is told: "I will take the open point that follows".
fn speaks_of_contract(answer: &str) -> bool {
    let stated: String = statements(answer).collect();
    longest_run(&spoken(CONTRACT), &spoken(&stated)) >= OF_CONTRACT
}

/// Whether a sentence of an answer only names a point of the list, as a heading: "…: Trigger event."
fn names_point(engine: &Engine, memory: &WorkingMemory, answer: &str) -> bool {
    let language = memory.language.current.as_deref().unwrap_or_default();
    let named = |sentence: &str| {
        let (_, tail) = sentence.rsplit_once(':')?;
        let tail = folded(tail);
        let names = |o: &Obligation| {
            let other = o.name_in.get(language).map(|name| folded(&name.value));
            folded(&o.name) == tail || other.is_some_and(|other| other == tail)
        };
        Some(engine.definition().obligations.iter().any(names))
    };
    statements(answer).any(|sentence| !sentence.ends_with('\n') && named(sentence).unwrap_or(false))
}

/// The language of the conversation, where an answer is surely in another. The user may have changed to it just now.
fn other_language<'m>(engine: &Engine, memory: &'m WorkingMemory, message: &str, answer: &str) -> Option<&'m str> {
    let current = memory.language.current.as_deref()?;
    let written = engine.reader().detected(answer).filter(|written| written != current)?;
    let also_said = !memory.language.chosen && engine.reader().detected(message).as_ref() == Some(&written);
    (!also_said).then_some(current)
}

/// The questions in an answer, code blocks and quotations left out.
pub fn questions(answer: &str) -> Vec<String> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in answer.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !line.trim_start().starts_with('>') {
            // A colon ends no question: "What decides: value or effort?" is asked as a whole.
            let parts = line.split_inclusive(['.', '!', '?']).filter(|part| part.ends_with('?'));
            found.extend(parts.map(|part| part.trim().to_owned()).filter(|part| part.len() > 3));
        }
    }
    found
}

/// An answer with its first questions only; everything else of it stays.
pub(super) fn with_questions(answer: &str, most: usize) -> String {
    let mut left = most;
    let mut fenced = false;
    let mut kept = String::new();
    for line in answer.split_inclusive('\n') {
        fenced ^= line.trim_start().starts_with("```");
        if fenced || line.trim_start().starts_with(['>', '`']) {
            kept.push_str(line);
            continue;
        }
        for part in line.split_inclusive(['.', '!', '?']) {
            let asks = part.ends_with('?') && part.trim().len() > 3;
            if !asks || left > 0 {
                kept.push_str(part);
            }
            left = left.saturating_sub(usize::from(asks));
        }
    }
    kept.trim_end().to_owned()
}

/// Whether an answer that was cut is worth its end: nothing is wrong with what has come, and it has not come to its
/// question. What has, ends with its last whole sentence; the rest is written anew.
pub(crate) fn is_worth_its_end(engine: &Engine, memory: &WorkingMemory, said: &Said<'_>, begun: &str) -> bool {
    let hopeless = |finding: &Finding| {
        let code = finding.code;
        (code.is_unfit() && code != FindingCode::Empty)
            || matches!(code, FindingCode::TooManyQuestions | FindingCode::TooLong)
    };
    !asks_something(begun) && !check(engine, memory, said, begun).iter().any(hopeless)
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
    if has_phrase(&folded(answer), &folded(&text)) {
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

/// Obligations whose question stands in an answer: each question asks for the one it is most like. A question that is like
/// none of them asks for none of them.
pub(super) fn recognised(engine: &Engine, items: &[AgendaItem], answer: &str) -> Vec<String> {
    let likest = |question: &String| {
        let asked: BTreeSet<String> = content_words(question).collect();
        // A doubt has a question of its own, after what leads up to it.
        let like = |item: &AgendaItem| match questions(&item.question).pop().filter(|_| item.doubt.is_some()) {
            Some(own) => shared(&content_words(&own).collect(), &asked),
            None => shared(engine.question_words(&item.obligation), &asked),
        };
        // The first of those that are alike: what is asked for is the most important.
        let best = items.iter().rev().max_by(|a, b| like(a).total_cmp(&like(b)))?;
        (like(best) >= SAME_QUESTION).then_some(best.obligation.as_str())
    };
    let asked: Vec<String> = questions(answer);
    let asked: Vec<&str> = asked.iter().filter_map(likest).collect();
    let shows_all = |item: &AgendaItem| {
        !item.to_confirm.is_empty() && item.to_confirm.iter().all(|(_, value)| shows(value, answer))
    };
    let is_asked = |item: &&AgendaItem| asked.contains(&item.obligation.as_str()) || shows_all(item);
    items.iter().filter(is_asked).map(|item| item.obligation.clone()).collect()
}

/// The share of one set of words that is in another.
pub fn shared(wanted: &BTreeSet<String>, asked: &BTreeSet<String>) -> f64 {
    if wanted.is_empty() { 0.0 } else { wanted.intersection(asked).count() as f64 / wanted.len() as f64 }
}

/// Settled obligations, and those set aside, that an answer asks for: in the words of their own question, or by their
/// name in a question that has hardly another word. A question that is at least as like one that is still open asks for
/// that one.
fn re_asked(engine: &Engine, memory: &WorkingMemory, questions: &[String], answer: &str) -> Vec<String> {
    let asked = questions;
    if asked.is_empty() {
        return Vec::new();
    }
    let definition = engine.definition();
    // What stands before a colon may only lead up to the question, and may be half of it.
    let tails = asked.iter().filter_map(|question| question.rsplit_once(':')).map(|(_, tail)| tail);
    let asked: Vec<BTreeSet<String>> =
        asked.iter().map(String::as_str).chain(tails).map(|question| content_words(question).collect()).collect();
    let settled = |o: &&Obligation| matches!(memory.obligations.status(&o.id), Status::Satisfied | Status::Deferred);
    let open: Vec<&Obligation> = definition.obligations.iter().filter(|o| !settled(o)).collect();
    let likest_open = |question: &BTreeSet<String>| {
        let like = |o: &&Obligation| {
            let named: BTreeSet<String> = content_words(&o.name).collect();
            shared(engine.question_words(&o.id), question).max(shared(&named, question))
        };
        open.iter().map(like).fold(0.0, f64::max)
    };
    // Who gives back what is known asks whether it is right, and not for it.
    let gives_back = |o: &Obligation| {
        let values = o.satisfied_by.iter().filter_map(|path| memory.extraction.value(path));
        values.into_iter().any(|value| shows(value, answer))
    };
    let again = |o: &&Obligation| {
        let own = engine.question_words(&o.id);
        let name: BTreeSet<String> = content_words(&o.name).collect();
        let by_words = |question: &BTreeSet<String>| {
            let like = shared(own, question);
            own.len() >= 3 && like >= 0.75 && likest_open(question) < like
        };
        let by_name = |question: &BTreeSet<String>| {
            let short = question.len() <= name.len() + SHORT;
            short && shared(&name, question) >= 1.0 && likest_open(question) < 1.0 && !gives_back(o)
        };
        asked.iter().any(|question| by_words(question) || by_name(question))
    };
    let in_other_words = aim::re_asked(engine, memory, questions, answer);
    let found = |o: &&Obligation| in_other_words.contains(&*o.id) || (settled(o) && again(o));
    definition.obligations.iter().filter(found).map(|o| o.name.clone()).collect()
}

/// So many telling words a question may have beside the name of what it asks for.
const SHORT: usize = 1;
