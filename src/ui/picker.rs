//! The first screen: engines with what they leave you with, and recent sessions.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::{Look, put, put_fitted, put_right};
use super::status::elapsed;
use super::theme::Scope;
use crate::app::layout::{self, Lines};
use crate::app::model::Model;
use crate::app::picker::List;

pub fn draw(model: &Model, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let (head, [engines, sessions]) = layout::picker(area, &model.picker);
    if head.height > 0 {
        put_fitted(buf, (head.x, head.y), head.width, &greeting(model), look.style(Scope::Muted), look.glyphs);
    }
    let picker = &model.picker;
    let lines: Vec<(String, String, String)> = picker
        .engines
        .iter()
        .map(|engine| (engine.name.clone(), engine.outcome.clone(), format!("about {} min", engine.minutes)))
        .collect();
    let chosen = (picker.list == List::Engines).then_some(picker.engine);
    list(&Listed { title: "Start", lines, chosen, nothing: "no engine was found" }, look, engines, buf);
    let lines: Vec<(String, String, String)> = picker
        .sessions
        .iter()
        .map(|session| {
            let detail = format!("{} {} {} %", session.engine, look.glyphs.separator, session.completeness);
            (session.title.clone(), detail, session.when.clone())
        })
        .collect();
    let chosen = (picker.list == List::Sessions).then_some(picker.session);
    let nothing = if picker.loaded { "none yet: Enter starts one" } else { "looking" };
    list(&Listed { title: "Go on with", lines, chosen, nothing }, look, sessions, buf);
}

/// What goes on, or what answers.
fn greeting(model: &Model) -> String {
    if let Some((what, since)) = &model.opening {
        let time = elapsed(model.now.saturating_sub(*since));
        return format!("opening {what} · {time}");
    }
    if model.endpoint.offline {
        return "Asks, listens, keeps track. Nobody else is asked: the interviewer works offline.".to_owned();
    }
    format!("Asks, listens, keeps track. {} answers.", model.endpoint.label)
}

/// One of the two lists: its lines have a name, a detail and a note.
struct Listed<'a> {
    title: &'a str,
    lines: Vec<(String, String, String)>,
    chosen: Option<usize>,
    /// What stands there where there are no lines.
    nothing: &'a str,
}

fn list(listed: &Listed<'_>, look: Look<'_>, (heading, Lines { area, top }): (Rect, Lines), buf: &mut Buffer) {
    let Listed { title, lines, chosen, nothing } = listed;
    if heading.is_empty() {
        return;
    }
    let scope = if chosen.is_some() { Scope::Accent } else { Scope::Muted };
    put_fitted(buf, (heading.x, heading.y), heading.width, title, look.style(scope), look.glyphs);
    let rows = usize::from(area.height);
    if lines.is_empty() {
        put_fitted(
            buf,
            (area.x + 2, area.y),
            area.width.saturating_sub(2),
            nothing,
            look.style(Scope::Muted),
            look.glyphs,
        );
    }
    let names = lines.iter().map(|(name, ..)| super::paint::text_width(name)).max().unwrap_or(0).min(28) as u16;
    for (y, (at, (name, detail, note))) in lines.iter().enumerate().skip(top).take(rows).enumerate() {
        let line = Rect { x: area.x + 2, y: area.y + y as u16, width: area.width.saturating_sub(2), height: 1 };
        let selected = *chosen == Some(at);
        if selected {
            buf.set_style(Rect { x: area.x, width: area.width, ..line }, look.style(Scope::ListSelected));
            put(buf, area.x, line.y, 1, look.glyphs.selected, look.style(Scope::Accent));
        }
        let style = look.style(if selected { Scope::ListSelected } else { Scope::List });
        let wide = line.width >= 50;
        let end = if wide { put_right(buf, line, note, look.style(Scope::ListDetail)) } else { line.right() };
        let name_width = if wide { names } else { line.width };
        put_fitted(buf, (line.x, line.y), name_width, name, style, look.glyphs);
        if wide {
            let x = line.x + names + 2;
            put_fitted(buf, (x, line.y), end.saturating_sub(x + 2), detail, look.style(Scope::ListDetail), look.glyphs);
        }
    }
}
