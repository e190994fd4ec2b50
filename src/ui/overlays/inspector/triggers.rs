//! The ways out of the phase: each trigger with its value against its threshold, and what came of it.

use super::{COLUMNS, Line, WIDE, bar, hanging};
use crate::engine::figures::TurnFigures;
use crate::engine::phases::{Evaluation, WayEvaluation};
use crate::engine::rule::RuleEvaluation;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;

pub fn page(turn: &TurnFigures, width: usize, look: Look<'_>) -> Vec<Line> {
    let mut all = Vec::new();
    let mut say = |before: &str, words: &str, scope: Scope| {
        all.extend(hanging(before, words, width).into_iter().map(|row| (row, look.style(scope))));
    };
    let Some(transition) = turn.transition() else {
        say("", "The triggers have not been looked at yet.", Scope::Muted);
        return all;
    };
    let (verdict, scope) = verdict(transition);
    say("", &verdict, scope);
    for way in &transition.ways {
        say("", "", Scope::Overlay);
        let (word, scope) = match (way.fired, !way.blocked_by.is_empty()) {
            (true, true) => ("fired, but held up", Scope::Warning),
            (true, false) => ("fired", Scope::Good),
            (false, _) => ("did not fire", Scope::Muted),
        };
        say("", &format!("to {}: {word}", way.to), scope);
        for trigger in &way.triggers {
            let scope = if trigger.holds { Scope::Good } else { Scope::Overlay };
            say(&sign(trigger, look), &condition(trigger, width, look), scope);
        }
        if !way.entry.is_empty() {
            say("  ", "to be entered:", Scope::Muted);
        }
        for entry in &way.entry {
            let scope = if entry.holds { Scope::Good } else { Scope::Warning };
            say(&sign(entry, look), &condition(entry, width, look), scope);
        }
        for block in &way.blocked_by {
            say("  held up by ", block, Scope::Warning);
        }
    }
    for fault in &transition.faults {
        say("  failed and scored 0: ", fault, Scope::Bad);
    }
    all
}

/// What came of it, and why, in a sentence.
fn verdict(transition: &Evaluation) -> (String, Scope) {
    let fired = transition.ways.iter().find(|way| way.fired);
    let reasons = |way: &WayEvaluation| {
        let held = way.triggers.iter().filter(|trigger| trigger.holds);
        held.map(|trigger| {
            let sign = if trigger.below { "<" } else { "≥" };
            format!("{} {:.2} {sign} {:.2}", name(trigger), trigger.value, trigger.threshold)
        })
        .collect::<Vec<_>>()
        .join(", ")
    };
    let target = transition.target.as_deref();
    let taken = target.and_then(|target| transition.ways.iter().find(|way| way.to == target));
    match (target, taken, fired) {
        (Some(target), Some(way), _) => (format!("The phase moves on to {target}: {}.", reasons(way)), Scope::Good),
        (Some(target), None, _) => (format!("The phase moves on to {target}."), Scope::Good),
        (None, _, Some(way)) => {
            let blocks = way.blocked_by.join("; ");
            (format!("The phase stays: {} would lead to {}, but {blocks}.", reasons(way), way.to), Scope::Warning)
        }
        (None, _, None) if transition.ways.is_empty() => {
            ("The phase stays: there is no way out of it.".to_owned(), Scope::Muted)
        }
        (None, ..) => ("The phase stays: no trigger has fired.".to_owned(), Scope::Muted),
    }
}

fn name(condition: &RuleEvaluation) -> String {
    let about = condition.about.as_deref().unwrap_or_default();
    format!("{} {about}", condition.condition).trim_end().to_owned()
}

/// Whether a condition holds.
fn sign(condition: &RuleEvaluation, look: Look<'_>) -> String {
    format!("  {} ", if condition.holds { look.glyphs.done } else { look.glyphs.failed })
}

/// A condition: its value as a bar with a tick at the threshold, and what is missing.
fn condition(condition: &RuleEvaluation, width: usize, look: Look<'_>) -> String {
    let (value, threshold) = (condition.value, condition.threshold);
    let whole = value.max(threshold).max(1.0);
    let digits = if condition.condition.ends_with("turn_count") { 0 } else { 2 };
    let missing = threshold - value;
    let below = condition.below;
    let short = if condition.holds || below { String::new() } else { format!(", {missing:.digits$} short") };
    let of = if below { "below" } else { "of" };
    let figures = format!("{value:>5.digits$} {of} {threshold:.digits$}{short}");
    let name = name(condition);
    if width < COLUMNS {
        return format!("{name} {}", figures.trim_start());
    }
    let (column, columns) = if width < WIDE { (34, 8) } else { (48, 16) };
    format!("{name:<column$} {} {figures}", bar(value / whole, Some(threshold / whole), columns, look))
}
