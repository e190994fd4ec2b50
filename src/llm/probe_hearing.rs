//! What a model made of a plain message when it was tried.

use serde_json::Value;

use super::json_text;
use super::probe::Wanted;
use crate::engine::words::Folded;

/// The most that a single short sentence can be reported to say.
const MOST_SAID: usize = 3;

/// What a model made of a plain message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hearing {
    /// It reported what was said.
    Right,
    /// It reported what was not: a quote that does not stand in the message, or far too many entries.
    Wrong,
    /// It reported nothing.
    Nothing,
    /// It sent no report.
    Unread,
}

pub(super) fn hearing(wanted: &Wanted, report: &str) -> Hearing {
    let said = Folded::new(&wanted.said);
    let Some(report) = json_text::object(report) else { return Hearing::Unread };
    let entries = report.get("fields").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let quote = |entry: &Value| Folded::new(entry.get("quote").and_then(Value::as_str).unwrap_or_default());
    let invented = |entry: &Value| said.find(&quote(entry)).is_none();
    match entries {
        [] if wanted.tells => Hearing::Nothing,
        entries if entries.len() > MOST_SAID || entries.iter().any(invented) => Hearing::Wrong,
        _ => Hearing::Right,
    }
}
