//! The question at the cap.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Line, lines, window};
use crate::app::keymap::{Action, Context};
use crate::app::model::Model;
use crate::app::overlay::BudgetQuestion;
use crate::ui::paint::Look;
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

pub fn draw(model: &Model, question: &BudgetQuestion, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let width = area.width.min(68);
    let columns = usize::from(width.saturating_sub(6));
    let key = |motion| {
        let chord = model.keymap.chord(Context::Overlay, Action::Do(motion));
        chord.map_or_else(String::new, |chord| chord.named(&model.words.key_names))
    };
    let says = &look.words.budget;
    let state = question.in_words(says);
    let mut all: Vec<Line> =
        wrap_text(&state, columns).into_iter().map(|row| (row, look.style(Scope::Overlay))).collect();
    all.push((String::new(), look.style(Scope::Overlay)));
    for (motion, words) in question.ways(says) {
        let rows = wrap_text(&format!("{} {words}", key(motion)), columns);
        all.extend(rows.into_iter().map(|row| (row, look.style(Scope::Accent))));
    }
    let inner = window(buf, area, width, all.len() as u16 + 2, says.title(), look);
    // Where not all fits, the ways out matter more than the figures.
    lines(buf, inner, all.len(), &all, look);
}
