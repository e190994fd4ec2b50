//! A buffer as text with escape sequences for its styles, to be shown by `cat`.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::runs::{CellLook, cells, runs};

const MODIFIERS: [(Modifier, &str); 7] = [
    (Modifier::BOLD, "1"),
    (Modifier::DIM, "2"),
    (Modifier::ITALIC, "3"),
    (Modifier::UNDERLINED, "4"),
    (Modifier::SLOW_BLINK, "5"),
    (Modifier::REVERSED, "7"),
    (Modifier::CROSSED_OUT, "9"),
];

/// A buffer as text with styles. Every line ends plain, so that it can be cut anywhere.
pub fn to_ansi(buf: &Buffer) -> String {
    let mut text = String::new();
    for y in buf.area.top()..buf.area.bottom() {
        for (look, _, _, members) in runs(cells(buf, y), |cell| cell.look) {
            let codes = codes(look);
            if !codes.is_empty() {
                let _ = write!(text, "\x1b[{codes}m");
            }
            text.extend(members.iter().map(|cell| cell.symbol));
            if !codes.is_empty() {
                text.push_str("\x1b[0m");
            }
        }
        text.push('\n');
    }
    text
}

fn codes(look: CellLook) -> String {
    let mut codes: Vec<String> = MODIFIERS
        .iter()
        .filter(|(modifier, _)| look.modifiers.contains(*modifier))
        .map(|(_, code)| (*code).to_owned())
        .collect();
    codes.extend(color(look.fg, 30));
    codes.extend(color(look.bg, 40));
    codes.join(";")
}

/// The code of a colour, `base` being 30 for text and 40 for its ground.
fn color(color: Color, base: u8) -> Option<String> {
    let code = match color {
        Color::Reset => return None,
        Color::Rgb(red, green, blue) => return Some(format!("{};2;{red};{green};{blue}", base + 8)),
        Color::Indexed(index) => return Some(format!("{};5;{index}", base + 8)),
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 60,
        Color::LightRed => 61,
        Color::LightGreen => 62,
        Color::LightYellow => 63,
        Color::LightBlue => 64,
        Color::LightMagenta => 65,
        Color::LightCyan => 66,
        Color::White => 67,
    };
    Some((base + code).to_string())
}
