//! The inspector: a turn's steps, triggers, techniques, modes, context, extraction and calls.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::Value;

use super::{Line, lines, window};
use crate::app::inspector::{Inspector, Page};
use crate::app::model::Model;
use crate::engine::config::Mode;
use crate::engine::values::brief_text;
use crate::ui::paint::{Look, put};
use crate::ui::theme::Scope;

/// Draws the inspector.
pub fn draw(model: &Model, inspector: &Inspector, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let last = model.session.as_ref().map_or(0, |session| session.memory.turn);
    let title = format!("Inspector {} turn {} of {last}", look.glyphs.separator, inspector.turn);
    let inner = window(buf, area, 120, area.height.saturating_sub(2).max(5), &title, look);
    let mut x = inner.x;
    for page in Page::ALL {
        let scope = if page == inspector.page { Scope::ListSelected } else { Scope::Muted };
        x = put(buf, x, inner.y, inner.right().saturating_sub(x), &format!(" {} ", page.title()), look.style(scope));
    }
    let gap = u16::from(inner.height > 6);
    let body = Rect { y: inner.y + 1 + gap, height: inner.height.saturating_sub(1 + gap), ..inner };
    let all = match model.turns.get(&inspector.turn) {
        None if last == 0 => vec![("Nothing has happened yet.".to_owned(), look.style(Scope::Muted))],
        None => vec![("looking".to_owned(), look.style(Scope::Muted))],
        Some(turn) => page(turn, inspector.page, look),
    };
    lines(buf, body, inspector.top, &all, look);
}

fn page(turn: &Value, page: Page, look: Look<'_>) -> Vec<Line> {
    let found = match page {
        Page::Steps => steps(turn, look),
        Page::Triggers => triggers(turn, look),
        Page::Techniques => techniques(turn, look),
        Page::Modes => modes(turn, look),
        Page::Context => context(turn, look),
        Page::Extraction => extraction(turn, look),
        Page::Calls => calls(turn, look),
    };
    if found.is_empty() { vec![("nothing".to_owned(), look.style(Scope::Muted))] } else { found }
}

fn each<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().map_or(&[][..], Vec::as_slice).iter()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_default()
}

fn steps(turn: &Value, look: Look<'_>) -> Vec<Line> {
    let line = |step: &Value| {
        let (at, ms) = (number(step, "step"), number(step, "ms"));
        format!("{at:>2}  {:<28} {ms:>9.1} ms  {}", text(step, "name"), text(step, "outcome"))
    };
    each(turn, "steps").map(|step| (line(step), look.style(Scope::Overlay))).collect()
}

fn triggers(turn: &Value, look: Look<'_>) -> Vec<Line> {
    let mut all = Vec::new();
    for way in each(&turn["transition"], "ways") {
        let fired = way["fired"].as_bool().unwrap_or(false);
        let scope = if fired { Scope::Good } else { Scope::Muted };
        let word = if fired { "fired" } else { "did not fire" };
        all.push((format!("to {}: {word}", text(way, "to")), look.style(scope)));
        for trigger in each(way, "triggers") {
            let holds = trigger["holds"].as_bool().unwrap_or(false);
            let sign = if holds { look.glyphs.done } else { look.glyphs.failed };
            let name = format!("{} {}", text(trigger, "condition"), text(trigger, "about"));
            let (value, threshold) = (number(trigger, "value"), number(trigger, "threshold"));
            let scope = if holds { Scope::Good } else { Scope::Overlay };
            all.push((format!("  {sign} {name:<46} {value:>6.2} of {threshold:.2}"), look.style(scope)));
        }
        for block in each(way, "blocked_by") {
            all.push((format!("  held up by {}", brief_text(block)), look.style(Scope::Warning)));
        }
    }
    all.extend(each(&turn["transition"], "faults").map(|fault| (brief_text(fault), look.style(Scope::Bad))));
    all
}

fn techniques(turn: &Value, look: Look<'_>) -> Vec<Line> {
    let line = |technique: &Value| {
        let chosen = technique["chosen"].as_bool().unwrap_or(false);
        let sign = if chosen { look.glyphs.done } else { " " };
        let cooldown = technique["cooldown_left"].as_u64().unwrap_or(0);
        let rest = if cooldown > 0 { format!("rests for {cooldown} turns") } else { String::new() };
        let text = format!("{sign} {:<32} score {:>5.2}  {rest}", text(technique, "id"), number(technique, "score"));
        (text, look.style(if chosen { Scope::Good } else { Scope::Overlay }))
    };
    each(turn, "techniques").map(line).collect()
}

fn modes(turn: &Value, look: Look<'_>) -> Vec<Line> {
    let observed = turn["modes"]["observed"].as_array();
    let line = |mode: &Mode| {
        let target = number(&turn["target"], mode.word());
        let seen = observed.and_then(|shares| shares.get(*mode as usize)).and_then(Value::as_f64);
        let seen = seen.map_or_else(|| "—".to_owned(), |share| format!("{share:.0} %"));
        (format!("{:<12} target {target:>3.0} %   observed {seen:>6}", mode.word()), look.style(Scope::Overlay))
    };
    Mode::ALL.iter().map(line).collect()
}

fn context(turn: &Value, look: Look<'_>) -> Vec<Line> {
    let line = |section: &Value| {
        let (tokens, budget) = (number(section, "tokens"), number(section, "budget"));
        let scope = if budget > 0.0 && tokens > budget { Scope::Warning } else { Scope::Overlay };
        (format!("{:<26} {tokens:>7.0} of {budget:>7.0} tokens", text(section, "section")), look.style(scope))
    };
    each(turn, "context").map(line).collect()
}

fn extraction(turn: &Value, look: Look<'_>) -> Vec<Line> {
    let mut all = Vec::new();
    for change in each(turn, "changes").chain(each(turn, "notes")) {
        let head =
            format!("{:<10} {:<40} {:.2}", text(change, "kind"), text(change, "path"), number(change, "confidence"));
        all.push((head, look.style(Scope::Overlay)));
        all.push((format!("           {}", brief_text(&change["value"])), look.style(Scope::Strong)));
        if let Some(quote) = change["evidence"]["quote"].as_str() {
            all.push((format!("           “{quote}”"), look.style(Scope::Quote)));
        }
    }
    all
}

fn calls(turn: &Value, look: Look<'_>) -> Vec<Line> {
    let line = |call: &Value| {
        let tokens = format!("{:.0} in, {:.0} out", number(call, "input_tokens"), number(call, "output_tokens"));
        let estimated = if call["estimated"].as_bool().unwrap_or(false) { " (estimated)" } else { "" };
        let text = format!(
            "{:<10} {:<28} {tokens}{estimated}  ${:.4}  {:.0} ms",
            text(call, "role"),
            text(call, "model"),
            number(call, "cost_usd"),
            number(call, "latency_ms")
        );
        (text, look.style(Scope::Overlay))
    };
    each(turn, "calls").map(line).collect()
}
