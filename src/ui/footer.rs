//! The keys at the bottom: the few that matter where the focus is, from the one table.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use super::paint::{Look, after, clear};
use super::theme::Scope;
use super::widgets::{KeyHint, KeyHints};
use crate::app::commands::Command;
use crate::app::keymap::{Action, Context, Motion};
use crate::app::model::Model;

/// What is worth a hint where.
fn hints(context: Context, reads_brief: bool) -> &'static [(Action, &'static str)] {
    const COMMANDS: (Action, &str) = (Action::Do(Motion::Palette), "commands");
    const HELP: (Action, &str) = (Action::Run(Command::Help), "help");
    const NEXT: (Action, &str) = (Action::Do(Motion::FocusNext), "next pane");
    match context {
        Context::Global | Context::Composer => &[
            (Action::Do(Motion::Send), "send"),
            (Action::Do(Motion::Newline), "newline"),
            COMMANDS,
            (Action::Do(Motion::Complete), "sidebar"),
            (Action::Run(Command::Inspector), "inspector"),
            HELP,
        ],
        Context::Chat => &[
            (Action::Do(Motion::PreviousMessage), "previous"),
            (Action::Do(Motion::NextMessage), "next"),
            (Action::Do(Motion::CopyMessage), "copy"),
            (Action::Do(Motion::EditMessage), "edit"),
            (Action::Run(Command::Find), "find"),
            COMMANDS,
            HELP,
        ],
        Context::Sidebar if reads_brief => &[
            (Action::Do(Motion::PageDown), "on"),
            (Action::Run(Command::Brief), "put it away"),
            (Action::Run(Command::Export), "write it to a file"),
            NEXT,
            HELP,
        ],
        Context::Sidebar => &[
            (Action::Do(Motion::Open), "evidence"),
            (Action::Do(Motion::Toggle), "fold"),
            (Action::Do(Motion::Change), "correct"),
            (Action::Do(Motion::Later), "defer"),
            (Action::Do(Motion::Clear), "clear"),
            NEXT,
            HELP,
        ],
        Context::Palette => &[
            (Action::Do(Motion::Open), "choose"),
            (Action::Do(Motion::Down), "next"),
            (Action::Do(Motion::Back), "close"),
        ],
        Context::Overlay => &[(Action::Do(Motion::Back), "close"), (Action::Do(Motion::PageDown), "on"), HELP],
        Context::Picker => &[
            (Action::Do(Motion::Open), "open"),
            (Action::Do(Motion::FocusNext), "sessions"),
            (Action::Run(Command::Search), "search"),
            COMMANDS,
            HELP,
            (Action::Run(Command::Quit), "quit"),
        ],
    }
}

/// Draws the hints that fit.
pub fn draw(model: &Model, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    clear(buf, area, look.theme.base().patch(look.style(Scope::Footer)));
    let context = model.context();
    let keys: Vec<(String, &str)> = hints(context, model.brief.is_some())
        .iter()
        .filter_map(|(action, does)| Some((model.keymap.chord(context, *action)?.to_string(), *does)))
        .collect();
    let hints: Vec<KeyHint<'_>> = keys.iter().map(|(key, does)| KeyHint { key, does }).collect();
    KeyHints { hints: &hints, look }.render(after(area, 1), buf);
}
