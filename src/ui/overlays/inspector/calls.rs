//! The calls of models: tokens, cost and how long each took; and what they looked up.

use super::{COLUMNS, Line, WIDE, hanging};
use crate::engine::figures::TurnFigures;
use crate::engine::ports::CallRecord;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;
use crate::words::english;

pub fn page(turn: &TurnFigures, width: usize, look: Look<'_>) -> Vec<Line> {
    if turn.calls.is_empty() {
        let text = if turn.are_measured() { "No model was asked in this turn." } else { "No call has ended yet." };
        return vec![(text.to_owned(), look.style(Scope::Muted))];
    }
    let mut all = Vec::new();
    if width >= COLUMNS {
        let head = ["in", "cached", "out", "cost", "time"].map(ToOwned::to_owned);
        all.push((row("role", "model", &head, width), look.style(Scope::Muted)));
    }
    for call in &turn.calls {
        let text = row(&call.role, &call.model, &written(call), width);
        let mark = match call {
            CallRecord { refused: true, .. } => " refused",
            CallRecord { estimated: true, .. } => " est.",
            _ => "",
        };
        let rows = hanging("", &format!("{text}{mark}"), width);
        all.extend(rows.into_iter().map(|row| (row, look.style(Scope::Overlay))));
    }
    let rows = hanging("", &row("in all", "", &written(&sum(&turn.calls)), width), width);
    all.extend(rows.into_iter().map(|row| (row, look.style(Scope::Strong))));
    all.extend(tools(turn, width, look));
    all
}

/// What the model looked up with tools: the answer rests on it.
fn tools(turn: &TurnFigures, width: usize, look: Look<'_>) -> Vec<Line> {
    let mut all = Vec::new();
    if !turn.tools.is_empty() {
        all.push((String::new(), look.style(Scope::Overlay)));
        all.push(("Tools that the model called".to_owned(), look.style(Scope::Muted)));
    }
    for used in &turn.tools {
        let scope = if used.failed.is_some() { Scope::Warning } else { Scope::Overlay };
        let text = format!("{}, {:.1} ms", used.in_words(english()), used.ms);
        all.extend(hanging("", &text, width).into_iter().map(|row| (row, look.style(scope))));
        let places = used.places.iter().flat_map(|place| hanging("    ", place, width));
        all.extend(places.map(|row| (row, look.style(Scope::Muted))));
    }
    all
}

fn sum(calls: &[CallRecord]) -> CallRecord {
    let add = |sum: CallRecord, call: &CallRecord| CallRecord {
        input_tokens: sum.input_tokens.saturating_add(call.input_tokens),
        cached_tokens: sum.cached_tokens.saturating_add(call.cached_tokens),
        output_tokens: sum.output_tokens.saturating_add(call.output_tokens),
        cost_usd: sum.cost_usd + call.cost_usd,
        latency_ms: sum.latency_ms.saturating_add(call.latency_ms),
        ..sum
    };
    calls.iter().fold(CallRecord::default(), add)
}

/// The figures of a call as they are read.
fn written(call: &CallRecord) -> [String; 5] {
    let CallRecord { input_tokens, cached_tokens, output_tokens, cost_usd, latency_ms, .. } = call;
    let time = match *latency_ms {
        ms @ 0..10_000 => format!("{ms} ms"),
        ms => format!("{:.1} s", ms as f64 / 1000.0),
    };
    [input_tokens.to_string(), cached_tokens.to_string(), output_tokens.to_string(), format!("${cost_usd:.4}"), time]
}

fn row(role: &str, model: &str, [sent, cached, received, cost, time]: &[String; 5], width: usize) -> String {
    if width < COLUMNS {
        return format!("{role} {model}: {sent} in, {cached} cached, {received} out, {cost}, {time}");
    }
    let column = if width < WIDE { 12 } else { 30 };
    let model: String = model.chars().take(column).collect();
    format!("{role:<10} {model:<column$} {sent:>8} {cached:>8} {received:>8} {cost:>9} {time:>9}")
}
