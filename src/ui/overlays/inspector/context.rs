//! What the model was shown, section by section: tokens against what each was allowed.

use serde_json::Value;

use super::figures::{each, is, number, step, text};
use super::{COLUMNS, Line, WIDE, bar};
use crate::engine::step::Step;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;

pub fn page(turn: &Value, width: usize, look: Look<'_>) -> Vec<Line> {
    let mut all: Vec<Line> = each(turn, "context").map(|section| line(section, width, look)).collect();
    if all.is_empty() {
        return vec![("The context has not been put together yet.".to_owned(), look.style(Scope::Muted))];
    }
    let used: f64 = each(turn, "context").map(|section| number(section, "tokens")).sum();
    all.push((format!("in all: {used:.0} tokens"), look.style(Scope::Strong)));
    for at in [Step::ContextAssembly, Step::CompressionCheck] {
        if let Some(entry) = step(turn, at) {
            all.push((format!("{}: {}", at.name(), text(entry, "outcome")), look.style(Scope::Muted)));
        }
    }
    all
}

fn line(section: &Value, width: usize, look: Look<'_>) -> Line {
    let (tokens, budget) = (number(section, "tokens"), number(section, "budget"));
    let cut = is(section, "cut");
    let scope = match (tokens, cut) {
        (_, true) => Scope::Warning,
        (0.0, _) => Scope::Muted,
        _ => Scope::Overlay,
    };
    let (name, rest) = (text(section, "section"), if cut { ", cut" } else { "" });
    let words = if width < COLUMNS {
        format!("{name}: {tokens:.0} of {budget:.0}{rest}")
    } else {
        let bar = bar(tokens / budget.max(1.0), None, if width < WIDE { 12 } else { 24 }, look);
        format!("{name:<26} {bar} {tokens:>6.0} of {budget:>6.0} tokens{rest}")
    };
    (words, look.style(scope))
}
