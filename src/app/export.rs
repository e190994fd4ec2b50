//! What the user takes away: to a file, or to the clipboard.

use super::brief;
use super::effect::{Effect, TerminalEffect};
use super::model::Model;
use super::toasts::Level;
use crate::host::protocol::{Export, Query, SessionCommand};

const BRIEF: &str = "brief";
const TRANSCRIPT: &str = "transcript";
const BRIEF_COPIED: &str = "the brief is on the clipboard";
const TRANSCRIPT_COPIED: &str = "what was said is on the clipboard";

/// What the brief is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BriefFor {
    #[default]
    Reading,
    Clipboard,
}

/// `/export [brief|transcript] [file]`.
pub(crate) fn to_file(argument: &str) -> Vec<Effect> {
    let (first, rest) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let file = |name: &str| Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    let export = match first {
        TRANSCRIPT => Export::Transcript(file(rest)),
        BRIEF => Export::Brief(file(rest)),
        _ => Export::Brief(file(argument)),
    };
    vec![Effect::host(SessionCommand::Export(export))]
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
    if argument == BRIEF {
        model.brief_for = BriefFor::Clipboard;
    }
    copies(argument).map(Effect::host).into_iter().collect()
}

/// Takes the brief in, where it is shown and where it is to be copied.
pub(crate) fn brief_came(model: &mut Model, text: String) -> Vec<Effect> {
    brief::written(model, &text);
    if std::mem::take(&mut model.brief_for) == BriefFor::Reading {
        return Vec::new();
    }
    model.toasts.tell(Level::Info, BRIEF_COPIED, model.now);
    vec![TerminalEffect::Copy(text).into()]
}

pub(crate) fn transcript_came(model: &mut Model, text: String) -> Vec<Effect> {
    model.toasts.tell(Level::Info, TRANSCRIPT_COPIED, model.now);
    vec![TerminalEffect::Copy(text).into()]
}
