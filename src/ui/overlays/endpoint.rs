//! The form for an endpoint: its lines, what it leads to, and what a test has found.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use super::chooser::field;
use super::{Line, Window, findings};
use crate::app::layout;
use crate::app::model::Model;
use crate::app::setup::EndpointForm;
use crate::app::setup::form::Row;
use crate::ui::paint::{Look, put, put_fitted};
use crate::ui::status::tick;
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

/// The columns of the names of the lines.
const LABELS: u16 = 12;

pub fn draw(model: &Model, form: &EndpointForm, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let place = layout::endpoint(area, form);
    Window { title: look.words.setup.form(), hint: "", look }.render(place.window, buf);
    let rows = form.rows();
    let (lines, top) = (place.rows.area, place.rows.top);
    for (y, row) in (lines.y..lines.bottom()).zip(rows.iter().skip(top)) {
        line(form, *row, look, Rect { y, height: 1, ..lines }, buf);
    }
    said(model, form, look, place.below, buf);
}

/// One line: its name, and its text, its choice or its sign.
fn line(form: &EndpointForm, row: Row, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let chosen = form.at == row;
    if chosen {
        put(buf, area.x, area.y, 1, look.glyphs.selected, look.style(Scope::Accent));
    }
    let style = look.style(if chosen { Scope::Accent } else { Scope::Overlay });
    let label = row.label(form, &look.words.setup);
    let x = area.x + 2;
    let room = |x: u16| area.right().saturating_sub(x);
    let value = x + LABELS;
    match row {
        Row::Use => {
            let sign = look.glyphs.task_boxes[usize::from(form.in_use)];
            put_fitted(buf, (x, area.y), room(x), &format!("{sign} {label}"), style, look.glyphs);
        }
        Row::Test | Row::Save => {
            put_fitted(buf, (x, area.y), room(x), &format!("[ {label} ]"), style, look.glyphs);
        }
        _ => {
            put_fitted(buf, (x, area.y), LABELS - 1, label, style, look.glyphs);
            let cell = Rect { x: value.min(area.right()), width: room(value), ..area };
            match (form.choice(row, &look.words.setup), text_of(form, row)) {
                (Some(choice), _) if chosen => {
                    let arrows = look.glyphs.arrows;
                    let text = format!("{} {choice} {}", arrows[2], arrows[3]);
                    put_fitted(buf, (cell.x, cell.y), cell.width, &text, look.style(Scope::Strong), look.glyphs);
                }
                (Some(choice), _) => {
                    put_fitted(buf, (cell.x, cell.y), cell.width, &choice, look.style(Scope::Strong), look.glyphs);
                }
                (None, Some(input)) if chosen => field(input, row.hint(form, &look.words.setup), look, cell, buf),
                (None, Some(input)) => {
                    put_fitted(buf, (cell.x, cell.y), cell.width, input.text(), look.style(Scope::Strong), look.glyphs);
                }
                (None, None) => {}
            }
        }
    }
}

fn text_of(form: &EndpointForm, row: Row) -> Option<&crate::app::line::Line> {
    match row {
        Row::Address => Some(&form.address),
        Row::Model => Some(&form.model),
        Row::KeyPlace => Some(&form.place),
        Row::Name => Some(&form.name),
        _ => None,
    }
}

/// Below the lines: what the one under the cursor is for, where words would go, what is wrong, what a test has found.
fn said(model: &Model, form: &EndpointForm, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let says = &look.words.setup;
    let columns = usize::from(area.width.max(1));
    let mut rows: Vec<Line> = Vec::new();
    let wrapped = |text: &str, scope: Scope| {
        wrap_text(text, columns).into_iter().map(|row| (row, look.style(scope))).collect::<Vec<Line>>()
    };
    if form.asks_for_models {
        let spinner = look.glyphs.spinner_frame(tick(model));
        rows.push((says.asking_models(spinner, look.glyphs.separator), look.style(Scope::Muted)));
    } else {
        rows.extend(wrapped(form.at.hint(form, says), Scope::Muted));
    }
    let leads = &form.leads;
    if !leads.host.is_empty() {
        let key = if leads.key.is_empty() { says.without_key().to_owned() } else { says.with_key(&leads.key) };
        let text = if leads.here { says.words_go_here(&leads.host, key) } else { says.words_go_to(&leads.host, key) };
        rows.extend(wrapped(&text, Scope::Overlay));
    }
    if form.is_open_to_all() {
        rows.extend(wrapped(&format!("{} {}", look.glyphs.attention, says.not_encrypted()), Scope::Warning));
    }
    // What is still missing is shown only once an address was typed; a refusal is always shown.
    let begun = !form.address.text().is_empty();
    let missing = leads.problem.as_ref().filter(|_| begun && form.test.is_none());
    if let Some(problem) = form.problem.as_ref() {
        rows.extend(wrapped(&format!("{} {problem}", look.glyphs.attention), Scope::Bad));
    } else if let Some(missing) = missing {
        rows.extend(wrapped(&format!("{} {missing}", look.glyphs.pending), Scope::Warning));
    }
    let height = usize::from(area.height);
    if let Some(test) = &form.test {
        let told = findings::rows(test, model, Some(columns), look);
        // Where there is no room for all that was found, each finding has one row.
        let fits = rows.len() + told.len() <= height;
        rows.extend(if fits { told } else { findings::rows(test, model, None, look) });
    }
    // Where not all fits, the newest is what matters.
    let gap = usize::from(height > rows.len());
    let skip = rows.len().saturating_sub(height);
    for (y, (text, style)) in rows.iter().skip(skip).enumerate() {
        let y = area.y + (y + gap) as u16;
        put_fitted(buf, (area.x, y), area.width, text, *style, look.glyphs);
    }
}
