//! The question at the cap.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Line, lines, window};
use crate::app::keymap::{Action, Context, Motion};
use crate::app::model::Model;
use crate::app::overlay::{BudgetQuestion, cap_name};
use crate::engine::budget::Cap;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

pub fn draw(model: &Model, question: &BudgetQuestion, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let reached = &question.reached;
    let cap = reached.cap;
    let width = area.width.min(68);
    let columns = usize::from(width.saturating_sub(6));
    let key = |motion| {
        let chord = model.keymap.chord(Context::Overlay, Action::Do(motion));
        chord.map_or_else(String::new, |chord| chord.named(&model.words.key_names))
    };
    let says = &look.words.budget;
    let (spent, limit, needed) = (cap.figure(reached.spent), cap.amount(reached.limit), cap.figure(reached.needed));
    let name = cap_name(cap, says);
    let state = match cap {
        Cap::SessionUsd | Cap::DayUsd => says.spent_money(name, spent, limit, needed),
        Cap::SessionTokens | Cap::DayTokens => says.spent_tokens(name, spent, limit, needed),
    };
    let ways = [
        (Motion::Accept, says.raise(cap.amount(question.suggested()))),
        (Motion::Change, says.raise_other().to_owned()),
        (Motion::Later, says.offline().to_owned()),
        (Motion::Decline, says.stop().to_owned()),
    ];
    let mut all: Vec<Line> =
        wrap_text(&state, columns).into_iter().map(|row| (row, look.style(Scope::Overlay))).collect();
    all.push((String::new(), look.style(Scope::Overlay)));
    for (motion, words) in ways {
        let rows = wrap_text(&format!("{} {words}", key(motion)), columns);
        all.extend(rows.into_iter().map(|row| (row, look.style(Scope::Accent))));
    }
    let inner = window(buf, area, width, all.len() as u16 + 2, says.title(), look);
    // Where not all fits, the ways out matter more than the figures.
    lines(buf, inner, all.len(), &all, look);
}
