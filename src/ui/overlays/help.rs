//! The help: exactly the table of commands, and the keys of every context.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Line, lines, window};
use crate::app::commands::COMMANDS;
use crate::app::keymap::{Action, Chord, Context};
use crate::app::model::{Keys, Model};
use crate::ui::paint::Look;
use crate::ui::theme::Scope;

pub fn draw(model: &Model, top: usize, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let inner = window(buf, area, 84, area.height.saturating_sub(2).max(5), look.words.commands.title(), look);
    lines(buf, inner, top, &all(model, look), look);
}

fn all(model: &Model, look: Look<'_>) -> Vec<Line> {
    let says = &look.words.commands;
    let (plain, title) = (look.style(Scope::Overlay), look.style(Scope::Accent));
    let mut all = vec![(says.heading().to_owned(), title)];
    all.extend(COMMANDS.iter().map(|entry| {
        let key = model.keymap.chord(Context::Global, Action::Run(entry.command));
        let key = key.map_or_else(String::new, |chord| chord.to_string());
        let name = format!("/{} {}", entry.name, entry.argument(says));
        (format!("  {key:<9} {name:<26} {}", entry.about(says)), plain)
    }));
    for context in Context::ALL {
        all.push((String::new(), plain));
        all.push((context.about(&look.words.keys).to_owned(), title));
        let keys =
            model.keymap.of(context).filter(|(action, chords)| !chords.is_empty() && !matches!(action, Action::Run(_)));
        all.extend(
            keys.map(|(action, chords)| {
                (format!("  {:<36} {}", written(model, chords), action.about(look.words)), plain)
            }),
        );
    }
    all
}

/// The keys, without those that this terminal does not tell apart.
fn written(model: &Model, chords: &[Chord]) -> String {
    let reach = |chord: &&Chord| model.keys == Keys::All || !chord.needs_fluent_terminal();
    chords.iter().filter(reach).map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
