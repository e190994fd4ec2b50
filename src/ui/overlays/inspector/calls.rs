//! The calls of models: tokens, cost and how long each took.

use serde_json::Value;

use super::figures::{each, is, number, text};
use super::{COLUMNS, Line, WIDE, hanging};
use crate::ui::paint::Look;
use crate::ui::theme::Scope;

pub fn page(turn: &Value, width: usize, look: Look<'_>) -> Vec<Line> {
    if each(turn, "calls").next().is_none() {
        let text = if turn["calls"].is_array() { "No model was asked in this turn." } else { "No call has ended yet." };
        return vec![(text.to_owned(), look.style(Scope::Muted))];
    }
    let sum = |name: &str| each(turn, "calls").map(|call| number(call, name)).sum::<f64>();
    let names = ["input_tokens", "cached_tokens", "output_tokens", "cost_usd", "latency_ms"];
    let mut all = Vec::new();
    if width >= COLUMNS {
        let head = ["in", "cached", "out", "cost", "time"].map(ToOwned::to_owned);
        all.push((row("role", "model", &head, width), look.style(Scope::Muted)));
    }
    for call in each(turn, "calls") {
        let figures = written(names.map(|name| number(call, name)));
        let text = row(text(call, "role"), text(call, "model"), &figures, width);
        let estimated = if is(call, "estimated") { " est." } else { "" };
        let rows = hanging("", &format!("{text}{estimated}"), width);
        all.extend(rows.into_iter().map(|row| (row, look.style(Scope::Overlay))));
    }
    let rows = hanging("", &row("in all", "", &written(names.map(sum)), width), width);
    all.extend(rows.into_iter().map(|row| (row, look.style(Scope::Strong))));
    all
}

/// The figures of a call as they are read.
fn written([sent, cached, received, cost, ms]: [f64; 5]) -> [String; 5] {
    let time = if ms < 10_000.0 { format!("{ms:.0} ms") } else { format!("{:.1} s", ms / 1000.0) };
    [format!("{sent:.0}"), format!("{cached:.0}"), format!("{received:.0}"), format!("${cost:.4}"), time]
}

fn row(role: &str, model: &str, [sent, cached, received, cost, time]: &[String; 5], width: usize) -> String {
    if width < COLUMNS {
        return format!("{role} {model}: {sent} in, {cached} cached, {received} out, {cost}, {time}");
    }
    let column = if width < WIDE { 12 } else { 30 };
    let model: String = model.chars().take(column).collect();
    format!("{role:<10} {model:<column$} {sent:>8} {cached:>8} {received:>8} {cost:>9} {time:>9}")
}
