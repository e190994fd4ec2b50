//! The inspector in lines, for a front end that draws nothing.

use super::super::in_words::{look, texts};
use super::{COLUMNS, page};
use crate::app::inspector::{Inspector, Known, Page, latest};
use crate::app::model::Model;
use crate::engine::config::Mode;
use crate::engine::figures::TurnFigures;

/// A page of the inspector. Below the width of columns its pages say figures in words, without bars.
pub fn in_words(model: &Model, inspector: &Inspector) -> Vec<String> {
    match Known::of(model, inspector.turn.min(latest(model))) {
        Known::Figures(figures) if inspector.page == Page::Modes => modes(figures),
        Known::Figures(figures) => {
            let said = page(figures, inspector.page, COLUMNS - 1, look(model.words));
            texts(said)
        }
        Known::NotKept => vec!["Nothing was kept of this turn.".to_owned()],
        Known::NotHere if latest(model) == 0 => vec!["Nothing has happened yet.".to_owned()],
        Known::NotHere => Vec::new(),
    }
}

fn modes(turn: &TurnFigures) -> Vec<String> {
    let said = Mode::ALL.iter().enumerate().map(|(at, mode)| {
        let target = turn.modes.target.as_ref().map_or(0, |target| target.get(mode).copied().unwrap_or(0));
        let observed = turn.modes.observed.map_or("-".to_owned(), |observed| format!("{:.0} %", observed[at]));
        format!("{}: target {target} %, observed {observed}", mode.word())
    });
    said.collect()
}
