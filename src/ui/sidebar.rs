//! The sidebar: where the conversation stands.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use super::paint::{Look, after, clear, fit, put, put_fitted, put_right, text_width};
use super::status::tick;
use super::theme::Scope;
use super::widgets::{BlendBars, BudgetBar, PhaseIndicator, ProgressBar, TaskLine};
use crate::app::model::{Focus, Model};
use crate::app::session::ShownSession;
use crate::app::sidebar::{BEFORE_NAME, Row, left_in_words, said_of, shown};
use crate::engine::memory::Status;
use crate::engine::sidebar::SidebarItem;

/// What is less sure than this has a fainter shade; the figure is on the card.
const SURE: f64 = 0.8;

/// Draws the sidebar and the line that sets it apart.
pub fn draw(model: &Model, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let Some(session) = &model.session else { return };
    let focused = model.focus == Focus::Sidebar;
    let whole = Rect { x: area.x.saturating_sub(1), width: area.width + 2, ..area };
    clear(buf, whole, look.theme.base().patch(look.style(Scope::Sidebar)));
    let border = look.style(if focused { Scope::BorderFocused } else { Scope::Border });
    for y in area.top()..area.bottom() {
        put(buf, whole.x, y, 1, look.glyphs.border.vertical, border);
    }
    let (rows, in_view) = shown(model, session, area);
    let cursor = model.sidebar.cursor_row(&rows).filter(|_| focused);
    let names = names(&rows, area.width);
    for (y, (at, row)) in in_view.iter().filter_map(|at| Some((*at, rows.get(*at)?))).enumerate() {
        let line = Rect { x: area.x + 1, y: area.y + y as u16, width: area.width.saturating_sub(1), height: 1 };
        let selected = cursor == Some(at);
        let row = match (*row, rows.get(at + 1)) {
            // What stands below is not told beside as well.
            (Row::Item(item), Some(Row::Value(_))) => Drawn::Name(item),
            (row, _) => Drawn::Row(row),
        };
        draw_row(model, session, (row, names), look, line, buf);
        if selected {
            buf.set_style(line, look.style(Scope::ListSelected));
            put(buf, area.x, line.y, 1, look.glyphs.selected, look.style(Scope::Accent));
        }
    }
}

