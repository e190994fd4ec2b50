//! What the cards say, without a window around it: for a front end that tells lines instead of drawing frames.

use std::sync::LazyLock;

pub use super::inspector::in_words as inspector;
use super::{Line, evidence, task};
use crate::app::model::Model;
use crate::app::overlay::{FieldCard, TaskCard};
use crate::ui::glyphs;
use crate::ui::paint::Look;
use crate::ui::theme::{ColorDepth, Theme, Themes};
use crate::words::Words;

static BARE: LazyLock<Theme> = LazyLock::new(|| Themes::built_in().fallback(ColorDepth::None));

pub(super) fn look(words: &'static Words) -> Look<'static> {
    Look { theme: &BARE, glyphs: &glyphs::ASCII, caret: None, ends: None, words }
}

pub(super) fn texts(lines: Vec<Line>) -> Vec<String> {
    lines.into_iter().map(|(text, _)| text).filter(|text| !text.trim().is_empty()).collect()
}

/// The card of a background task. Words of an engine stand behind a line in every row of that width.
pub fn task(model: &Model, card: &TaskCard, columns: usize) -> Vec<String> {
    task::said(model, card, look(model.words), columns).map(texts).unwrap_or_default()
}

/// What is known of a field of an evidence card.
pub fn field(card: FieldCard<'_>, words: &'static Words) -> Vec<String> {
    texts(evidence::known(card, usize::from(u16::MAX), look(words)))
}
