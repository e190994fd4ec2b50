//! The review: fields by section, with value, words and standing, and the one that is being changed in its place.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget as _;

use super::Window;
use crate::app::layout::{centered, inside};
use crate::app::model::Model;
use crate::app::msg::Msg;
use crate::app::review::{FieldEdit, FieldLine, Input, Review, Standing, lines, words};
use crate::engine::memory::Status;
use crate::ui::paint::{Look, clear, put_fitted, put_right, text_width};
use crate::ui::theme::Scope;
use crate::ui::widgets::ScrollBar;
use crate::ui::wrap::wrap_text;
use crate::words::ReviewWords;

/// The columns of the window, where there are that many.
const WIDTH: u16 = 150;
/// From so many columns on, name, value and words stand beside each other.
const BESIDE: u16 = 84;
/// The most rows that a text takes while it is changed.
const EDITED: usize = 8;

/// A row: texts at their columns. `of` is the field it belongs to.
struct Row {
    cells: Vec<(u16, String, Style)>,
    of: Option<usize>,
    right: Option<String>,
    edits: bool,
}

impl Row {
    fn of(at: Option<usize>, cells: Vec<(u16, String, Style)>) -> Self {
        Self { cells, of: at, right: None, edits: false }
    }
}

/// Where the review is, what it shows and from which row on.
struct Page {
    window: Rect,
    inner: Rect,
    rows: Vec<Row>,
    top: usize,
}

fn page(model: &Model, review: &Review, look: Look<'_>, area: Rect) -> Option<Page> {
    let session = model.session.as_ref()?;
    let window = centered(area, WIDTH, area.height);
    let inner = inside(window);
    let columns = inner.width.saturating_sub(2);
    let lines = lines(session, look.words);
    let mut rows = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(section) = line.section {
            rows.extend(heading(&lines[at..], section, at, look));
        }
        let edit = review.editing.as_ref().filter(|edit| edit.path == line.field.path);
        rows.extend(field(line, (at, review.cursor == at), edit, columns, look));
    }
    let chosen = review.cursor >= lines.len();
    rows.push(Row::of(None, Vec::new()));
    let sign = if chosen { look.glyphs.selected } else { " " };
    let style = look.style(if chosen { Scope::Accent } else { Scope::Overlay });
    rows.push(Row::of(
        Some(lines.len()),
        vec![(0, format!("{sign} {} {}", look.glyphs.satisfied, look.words.review.agree()), style)],
    ));
    let height = usize::from(inner.height);
    let own = |row: &Row| row.of == Some(review.cursor);
    let (first, last) = (rows.iter().position(own).unwrap_or(0), rows.iter().rposition(own).unwrap_or(0));
    // What is looked at stands in the middle, so that what comes before and after it can be read; its beginning always.
    let middle = usize::midpoint(first, last).saturating_sub(height / 2);
    let top = middle.min(first.saturating_sub(usize::from(first > 0))).min(rows.len().saturating_sub(height));
    // Where there are few rows, what is being typed is what has to be seen.
    let typed = |at: Option<usize>| at.map_or(top, |at| top.max((at + 1).saturating_sub(height)));
    let edits = rows.iter().position(|row| row.edits);
    let top = typed(edits.and_then(|first| {
        rows.iter().rposition(|row| row.edits).map(|last| last.min(first + height.saturating_sub(1)))
    }));
    Some(Page { window, inner, rows, top })
}

