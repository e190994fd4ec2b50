//! The help: exactly the table of commands, and the keys of every context.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{Line, lines, window};
use crate::app::commands::COMMANDS;
use crate::app::keymap::{Action, Chord, Context};
use crate::app::model::{Keys, Model};
use crate::ui::paint::{Look, text_width};
use crate::ui::theme::Scope;
use crate::ui::wrap::wrap_text;

/// Columns from which on what a command does stands beside its name.
const BESIDE: u16 = 76;

pub fn draw(model: &Model, top: usize, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let inner = window(buf, area, 96, area.height.saturating_sub(2).max(5), look.words.commands.title(), look);
    lines(buf, inner, top, &all(model, look, inner.width), look);
}

fn all(model: &Model, look: Look<'_>, width: u16) -> Vec<Line> {
    let says = &look.words.commands;
    let title = look.style(Scope::Accent);
    let mut all = wrapped(says.heading(), 0, width, title);
    for entry in COMMANDS {
        let key = model.keymap.chord(Context::Global, Action::Run(entry.command));
        let key = key.map_or_else(String::new, |chord| chord.named(&look.words.key_names));
        let name = format!("{key:<13} /{} {}", entry.name, entry.argument(says));
        all.extend(told(&name, 40, entry.about(says), look, width));
    }
    for context in Context::ALL {
        all.push((String::new(), title));
        all.extend(wrapped(context.about(&look.words.keys), 0, width, title));
        let keys =
            model.keymap.of(context).filter(|(action, chords)| !chords.is_empty() && !matches!(action, Action::Run(_)));
        for (action, chords) in keys {
            all.extend(told(&written(model, chords), 40, action.about(look.words), look, width));
        }
    }
    all
}

/// A name and what it does: beside each other where there is room, else below each other.
fn told(name: &str, column: usize, about: &str, look: Look<'_>, width: u16) -> Vec<Line> {
    let (plain, muted) = (look.style(Scope::Overlay), look.style(Scope::Muted));
    if width >= BESIDE {
        let gap = column.saturating_sub(text_width(name)).max(1);
        let beside = wrap_text(about, usize::from(width).saturating_sub(column + 2).max(1)).into_iter().enumerate();
        let row = |(at, text)| match at {
            0 => (format!("  {name}{}{text}", " ".repeat(gap)), plain),
            _ => (format!("{}{text}", " ".repeat(column + 2)), plain),
        };
        return beside.map(row).collect();
    }
    let mut rows = wrapped(name, 2, width, plain);
    rows.extend(wrapped(about, 4, width, muted));
    rows
}

/// A text in rows that begin a few columns on.
fn wrapped(text: &str, indent: u16, width: u16, style: Style) -> Vec<Line> {
    let rows = wrap_text(text.trim_end(), usize::from(width.saturating_sub(indent).max(1)));
    rows.into_iter().map(|row| (format!("{}{row}", " ".repeat(usize::from(indent))), style)).collect()
}

/// The keys, without those that this terminal does not tell apart.
fn written(model: &Model, chords: &[Chord]) -> String {
    let reach = |chord: &&Chord| model.keys == Keys::All || !chord.needs_fluent_terminal();
    chords.iter().filter(reach).map(|chord| chord.named(&model.words.key_names)).collect::<Vec<_>>().join(", ")
}
