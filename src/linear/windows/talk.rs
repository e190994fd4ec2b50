//! What comes up beside the conversation: a background task and what it wants leave for, the cap that is reached, an
//! earlier course.

use super::super::plain;
use super::super::window::{Choice, Way, Window};
use crate::app::commands::Command;
use crate::app::direct::Direct;
use crate::app::keymap::Motion;
use crate::app::model::Model;
use crate::app::overlay::{BudgetQuestion, CourseCard, Remedy, TaskCard, asked_about, course};
use crate::engine::transcript::Role;
use crate::ui::overlays::in_words;
use crate::words::Words;

/// A background task. What it wants leave for is told whole before it can be allowed.
pub(super) fn task(model: &Model, card: &TaskCard, columns: usize) -> Window {
    let says = &model.words.tasks;
    let Some(session) = &model.session else { return Window::default() };
    let Some(record) = session.memory.background_tasks.get(&card.task) else { return Window::default() };
    let (accept, decline) = Remedy::of(session, &card.task, record).words(says);
    let possible = asked_about(session, &card.task).is_none_or(|question| question.obstacles.is_empty());
    let way = |word: Option<&str>, motion| word.map(|word| Way::of(word, motion));
    Window {
        title: session.task_name(&card.task).to_owned(),
        says: in_words::task(model, card, columns),
        ways: way(accept.filter(|_| possible), Motion::Accept)
            .into_iter()
            .chain(way(decline, Motion::Decline))
            .collect(),
        ..Window::default()
    }
}

pub(super) fn budget(question: &BudgetQuestion, words: &Words) -> Window {
    let says = &words.budget;
    Window {
        title: says.title().to_owned(),
        says: vec![question.in_words(says)],
        choices: question
            .ways(says)
            .into_iter()
            .map(|(motion, label)| Choice::done(label, Direct::Do(motion)))
            .collect(),
        ..Window::default()
    }
}

/// An earlier course: what was said in it.
pub(super) fn course(model: &Model, card: &CourseCard) -> Window {
    let words = model.words;
    let engine = model.session.as_ref().map_or("", |session| session.engine.name.as_str());
    let said = card.course.messages.iter().map(|message| {
        let who = match message.role {
            Role::User => words.courses.you(),
            Role::Assistant => engine,
        };
        format!("{who}: {}", plain::lines(&message.text).join(" "))
    });
    let copy = Direct::Run(Command::Fork, String::new());
    Window {
        title: course::title(&card.course, &words.courses),
        says: said.collect(),
        choices: vec![
            Choice::done(words.linear.go_back_to_it(), Direct::Do(Motion::Accept)),
            Choice::done(words.linear.copy_it(), copy),
        ],
        ..Window::default()
    }
}