/// The columns that the names of obligations take, so that what is known of them stands in one line below another.
fn names(rows: &[Row<'_>], width: u16) -> u16 {
    let below = |at: usize| matches!(rows.get(at + 1), Some(Row::Value(_)));
    let known = rows.iter().enumerate().filter_map(|(at, row)| match row {
        Row::Item(item) if item.value.is_some() && !below(at) => Some(text_width(&item.label) as u16),
        _ => None,
    });
    // The value gets the larger half.
    known.max().unwrap_or(0).min(width * 2 / 5)
}

fn draw_row(
    model: &Model,
    session: &ShownSession,
    (row, names): (Drawn<'_>, u16),
    look: Look<'_>,
    line: Rect,
    buf: &mut Buffer,
) {
    let state = &session.sidebar;
    let row = match row {
        Drawn::Name(item) => return name(item, look, line, buf),
        Drawn::Row(row) => row,
    };
    match row {
        Row::Blank => {}
        Row::Phases => {
            if let Some(state) = &state.phase_indicator {
                PhaseIndicator { state, look }.render(line, buf);
            }
        }
        Row::Completeness => {
            if let Some(state) = &state.progress_bar {
                ProgressBar { state, label: look.words.sidebar.completeness(), look }.render(line, buf);
            }
        }
        Row::Left(left) => {
            let text = left_in_words(left, &look.words.sidebar);
            put_fitted(buf, (line.x, line.y), line.width, &text, look.style(Scope::Muted), look.glyphs);
        }
        Row::Section(section, folded) => {
            let done = section.items.iter().filter(|item| item.status == Status::Satisfied).count();
            let count = format!("{done}/{}", section.items.len());
            let end = put_right(buf, line, &count, look.style(Scope::SidebarCount));
            let sign = if folded { look.glyphs.folded } else { look.glyphs.open };
            let x = put(buf, line.x, line.y, line.width, sign, look.style(Scope::SidebarTitle));
            let room = end.saturating_sub(x + 2);
            put_fitted(buf, (x + 1, line.y), room, &section.title, look.style(Scope::SidebarTitle), look.glyphs);
        }
        Row::Item(item) => obligation(item, names, look, line, buf),
        Row::Value(item) => value(item, look, after(line, BEFORE_NAME), buf),
        Row::Heading(text) => {
            put_fitted(buf, (line.x, line.y), line.width, text, look.style(Scope::SidebarTitle), look.glyphs);
        }
        Row::Task(task) => {
            let since = model.sidebar.since.get(&task.id);
            let elapsed = since.map(|since| model.now.saturating_sub(*since).as_secs());
            TaskLine { task, tick: tick(model), elapsed, look }.render(line, buf);
        }
        Row::TaskNote(note) => {
            let line = after(line, 3);
            let note = said_of(note, &look.words.tasks);
            put_fitted(buf, (line.x, line.y), line.width, &note, look.style(Scope::Muted), look.glyphs);
        }
        Row::Mode(mode) => {
            // A blank before the name, as before every item.
            BlendBars { modes: std::slice::from_ref(mode), look }.render(after(line, 1), buf);
        }
        Row::Budget => {
            if let Some(budget) = &state.budget {
                BudgetBar { budget, look }.render(line, buf);
            }
        }
    }
}

/// A row as it is drawn.
#[derive(Clone, Copy)]
enum Drawn<'a> {
    Row(Row<'a>),
    /// An item whose value has the row below.
    Name(&'a SidebarItem),
}

fn scope_of(item: &SidebarItem) -> Scope {
    match item.status {
        Status::Pending => Scope::ObligationPending,
        Status::Partial => Scope::ObligationPartial,
        Status::Satisfied => Scope::ObligationSatisfied,
        Status::Deferred => Scope::ObligationDeferred,
    }
}

/// The sign and the name of an obligation.
fn name(item: &SidebarItem, look: Look<'_>, line: Rect, buf: &mut Buffer) {
    let style = look.style(scope_of(item));
    let x = put(buf, line.x + 1, line.y, 1, look.glyphs.status(item.status), style) + 1;
    put_fitted(buf, (x, line.y), line.right().saturating_sub(x), &item.label, style, look.glyphs);
}

/// What is known of an obligation. What is still to be confirmed has a mark and not only another shade.
fn value(item: &SidebarItem, look: Look<'_>, place: Rect, buf: &mut Buffer) {
    let Some(value) = &item.value else { return };
    let (mark, shade) = match (value.in_doubt, item.confidence) {
        (true, _) => (" ?", Scope::ObligationPartial),
        (false, sure) if sure < SURE => ("", Scope::Confidence),
        _ => ("", Scope::Sidebar),
    };
    let cut = fit(&value.text, usize::from(place.width).saturating_sub(mark.len()), look.glyphs);
    put(buf, place.x, place.y, place.width, &format!("{cut}{mark}"), look.style(shade));
}

/// An obligation with what is known of it.
fn obligation(item: &SidebarItem, names: u16, look: Look<'_>, line: Rect, buf: &mut Buffer) {
    let Some(known) = &item.value else { return name(item, look, line, buf) };
    let style = look.style(scope_of(item));
    let x = put(buf, line.x + 1, line.y, 1, look.glyphs.status(item.status), style) + 1;
    let room = line.right().saturating_sub(x);
    // Names stand in a column of their own, but for those that need more of the row, or leave too little of it.
    let label = text_width(&item.label) as u16;
    let value_fits = room.saturating_sub(text_width(&known.text) as u16 + 4);
    let names = if names <= value_fits { names.max(label) } else { label }.min(room);
    put_fitted(buf, (x, line.y), names, &item.label, style, look.glyphs);
    value(item, look, after(Rect { x, width: room, ..line }, names + 2), buf);
}
