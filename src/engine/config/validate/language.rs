//! A language: what the interviewer says on every occasion, and rules that point to it.

use crate::decode::Problems;
use crate::engine::config::language::{Examples, Language};

/// Occasions on which the interviewer needs words.
const OCCASIONS: &[&str] = &[
    "greeting",
    "thanks",
    "off_topic",
    "meaning",
    "no_meaning",
    "why",
    "no_why",
    "example",
    "no_example",
    "left",
    "left_one",
    "left_none",
    "list",
    "list_empty",
    "list_line",
    "pause",
    "stop",
    "back",
    "back_none",
    "skip",
    "decline",
    "unknown",
    "said_already",
    "said_offered",
    "said_missing",
    "said_missing_plain",
    "said_left",
    "your_part",
    "your_part_plain",
    "wrong",
    "wrong_none",
    "recall",
    "recall_none",
    "repeat",
    "export",
    "who_reads",
    "how_it_works",
    "objection",
    "missed",
    "bare",
    "which_wrong",
    "taken",
    "taken_asked",
    "taken_meant",
    "noted",
    "noted_long",
    "changed",
    "taken_back",
    "volunteered",
    "confirm_said",
    "confirm_earlier",
    "confirm_named",
    "missing_part",
    "missing_choice",
    "again",
    "contradiction",
    "contradiction_by",
    "addition",
    "phase_done",
    "all",
    "ready",
    "ending",
    "still_open",
    "offline",
    "foreign",
    "handed_over",
    "review_open",
    "review_named",
    "yes",
    "no",
    "or",
];

pub fn check(language: &Language, problems: &mut Problems) {
    for occasion in OCCASIONS {
        if language.replies.get(*occasion).is_none_or(|wordings| wordings.is_empty()) {
            let message = format!("there are no words for the occasion `{occasion}`");
            problems.error("missing-reply", language.at.of("replies"), message);
        }
    }
    for rule in &language.acts {
        if let Some(reply) = rule.reply.as_ref().filter(|reply| language.replies.get(reply.as_str()).is_none()) {
            let known = language.replies.keys().map(String::as_str);
            problems
                .error("bad-reference", reply.span.clone(), format!("there is no reply `{reply}`"))
                .suggest(reply, known);
        }
    }
}

/// Examples belong to rules that there are.
pub fn check_examples(language: &Language, examples: &Examples, problems: &mut Problems) {
    let known = || language.acts.iter().map(|rule| rule.rule.as_str());
    for (name, lines) in examples.rules.iter() {
        if !known().any(|rule| rule == name) {
            problems
                .error("bad-reference", lines.span.clone(), format!("there is no rule `{name}`"))
                .suggest(name, known());
        }
    }
}
