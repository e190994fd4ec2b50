//! The keys at the bottom: the few that matter where the focus is, from the one table.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use super::paint::{Look, after, clear};
use super::theme::Scope;
use super::widgets::{KeyHint, KeyHints};
use crate::app::answer_card;
use crate::app::commands::Command;
use crate::app::keymap::{Action, Context, Motion};
use crate::app::model::Model;
use crate::app::overlay::{HandoffReview, Overlay};
use crate::app::picker::List;
use crate::app::review::{FieldEdit, Input, Review};
use crate::app::setup::form::Row;
use crate::app::setup::{Examination, SettingsScreen};
use crate::host::protocol::Shelf;
use crate::words::Footer as Says;

/// An action, and what is said of it.
type Hint = (Action, fn(&Says) -> &str);

/// What is worth a hint where.
fn hints(model: &Model, context: Context) -> &'static [Hint] {
    const COMMANDS: Hint = (Action::Do(Motion::Palette), Says::commands);
    const HELP: Hint = (Action::Run(Command::Help), Says::help);
    const NEXT: Hint = (Action::Do(Motion::FocusNext), Says::next_pane);
    match context {
        Context::Composer if !model.composer.completions().is_empty() => &[
            (Action::Do(Motion::Send), Says::choose),
            (Action::Do(Motion::Complete), Says::completes),
            (Action::Do(Motion::Back), Says::close),
            HELP,
        ],
        Context::Global | Context::Composer => writing(model),
        Context::Chat => &[
            (Action::Do(Motion::PreviousMessage), Says::previous),
            (Action::Do(Motion::NextMessage), Says::next),
            (Action::Do(Motion::CopyMessage), Says::copy),
            (Action::Do(Motion::EditMessage), Says::edit),
            (Action::Run(Command::Find), Says::find),
            COMMANDS,
            HELP,
        ],
        Context::Sidebar if model.brief.is_some() => &[
            (Action::Do(Motion::PageDown), Says::on),
            (Action::Run(Command::Brief), Says::put_away),
            (Action::Run(Command::Export), Says::to_file),
            NEXT,
            HELP,
        ],
        Context::Sidebar => &[
            (Action::Do(Motion::Open), Says::evidence),
            (Action::Do(Motion::Toggle), Says::fold),
            (Action::Do(Motion::Change), Says::correct),
            (Action::Do(Motion::Later), Says::defer),
            (Action::Do(Motion::Clear), Says::clear),
            NEXT,
            HELP,
        ],
        Context::Palette | Context::Overlay => over(model.overlays.last()),
        Context::Picker if !model.picker.words.text().is_empty() => &[
            (Action::Do(Motion::Open), Says::start_with_that),
            (Action::Do(Motion::Down), Says::another_engine),
            (Action::Do(Motion::Back), Says::clear),
            HELP,
        ],
        Context::Picker if model.picker.list == List::Sessions => listed(model.picker.listing.shelf),
        Context::Picker => &[
            (Action::Do(Motion::Open), Says::open),
            (Action::Do(Motion::FocusNext), Says::sessions),
            (Action::Run(Command::Search), Says::search),
            COMMANDS,
            HELP,
            (Action::Run(Command::Quit), Says::quit),
        ],
    }
}

/// What is worth a hint where one writes.
fn writing(model: &Model) -> &'static [Hint] {
    const ANSWERS: Hint = (Action::Do(Motion::NextChoice), Says::answers);
    const ALL: [Hint; 7] = [
        ANSWERS,
        (Action::Do(Motion::Send), Says::send),
        (Action::Do(Motion::Newline), Says::newline),
        (Action::Do(Motion::Palette), Says::commands),
        (Action::Do(Motion::Complete), Says::sidebar),
        (Action::Run(Command::Inspector), Says::inspector),
        (Action::Run(Command::Help), Says::help),
    ];
    if model.card.marked.is_some() {
        return &[
            (Action::Do(Motion::Send), Says::choose),
            (Action::Do(Motion::NextChoice), Says::next_answer),
            (Action::Do(Motion::Back), Says::leave),
            (Action::Run(Command::Help), Says::help),
        ];
    }
    if answer_card::takes_keys(model) { &ALL } else { &ALL[1..] }
}

