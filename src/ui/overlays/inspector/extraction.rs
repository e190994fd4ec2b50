//! What was learned, with the words behind it, and what was not believed.

use super::{Line, hanging};
use crate::engine::extraction::{Change, ChangeKind};
use crate::engine::figures::TurnFigures;
use crate::engine::values::brief_text;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;

const INDENT: &str = "           ";

pub fn page(turn: &TurnFigures, width: usize, look: Look<'_>) -> Vec<Line> {
    let mut all = Vec::new();
    let mut say = |before: &str, words: &str, scope: Scope| {
        all.extend(hanging(before, words, width).into_iter().map(|row| (row, look.style(scope))));
    };
    for change in &turn.changes {
        say(&sign(change.kind), &format!("{}  {:.2}", change.path, change.confidence), scope(change.kind));
        values(change, &mut say);
        reason(&change.reason, &mut say);
    }
    let told = turn.extraction();
    // A turn under way knows its changes by what the step has told of them, which is without values.
    for noted in told.iter().flat_map(|told| &told.changes).filter(|_| turn.changes.is_empty()) {
        say(&sign(noted.kind), &noted.path, scope(noted.kind));
        reason(&noted.reason, &mut say);
    }
    for refused in told.iter().flat_map(|told| &told.refused) {
        say("refused    ", &refused.path, Scope::Bad);
        say(INDENT, &refused.reason, Scope::Muted);
    }
    if all.is_empty() {
        all.push(("Nothing was learned in this turn.".to_owned(), look.style(Scope::Muted)));
    }
    all
}

fn values(change: &Change, say: &mut impl FnMut(&str, &str, Scope)) {
    if !change.value.is_null() {
        say(INDENT, &brief_text(&change.value), Scope::Strong);
    }
    if let Some(previous) = change.previous.as_ref().filter(|value| !value.is_null()) {
        say(INDENT, &format!("before: {}", brief_text(previous)), Scope::Muted);
    }
    if let Some(evidence) = &change.evidence {
        say(INDENT, &format!("turn {}: “{}”", evidence.turn, evidence.quote), Scope::Quote);
    }
}

fn reason(reason: &str, say: &mut impl FnMut(&str, &str, Scope)) {
    if !reason.is_empty() {
        say(INDENT, reason, Scope::Muted);
    }
}

fn sign(kind: ChangeKind) -> String {
    format!("{:<10} ", kind.word())
}

fn scope(kind: ChangeKind) -> Scope {
    if kind.is_accepted() { Scope::Good } else { Scope::Warning }
}
