//! Pictures of frames: text, ANSI and SVG of the same buffer.

use elenchus::ui::frame_export::{SvgFrame, to_ansi, to_svg, to_text};
use elenchus::ui::paint::put;
use elenchus::ui::theme::{Scope, Theme};
use pretty_assertions::assert_eq;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

fn frame() -> Buffer {
    let theme = Theme::default();
    let mut buf = Buffer::empty(Rect::new(0, 0, 14, 3));
    buf.set_style(buf.area, theme.base());
    put(&mut buf, 0, 0, 14, "╭─ a<b & 日本", theme.style(Scope::Accent));
    put(&mut buf, 0, 1, 14, "▓▓░ x", theme.style(Scope::ListSelected));
    put(&mut buf, 0, 2, 14, "✓ done", Style::new().fg(Color::Green).add_modifier(Modifier::ITALIC));
    buf
}

#[test]
fn text_has_wide_characters_once_and_no_space_at_the_end() {
    assert_eq!(to_text(&frame()), "╭─ a<b & 日本\n▓▓░ x\n✓ done\n");
}

#[test]
fn ansi_ends_every_line_plain() {
    let ansi = to_ansi(&frame());
    assert!(ansi.lines().all(|line| line.ends_with("\x1b[0m")));
    assert!(ansi.contains("\x1b[3;32;48;2;22;24;29m✓ done"), "{ansi:?}");
}

#[test]
fn a_picture_stands_alone_and_is_the_same_every_time() {
    let theme = Theme::default();
    let svg = to_svg(&frame(), &SvgFrame { theme: &theme, title: "a <title>" });
    assert_eq!(svg, to_svg(&frame(), &SvgFrame { theme: &theme, title: "a <title>" }));
    insta::assert_snapshot!(svg);
}

#[test]
fn an_empty_frame_has_a_picture_too() {
    let theme = Theme::default();
    let empty = Buffer::empty(Rect::new(0, 0, 0, 0));
    assert_eq!(to_text(&empty), "");
    assert!(to_svg(&empty, &SvgFrame { theme: &theme, title: "" }).ends_with("</svg>\n"));
}

#[test]
fn a_buffer_with_controls_in_it_gives_a_frame_without() {
    let mut buf = Buffer::empty(Rect::new(0, 0, 3, 1));
    buf[(0, 0)].set_symbol("\u{1b}[2J");
    buf[(1, 0)].set_symbol("x");
    assert_eq!(to_text(&buf), " x\n");
}