/// What is worth a hint among the sessions.
fn listed(shelf: Shelf) -> &'static [Hint] {
    const ENGINES: Hint = (Action::Do(Motion::FocusNext), Says::engines);
    const HELP: Hint = (Action::Run(Command::Help), Says::help);
    match shelf {
        Shelf::Trash => &[
            (Action::Do(Motion::Open), Says::restore),
            (Action::Do(Motion::Left), Says::archive),
            (Action::Do(Motion::Clear), Says::erase),
            (Action::Do(Motion::Back), Says::all_sessions),
            ENGINES,
            HELP,
        ],
        Shelf::Archive => &[
            (Action::Do(Motion::Open), Says::open),
            (Action::Do(Motion::Left), Says::sessions),
            (Action::Do(Motion::Right), Says::trash),
            (Action::Run(Command::Archive), Says::take_out),
            (Action::Do(Motion::Clear), Says::throw_away),
            HELP,
        ],
        Shelf::Current | Shelf::Kept => &[
            (Action::Do(Motion::Open), Says::open),
            ENGINES,
            (Action::Do(Motion::Clear), Says::throw_away),
            (Action::Run(Command::Archive), Says::put_into_archive),
            (Action::Run(Command::Tag), Says::tag),
            (Action::Run(Command::Find), Says::narrow),
            (Action::Run(Command::Search), Says::search),
            HELP,
        ],
    }
}

/// What is worth a hint in what lies over the panes.
fn over(overlay: Option<&Overlay>) -> &'static [Hint] {
    const CLOSE: Hint = (Action::Do(Motion::Back), Says::close);
    const STOP: Hint = (Action::Do(Motion::Back), Says::stop);
    const LEAVE: Hint = (Action::Do(Motion::Back), Says::leave);
    const KEEP: Hint = (Action::Do(Motion::Open), Says::keep);
    match overlay {
        Some(Overlay::Chooser(_)) => {
            &[(Action::Do(Motion::Open), Says::choose), (Action::Do(Motion::Down), Says::next), CLOSE]
        }
        Some(Overlay::Prompt(_)) => &[KEEP, CLOSE],
        Some(Overlay::Endpoint(form))
            if form.asks_for_models || form.test.as_ref().is_some_and(Examination::is_running) =>
        {
            &[STOP, (Action::Do(Motion::Down), Says::next)]
        }
        Some(Overlay::Endpoint(form)) if form.at == Row::Model => {
            &[(Action::Do(Motion::Open), Says::its_models), (Action::Do(Motion::Down), Says::next), CLOSE]
        }
        Some(Overlay::Endpoint(_)) => {
            &[(Action::Do(Motion::Open), Says::on), (Action::Do(Motion::Down), Says::next), CLOSE]
        }
        Some(
            Overlay::Settings(SettingsScreen { editing: Some(_), .. })
            | Overlay::Handoff(HandoffReview { editing: Some(_), .. })
            | Overlay::Review(Review { editing: Some(FieldEdit { input: Input::Text(_), .. }), .. }),
        ) => &[KEEP, LEAVE],
        Some(Overlay::Settings(_)) => &[
            (Action::Do(Motion::Open), Says::change),
            (Action::Do(Motion::Right), Says::next_choice),
            (Action::Do(Motion::Clear), Says::take_setting_out),
            CLOSE,
        ],
        Some(Overlay::Doctor(examination)) if examination.is_running() => &[STOP],
        Some(Overlay::Doctor(examination)) if examination.may_try() => &[
            (Action::Do(Motion::Accept), Says::try_model),
            (Action::Do(Motion::Open), Says::look_again),
            (Action::Do(Motion::PageDown), Says::on),
            CLOSE,
        ],
        Some(Overlay::Doctor(_)) => {
            &[(Action::Do(Motion::Open), Says::look_again), (Action::Do(Motion::PageDown), Says::on), CLOSE]
        }
        Some(Overlay::About(about)) if about.fits() => &[CLOSE, (Action::Run(Command::Help), Says::help)],
        Some(Overlay::Confirm(_)) => {
            &[(Action::Do(Motion::Accept), Says::yes), (Action::Do(Motion::Decline), Says::no)]
        }
        Some(Overlay::Review(Review { editing: Some(_), .. })) => {
            &[KEEP, (Action::Do(Motion::Down), Says::next), LEAVE]
        }
        Some(Overlay::Handoff(_)) => &[
            (Action::Do(Motion::Accept), Says::hand_over),
            (Action::Do(Motion::Open), Says::change_or_add),
            (Action::Do(Motion::Clear), Says::take_out),
            (Action::Do(Motion::Decline), Says::decline),
            (Action::Do(Motion::Back), Says::later),
        ],
        Some(Overlay::Review(_)) => &[
            (Action::Do(Motion::Open), Says::change),
            (Action::Do(Motion::Accept), Says::all_right),
            (Action::Do(Motion::Later), Says::set_aside),
            CLOSE,
            (Action::Do(Motion::Clear), Says::forget),
        ],
        _ => &[CLOSE, (Action::Do(Motion::PageDown), Says::on), (Action::Run(Command::Help), Says::help)],
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
        .filter_map(|(action, does)| {
            Some((model.keymap.chord(context, *action)?.named(&look.words.key_names), does(&look.words.footer)))
        })
        .collect();
    let hints: Vec<KeyHint<'_>> = keys.iter().map(|(key, does)| KeyHint { key, does }).collect();
    KeyHints { hints: &hints, look }.render(after(area, 1), buf);
}
