//! An earlier course of the session: what was said in it, to be gone back to or gone on from in a copy.

use super::super::effect::Effect;
use super::super::keymap::Motion;
use super::super::model::Model;
use super::{Choice, Overlay, scrolled};
use crate::host::protocol::{CourseChoice, Open, TurnCommand};
use crate::words::CourseWords;

/// What stands over a course.
pub(crate) fn title(course: &CourseChoice, says: &CourseWords) -> String {
    match course.turns {
        1 => says.turn(course.after + 1, &course.when),
        turns => says.turns(course.after + 1, course.after + turns, &course.when),
    }
}

/// An earlier course that is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CourseCard {
    pub course: CourseChoice,
    /// The first row in view.
    pub top: usize,
}

impl Choice {
    /// An earlier course, by the words it begins with.
    pub(super) fn course(course: &CourseChoice, says: &CourseWords) -> Self {
        let first = course.messages.first().map_or(String::new(), |message| message.text.to_string());
        let words = first.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { id: course.id.to_string(), label: title(course, says), detail: words, note: String::new(), turn: None }
    }
}

/// Shows a course that was chosen from the list.
pub(super) fn open(model: &mut Model, id: &str) -> Vec<Effect> {
    let found = model.courses.iter().find(|course| course.id.to_string() == id).cloned();
    model.overlays.extend(found.map(|course| Overlay::Course(CourseCard { course, top: 0 })));
    Vec::new()
}

pub(super) fn motion(model: &mut Model, motion: Motion, page: usize) -> Option<Vec<Effect>> {
    let Some(Overlay::Course(card)) = model.overlays.last_mut() else { return None };
    if let Some(top) = scrolled(card.top, motion, page) {
        card.top = top;
        return Some(Vec::new());
    }
    if !matches!(motion, Motion::Accept | Motion::Open) {
        return None;
    }
    let course = card.course.id;
    model.overlays.clear();
    Some(vec![Effect::host(TurnCommand::Restore(course))])
}

/// Makes a copy: of the course that is looked at, or of the session as it stands.
pub(crate) fn fork(model: &mut Model) -> Vec<Effect> {
    let open = match model.overlays.last() {
        Some(Overlay::Course(card)) => Open::ForkCourse(card.course.id),
        _ => Open::Fork,
    };
    vec![Effect::host(open)]
}
