//! What is being selected with the mouse: marked in the frame, and read off it.

use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

use super::paint::grapheme_width;
use crate::app::pointer::Selection;

/// Marks the cells.
pub(super) fn mark(selection: &Selection, buf: &mut Buffer) {
    for (y, begins, ends) in selection.rows() {
        for x in begins..ends {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.modifier.toggle(Modifier::REVERSED);
            }
        }
    }
}

/// The text of the cells: without what fills rows up, and without the margin that all of them have. Nothing left of
/// `left` is taken, where marks stand; a row that `goes_on` in the next one is one line with it.
pub fn text(selection: &Selection, buf: &Buffer, left: u16, goes_on: &dyn Fn(u16) -> bool) -> String {
    let cells = selection.rows().map(|(y, begins, ends)| (y, row(buf, y, begins.max(left), ends)));
    let (places, rows): (Vec<u16>, Vec<String>) = cells.unzip();
    // The first row may begin in the middle of a line.
    let margin = |row: &String| row.len() - row.trim_start_matches(' ').len();
    let common = rows.iter().skip(1).filter(|row| !row.is_empty()).map(margin).min().unwrap_or(0);
    let first = rows.first().map_or(0, margin);
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        let margin = if at == 0 { first } else { common };
        let joined = at > 0 && goes_on(places[at - 1]);
        let row = row.get(margin.min(row.len())..).unwrap_or_default();
        if at > 0 {
            text.push_str(if joined { " " } else { "\n" });
        }
        text.push_str(if joined { row.trim_start() } else { row });
    }
    text.trim_matches('\n').to_owned()
}

fn row(buf: &Buffer, y: u16, begins: u16, ends: u16) -> String {
    let mut text = String::new();
    let mut x = begins;
    while x < ends {
        let Some(cell) = buf.cell((x, y)) else { break };
        let symbol = cell.symbol();
        text.push_str(symbol);
        // The cell after a wide letter holds nothing of its own.
        x += u16::try_from(grapheme_width(symbol).max(1)).unwrap_or(1);
    }
    text.trim_end().to_owned()
}
