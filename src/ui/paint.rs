//! Puts text into cells: clipped to its area, safe, and never half a character.

use std::cell::Cell as Slot;

use ratatui::buffer::{Buffer, Cell, CellWidth as _};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation as _;

use super::glyphs::{self, Glyphs};
use super::theme::{Scope, Theme};
use crate::text::sanitise_line;
use crate::words::{Words, english};

/// What every drawing needs to know about looks.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// Colours and weights.
    pub theme: &'a Theme,
    pub glyphs: &'a Glyphs,
    /// Where the field that takes the keys says the cursor of the terminal belongs; none where nothing is shown.
    pub caret: Option<&'a Slot<Option<Position>>>,
    /// Where a window that scrolls says with which row it ends, where that is the last it can begin with.
    pub ends: Option<&'a Slot<Option<usize>>>,
    /// What is said.
    pub words: &'static Words,
}

impl<'a> Look<'a> {
    /// A look with the signs of capable terminals, in English.
    pub fn new(theme: &'a Theme) -> Self {
        Self { theme, glyphs: &glyphs::UNICODE, words: english(), caret: None, ends: None }
    }

    pub fn style(&self, scope: Scope) -> Style {
        self.theme.style(scope)
    }

    /// Puts the cursor of the terminal at a place: input methods open their window there.
    pub(crate) fn put_caret(&self, place: Position) {
        if let Some(caret) = self.caret {
            caret.set(Some(place));
        }
    }

    /// Puts the cursor of the terminal where a text area has painted its own, and takes the paint away.
    pub(crate) fn take_caret(&self, area: Rect, buf: &mut Buffer) {
        for place in area.intersection(buf.area).positions() {
            if let Some(cell) = buf.cell_mut(place).filter(|cell| cell.modifier.contains(Modifier::REVERSED)) {
                cell.modifier.remove(Modifier::REVERSED);
                self.put_caret(place);
            }
        }
    }
}

/// The longest symbol of one cell, in bytes: the longest emoji are below it, and no pile of accents goes over it.
const MAX_SYMBOL: usize = 64;

/// The columns that one grapheme takes.
pub(crate) fn grapheme_width(grapheme: &str) -> usize {
    if grapheme.contains(char::is_control) { 0 } else { usize::from(grapheme.cell_width()) }
}

/// Whether a text is all printable ASCII: one column each, nothing to make safe. Most text is that.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

/// The columns that a text takes in one row.
pub fn text_width(text: &str) -> usize {
    if is_plain(text) {
        return text.len();
    }
    text.graphemes(true).map(grapheme_width).sum()
}

/// Writes one row of text from (`x`, `y`), over at most `width` columns and never beyond the buffer, and says where the
/// next one would go. Unsafe characters are shown, line ends become spaces.
pub fn put(buf: &mut Buffer, x: u16, y: u16, width: u16, text: &str, style: Style) -> u16 {
    let area = buf.area;
    if y < area.top() || y >= area.bottom() || x < area.left() {
        return x;
    }
    let end = x.saturating_add(width).min(area.right());
    let mut at = x;
    if is_plain(text) {
        for (column, letter) in (x..end).zip(text.chars()) {
            if let Some(cell) = buf.cell_mut((column, y)) {
                cell.set_char(letter).set_style(style);
            }
            at = column + 1;
        }
        return at;
    }
    let text = sanitise_line(text);
    for grapheme in text.graphemes(true) {
        let columns = grapheme_width(grapheme) as u16;
        if columns == 0 {
            continue;
        }
        if at.saturating_add(columns) > end {
            break;
        }
        let symbol = if grapheme.len() > MAX_SYMBOL { first_char(grapheme) } else { grapheme };
        if let Some(cell) = buf.cell_mut((at, y)) {
            cell.set_symbol(symbol).set_style(style);
        }
        // The rest of a wide character keeps its ground, so that no hole shows in a coloured row.
        for covered in at + 1..at + columns {
            if let Some(cell) = buf.cell_mut((covered, y)) {
                cell.set_symbol(" ").set_style(style);
            }
        }
        at += columns;
    }
    at
}

fn first_char(grapheme: &str) -> &str {
    grapheme.char_indices().nth(1).map_or(grapheme, |(end, _)| &grapheme[..end])
}

/// Writes a text and, where it does not fit, ends it with an ellipsis.
pub fn put_fitted(buf: &mut Buffer, (x, y): (u16, u16), width: u16, text: &str, style: Style, glyphs: &Glyphs) -> u16 {
    let fitted = fit(text, usize::from(width), glyphs);
    put(buf, x, y, width, &fitted, style)
}

/// Writes a text so that it ends at the right edge of `area`'s first row, and says where it begins.
pub(crate) fn put_right(buf: &mut Buffer, area: Rect, text: &str, style: Style) -> u16 {
    let text = sanitise_line(text);
    let width = (text_width(&text) as u16).min(area.width);
    let x = area.right() - width;
    if area.height > 0 {
        put(buf, x, area.y, width, &text, style);
    }
    x
}

/// Cuts a text to a number of columns, with an ellipsis where something was cut.
pub fn fit(text: &str, width: usize, glyphs: &Glyphs) -> String {
    let text = sanitise_line(text);
    if text_width(&text) <= width {
        return text.into_owned();
    }
    if width == 0 {
        return String::new();
    }
    let mut cut = String::new();
    let mut columns = 0;
    for grapheme in text.graphemes(true) {
        let more = grapheme_width(grapheme);
        if columns + more > width - 1 {
            break;
        }
        columns += more;
        cut.push_str(grapheme);
    }
    cut.truncate(cut.trim_end().len());
    cut.push_str(glyphs.ellipsis);
    cut
}

/// Clears an area: what lay there is gone, its ground is that of `style`.
pub fn clear(buf: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buf.area);
    let mut blank = Cell::default();
    blank.set_style(style);
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.clone_from(&blank);
            }
        }
    }
}

/// A row of an area, or an empty one where the area has no such row.
pub fn row(area: Rect, index: u16) -> Rect {
    if index < area.height {
        Rect { y: area.y + index, height: 1, ..area }
    } else {
        Rect { height: 0, y: area.bottom(), ..area }
    }
}

/// What is left of an area without its first columns.
pub fn after(area: Rect, columns: u16) -> Rect {
    let columns = columns.min(area.width);
    Rect { x: area.x + columns, width: area.width - columns, ..area }
}