fn heading(lines: &[FieldLine<'_>], section: &str, at: usize, look: Look<'_>) -> Vec<Row> {
    let own = || lines.iter().enumerate().take_while(|(at, line)| *at == 0 || line.section.is_none());
    let maybe = own().filter(|(_, line)| matches!(line.standing, Standing::Maybe | Standing::Doubtful)).count();
    let known = own().filter(|(_, line)| line.value().is_some()).count() - maybe;
    let title = vec![(0, section.to_owned(), look.style(Scope::SidebarTitle))];
    let count = Some(words::known_of(known, maybe, own().count(), &look.words.review));
    let gap = (at > 0).then(|| Row::of(None, Vec::new()));
    gap.into_iter().chain([Row { right: count, ..Row::of(None, title) }]).collect()
}

fn sign(standing: Standing, look: Look<'_>) -> (&'static str, Scope) {
    let status = match standing {
        Standing::Known | Standing::ByHand => Status::Satisfied,
        Standing::Maybe | Standing::Doubtful => Status::Partial,
        Standing::NotKnown | Standing::Declined | Standing::Deferred => Status::Deferred,
        Standing::Open => Status::Pending,
    };
    let scope = match status {
        Status::Pending => Scope::ObligationPending,
        Status::Partial => Scope::ObligationPartial,
        Status::Satisfied => Scope::ObligationSatisfied,
        Status::Deferred => Scope::ObligationDeferred,
    };
    (look.glyphs.status(status), scope)
}

/// The rows of a field: beside each other where there is room, else one below the other.
fn field(
    line: &FieldLine<'_>,
    (at, chosen): (usize, bool),
    edit: Option<&FieldEdit>,
    columns: u16,
    look: Look<'_>,
) -> Vec<Row> {
    let says = &look.words.review;
    let beside = columns >= BESIDE;
    let names = if beside { columns / 4 } else { columns };
    let (left, room) = if beside { (names + 2, (columns - names - 2) / 2 - 1) } else { (4, columns.saturating_sub(4)) };
    let (mark, scope) = sign(line.standing, look);
    let cursor = if chosen { look.glyphs.selected } else { " " };
    let name_style = if chosen { look.style(Scope::Accent) } else { look.style(Scope::Overlay) };
    let name = wrap_text(&line.field.name, usize::from(names.saturating_sub(4).max(1)));
    let mut rows: Vec<Row> = Vec::new();
    for (row, text) in name.into_iter().enumerate() {
        let mut cells = vec![(4, text, name_style)];
        if row == 0 {
            cells.insert(0, (0, cursor.to_owned(), look.style(Scope::Accent)));
            cells.insert(1, (2, mark.to_owned(), look.style(scope)));
        }
        rows.push(Row::of(Some(at), cells));
    }
    let stack = |rows: &mut Vec<Row>, x: u16, texts: Vec<(String, Style)>| {
        for (row, (text, style)) in texts.into_iter().enumerate() {
            let row = if beside { row } else { rows.len() };
            if rows.len() <= row {
                rows.push(Row::of(Some(at), Vec::new()));
            }
            rows[row].cells.push((x, text, style));
        }
    };
    let wide = usize::from(room.max(1));
    let muted = look.style(Scope::Muted);
    if let Some(edit) = edit {
        rows.extend(edited(line, edit, at, columns, look));
        return rows;
    }
    let value = match line.shown() {
        Some(text) => {
            let wrapped = text.lines().flat_map(|text| wrap_text(text, wide));
            wrapped.map(|row| (row, look.style(Scope::Strong))).collect()
        }
        None if beside => vec![(said_of(line, says).to_owned(), muted)],
        None => {
            rows[0].right = Some(said_of(line, says).to_owned());
            Vec::new()
        }
    };
    stack(&mut rows, left, value);
    let mut said: Vec<(String, Style)> = Vec::new();
    if let Some(quote) = line.said(says) {
        said.extend(wrap_text(&quote, wide).into_iter().map(|row| (row, look.style(Scope::Quote))));
    }
    if line.value().is_some() && line.standing != Standing::Known {
        said.extend(wrap_text(line.standing.word(says), wide).into_iter().map(|row| (row, look.style(scope))));
    }
    if let Some(other) = line.otherwise(says) {
        said.extend(wrap_text(&other, wide).into_iter().map(|row| (row, look.style(Scope::ObligationPartial))));
    }
    stack(&mut rows, if beside { left + room + 2 } else { left }, said);
    rows
}

fn said_of<'w>(line: &FieldLine<'_>, says: &'w ReviewWords) -> &'w str {
    if line.standing == Standing::Open { says.nothing_yet() } else { line.standing.word(says) }
}

/// The rows in which a field is changed.
fn edited(line: &FieldLine<'_>, edit: &FieldEdit, at: usize, columns: u16, look: Look<'_>) -> Vec<Row> {
    let says = &look.words.review;
    let (muted, mut rows) = (look.style(Scope::Muted), Vec::new());
    let hint = match &edit.input {
        Input::Text(area) => {
            let width = usize::from(columns.saturating_sub(5).max(1));
            let needed: usize = area.lines().iter().map(|line| text_width(line) / width + 1).sum();
            for _ in 0..needed.clamp(1, EDITED) {
                rows.push(Row { edits: true, ..Row::of(Some(at), Vec::new()) });
            }
            says.editing()
        }
        Input::Choice { options, at: chosen } => {
            for (option, (label, _)) in options.iter().enumerate() {
                let sign = look.glyphs.task_boxes[usize::from(Some(option) == *chosen)];
                let style = look.style(if Some(option) == *chosen { Scope::ListSelected } else { Scope::List });
                rows.push(Row::of(Some(at), vec![(4, format!("{sign} {label} "), style)]));
            }
            says.choosing()
        }
    };
    let wanted = words::wanted(&line.field.shape, says);
    let told = match &edit.problem {
        Some(problem) => (problem.clone(), look.style(Scope::Bad)),
        None if wanted.is_empty() => (hint.replace('·', look.glyphs.separator), muted),
        None => (format!("{wanted} · {hint}").replace('·', look.glyphs.separator), muted),
    };
    let width = usize::from(columns.saturating_sub(5).max(1));
    rows.extend(wrap_text(&told.0, width).into_iter().map(|text| Row::of(Some(at), vec![(4, text, told.1)])));
    rows
}

pub fn draw(model: &Model, review: &Review, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let Some(Page { window, inner, rows, top }) = page(model, review, look, area) else { return };
    Window { title: look.words.review.title(), hint: "", look }.render(window, buf);
    let columns = inner.width.saturating_sub(2);
    for (y, row) in (inner.y..inner.bottom()).zip(&rows[top..]) {
        let line = Rect { y, height: 1, width: columns, ..inner };
        let end =
            row.right.as_ref().map_or(line.right(), |text| put_right(buf, line, text, look.style(Scope::SidebarCount)));
        for (x, text, style) in &row.cells {
            let x = line.x + x;
            put_fitted(buf, (x, y), end.saturating_sub(x), text, *style, look.glyphs);
        }
    }
    if let Some(FieldEdit { input: Input::Text(text), .. }) = &review.editing {
        let own = |row: &Row| row.edits;
        let first = rows.iter().position(own).unwrap_or(0).max(top);
        let last = rows.iter().rposition(own).unwrap_or(0).min(top + usize::from(inner.height).saturating_sub(1));
        if first <= last {
            let y = inner.y + (first - top) as u16;
            let place = Rect { x: inner.x + 4, y, width: columns.saturating_sub(4), height: (last - first + 1) as u16 };
            clear(buf, place, look.theme.base().patch(look.style(Scope::Composer)));
            buf.set_style(place, look.style(Scope::Composer).add_modifier(Modifier::UNDERLINED));
            (&**text).render(place, buf);
            look.take_caret(place, buf);
        }
    }
    let bar = ScrollBar { above: top, total: rows.len(), look };
    if inner.width > 20 {
        bar.render(Rect { x: inner.right() - 1, width: 1, ..inner }, buf);
    }
}

/// The fields that can be read in full on the screen and were not before.
pub fn measure(model: &Model, review: &Review, look: Look<'_>, area: Rect) -> Option<Msg> {
    let Page { inner, rows, top, .. } = page(model, review, look, area)?;
    let in_view = top..top + usize::from(inner.height);
    let all = lines(model.session.as_ref()?, look.words);
    let own = |at: usize| rows.iter().enumerate().filter(move |(_, row)| row.of == Some(at)).map(|(row, _)| row);
    // What is higher than the window counts from its beginning on.
    let whole = |at: usize| own(at).take(usize::from(inner.height).max(1)).all(|row| in_view.contains(&row));
    let new = all.iter().enumerate().filter(|(at, line)| !review.has_shown(line) && whole(*at));
    let paths: Vec<String> = new.map(|(_, line)| line.field.path.clone()).collect();
    (!paths.is_empty()).then_some(Msg::Reviewed(paths))
}
