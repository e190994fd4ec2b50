//! A buffer as a picture that stands alone: a window with the frame in it, the same bytes for the same frame.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::runs::{CellLook, FrameCell, cells, runs};
use crate::ui::theme::{Rgb, Theme, rgb};

/// What stands around the frame.
#[derive(Clone, Copy, Debug)]
pub struct SvgFrame<'a> {
    /// The colours of what has none of its own.
    pub theme: &'a Theme,
    /// What the window's bar says; no bar where it is empty.
    pub title: &'a str,
}

/// The size of a cell in pixels. The width is that of common fixed fonts at this size; each text is stretched to its
/// columns anyway, so that no font can shift the grid.
const CELL: (f64, f64) = (8.4, 18.0);
const FONT: f64 = 14.0;
const BASELINE: f64 = 13.4;
const PADDING: f64 = 14.0;
const BAR: f64 = 30.0;

const FONTS: &str =
    "ui-monospace,'JetBrains Mono','Cascadia Mono','SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace";

pub fn to_svg(buf: &Buffer, frame: &SvgFrame<'_>) -> String {
    let bar = if frame.title.is_empty() { 0.0 } else { BAR };
    let width = f64::from(buf.area.width) * CELL.0 + 2.0 * PADDING;
    let height = f64::from(buf.area.height) * CELL.1 + 2.0 * PADDING + bar;
    let (ink, ground) = frame.theme.ground();
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" \
         font-family=\"{FONTS}\" font-size=\"{FONT}\">",
        pixels(width),
        pixels(height),
    );
    let edge = mix(ink, ground, 0.25);
    let _ = writeln!(
        svg,
        "<rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"9\" fill=\"{}\" stroke=\"{}\"/>",
        pixels(width - 1.0),
        pixels(height - 1.0),
        hex(ground),
        hex(edge),
    );
    if bar > 0.0 {
        title_bar(&mut svg, frame.title, width, mix(ink, ground, 0.6), edge);
    }
    let painter = Painter { ink, ground, left: PADDING, top: PADDING + bar };
    for y in buf.area.top()..buf.area.bottom() {
        painter.row(&mut svg, buf, y);
    }
    svg.push_str("</svg>\n");
    svg
}

