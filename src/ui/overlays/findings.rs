//! What was found while something is tested, and the doctor's window of it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use super::{Line, Window, lines};
use crate::app::layout::{centered, inside};
use crate::app::model::Model;
use crate::app::setup::examination::{Examination, State};
use crate::host::protocol::Outcome;
use crate::ui::paint::Look;
use crate::ui::status::{elapsed, tick};
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

/// The columns of the doctor's window, where there are that many.
const WIDTH: u16 = 110;
/// The columns of the names of what is looked at.
const AREAS: usize = 13;

/// The findings as rows, wrapped to columns or a row each, and what is still going on.
pub fn rows(examination: &Examination, model: &Model, columns: Option<usize>, look: Look<'_>) -> Vec<Line> {
    let mut all: Vec<Line> = Vec::new();
    for finding in &examination.findings {
        let (sign, scope) = match finding.outcome {
            Outcome::Works => (look.glyphs.done, Scope::Good),
            Outcome::Fails => (look.glyphs.failed, Scope::Bad),
            Outcome::Unknown => ("?", Scope::Warning),
        };
        let room = columns.map(|columns| columns.saturating_sub(AREAS + 3).max(12));
        let words: Vec<String> = match room {
            Some(room) => finding.words.lines().flat_map(|line| wrap_text(line, room)).collect(),
            None => vec![finding.words.lines().next().unwrap_or_default().to_owned()],
        };
        for (row, text) in words.into_iter().enumerate() {
            let start = if row == 0 { format!("{sign} {:<AREAS$} ", finding.area) } else { " ".repeat(AREAS + 3) };
            all.push((format!("{start}{text}"), look.style(if row == 0 { scope } else { Scope::Overlay })));
        }
    }
    let fails = examination.findings.iter().filter(|finding| finding.outcome == Outcome::Fails).count();
    let says = &look.words.setup;
    all.push(match examination.state {
        State::Running => {
            let time = elapsed(model.now.saturating_sub(examination.since), &look.words.status);
            let spinner = look.glyphs.spinner_frame(tick(model));
            (says.looking_since(spinner, look.glyphs.separator, time), look.style(Scope::Muted))
        }
        State::Stopped => (says.stopped().to_owned(), look.style(Scope::Warning)),
        State::Done if fails == 0 => (says.nothing_wrong().to_owned(), look.style(Scope::Good)),
        State::Done => (says.things_wrong(fails), look.style(Scope::Bad)),
    });
    all
}

/// Draws the doctor.
pub fn draw(model: &Model, examination: &Examination, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let columns = usize::from(inside(centered(area, WIDTH, area.height)).width.max(1));
    let all = rows(examination, model, Some(columns), look);
    let height = (all.len() as u16).saturating_add(2).clamp(12.min(area.height), area.height);
    let place = centered(area, WIDTH, height);
    Window { title: look.words.setup.doctor(), hint: "", look }.render(place, buf);
    lines(buf, inside(place), examination.top, &all, look);
}
