//! The first screen: what can be begun, and the sessions there are.

use super::super::window::{Choice, Takes, Way, Window};
use crate::app::about;
use crate::app::commands::Command;
use crate::app::direct::Direct;
use crate::app::keymap::Motion;
use crate::app::model::Model;
use crate::host::protocol::{EngineChoice, SessionChoice, Shelf};
use crate::words::Words;

pub(super) fn window(model: &Model) -> Window {
    let (picker, words) = (&model.picker, model.words);
    let says = &words.picker;
    let shelf = picker.listing.shelf;
    let verb = if shelf == Shelf::Trash { words.footer.restore() } else { says.go_on_with() };
    let engines = picker.engines.iter().enumerate().map(|(at, engine)| Choice::opened(engine_line(engine, words), at));
    let first = picker.engines.len();
    let sessions = picker.sessions.iter().enumerate();
    let sessions =
        sessions.map(|(at, session)| Choice::opened(format!("{verb}: {}", session_line(session, words)), first + at));
    let mut choices: Vec<Choice> = engines.chain(sessions).collect();
    let turn = |label: String, motion| Choice { point: Some(first), ..Choice::done(label, Direct::Do(motion)) };
    let shelves = &picker.shelves;
    if picker.loaded {
        let further = match shelf {
            Shelf::Current if shelves.archived + shelves.trashed > 0 => {
                Some(turn(format!("{} ({})", says.archive(), shelves.archived), Motion::Right))
            }
            Shelf::Archive => Some(turn(format!("{} ({})", says.trash(), shelves.trashed), Motion::Right)),
            _ => None,
        };
        let back = (shelf != Shelf::Current).then(|| turn(words.footer.all_sessions().to_owned(), Motion::Back));
        choices.extend(further.into_iter().chain(back));
    }
    let mut ways = Vec::new();
    if !picker.sessions.is_empty() {
        let run = |word: &str, command| Way {
            word: word.to_owned(),
            does: Direct::Run(command, String::new()),
            of_choice: true,
        };
        ways.push(run(words.footer.tag(), Command::Tag));
        let away = if shelf == Shelf::Archive { words.footer.take_out() } else { words.footer.put_into_archive() };
        ways.push(run(away, Command::Archive));
        let gone = if shelf == Shelf::Trash { words.footer.erase() } else { words.footer.throw_away() };
        ways.push(run(gone, Command::Trash));
    }
    let about = if model.endpoint.offline { says.offline().to_owned() } else { says.answers(&model.endpoint.label) };
    let empty = match shelf {
        _ if !picker.loaded || !picker.sessions.is_empty() => None,
        Shelf::Archive => Some(says.nothing_archived()),
        Shelf::Trash => Some(says.nothing_trashed()),
        Shelf::Current | Shelf::Kept => None,
    };
    Window {
        title: "Elenchus".to_owned(),
        says: std::iter::once(about).chain(empty.map(ToOwned::to_owned)).collect(),
        choices,
        ways,
        takes: Takes::Beginning,
        waits: !picker.loaded,
        only_says: false,
    }
}

/// Who answers, what is kept where, how it is erased: told, and nothing to be answered.
pub(super) fn about(model: &Model) -> Window {
    let parts = about::parts(model).into_iter();
    let says = parts.flat_map(|part| {
        let heading = part.heading;
        let labelled = |(at, line)| if at == 0 { format!("{heading}: {line}") } else { line };
        part.says.into_iter().enumerate().map(labelled).collect::<Vec<_>>()
    });
    Window {
        title: model.words.about.title().to_owned(),
        says: says.chain([model.words.about.again().to_owned()]).collect(),
        only_says: true,
        ..Window::default()
    }
}

fn engine_line(engine: &EngineChoice, words: &Words) -> String {
    let minutes = words.picker.minutes(engine.minutes);
    format!("{}: {}; {}; {minutes}", words.picker.start(), engine.name, engine.outcome.trim_end_matches('.'))
}

fn session_line(session: &SessionChoice, words: &Words) -> String {
    let says = &words.picker;
    let copy = session.copy.as_ref().map(|copy| match &copy.of {
        Some(of) => says.copy_of(copy.turn, of),
        None => says.copy_of_none(copy.turn),
    });
    let tags = (!session.tags.is_empty()).then(|| session.tags.iter().map(|tag| format!("#{tag}")).collect::<Vec<_>>());
    let parts = [
        Some(session.title.clone()),
        copy,
        (session.title != session.engine).then(|| session.engine.clone()),
        session.project.clone(),
        tags.map(|tags| tags.join(" ")),
        Some(session.when.clone()),
        Some(says.turns(session.turns)),
        Some(words.linear.complete(session.completeness)),
        session.days_left.map(|days| says.days_left(days)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
