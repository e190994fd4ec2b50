//! The nineteen steps with their time and outcome.

use super::{COLUMNS, Line, hanging};
use crate::engine::figures::TurnFigures;
use crate::engine::step::Step;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;

/// As wide as the longest name.
const NAME: usize = 27;

pub fn page(turn: &TurnFigures, width: usize, look: Look<'_>) -> Vec<Line> {
    let mut all = Vec::new();
    let (mut sum, mut count) = (0.0, 0);
    for at in Step::ALL {
        let kept = turn.step(at);
        sum += kept.map_or(0.0, |entry| entry.ms);
        count += usize::from(kept.is_some());
        let time = kept.map_or_else(|| "-".to_owned(), |entry| format!("{:.1} ms", entry.ms));
        let outcome = kept.map_or(unmeasured(at, turn), |entry| entry.outcome.as_str());
        let scope = if kept.is_some() { Scope::Overlay } else { Scope::Muted };
        let rows = if width >= COLUMNS {
            hanging(&format!("{:>2}  {:<NAME$} {time:>10}  ", at.number(), at.name()), outcome, width)
        } else {
            let name = format!("{:>2}  {}", at.number(), at.name());
            std::iter::once(name).chain(hanging("    ", &format!("{time}  {outcome}"), width)).collect()
        };
        all.extend(rows.into_iter().map(|row| (row, look.style(scope))));
    }
    let sum = format!("{sum:.1} ms");
    all.push((format!("    {:<NAME$} {sum:>10}", format!("{count} steps")), look.style(Scope::Strong)));
    for warning in &turn.warnings {
        let sign = format!("{} ", look.glyphs.attention);
        all.extend(hanging(&sign, warning, width).into_iter().map(|row| (row, look.style(Scope::Warning))));
    }
    all
}

/// Why a step has no figures: it is still to come, or it came after they were kept.
fn unmeasured(step: Step, turn: &TurnFigures) -> &'static str {
    let kept = turn.step(Step::ExitTransitions).is_some();
    match step {
        Step::PersistState | Step::Return if kept => "done; the figures were kept before it ended",
        _ => "",
    }
}
