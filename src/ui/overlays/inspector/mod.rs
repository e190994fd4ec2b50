//! The inspector: a turn's steps, triggers, techniques, modes, context, extraction and calls. A file per page.

mod calls;
mod context;
mod extraction;
mod modes;
mod plain;
mod steps;
mod techniques;
mod triggers;

pub use plain::in_words;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use super::{Line, Window, lines};
use crate::app::inspector::{Inspector, Known, Page, latest, under_way};
use crate::app::keymap::{Action, Context, Motion};
use crate::app::model::Model;
use crate::engine::figures::TurnFigures;
use crate::ui::paint::{Look, put, put_fitted};
use crate::ui::theme::Scope;
use crate::ui::widgets::centered;
use crate::ui::wrap::wrap_text;

/// From this width on figures stand in columns.
const COLUMNS: usize = 60;

/// From this width on there is room for everything.
const WIDE: usize = 100;

pub fn draw(model: &Model, inspector: &Inspector, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let latest = latest(model);
    let turn = inspector.turn.min(latest);
    let place = centered(area, 120, area.height.saturating_sub(2).max(5));
    let now = if under_way(model) == Some(turn) { ", under way" } else { "" };
    let title = format!("Inspector {} turn {turn} of {latest}{now}", look.glyphs.separator);
    Window { title: &title, hint: &hint(model, look), look }.render(place, buf);
    let inner = Window::inner(place);
    tabs(inspector.page, look, inner, buf);
    let gap = u16::from(inner.height > 6);
    let body = Rect { y: inner.y + 1 + gap, height: inner.height.saturating_sub(1 + gap), ..inner };
    let say = |text: &str, buf: &mut Buffer| lines(buf, body, 0, &[(text.to_owned(), look.style(Scope::Muted))], look);
    let figures = match Known::of(model, turn) {
        Known::Figures(figures) => figures,
        Known::NotKept => return say("Nothing was kept of this turn.", buf),
        Known::NotHere if latest == 0 => return say("Nothing has happened yet.", buf),
        Known::NotHere => return say("looking", buf),
    };
    if inspector.page == Page::Modes {
        return modes::draw(model, turn, inspector.top, look, body, buf);
    }
    let found = page(figures, inspector.page, usize::from(body.width), look);
    if found.is_empty() {
        return say("nothing", buf);
    }
    lines(buf, body, inspector.top, &found, look);
}

fn page(turn: &TurnFigures, page: Page, width: usize, look: Look<'_>) -> Vec<Line> {
    match page {
        Page::Steps => steps::page(turn, width, look),
        Page::Triggers => triggers::page(turn, width, look),
        Page::Techniques => techniques::page(turn, width, look),
        Page::Modes => Vec::new(),
        Page::Context => context::page(turn, width, look),
        Page::Extraction => extraction::page(turn, width, look),
        Page::Calls => calls::page(turn, width, look),
    }
}

/// The pages by name; where they do not fit, the one that is shown and where it stands.
fn tabs(shown: Page, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let needed: usize = Page::ALL.iter().map(|page| page.title().len() + 2).sum();
    if needed > usize::from(area.width) {
        let text = format!("{} ({} of {})", shown.title(), shown as usize + 1, Page::ALL.len());
        put_fitted(buf, (area.x, area.y), area.width, &text, look.style(Scope::ListSelected), look.glyphs);
        return;
    }
    let mut x = area.x;
    for page in Page::ALL {
        let scope = if page == shown { Scope::ListSelected } else { Scope::Muted };
        x = put(buf, x, area.y, area.right().saturating_sub(x), &format!(" {} ", page.title()), look.style(scope));
    }
}

/// The keys that lead through it.
fn hint(model: &Model, look: Look<'_>) -> String {
    let key = |motion: Motion| {
        let chord = model.keymap.chord(Context::Overlay, Action::Do(motion));
        chord.or_else(|| model.keymap.chord(Context::Global, Action::Do(motion))).map(|chord| chord.to_string())
    };
    let pair = |one: Motion, other: Motion| Some(format!("{}/{}", key(one)?, key(other)?));
    let hints = [
        (pair(Motion::Left, Motion::Right), "turn"),
        (key(Motion::FocusNext), "page"),
        (pair(Motion::Up, Motion::Down), "scroll"),
    ];
    let hints = hints.into_iter().filter_map(|(keys, does)| Some(format!("{} {does}", keys?)));
    hints.collect::<Vec<_>>().join(&format!(" {} ", look.glyphs.separator))
}

/// A text behind something that stands before its first row, the rows after that below the text.
fn hanging(before: &str, text: &str, width: usize) -> Vec<String> {
    let indent = before.chars().count();
    let rows = wrap_text(text, width.saturating_sub(indent).max(12));
    let first = rows.first().map_or(before.trim_end().to_owned(), |row| format!("{before}{row}"));
    let rest = rows.iter().skip(1).map(|row| format!("{:indent$}{row}", ""));
    std::iter::once(first).chain(rest).collect()
}

/// A bar in signs, with a tick where something has to be reached.
fn bar(share: f64, tick: Option<f64>, width: usize, look: Look<'_>) -> String {
    let column = |share: f64| (share.clamp(0.0, 1.0) * width as f64).round() as usize;
    let tick = tick.filter(|tick| tick.is_finite()).map(|tick| column(tick).min(width.saturating_sub(1)));
    let full = if share.is_finite() { column(share) } else { 0 };
    let glyphs = look.glyphs;
    let sign = |at: usize| match at {
        at if Some(at) == tick => glyphs.bar_tick,
        at if at < full => glyphs.bar_full,
        _ => glyphs.bar_empty,
    };
    (0..width).map(sign).collect()
}
