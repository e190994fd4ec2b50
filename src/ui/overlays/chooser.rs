//! Lists that are narrowed by typing, and fields for one line of text.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::Widget as _;

use super::{Window, window};
use crate::app::layout;
use crate::app::line::Line;
use crate::app::overlay::{Chooser, Prompt, Purpose};
use crate::ui::chat::tail_in;
use crate::ui::paint::{Look, put, put_fitted, put_right, text_width};
use crate::ui::theme::Scope;
use crate::words::Lists;

pub fn draw(list: &Chooser, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let says = &look.words.lists;
    let (place, input, lines) = layout::chooser(area, list);
    let title = if list.heading.is_empty() { list.purpose.title(&look.words.lists) } else { &list.heading };
    let hint_below = if list.waiting && list.purpose == Purpose::Model { says.asking_machine() } else { "" };
    Window { title, hint: hint_below, look }.render(place, buf);
    typed(&list.input, hint(list.purpose, says), look, input, buf);
    let (rows, top) = (lines.area, lines.top);
    if list.fitting.is_empty() {
        let text = match (list.waiting, list.purpose) {
            (true, _) => says.looking(),
            (false, Purpose::Search) if list.input.text().is_empty() => "",
            (false, Purpose::Courses) if list.all.is_empty() => says.nothing_taken_back(),
            (false, Purpose::Task) if list.all.is_empty() => says.no_tasks(),
            _ => says.nothing_fits(),
        };
        put_fitted(buf, (rows.x, rows.y), rows.width, text, look.style(Scope::Muted), look.glyphs);
    }
    let height = usize::from(rows.height);
    let names = list.all.iter().map(|choice| text_width(&choice.label)).max().unwrap_or(0);
    // Hits of a search: the excerpt gets two thirds of the row, the title of the session one third.
    let most = if list.purpose == Purpose::Search { rows.width / 3 } else { rows.width / 2 };
    let names = (names as u16).min(most).max(8);
    for (y, (at, choice)) in list.shown().enumerate().skip(top).take(height).enumerate() {
        let line = Rect { y: rows.y + y as u16, height: 1, ..rows };
        let selected = at == list.cursor;
        if selected {
            buf.set_style(line, look.style(Scope::ListSelected));
            put(buf, line.x, line.y, 1, look.glyphs.selected, look.style(Scope::Accent));
        }
        let style = look.style(if selected { Scope::ListSelected } else { Scope::List });
        let note_fits = line.width > 40;
        // On what is selected everything has the colour that can be read there.
        let shade = |scope| look.style(if selected { Scope::ListSelected } else { scope });
        let end = if note_fits { put_right(buf, line, &choice.note, shade(Scope::Muted)) } else { line.right() };
        put_fitted(
            buf,
            (line.x + 2, line.y),
            names.min(line.width.saturating_sub(2)),
            &choice.label,
            style,
            look.glyphs,
        );
        let x = line.x + 2 + names + 2;
        let room = end.saturating_sub(x + 1);
        let detail = match list.purpose {
            Purpose::Search => around(&choice.detail, list.input.text(), usize::from(room), look.glyphs.ellipsis),
            _ => Cow::Borrowed(choice.detail.as_str()),
        };
        put_fitted(buf, (x, line.y), room, &detail, shade(Scope::ListDetail), look.glyphs);
    }
}

/// What was said, beginning so near to the words that were looked for that they are in view.
fn around<'t>(said: &'t str, words: &str, room: usize, ellipsis: &str) -> Cow<'t, str> {
    let lower = said.to_lowercase();
    // Of some languages a capital letter is longer than its small one: then it begins where it begins.
    let words = words.to_lowercase();
    let places = words.split_whitespace().filter(|_| lower.len() == said.len());
    let first = places.filter_map(|word| Some((lower.find(word)?, word.len()))).min();
    match first {
        Some((at, length))
            if text_width(&lower[..at + length]) > room.saturating_sub(1) && said.is_char_boundary(at) =>
        {
            let from = said[..at].char_indices().rev().nth(room / 4).map_or(0, |(before, _)| before);
            let from = said[from..at].find(' ').map_or(from, |space| from + space + 1);
            Cow::Owned(format!("{ellipsis}{}", &said[from..]))
        }
        _ => Cow::Borrowed(said),
    }
}

fn hint(purpose: Purpose, says: &Lists) -> &str {
    match purpose {
        Purpose::Search => says.words_to_find(),
        _ => says.type_to_narrow(),
    }
}

/// Draws a field for one line of text.
pub fn prompt(prompt: &Prompt, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let inner = window(buf, area, 70, 5, &prompt.asking.title(look.words), look);
    let row = Rect { y: inner.y + u16::from(inner.height > 1), height: inner.height.min(1), ..inner };
    typed(&prompt.input, "", look, row, buf);
}

/// The line that is being typed, with its cursor in view.
fn typed(input: &Line, hint: &str, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let x = put(buf, area.x, area.y, area.width, look.glyphs.arrows[3], look.style(Scope::Accent)) + 1;
    field(input, hint, look, Rect { x, width: area.right().saturating_sub(x), ..area }, buf);
}

/// A text that is being typed, with its cursor in view.
pub fn field(input: &Line, hint: &str, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let (before, after) = input.halves();
    let x = area.x;
    let room = area.right().saturating_sub(x + 1);
    let shown = tail_in(before, usize::from(room), look);
    let at = put(buf, x, area.y, room, &shown, look.style(Scope::Composer));
    look.put_caret(Position { x: at, y: area.y });
    put(buf, at, area.y, area.right().saturating_sub(at), after, look.style(Scope::Composer));
    if input.text().is_empty() {
        let style = look.style(Scope::ComposerPlaceholder);
        put_fitted(buf, (at + 1, area.y), area.right().saturating_sub(at + 1), hint, style, look.glyphs);
    }
}
