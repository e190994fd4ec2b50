//! Every window of the app in words. One that is new in the app does not compile here until it is told.

mod first;
mod known;
mod setup;
mod talk;

use super::standing;
use super::window::{Choice, Takes, Way, Window};
use crate::app::commands::COMMANDS;
use crate::app::direct::Direct;
use crate::app::inspector::{Inspector, Page, latest};
use crate::app::keymap::Motion;
use crate::app::model::{Model, Screen};
use crate::app::overlay::{Chooser, Confirm, Overlay, Prompt, Purpose};
use crate::ui::overlays::in_words;
use crate::words::Words;

/// What a front end without a sidebar adds to the windows of the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    /// Where the conversation stands.
    Standing,
}

/// What lies on top; none where one talks.
pub(super) fn top(model: &Model, own: Option<Own>, columns: usize) -> Option<Window> {
    if let Some(overlay) = model.overlays.last() {
        return Some(overlaid(model, overlay, columns));
    }
    match (own, &model.session, model.screen) {
        (Some(Own::Standing), Some(session), Screen::Chat) => Some(standing::window(session, model.words)),
        (_, _, Screen::Picker) if model.opening.is_none() => Some(first::window(model)),
        _ => None,
    }
}

fn overlaid(model: &Model, overlay: &Overlay, columns: usize) -> Window {
    let words = model.words;
    match overlay {
        Overlay::Help(_) => help(words),
        Overlay::About(_) => first::about(model),
        Overlay::Chooser(list) => chooser(list, words),
        Overlay::Prompt(asked) => prompt(asked, words),
        Overlay::Confirm(question) => confirm(question, words),
        Overlay::Evidence(card) => known::evidence(model, card),
        Overlay::Review(review) => known::review(model, review),
        Overlay::Handoff(review) => known::handoff(review, words),
        Overlay::Task(card) => talk::task(model, card, columns),
        Overlay::Budget(question) => talk::budget(question, words),
        Overlay::Course(card) => talk::course(model, card),
        Overlay::Endpoint(form) => setup::endpoint(model, form),
        Overlay::Settings(screen) => setup::settings(screen, words),
        Overlay::Doctor(examination) => setup::doctor(examination, words),
        Overlay::Inspector(inspector) => inspected(model, inspector),
    }
}

fn help(words: &Words) -> Window {
    let says = &words.commands;
    let command = |entry: &crate::app::commands::Entry| {
        let name = format!("/{} {}", entry.name, entry.argument(says));
        format!("{}: {}", name.trim_end(), entry.about(says))
    };
    let lines = COMMANDS.iter().map(command).chain([words.linear.several_lines().to_owned()]);
    Window { title: says.title().to_owned(), says: lines.collect(), only_says: true, ..Window::default() }
}

fn chooser(list: &Chooser, words: &Words) -> Window {
    let says = &words.lists;
    let heading = if list.heading.is_empty() { list.purpose.title(says) } else { &list.heading };
    let line = |(at, choice): (usize, &crate::app::overlay::Choice)| {
        let parts = [choice.detail.trim(), choice.note.trim()];
        let more: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty() && *part != choice.label).collect();
        let label = choice.label.trim_end();
        let label = if more.is_empty() { label.to_owned() } else { format!("{label}; {}", more.join("; ")) };
        Choice::opened(label, at)
    };
    let choices: Vec<Choice> = list.shown().enumerate().map(line).collect();
    let searches = list.purpose == Purpose::Search;
    let empty = match list.purpose {
        _ if !choices.is_empty() || list.waiting => None,
        Purpose::Courses => Some(says.nothing_taken_back()),
        Purpose::Search if list.input.text().is_empty() => Some(says.words_to_find()),
        _ => Some(says.nothing_fits()),
    };
    let waiting = (list.waiting && choices.is_empty()).then(|| says.looking());
    Window {
        title: heading.to_owned(),
        says: empty.or(waiting).map(ToOwned::to_owned).into_iter().collect(),
        choices,
        takes: if searches { Takes::Searching } else { Takes::Narrowing },
        waits: list.waiting,
        ..Window::default()
    }
}

fn prompt(asked: &Prompt, words: &Words) -> Window {
    let now = Some(asked.input.text()).filter(|text| !text.is_empty());
    Window {
        title: asked.asking.title(words),
        says: now.map(|text| words.linear.now_is(text)).into_iter().collect(),
        takes: Takes::Value,
        ..Window::default()
    }
}

fn confirm(question: &Confirm, words: &Words) -> Window {
    let footer = &words.footer;
    Window {
        title: String::new(),
        says: vec![question.question.clone(), question.detail.clone()]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect(),
        ways: vec![Way::of(footer.yes(), Motion::Accept), Way::of(footer.no(), Motion::Decline)],
        ..Window::default()
    }
}

/// The pages of the inspector and the turns it can go to. It is for designers of engines and speaks English.
fn inspected(model: &Model, inspector: &Inspector) -> Window {
    let turn = inspector.turn.min(latest(model));
    let page = Page::ALL.iter().position(|page| *page == inspector.page).unwrap_or(0);
    let next = Page::ALL[(page + 1) % Page::ALL.len()].title();
    Window {
        title: format!("Inspector, turn {turn} of {}, {}", latest(model), inspector.page.title()),
        says: in_words::inspector(model, inspector),
        choices: vec![
            Choice::done(format!("Next page: {next}"), Direct::Do(Motion::FocusNext)),
            Choice::done("Turn before", Direct::Do(Motion::Left)),
            Choice::done("Turn after", Direct::Do(Motion::Right)),
        ],
        ..Window::default()
    }
}
