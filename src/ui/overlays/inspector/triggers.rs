//! The ways out of the phase: each trigger with its value against its threshold, and what came of it.

use serde_json::Value;

use super::figures::{each, is, number, text};
use super::{COLUMNS, Line, WIDE, bar, hanging};
use crate::engine::values::brief_text;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;

pub fn page(turn: &Value, width: usize, look: Look<'_>) -> Vec<Line> {
    let mut all = Vec::new();
    let mut say = |before: &str, words: &str, scope: Scope| {
        all.extend(hanging(before, words, width).into_iter().map(|row| (row, look.style(scope))));
    };
    let transition = &turn["transition"];
    let (verdict, scope) = verdict(transition);
    say("", &verdict, scope);
    for way in each(transition, "ways") {
        say("", "", Scope::Overlay);
        let held_up = each(way, "blocked_by").next().is_some();
        let (word, scope) = match (is(way, "fired"), held_up) {
            (true, true) => ("fired, but held up", Scope::Warning),
            (true, false) => ("fired", Scope::Good),
            (false, _) => ("did not fire", Scope::Muted),
        };
        say("", &format!("to {}: {word}", text(way, "to")), scope);
        for trigger in each(way, "triggers") {
            let scope = if is(trigger, "holds") { Scope::Good } else { Scope::Overlay };
            say(&sign(trigger, look), &condition(trigger, width, look), scope);
        }
        if each(way, "entry").next().is_some() {
            say("  ", "to be entered:", Scope::Muted);
        }
        for entry in each(way, "entry") {
            let scope = if is(entry, "holds") { Scope::Good } else { Scope::Warning };
            say(&sign(entry, look), &condition(entry, width, look), scope);
        }
        for block in each(way, "blocked_by") {
            say("  held up by ", &brief_text(block), Scope::Warning);
        }
    }
    for fault in each(transition, "faults") {
        say("  failed and scored 0: ", &brief_text(fault), Scope::Bad);
    }
    all
}

/// What came of it, and why, in a sentence.
fn verdict(transition: &Value) -> (String, Scope) {
    if !transition.is_object() {
        return ("The triggers have not been looked at yet.".to_owned(), Scope::Muted);
    }
    let fired = each(transition, "ways").find(|way| is(way, "fired"));
    let reasons = |way: &Value| {
        let held = each(way, "triggers").filter(|trigger| is(trigger, "holds"));
        held.map(|trigger| {
            let sign = if is(trigger, "below") { "<" } else { "≥" };
            format!("{} {:.2} {sign} {:.2}", name(trigger), number(trigger, "value"), number(trigger, "threshold"))
        })
        .collect::<Vec<_>>()
        .join(", ")
    };
    let target = transition["target"].as_str();
    let taken = target.and_then(|target| each(transition, "ways").find(|way| text(way, "to") == target));
    match (target, taken, fired) {
        (Some(target), Some(way), _) => (format!("The phase moves on to {target}: {}.", reasons(way)), Scope::Good),
        (Some(target), None, _) => (format!("The phase moves on to {target}."), Scope::Good),
        (None, _, Some(way)) => {
            let blocks: Vec<String> = each(way, "blocked_by").map(brief_text).collect();
            let blocks = blocks.join("; ");
            (
                format!("The phase stays: {} would lead to {}, but {blocks}.", reasons(way), text(way, "to")),
                Scope::Warning,
            )
        }
        (None, _, None) if each(transition, "ways").next().is_none() => {
            ("The phase stays: there is no way out of it.".to_owned(), Scope::Muted)
        }
        (None, ..) => ("The phase stays: no trigger has fired.".to_owned(), Scope::Muted),
    }
}

fn name(condition: &Value) -> String {
    format!("{} {}", text(condition, "condition"), text(condition, "about")).trim_end().to_owned()
}

/// Whether a condition holds.
fn sign(condition: &Value, look: Look<'_>) -> String {
    format!("  {} ", if is(condition, "holds") { look.glyphs.done } else { look.glyphs.failed })
}

/// A condition: its value as a bar with a tick at the threshold, and what is missing.
fn condition(condition: &Value, width: usize, look: Look<'_>) -> String {
    let (value, threshold) = (number(condition, "value"), number(condition, "threshold"));
    let whole = value.max(threshold).max(1.0);
    let digits = if text(condition, "condition").ends_with("turn_count") { 0 } else { 2 };
    let missing = threshold - value;
    let below = is(condition, "below");
    let short = if is(condition, "holds") || below { String::new() } else { format!(", {missing:.digits$} short") };
    let of = if below { "below" } else { "of" };
    let figures = format!("{value:>5.digits$} {of} {threshold:.digits$}{short}");
    let name = name(condition);
    if width < COLUMNS {
        return format!("{name} {}", figures.trim_start());
    }
    let (column, columns) = if width < WIDE { (34, 8) } else { (48, 16) };
    format!("{name:<column$} {} {figures}", bar(value / whole, Some(threshold / whole), columns, look))
}
