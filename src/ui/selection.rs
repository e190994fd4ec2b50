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

/// The text of the cells: without what fills rows up, and without the margin that all of them have.
pub fn text(selection: &Selection, buf: &Buffer) -> String {
    let rows: Vec<String> = selection.rows().map(|(y, begins, ends)| row(buf, y, begins, ends)).collect();
    // The first row may begin in the middle of a line.
    let margin = |row: &String| row.len() - row.trim_start_matches(' ').len();
    let common = rows.iter().skip(1).filter(|row| !row.is_empty()).map(margin).min().unwrap_or(0);
    let first = rows.first().map_or(0, margin);
    let cut = |(at, row): (usize, &String)| {
        let margin = if at == 0 { first } else { common };
        row.get(margin.min(row.len())..).unwrap_or_default().to_owned()
    };
    rows.iter().enumerate().map(cut).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
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
