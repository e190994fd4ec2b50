//! The review of a handoff.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Line, lines, window};
use crate::app::layout::{centered, inside};
use crate::app::model::Model;
use crate::app::overlay::HandoffReview;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

/// The columns of the window, where there are that many.
const WIDTH: u16 = 84;

pub fn draw(_model: &Model, review: &HandoffReview, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let tallest = area.height.saturating_sub(2).max(5);
    let columns = usize::from(inside(centered(area, WIDTH, tallest)).width.saturating_sub(2));
    let (plain, title, muted) = (look.style(Scope::Overlay), look.style(Scope::Accent), look.style(Scope::Muted));
    let dot = look.glyphs.separator;
    let mut all: Vec<Line> =
        vec![(format!("To {} {dot} y accept {dot} e edit {dot} n decline {dot} Esc later", review.target), muted)];
    for problem in &review.problems {
        all.extend(wrap_text(problem, columns).into_iter().map(|row| (row, look.style(Scope::Bad))));
    }
    let handoff = &review.handoff;
    let actions = &handoff.action_list;
    let awareness = &handoff.situation_awareness;
    let mut section = |name: &str, items: Vec<String>| {
        if items.is_empty() {
            return;
        }
        all.push((String::new(), plain));
        all.push((name.to_owned(), title));
        for item in items {
            let rows = wrap_text(&item, columns.saturating_sub(2));
            all.extend(rows.into_iter().enumerate().map(|(at, row)| {
                let mark = if at == 0 { look.glyphs.bullets[0] } else { " " };
                (format!("{mark} {row}"), plain)
            }));
        }
    };
    let decisions = actions.decisions_reached.iter();
    section(
        "Decided",
        decisions.map(|item| format!("{} ({:.2}): {}", item.decision, item.confidence, item.reasoning)).collect(),
    );
    let eliminated = actions.options_eliminated.iter();
    section("Out", eliminated.map(|item| format!("{}: {}", item.option, item.reasons.join("; "))).collect());
    let constraints = actions.constraints_identified.iter();
    section("Limits", constraints.map(|item| format!("{}: {}", item.constraint, item.implication)).collect());
    section(
        "Taken for granted",
        actions.assumptions_carried_forward.iter().map(|item| item.assumption.clone()).collect(),
    );
    section("Goals", awareness.user_goals.clone());
    section("What hurts", awareness.key_pain_points.clone());
    section("Not known yet", awareness.knowledge_gaps_revealed.clone());
    let phases = handoff.phase_results.iter();
    section(
        "What the phases brought",
        phases.map(|phase| format!("{}: {}", phase.phase_name, phase.key_outputs)).collect(),
    );
    let height = (all.len() as u16).saturating_add(2).min(tallest);
    let inner = window(buf, area, WIDTH, height, &review.label, look);
    lines(buf, inner, review.top, &all, look);
}
