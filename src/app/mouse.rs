//! The mouse: the wheel scrolls what is under it, a click focuses, folds and chooses.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::effect::Effect;
use super::keymap::Motion;
use super::model::{Focus, Model, Screen};
use super::{answer_card, brief, layout, overlay, picker, pointer, sidebar};

/// Rows that one notch of the wheel scrolls.
const NOTCH: isize = 3;

pub fn update(model: &mut Model, event: MouseEvent) -> Vec<Effect> {
    match event.kind {
        MouseEventKind::ScrollUp => wheel(model, event, -NOTCH),
        MouseEventKind::ScrollDown => wheel(model, event, NOTCH),
        MouseEventKind::Down(MouseButton::Left) => {
            pointer::pressed(model, Position::new(event.column, event.row));
            click(model, event)
        }
        MouseEventKind::Drag(MouseButton::Left) => {
            pointer::dragged(model, Position::new(event.column, event.row));
            Vec::new()
        }
        MouseEventKind::Up(MouseButton::Left) => {
            pointer::released(model);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn wheel(model: &mut Model, event: MouseEvent, rows: isize) -> Vec<Effect> {
    model.pointer.selection = None;
    let motion = if rows < 0 { Motion::Up } else { Motion::Down };
    if !model.overlays.is_empty() {
        return overlay::wheel(model, motion, rows.unsigned_abs());
    }
    if model.screen == Screen::Picker {
        let at = Position::new(event.column, event.row);
        picker::point(model, at);
        return picker::motion(model, motion).unwrap_or_default();
    }
    let layout = layout::compute(model.area(), model);
    let at = Position::new(event.column, event.row);
    if layout.sidebar.is_some_and(|area| area.contains(at)) {
        if model.brief.is_some() {
            brief::wheel(model, rows);
            return Vec::new();
        }
        return sidebar::motion(model, motion).unwrap_or_default();
    }
    model.chat.scroll_by(rows, layout.chat.height as usize);
    Vec::new()
}

fn click(model: &mut Model, event: MouseEvent) -> Vec<Effect> {
    let at = Position::new(event.column, event.row);
    if !model.overlays.is_empty() {
        return overlay::click(model, at);
    }
    if model.screen == Screen::Picker {
        return picker::click(model, at);
    }
    let layout = layout::compute(model.area(), model);
    if let Some(area) = layout.sidebar.filter(|area| area.contains(at)) {
        if model.brief.is_some() {
            model.focus = Focus::Sidebar;
            return Vec::new();
        }
        // The click is looked up before the focus moves: moving it can scroll the list under the pointer.
        let effects = sidebar::click(model, area, event.row);
        model.focus = Focus::Sidebar;
        return effects;
    }
    if let Some(pick) = answer_card::at(model, at) {
        return answer_card::choose(model, pick);
    }
    if layout.summary.contains(at) {
        model.sidebar.drawer = true;
        model.focus = Focus::Sidebar;
    } else if layout.chat.contains(at) {
        model.focus = Focus::Chat;
        let row = model.chat.top(layout.chat.height as usize) + usize::from(event.row - layout.chat.y);
        let (entry, _) = model.chat.rows.locate(row);
        model.chat.selected = (entry < model.chat.entries.len()).then_some(entry);
    } else if layout.composer.contains(at) {
        model.focus = Focus::Composer;
        model.sidebar.drawer = false;
    }
    Vec::new()
}
