//! What lies over the panes.

mod about;
mod budget;
mod chooser;
mod confirm;
mod course;
mod endpoint;
mod evidence;
mod findings;
mod handoff;
mod help;
pub(crate) mod in_words;
mod inspector;
mod review;
mod settings;
mod task;
mod toast;

pub use toast::rows as toast_rows;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget as _;

use super::paint::{Look, put, put_fitted, put_right};
use super::theme::Scope;
use super::widgets::{Window, centered};
use crate::app::model::Model;
use crate::app::msg::Msg;
use crate::app::overlay::Overlay;

pub fn draw(model: &Model, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    match model.overlays.last() {
        Some(Overlay::Chooser(list)) => chooser::draw(list, look, area, buf),
        Some(Overlay::Prompt(prompt)) => chooser::prompt(prompt, look, area, buf),
        Some(Overlay::About(about)) => about::draw(model, about, look, area, buf),
        Some(Overlay::Help(top)) => help::draw(model, *top, look, area, buf),
        Some(Overlay::Confirm(question)) => confirm::draw(model, question, look, area, buf),
        Some(Overlay::Evidence(card)) => evidence::draw(model, card, look, area, buf),
        Some(Overlay::Budget(question)) => budget::draw(model, question, look, area, buf),
        Some(Overlay::Task(card)) => task::draw(model, card, look, area, buf),
        Some(Overlay::Handoff(review)) => handoff::draw(model, review, look, area, buf),
        Some(Overlay::Course(card)) => course::draw(model, card, look, area, buf),
        Some(Overlay::Review(review)) => review::draw(model, review, look, area, buf),
        Some(Overlay::Endpoint(form)) => endpoint::draw(model, form, look, area, buf),
        Some(Overlay::Settings(screen)) => settings::draw(screen, look, area, buf),
        Some(Overlay::Doctor(examination)) => findings::draw(model, examination, look, area, buf),
        Some(Overlay::Inspector(inspector)) => inspector::draw(model, inspector, look, area, buf),
        None => {}
    }
}

/// What of the topmost overlay is on the screen, where that matters.
pub fn measure(model: &Model, look: Look<'_>, area: Rect) -> Option<Msg> {
    match model.overlays.last() {
        Some(Overlay::Task(card)) => task::measure(model, card, look, area).map(Msg::Card),
        Some(Overlay::Review(review)) => review::measure(model, review, look, area),
        Some(Overlay::About(about)) => Some(Msg::Card(about::measure(model, about, look, area))),
        _ => None,
    }
}

/// A box around an area, over what lies there.
pub fn frame(buf: &mut Buffer, area: Rect, style: Style, look: Look<'_>) {
    if area.width < 2 || area.height < 2 {
        return;
    }
    let border = &look.glyphs.border;
    let line = border.horizontal.repeat(usize::from(area.width - 2));
    let [top_left, top_right, bottom_left, bottom_right] = border.corners;
    let bottom = area.bottom() - 1;
    for (y, left, right) in [(area.y, top_left, top_right), (bottom, bottom_left, bottom_right)] {
        put(buf, area.x, y, area.width, &format!("{left}{line}{right}"), style);
    }
    for y in area.y + 1..bottom {
        put(buf, area.x, y, 1, border.vertical, style);
        put(buf, area.right() - 1, y, 1, border.vertical, style);
    }
}

/// A window in the middle: cleared, framed, titled; what is left inside of it.
pub fn window(buf: &mut Buffer, area: Rect, width: u16, height: u16, title: &str, look: Look<'_>) -> Rect {
    let place = centered(area, width, height);
    Window { title, hint: "", look }.render(place, buf);
    Window::inner(place)
}

/// A line of an overlay: text and how it looks.
pub type Line = (String, Style);

/// Draws lines from one on, as far as there are rows, and says in the last row how many are left.
pub fn lines(buf: &mut Buffer, area: Rect, top: usize, lines: &[Line], look: Look<'_>) {
    let height = usize::from(area.height);
    let last = lines.len().saturating_sub(height);
    if let Some(ends) = look.ends {
        ends.set(ends.get().max(Some(last)));
    }
    let top = top.min(last);
    for (y, (text, style)) in lines.iter().skip(top).take(height).enumerate() {
        put_fitted(buf, (area.x, area.y + y as u16), area.width, text, *style, look.glyphs);
    }
    let below = lines.len().saturating_sub(top + height);
    if below > 0 && area.height > 0 {
        let last = Rect { y: area.bottom() - 1, height: 1, ..area };
        put_right(buf, last, &format!(" {} {below} ", look.glyphs.arrows[1]), look.style(Scope::Muted));
    }
}
