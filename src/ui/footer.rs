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
use crate::app::overlay::{HandoffReview, Overlay};
use crate::app::picker::List;
use crate::app::review::{FieldEdit, Input, Review};
use crate::app::setup::form::Row;
use crate::app::setup::{Examination, SettingsScreen};
use crate::host::protocol::Shelf;

/// What is worth a hint where.
fn hints(model: &Model, context: Context) -> &'static [(Action, &'static str)] {
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
        Context::Sidebar if model.brief.is_some() => &[
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
        Context::Palette | Context::Overlay => over(model.overlays.last()),
        Context::Picker if !model.picker.words.text().is_empty() => &[
            (Action::Do(Motion::Open), "start with that"),
            (Action::Do(Motion::Down), "another engine"),
            (Action::Do(Motion::Back), "clear"),
            HELP,
        ],
        Context::Picker if model.picker.list == List::Sessions => listed(model.picker.listing.shelf),
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

/// What is worth a hint among the sessions.
fn listed(shelf: Shelf) -> &'static [(Action, &'static str)] {
    const ENGINES: (Action, &str) = (Action::Do(Motion::FocusNext), "engines");
    const HELP: (Action, &str) = (Action::Run(Command::Help), "help");
    match shelf {
        Shelf::Trash => &[
            (Action::Do(Motion::Open), "restore"),
            (Action::Do(Motion::Left), "archive"),
            (Action::Do(Motion::Clear), "erase"),
            (Action::Do(Motion::Back), "all sessions"),
            ENGINES,
            HELP,
        ],
        Shelf::Archive => &[
            (Action::Do(Motion::Open), "open"),
            (Action::Do(Motion::Left), "sessions"),
            (Action::Do(Motion::Right), "trash"),
            (Action::Run(Command::Archive), "take out"),
            (Action::Do(Motion::Clear), "throw away"),
            HELP,
        ],
        Shelf::Current | Shelf::Kept => &[
            (Action::Do(Motion::Open), "open"),
            ENGINES,
            (Action::Do(Motion::Clear), "throw away"),
            (Action::Run(Command::Archive), "archive"),
            (Action::Run(Command::Tag), "tag"),
            (Action::Run(Command::Find), "narrow"),
            (Action::Run(Command::Search), "search"),
            HELP,
        ],
    }
}

/// What is worth a hint in what lies over the panes.
fn over(overlay: Option<&Overlay>) -> &'static [(Action, &'static str)] {
    const CLOSE: (Action, &str) = (Action::Do(Motion::Back), "close");
    const STOP: (Action, &str) = (Action::Do(Motion::Back), "stop");
    const LEAVE: (Action, &str) = (Action::Do(Motion::Back), "leave it as it was");
    const KEEP: (Action, &str) = (Action::Do(Motion::Open), "keep it");
    match overlay {
        Some(Overlay::Chooser(_)) => &[(Action::Do(Motion::Open), "choose"), (Action::Do(Motion::Down), "next"), CLOSE],
        Some(Overlay::Prompt(_)) => &[KEEP, CLOSE],
        Some(Overlay::Endpoint(form))
            if form.asks_for_models || form.test.as_ref().is_some_and(Examination::is_running) =>
        {
            &[STOP, (Action::Do(Motion::Down), "next")]
        }
        Some(Overlay::Endpoint(form)) if form.at == Row::Model => {
            &[(Action::Do(Motion::Open), "its models"), (Action::Do(Motion::Down), "next"), CLOSE]
        }
        Some(Overlay::Endpoint(_)) => &[(Action::Do(Motion::Open), "on"), (Action::Do(Motion::Down), "next"), CLOSE],
        Some(
            Overlay::Settings(SettingsScreen { editing: Some(_), .. })
            | Overlay::Handoff(HandoffReview { editing: Some(_), .. })
            | Overlay::Review(Review { editing: Some(FieldEdit { input: Input::Text(_), .. }), .. }),
        ) => &[KEEP, LEAVE],
        Some(Overlay::Settings(_)) => &[
            (Action::Do(Motion::Open), "change"),
            (Action::Do(Motion::Right), "next choice"),
            (Action::Do(Motion::Clear), "take it out"),
            CLOSE,
        ],
        Some(Overlay::Doctor(examination)) if examination.is_running() => &[STOP],
        Some(Overlay::Doctor(_)) => {
            &[(Action::Do(Motion::Open), "look again"), (Action::Do(Motion::PageDown), "on"), CLOSE]
        }
        Some(Overlay::Confirm(_)) => &[(Action::Do(Motion::Accept), "yes"), (Action::Do(Motion::Decline), "no")],
        Some(Overlay::Review(Review { editing: Some(_), .. })) => &[KEEP, (Action::Do(Motion::Down), "next"), LEAVE],
        Some(Overlay::Handoff(_)) => &[
            (Action::Do(Motion::Accept), "hand it over"),
            (Action::Do(Motion::Open), "change or add"),
            (Action::Do(Motion::Clear), "take out"),
            (Action::Do(Motion::Decline), "decline"),
            (Action::Do(Motion::Back), "later"),
        ],
        Some(Overlay::Review(_)) => &[
            (Action::Do(Motion::Open), "change"),
            (Action::Do(Motion::Accept), "all is right"),
            (Action::Do(Motion::Later), "set aside"),
            CLOSE,
            (Action::Do(Motion::Clear), "forget"),
        ],
        _ => &[CLOSE, (Action::Do(Motion::PageDown), "on"), (Action::Run(Command::Help), "help")],
    }
}

/// Draws the hints that fit.
pub fn draw(model: &Model, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    clear(buf, area, look.theme.base().patch(look.style(Scope::Footer)));
    let context = model.context();
    let keys: Vec<(String, &str)> = hints(model, context)
        .iter()
        .filter_map(|(action, does)| Some((model.keymap.chord(context, *action)?.to_string(), *does)))
        .collect();
    let hints: Vec<KeyHint<'_>> = keys.iter().map(|(key, does)| KeyHint { key, does }).collect();
    KeyHints { hints: &hints, look }.render(after(area, 1), buf);
}
