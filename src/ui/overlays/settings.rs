//! The settings: a line for each with what holds and where it comes from, and below them what the one under the cursor
//! does.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use super::chooser::field;
use super::{Line, Window};
use crate::app::layout;
use crate::app::setup::SettingsScreen;
use crate::app::setup::settings::SettingRow;
use crate::app::setup::words;
use crate::host::protocol::{Kind, Setting};
use crate::ui::paint::{Look, put, put_fitted, put_right, text_width};
use crate::ui::theme::Scope;
use crate::ui::widgets::ScrollBar;
use crate::ui::wrap::wrap_text;

/// From so many columns on, what a setting does stands beside it.
const BESIDE: u16 = 100;

pub fn draw(screen: &SettingsScreen, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let place = layout::settings(area, screen);
    Window { title: look.words.setup.settings(), hint: "", look }.render(place.window, buf);
    let rows = screen.rows();
    let (lines, top) = (place.rows.area, place.rows.top);
    if rows.is_empty() {
        put_fitted(
            buf,
            (lines.x, lines.y),
            lines.width,
            look.words.setup.looking(),
            look.style(Scope::Muted),
            look.glyphs,
        );
    }
    let columns = lines.width.saturating_sub(2);
    for (y, row) in (lines.y..lines.bottom()).zip(rows.iter().skip(top)) {
        let line = Rect { y, height: 1, width: columns, ..lines };
        match row {
            SettingRow::Gap => {}
            SettingRow::Heading(title) => {
                put_fitted(buf, (line.x, y), columns, title, look.style(Scope::SidebarTitle), look.glyphs);
            }
            SettingRow::Setting(at) => {
                if let Some(setting) = screen.all.get(*at) {
                    one(screen, setting, screen.cursor == *at, look, line, buf);
                }
            }
        }
    }
    if lines.width > 20 {
        let bar = ScrollBar { above: top, total: rows.len(), look };
        bar.render(Rect { x: lines.right() - 1, width: 1, ..lines }, buf);
    }
    below(screen, look, place.below, buf);
}

/// One setting: its name, its value, where that comes from; with room, also what it does.
fn one(screen: &SettingsScreen, setting: &Setting, chosen: bool, look: Look<'_>, line: Rect, buf: &mut Buffer) {
    if chosen {
        put(buf, line.x, line.y, 1, look.glyphs.selected, look.style(Scope::Accent));
    }
    let wide = line.width >= BESIDE;
    let names = (line.width / 3).min(22);
    let style = look.style(if chosen { Scope::Accent } else { Scope::Overlay });
    put_fitted(buf, (line.x + 2, line.y), names, &setting.name, style, look.glyphs);
    let x = line.x + names + 3;
    if let Some(edit) = screen.editing.as_ref().filter(|_| chosen) {
        let cell = Rect { x, width: line.right().saturating_sub(x), ..line };
        return field(&edit.input, look.words.setup.default_holds(), look, cell, buf);
    }
    let shown =
        if setting.overridden { format!("{} {}", look.glyphs.attention, setting.from) } else { setting.from.clone() };
    let end = if line.width >= 40 {
        let scope = if setting.overridden { Scope::Warning } else { Scope::Muted };
        put_right(buf, line, &shown, look.style(scope))
    } else {
        line.right()
    };
    let arrows = look.glyphs.arrows;
    let turns = chosen && !setting.overridden && matches!(setting.kind, Kind::Choice(_) | Kind::Flag);
    let value = if turns { format!("{} {} {}", arrows[2], setting.value, arrows[3]) } else { setting.value.clone() };
    let stated = setting.stated.is_some() || setting.overridden;
    let style = look.style(if stated { Scope::Strong } else { Scope::Muted });
    let room = if wide { 30 } else { end.saturating_sub(x + 1) };
    put_fitted(buf, (x, line.y), room.min(end.saturating_sub(x + 1)), &value, style, look.glyphs);
    if wide {
        let x = x + 32;
        put_fitted(
            buf,
            (x, line.y),
            end.saturating_sub(x + 2),
            &setting.about,
            look.style(Scope::ListDetail),
            look.glyphs,
        );
    }
}

/// What the setting under the cursor does, when a change of it holds, and what is wrong with what is typed.
fn below(screen: &SettingsScreen, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let Some(setting) = screen.current() else { return };
    let columns = usize::from(area.width.max(1));
    let wrapped = |text: &str, scope: Scope| {
        wrap_text(text, columns).into_iter().map(|row| (row, look.style(scope))).collect::<Vec<Line>>()
    };
    let mut rows: Vec<Line> = Vec::new();
    let problem = screen.editing.as_ref().and_then(|edit| edit.problem.as_ref()).or(screen.problem.as_ref());
    if let Some(problem) = problem {
        rows.extend(wrapped(&format!("{} {problem}", look.glyphs.attention), Scope::Bad));
    } else if setting.overridden {
        let text = format!("{} {}", look.glyphs.attention, look.words.setup.overridden(&setting.from));
        rows.extend(wrapped(&text, Scope::Warning));
    }
    let path = setting.path.join(".");
    rows.extend(wrapped(&format!("{path}: {}", setting.about), Scope::Overlay));
    rows.extend(
        wrapped(words::takes_effect(setting.effect, &look.words.setup), Scope::Muted)
            .into_iter()
            .filter(|row| !row.0.is_empty()),
    );
    let mut y = area.y;
    if usize::from(area.height) > rows.len() && text_width(look.glyphs.rule) == 1 {
        let line = look.glyphs.rule.repeat(columns);
        put(buf, area.x, y, area.width, &line, look.style(Scope::OverlayBorder));
        y += 1;
    }
    for (y, (text, style)) in (y..area.bottom()).zip(&rows) {
        put_fitted(buf, (area.x, y), area.width, text, *style, look.glyphs);
    }
}
