//! The mode blend: what was heard against what was aimed at, as a plot over turns for each mode.

use indexmap::IndexMap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use super::{Line, lines};
use crate::app::inspector::{Known, plotted};
use crate::app::model::Model;
use crate::engine::config::Mode;
use crate::engine::figures::TurnFigures;
use crate::ui::paint::{Look, put_fitted};
use crate::ui::theme::Scope;
use crate::ui::widgets::{Plot, Sparkline};

/// The narrowest and lowest plot worth drawing, its title included.
const PLOT: (u16, u16) = (30, 5);

/// Higher plots say no more.
const HIGHEST: u16 = 11;

/// A mode over turns.
struct Course {
    mode: Mode,
    target: Vec<Option<f64>>,
    observed: Vec<Option<f64>>,
}

impl Course {
    fn title(&self) -> String {
        let last = |values: &[Option<f64>]| {
            values.last().copied().flatten().map_or_else(|| "-".to_owned(), |share| format!("{share:.0} %"))
        };
        format!("{:<9} target {:>4}, observed {:>4}", self.mode.word(), last(&self.target), last(&self.observed))
    }

    fn matters(&self) -> bool {
        self.target.iter().chain(&self.observed).flatten().any(|share| *share >= 0.5)
    }
}

pub fn draw(model: &Model, turn: u32, top: usize, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let turns: Vec<u32> = plotted(turn).collect();
    let first_turn = turns.first().copied().unwrap_or(1);
    let (courses, silent): (Vec<Course>, Vec<Course>) = courses(model, &turns).into_iter().partition(Course::matters);
    let note = note(&courses, &silent, first_turn..=turn);
    let body = Rect { height: area.height.saturating_sub(1), ..area };
    let (columns, rows) = grid(courses.len() as u16, body);
    let height = (body.height / rows).min(HIGHEST);
    if courses.is_empty() || height < PLOT.1 {
        small(&courses, &note, top, look, area, buf);
        return;
    }
    let width = body.width / columns;
    for (at, course) in (0u16..).zip(&courses) {
        let place = Rect {
            x: body.x + at % columns * width,
            y: body.y + at / columns * height,
            width: width.saturating_sub(2),
            height,
        };
        put_fitted(buf, (place.x, place.y), place.width, &course.title(), look.style(Scope::Strong), look.glyphs);
        let plot = Plot { values: &course.observed, targets: &course.target, top: 100.0, first_turn, look };
        plot.render(Rect { y: place.y + 1, height: height - 1, ..place }, buf);
    }
    put_fitted(buf, (area.x, body.y + rows * height), area.width, &note, look.style(Scope::Muted), look.glyphs);
}

/// As few columns as leave the plots high enough, so that they show as many turns as there is room for.
fn grid(count: u16, area: Rect) -> (u16, u16) {
    let rows = |columns: u16| count.div_ceil(columns).max(1);
    let most = (area.width / PLOT.0).clamp(1, 3);
    let columns = (1..most).find(|columns| area.height / rows(*columns) >= HIGHEST - 1).unwrap_or(most);
    (columns, rows(columns))
}

/// Where plots do not fit: a row for each mode, with what was heard in the last turns as small bars.
fn small(courses: &[Course], note: &str, top: usize, look: Look<'_>, area: Rect, buf: &mut Buffer) {
    let all: Vec<Line> = courses
        .iter()
        .map(|course| (course.title(), look.style(Scope::Overlay)))
        .chain([(note.to_owned(), look.style(Scope::Muted))])
        .collect();
    lines(buf, area, top, &all, look);
    let after = courses.iter().map(|course| course.title().chars().count()).max().unwrap_or(0) as u16 + 2;
    let top = top.min(all.len().saturating_sub(usize::from(area.height)));
    for (y, course) in (area.y..area.bottom()).zip(courses.iter().skip(top)) {
        let values: Vec<f64> = course.observed.iter().flatten().copied().collect();
        let place = Rect { x: area.x + after, y, width: area.width.saturating_sub(after), height: 1 };
        Sparkline { values: &values, top: 100.0, look }.render(place, buf);
    }
}

fn courses(model: &Model, turns: &[u32]) -> Vec<Course> {
    let known = turns.iter().map(|turn| match Known::of(model, *turn) {
        Known::Figures(figures) => Some(figures),
        Known::NotKept | Known::NotHere => None,
    });
    let known: Vec<Option<&TurnFigures>> = known.collect();
    let course = |mode: &Mode| {
        let share = |target: &IndexMap<Mode, u32>| target.get(mode).copied().map_or(0.0, f64::from);
        let target = |turn: &TurnFigures| turn.modes.target.as_ref().map(share);
        let observed = |turn: &TurnFigures| Some(turn.modes.observed?[*mode as usize]);
        let over_turns =
            |read: &dyn Fn(&TurnFigures) -> Option<f64>| known.iter().map(|turn| turn.and_then(read)).collect();
        Course { mode: *mode, target: over_turns(&target), observed: over_turns(&observed) }
    };
    Mode::ALL.iter().map(course).collect()
}

fn note(courses: &[Course], silent: &[Course], turns: std::ops::RangeInclusive<u32>) -> String {
    let span = format!("turns {} to {}", turns.start(), turns.end());
    let silent: Vec<&str> = silent.iter().map(|course| course.mode.word()).collect();
    match (courses.is_empty(), silent.is_empty()) {
        (true, _) => format!("{span}: no mode is aimed at, and none was heard"),
        (false, true) => span,
        (false, false) => format!("{span}; neither aimed at nor heard: {}", silent.join(", ")),
    }
}