fn title_bar(svg: &mut String, title: &str, width: f64, ink: Rgb, edge: Rgb) {
    for (at, fill) in (0u8..).zip(["#f0655a", "#f0b840", "#55c04e"]) {
        let x = PADDING + 6.0 + f64::from(at) * 19.0;
        let _ = writeln!(
            svg,
            "<circle cx=\"{}\" cy=\"{}\" r=\"5.5\" fill=\"{fill}\"/>",
            pixels(x),
            pixels(BAR / 2.0 + 1.0)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\" font-size=\"12.5\">{}</text>",
        pixels(width / 2.0),
        pixels(BAR / 2.0 + 5.0),
        hex(ink),
        escaped(&crate::text::sanitise_line(title)),
    );
    let _ = writeln!(svg, "<path d=\"M1 {0}H{1}\" stroke=\"{2}\"/>", pixels(BAR), pixels(width - 1.0), hex(edge));
}

struct Painter {
    ink: Rgb,
    ground: Rgb,
    left: f64,
    top: f64,
}

impl Painter {
    /// The colours of a cell as they are seen: reversed, dimmed, and those of the theme where it has none.
    fn colors(&self, look: CellLook) -> (Rgb, Rgb) {
        let known = |color: Color, own: Rgb| rgb(color).unwrap_or(own);
        let (mut fg, mut bg) = (known(look.fg, self.ink), known(look.bg, self.ground));
        if look.modifiers.contains(Modifier::REVERSED) {
            std::mem::swap(&mut fg, &mut bg);
        }
        if look.modifiers.contains(Modifier::DIM) {
            fg = mix(fg, bg, 0.6);
        }
        if look.modifiers.contains(Modifier::HIDDEN) {
            fg = bg;
        }
        (fg, bg)
    }

    fn row(&self, svg: &mut String, buf: &Buffer, y: u16) {
        let top = self.top + f64::from(y - buf.area.top()) * CELL.1;
        for (bg, column, columns, _) in runs(cells(buf, y), |cell| self.colors(cell.look).1) {
            if bg != self.ground {
                let _ = writeln!(
                    svg,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" shape-rendering=\"crispEdges\"/>",
                    pixels(self.left + f64::from(column) * CELL.0),
                    pixels(top),
                    pixels(f64::from(columns) * CELL.0),
                    pixels(CELL.1),
                    hex(bg),
                );
            }
        }
        for (key, _, _, members) in runs(cells(buf, y), |cell| self.text_key(cell)) {
            self.text(svg, top, key, &members);
        }
    }

    /// Cells are drawn as one text where they look the same and are made the same way: letters together, signs that
    /// fonts draw at odd widths alone.
    fn text_key(&self, cell: &FrameCell<'_>) -> TextKey {
        let shown = Modifier::BOLD | Modifier::ITALIC | Modifier::UNDERLINED | Modifier::CROSSED_OUT;
        let alone = !cell.symbol.is_ascii();
        TextKey {
            fg: self.colors(cell.look).0,
            modifiers: cell.look.modifiers & shown,
            alone: alone.then_some(cell.column),
        }
    }

    fn text(&self, svg: &mut String, top: f64, key: TextKey, members: &[FrameCell<'_>]) {
        let line = key.modifiers.intersects(Modifier::UNDERLINED | Modifier::CROSSED_OUT);
        let is_space = |cell: &FrameCell<'_>| cell.symbol == " " && !line;
        let Some(start) = members.iter().position(|cell| !is_space(cell)) else { return };
        let end = members.iter().rposition(|cell| !is_space(cell)).map_or(members.len(), |at| at + 1);
        let members = &members[start..end];
        let columns: u16 = members.iter().map(|cell| cell.width).sum();
        let text: String = members.iter().map(|cell| cell.symbol).collect();
        let x = self.left + f64::from(members[0].column) * CELL.0;
        let width = f64::from(columns) * CELL.0;
        if let Some(shape) = members.first().filter(|_| members.len() == 1).and_then(|cell| shape(cell.symbol)) {
            shape.draw(svg, x, top, key.fg);
            return;
        }
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" fill=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\"",
            pixels(x),
            pixels(top + BASELINE),
            hex(key.fg),
            pixels(width),
        );
        for (modifier, attribute) in [
            (Modifier::BOLD, " font-weight=\"700\""),
            (Modifier::ITALIC, " font-style=\"italic\""),
            (Modifier::UNDERLINED, " text-decoration=\"underline\""),
            (Modifier::CROSSED_OUT, " text-decoration=\"line-through\""),
        ] {
            if key.modifiers.contains(modifier) {
                svg.push_str(attribute);
            }
        }
        let _ = writeln!(svg, ">{}</text>", escaped(&text));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct TextKey {
    fg: Rgb,
    modifiers: Modifier,
    alone: Option<u16>,
}

/// A sign that must meet its neighbours without a gap, and so is drawn as shapes and not left to a font.
enum Shape {
    /// Lines from the middle to the sides: left, right, up, down; with a width.
    Lines([bool; 4], f64),
    /// A quarter circle between two sides: which way it opens, right and down.
    Arc(bool, bool),
    /// A filled part of the cell: from left, from top, width and height as shares; and how opaque it is.
    Block(f64, f64, f64, f64, f64),
}

fn shape(symbol: &str) -> Option<Shape> {
    let lines = |left, right, up, down| Some(Shape::Lines([left, right, up, down], 1.0));
    match symbol {
        "─" => lines(true, true, false, false),
        "│" => lines(false, false, true, true),
        "┃" => Some(Shape::Lines([false, false, true, true], 3.0)),
        "┌" => lines(false, true, false, true),
        "┐" => lines(true, false, false, true),
        "└" => lines(false, true, true, false),
        "┘" => lines(true, false, true, false),
        "├" => lines(false, true, true, true),
        "┤" => lines(true, false, true, true),
        "┬" => lines(true, true, false, true),
        "┴" => lines(true, true, true, false),
        "┼" => lines(true, true, true, true),
        "╭" => Some(Shape::Arc(true, true)),
        "╮" => Some(Shape::Arc(false, true)),
        "╰" => Some(Shape::Arc(true, false)),
        "╯" => Some(Shape::Arc(false, false)),
        "░" => Some(Shape::Block(0.0, 0.2, 1.0, 0.6, 0.55)),
        "▓" => Some(Shape::Block(0.0, 0.2, 1.0, 0.6, 1.0)),
        "▌" => Some(Shape::Block(0.0, 0.0, 0.5, 1.0, 1.0)),
        "▍" => Some(Shape::Block(0.0, 0.0, 0.375, 1.0, 1.0)),
        "▎" => Some(Shape::Block(0.0, 0.0, 0.25, 1.0, 1.0)),
        _ => {
            let eighths = "▁▂▃▄▅▆▇█".chars().position(|c| symbol.chars().eq([c]))? as f64 + 1.0;
            Some(Shape::Block(0.0, 1.0 - eighths / 8.0, 1.0, eighths / 8.0, 1.0))
        }
    }
}

impl Shape {
    fn draw(&self, svg: &mut String, x: f64, y: f64, fg: Rgb) {
        let fill = hex(fg);
        let (middle, center) = (x + CELL.0 / 2.0, y + CELL.1 / 2.0);
        let (right, bottom) = (x + CELL.0, y + CELL.1);
        match self {
            Self::Lines([to_left, to_right, up, down], thick) => {
                let mut path = String::new();
                if *to_left || *to_right {
                    let from = if *to_left { x } else { middle };
                    let to = if *to_right { right } else { middle };
                    let _ = write!(path, "M{} {}H{}", pixels(from), pixels(center), pixels(to));
                }
                if *up || *down {
                    let from = if *up { y } else { center };
                    let to = if *down { bottom } else { center };
                    let _ = write!(path, "M{} {}V{}", pixels(middle), pixels(from), pixels(to));
                }
                let _ = writeln!(svg, "<path d=\"{path}\" stroke=\"{fill}\" stroke-width=\"{thick}\"/>");
            }
            Self::Arc(opens_right, opens_down) => {
                let side = if *opens_right { right } else { x };
                let end = if *opens_down { bottom } else { y };
                let _ = writeln!(
                    svg,
                    "<path d=\"M{} {}Q{} {} {} {}\" stroke=\"{fill}\" fill=\"none\"/>",
                    pixels(side),
                    pixels(center),
                    pixels(middle),
                    pixels(center),
                    pixels(middle),
                    pixels(end),
                );
            }
            Self::Block(from_left, from_top, wide, high, opacity) => {
                let _ = writeln!(
                    svg,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{fill}\" fill-opacity=\"{opacity}\" \
                     shape-rendering=\"crispEdges\"/>",
                    pixels(x + from_left * CELL.0),
                    pixels(y + from_top * CELL.1),
                    pixels(wide * CELL.0),
                    pixels(high * CELL.1),
                );
            }
        }
    }
}

/// A length with at most two decimals, written the same way everywhere.
fn pixels(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn mix(a: Rgb, b: Rgb, share: f64) -> Rgb {
    let channel = |a: u8, b: u8| (f64::from(a) * share + f64::from(b) * (1.0 - share)).round() as u8;
    (channel(a.0, b.0), channel(a.1, b.1), channel(a.2, b.2))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
