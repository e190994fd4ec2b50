//! What was learned, with the words behind it, and what was not believed.

use serde_json::Value;

use super::figures::{each, number, step, text};
use super::{Line, hanging};
use crate::engine::step::Step;
use crate::engine::values::brief_text;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;

const INDENT: &str = "           ";

pub fn page(turn: &Value, width: usize, look: Look<'_>) -> Vec<Line> {
    let mut all = Vec::new();
    let mut say = |before: &str, words: &str, scope: Scope| {
        all.extend(hanging(before, words, width).into_iter().map(|row| (row, look.style(scope))));
    };
    for change in each(turn, "changes") {
        let kind = text(change, "kind");
        let scope = match kind {
            "new" | "update" | "supersede" => Scope::Good,
            _ => Scope::Warning,
        };
        let confidence = change["confidence"].as_f64().map(|sure| format!("  {sure:.2}")).unwrap_or_default();
        say(&format!("{kind:<10} "), &format!("{}{confidence}", text(change, "path")), scope);
        if !change["value"].is_null() {
            say(INDENT, &brief_text(&change["value"]), Scope::Strong);
        }
        if !change["previous"].is_null() {
            say(INDENT, &format!("before: {}", brief_text(&change["previous"])), Scope::Muted);
        }
        if let Some(quote) = change["evidence"]["quote"].as_str() {
            let turn = number(&change["evidence"], "turn");
            say(INDENT, &format!("turn {turn:.0}: “{quote}”"), Scope::Quote);
        }
        if !text(change, "reason").is_empty() {
            say(INDENT, text(change, "reason"), Scope::Muted);
        }
    }
    let details = step(turn, Step::Extraction).map_or(&Value::Null, |entry| &entry["details"]);
    for refused in each(details, "refused") {
        say("refused    ", text(refused, "path"), Scope::Bad);
        say(INDENT, text(refused, "reason"), Scope::Muted);
    }
    if all.is_empty() {
        all.push(("Nothing was learned in this turn.".to_owned(), look.style(Scope::Muted)));
    }
    all
}
