//! Reads rows of a buffer cell by cell, the covered half of a wide character left out, and joins cells of one style.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use crate::ui::paint::grapheme_width;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellLook {
    pub fg: Color,
    pub bg: Color,
    pub modifiers: Modifier,
}

/// A character of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameCell<'a> {
    pub column: u16,
    pub symbol: &'a str,
    pub width: u16,
    pub look: CellLook,
}

/// The characters of a row, from left to right.
pub fn cells(buf: &Buffer, y: u16) -> impl Iterator<Item = FrameCell<'_>> {
    let area = buf.area;
    let mut x = area.left();
    std::iter::from_fn(move || {
        let cell = buf.cell((x, y)).filter(|_| x < area.right())?;
        let left = area.right() - x;
        let (symbol, width) = match (cell.symbol(), grapheme_width(cell.symbol()) as u16) {
            // An exported frame must hold no control characters, even if the buffer has some.
            (_, 0) => (" ", 1),
            (_, width) if width > left => (" ", 1),
            (symbol, width) => (symbol, width),
        };
        let look = CellLook { fg: cell.fg, bg: cell.bg, modifiers: cell.modifier };
        let column = x - area.left();
        x += width;
        Some(FrameCell { column, symbol, width, look })
    })
}

/// Joins neighbours for which `same` holds, as first cell and number of columns.
pub fn runs<'a, K: PartialEq + Copy>(
    cells: impl Iterator<Item = FrameCell<'a>>,
    key: impl Fn(&FrameCell<'a>) -> K,
) -> Vec<(K, u16, u16, Vec<FrameCell<'a>>)> {
    let mut runs: Vec<(K, u16, u16, Vec<FrameCell<'a>>)> = Vec::new();
    for cell in cells {
        let own = key(&cell);
        match runs.last_mut() {
            Some((known, _, columns, members)) if *known == own => {
                *columns += cell.width;
                members.push(cell);
            }
            _ => runs.push((own, cell.column, cell.width, vec![cell])),
        }
    }
    runs
}
