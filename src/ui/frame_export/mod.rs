//! Frames without a terminal: a buffer as plain text, as text with colours, and as a picture.

mod ansi;
mod runs;
mod svg;

pub use ansi::to_ansi;
pub use svg::{SvgFrame, to_svg};

use ratatui::buffer::Buffer;

/// A buffer as plain text, a line a row, without space at the ends of lines.
pub fn to_text(buf: &Buffer) -> String {
    let mut text = String::new();
    for y in buf.area.top()..buf.area.bottom() {
        let line: String = runs::cells(buf, y).map(|cell| cell.symbol).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
