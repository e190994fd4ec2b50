//! The inspector: why a turn went as it did, for people who design engines.

use std::ops::RangeInclusive;

use super::effect::Effect;
use super::keymap::Motion;
use super::model::Model;
use super::overlay::{self, Overlay, scrolled};
use crate::engine::figures::TurnFigures;
use crate::host::protocol::Query;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    #[default]
    Steps,
    Triggers,
    Techniques,
    Modes,
    Context,
    Extraction,
    Calls,
}

impl Page {
    pub const ALL: [Self; 7] =
        [Self::Steps, Self::Triggers, Self::Techniques, Self::Modes, Self::Context, Self::Extraction, Self::Calls];

    pub fn title(self) -> &'static str {
        match self {
            Self::Steps => "Steps",
            Self::Triggers => "Triggers",
            Self::Techniques => "Techniques",
            Self::Modes => "Modes",
            Self::Context => "Context",
            Self::Extraction => "Extraction",
            Self::Calls => "Calls",
        }
    }

    fn step(self, forward: bool) -> Self {
        let count = Self::ALL.len();
        let at = self as usize + if forward { 1 } else { count - 1 };
        Self::ALL[at % count]
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inspector {
    pub turn: u32,
    pub page: Page,
    /// The first row in view.
    pub top: usize,
}

/// How many turns the plots go back: as many as a wide window has columns for, and no more work than that.
const PLOTTED: u32 = 60;

/// How many turns' figures are kept at hand; those furthest from where the user looks are fetched anew.
const AT_HAND: usize = 4 * PLOTTED as usize;

pub fn under_way(model: &Model) -> Option<u32> {
    model.turn.as_ref().map(|turn| turn.replaces.unwrap_or(last(model) + 1))
}

/// The latest turn that can be looked at: the one under way, else the last that was kept.
pub fn latest(model: &Model) -> u32 {
    under_way(model).unwrap_or(0).max(last(model))
}

fn last(model: &Model) -> u32 {
    model.session.as_ref().map_or(0, |session| session.memory.turn)
}

/// What is known of a turn here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known<'a> {
    /// Nothing yet.
    NotHere,
    /// That nothing was kept of it.
    NotKept,
    /// Its figures; of the turn under way as far as it has come.
    Figures(&'a TurnFigures),
}

impl<'a> Known<'a> {
    pub fn of(model: &'a Model, turn: u32) -> Self {
        match &model.turn {
            Some(running) if under_way(model) == Some(turn) => Self::Figures(&running.figures),
            _ => match model.turns.get(&turn) {
                Some(Some(figures)) => Self::Figures(figures),
                Some(None) => Self::NotKept,
                None => Self::NotHere,
            },
        }
    }
}

/// The turns that the plots show when this one is looked at.
pub(crate) fn plotted(turn: u32) -> RangeInclusive<u32> {
    turn.saturating_sub(PLOTTED - 1).max(1)..=turn
}

/// Opens the inspector, or closes it.
pub(crate) fn toggle(model: &mut Model) -> Vec<Effect> {
    match model.overlays.last() {
        Some(Overlay::Inspector(_)) => overlay::close(model),
        _ => open(model),
    }
}

/// Opens the inspector on the turn under way, or else on the last.
fn open(model: &mut Model) -> Vec<Effect> {
    let turn = under_way(model).unwrap_or_else(|| last(model));
    model.overlays.push(Overlay::Inspector(Inspector { turn, ..Inspector::default() }));
    wanted(model, turn, Page::default())
}

/// Walks through pages and turns.
pub(crate) fn motion(model: &mut Model, motion: Motion, page: usize) -> Option<Vec<Effect>> {
    let latest = latest(model);
    let Some(Overlay::Inspector(inspector)) = model.overlays.last_mut() else { return None };
    match motion {
        Motion::Left => inspector.turn = inspector.turn.min(latest).saturating_sub(1).max(latest.min(1)),
        Motion::Right => inspector.turn = (inspector.turn + 1).min(latest),
        Motion::FocusNext | Motion::Open => (inspector.page, inspector.top) = (inspector.page.step(true), 0),
        Motion::FocusPrevious => (inspector.page, inspector.top) = (inspector.page.step(false), 0),
        _ => inspector.top = scrolled(inspector.top, motion, page)?,
    }
    let (turn, page) = (inspector.turn, inspector.page);
    Some(wanted(model, turn, page))
}

/// Asks for the figures that are not here: of the turn, and where a page plots them, of those before it.
fn wanted(model: &Model, turn: u32, page: Page) -> Vec<Effect> {
    let shown = if page == Page::Modes { plotted(turn) } else { turn..=turn };
    let missing = |turn: &u32| *turn > 0 && *turn <= last(model) && !model.turns.contains_key(turn);
    let mut missing = shown.filter(missing);
    let Some(from) = missing.next() else { return Vec::new() };
    vec![Effect::host(Query::Figures { from, to: missing.last().unwrap_or(from) })]
}

/// Keeps the figures of a turn at hand, and lets those furthest from it go.
pub fn keep(model: &mut Model, turn: u32, figures: Option<TurnFigures>) {
    model.turns.insert(turn, figures);
    while model.turns.len() > AT_HAND {
        let first = model.turns.first_key_value().map_or(turn, |(first, _)| *first);
        let last = model.turns.last_key_value().map_or(turn, |(last, _)| *last);
        let furthest = if turn.abs_diff(first) > turn.abs_diff(last) { first } else { last };
        model.turns.remove(&furthest);
    }
}
