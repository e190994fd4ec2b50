//! The techniques that came into question, with what spoke for them and how long they rest; and the agenda they serve.

use serde_json::Value;

use super::figures::{each, is, number, step, text};
use super::{COLUMNS, Line, bar, hanging};
use crate::engine::step::Step;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;

pub fn page(turn: &Value, width: usize, look: Look<'_>) -> Vec<Line> {
    let top = each(turn, "techniques").map(|technique| number(technique, "score")).fold(1.0, f64::max);
    let mut all: Vec<Line> =
        each(turn, "techniques").flat_map(|technique| technique_rows(technique, top, width, look)).collect();
    if all.is_empty() {
        all.push(("The phase has no techniques.".to_owned(), look.style(Scope::Muted)));
    }
    let details = step(turn, Step::TechniqueSelection).map_or(&Value::Null, |entry| &entry["details"]);
    let mut agenda = each(details, "agenda").peekable();
    if agenda.peek().is_some() {
        all.push((String::new(), look.style(Scope::Overlay)));
        all.push(("Agenda".to_owned(), look.style(Scope::Accent)));
    }
    for item in agenda {
        let before = format!("  {:<30} {:>5.2}  ", text(item, "obligation"), number(item, "priority"));
        all.extend(
            hanging(&before, text(item, "question"), width).into_iter().map(|row| (row, look.style(Scope::Overlay))),
        );
    }
    all
}

fn technique_rows(technique: &Value, top: f64, width: usize, look: Look<'_>) -> Vec<Line> {
    let (id, speaks_for, chosen) = (text(technique, "id"), number(technique, "score"), is(technique, "chosen"));
    let (rest, scope) = match (technique["cooldown_left"].as_u64().unwrap_or(0), chosen) {
        (0, true) => ("in use".to_owned(), Scope::Good),
        (0, false) => ("could be used".to_owned(), Scope::Overlay),
        (1, _) => ("rests for 1 turn more".to_owned(), Scope::Muted),
        (turns, _) => (format!("rests for {turns} turns more"), Scope::Muted),
    };
    let words = if width < COLUMNS {
        format!("{id} {speaks_for:.2}, {rest}")
    } else {
        format!("{id:<26} {} {speaks_for:>5.2}  {rest}", bar(speaks_for / top, None, 12, look))
    };
    let sign = format!("{} ", if chosen { look.glyphs.done } else { " " });
    hanging(&sign, &words, width).into_iter().map(|row| (row, look.style(scope))).collect()
}
