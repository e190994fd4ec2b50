//! What the user takes away: to a file, or to the clipboard.

use super::brief;
use super::effect::{Effect, TerminalEffect};
use super::model::Model;
use super::toasts::Level;
use crate::host::protocol::{Export, ImportedAnswer, ImportedAnswers, Query, RequestId, SessionCommand, WhatBecame};

const BRIEF: &str = "brief";
const TRANSCRIPT: &str = "transcript";

/// `/export [brief|transcript] [file]`.
pub(crate) fn to_file(argument: &str) -> Vec<Effect> {
    // What is meant may stand before the name of the file or behind it.
    let (first, rest) = match argument.rsplit_once(char::is_whitespace) {
        Some((file, what @ (BRIEF | TRANSCRIPT))) => (what, file),
        _ => argument.split_once(char::is_whitespace).unwrap_or((argument, "")),
    };
    let file = |name: &str| Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    let export = match first {
        TRANSCRIPT => Export::Transcript(file(rest)),
        BRIEF => Export::Brief(file(rest)),
        _ => Export::Brief(file(argument)),
    };
    vec![Effect::host(SessionCommand::Export(export))]
}

/// `/answers file speaker`. A name of a file with spaces in it stands in quotes.
pub(crate) fn answers(model: &mut Model, argument: &str) -> Vec<Effect> {
    let quoted = argument.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let (file, speaker) = quoted.or_else(|| argument.split_once(char::is_whitespace)).unwrap_or((argument, ""));
    let (file, speaker) = (file.trim().to_owned(), speaker.trim().to_owned());
    if file.is_empty() || speaker.is_empty() {
        model.toasts.tell(Level::Info, model.words.chat.answers_need(), model.now);
        return Vec::new();
    }
    if model.turn.is_some() {
        model.toasts.tell(Level::Info, model.words.turns.on_its_way(), model.now);
        return Vec::new();
    }
    vec![Effect::host(SessionCommand::ImportAnswers { file, speaker })]
}

/// Tells what became of the answers of a form.
pub(crate) fn imported(model: &mut Model, told: &ImportedAnswers) {
    let is_fine = |answer: &&ImportedAnswer| {
        let is_read = matches!(answer.became, WhatBecame::Noted { .. } | WhatBecame::TakenInBefore { .. });
        is_read && answer.changed.is_empty() && answer.otherwise.is_empty()
    };
    let to_look_at = told.answers.iter().filter(|answer| !is_fine(answer));
    let lines: Vec<String> = to_look_at.map(|answer| answer.in_words(model.words)).collect();
    let level = if lines.is_empty() { Level::Info } else { Level::Warning };
    let short = told.in_short(model.words);
    let text = if lines.is_empty() { short } else { format!("{short}: {}", lines.join("; ")) };
    model.toasts.tell(level, text, model.now);
}

/// What `/copy` would have to ask for.
pub(crate) fn copies(argument: &str) -> Option<Query> {
    match argument {
        BRIEF => Some(Query::Brief),
        TRANSCRIPT => Some(Query::Transcript),
        _ => None,
    }
}

pub(crate) fn to_clipboard(model: &mut Model, argument: &str) -> Vec<Effect> {
    let Some(query) = copies(argument) else { return Vec::new() };
    let id = model.next_request();
    if argument == BRIEF {
        model.copied_brief = Some(id);
    }
    vec![Effect::numbered(id, query)]
}

/// Takes the brief in, to be shown or to be copied, as it was asked for.
pub(crate) fn brief_came(model: &mut Model, text: String, answers: Option<RequestId>) -> Vec<Effect> {
    brief::written(model, &text, answers);
    if answers.is_none() || model.copied_brief != answers {
        return Vec::new();
    }
    model.copied_brief = None;
    model.toasts.tell(Level::Info, model.words.chat.brief_copied(), model.now);
    vec![TerminalEffect::Copy(text).into()]
}

pub(crate) fn transcript_came(model: &mut Model, text: String) -> Vec<Effect> {
    model.toasts.tell(Level::Info, model.words.chat.transcript_copied(), model.now);
    vec![TerminalEffect::Copy(text).into()]
}

/// Nobody knows whether what was copied has arrived: that is told in place of what was told of it.
pub(crate) fn not_sure(model: &mut Model) -> Vec<Effect> {
    retract_copied(model);
    model.toasts.tell(Level::Info, model.words.chat.not_sure_copied(), model.now);
    Vec::new()
}

/// Nothing took it.
pub(crate) fn not_copied(model: &mut Model, problem: String) -> Vec<Effect> {
    retract_copied(model);
    model.toasts.tell(Level::Warning, problem, model.now);
    Vec::new()
}

fn retract_copied(model: &mut Model) {
    let says = &model.words.chat;
    let told = [
        says.message_copied(),
        says.code_copied(),
        says.brief_copied(),
        says.transcript_copied(),
        says.selection_copied(),
    ];
    for text in told {
        model.toasts.retract(text);
    }
}
