//! The techniques that came into question, with what spoke for them and how long they rest; and the agenda they serve.

use super::{COLUMNS, Line, bar, hanging};
use crate::engine::figures::TurnFigures;
use crate::engine::strategy::technique_scheduler::Considered;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;

pub fn page(turn: &TurnFigures, width: usize, look: Look<'_>) -> Vec<Line> {
    let top = turn.techniques().iter().map(|technique| technique.score).fold(1.0, f64::max);
    let mut all: Vec<Line> =
        turn.techniques().iter().flat_map(|technique| technique_rows(technique, top, width, look)).collect();
    if all.is_empty() {
        all.push(("The phase has no techniques.".to_owned(), look.style(Scope::Muted)));
    }
    if !turn.agenda().is_empty() {
        all.push((String::new(), look.style(Scope::Overlay)));
        all.push(("Agenda".to_owned(), look.style(Scope::Accent)));
    }
    for item in turn.agenda() {
        let before = format!("  {:<30} {:>5.2}  ", item.obligation, item.priority);
        all.extend(hanging(&before, &item.question, width).into_iter().map(|row| (row, look.style(Scope::Overlay))));
    }
    all
}

fn technique_rows(technique: &Considered, top: f64, width: usize, look: Look<'_>) -> Vec<Line> {
    let Considered { id, score: speaks_for, cooldown_left, chosen } = technique;
    let (rest, scope) = match (cooldown_left, chosen) {
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
    let sign = format!("{} ", if *chosen { look.glyphs.done } else { " " });
    hanging(&sign, &words, width).into_iter().map(|row| (row, look.style(scope))).collect()
}
