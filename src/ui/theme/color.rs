//! Colours: how they are written, how far two of them stand apart, and what becomes of them on poorer terminals.

use ratatui::style::Color;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ColorDepth {
    /// None: only weight, slant, underlining and reversal.
    None,
    /// The sixteen of every terminal.
    Ansi16,
    /// The sixteen, a cube of 216 and 24 greys.
    Ansi256,
    /// All of them.
    TrueColor,
}

/// What the surroundings say about the terminal; the values are handed in, because drawing reads no environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TerminalHints<'a> {
    /// `NO_COLOR`: any value but the empty one turns colours off.
    pub no_color: Option<&'a str>,
    pub term: Option<&'a str>,
    pub colorterm: Option<&'a str>,
}

impl ColorDepth {
    /// Judges the depth from what the surroundings say.
    pub(crate) fn detect(hints: TerminalHints<'_>) -> Self {
        let term = hints.term.unwrap_or_default().to_ascii_lowercase();
        let colorterm = hints.colorterm.unwrap_or_default().to_ascii_lowercase();
        if hints.no_color.is_some_and(|value| !value.is_empty()) || has_none(&term) {
            return Self::None;
        }
        if matches!(colorterm.as_str(), "truecolor" | "24bit") || term.ends_with("-direct") {
            return Self::TrueColor;
        }
        // These have drawn all colours for years, and COLORTERM does not travel over ssh.
        let rich = ["kitty", "alacritty", "wezterm", "ghostty", "foot", "iterm"];
        if rich.iter().any(|name| term.contains(name)) {
            return Self::TrueColor;
        }
        if term.contains("256color") || !colorterm.is_empty() {
            return Self::Ansi256;
        }
        Self::Ansi16
    }

    /// The word in settings and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Ansi16 => "16",
            Self::Ansi256 => "256",
            Self::TrueColor => "truecolor",
        }
    }
}

/// Whether a terminal has no colours by its name: those of one colour, and the ones of glass and green from before.
fn has_none(term: &str) -> bool {
    let is_old = term.strip_prefix("vt").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    matches!(term, "" | "dumb" | "unknown") || is_old || term.ends_with("-mono") || term.ends_with("-m")
}

/// Red, green and blue.
pub type Rgb = (u8, u8, u8);

/// The sixteen colours by their names in theme files, with the values that xterm gives them.
pub(super) const ANSI: [(&str, Color, Rgb); 16] = [
    ("black", Color::Black, (0, 0, 0)),
    ("red", Color::Red, (205, 0, 0)),
    ("green", Color::Green, (0, 205, 0)),
    ("yellow", Color::Yellow, (205, 205, 0)),
    ("blue", Color::Blue, (0, 0, 238)),
    ("magenta", Color::Magenta, (205, 0, 205)),
    ("cyan", Color::Cyan, (0, 205, 205)),
    ("gray", Color::Gray, (229, 229, 229)),
    ("dark-gray", Color::DarkGray, (127, 127, 127)),
    ("light-red", Color::LightRed, (255, 0, 0)),
    ("light-green", Color::LightGreen, (0, 255, 0)),
    ("light-yellow", Color::LightYellow, (255, 255, 0)),
    ("light-blue", Color::LightBlue, (92, 92, 255)),
    ("light-magenta", Color::LightMagenta, (255, 0, 255)),
    ("light-cyan", Color::LightCyan, (0, 255, 255)),
    ("white", Color::White, (255, 255, 255)),
];

/// Reads `#rrggbb`, `#rgb`, a number of the 256, one of the sixteen names, or `terminal` for the terminal's own.
pub(super) fn parse(text: &str) -> Option<Color> {
    if let Some(hex) = text.strip_prefix('#') {
        if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(hex, 16).ok()?;
        return match hex.len() {
            6 => Some(Color::from_u32(value)),
            3 => {
                let double = |shift: u32| ((value >> shift & 0xf) * 17) as u8;
                Some(Color::Rgb(double(8), double(4), double(0)))
            }
            _ => None,
        };
    }
    if text == "terminal" {
        return Some(Color::Reset);
    }
    if let Ok(index) = text.parse::<u8>() {
        return Some(Color::Indexed(index));
    }
    ANSI.iter().find(|(name, ..)| *name == text).map(|(_, color, _)| *color)
}

/// The red, green and blue of a colour; `None` for the terminal's own, which the program cannot know.
pub fn rgb(color: Color) -> Option<Rgb> {
    match color {
        Color::Rgb(red, green, blue) => Some((red, green, blue)),
        Color::Indexed(index) => Some(indexed(index)),
        Color::Reset => None,
        named => ANSI.iter().find(|(_, color, _)| *color == named).map(|(.., rgb)| *rgb),
    }
}

/// The steps of the cube of 216 colours.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn indexed(index: u8) -> Rgb {
    match index {
        0..16 => ANSI[usize::from(index)].2,
        16..232 => {
            let at = usize::from(index - 16);
            (STEPS[at / 36], STEPS[at / 6 % 6], STEPS[at % 6])
        }
        232.. => {
            let grey = 8 + (index - 232) * 10;
            (grey, grey, grey)
        }
    }
}

/// How far apart two colours look; only good for comparing. Weighs the channels by how red the pair is ("redmean"),
/// which is close enough to the eye to choose among a few colours and needs no colour space.
fn distance(a: Rgb, b: Rgb) -> u32 {
    let channel = |a: u8, b: u8| i32::from(a) - i32::from(b);
    let mean = i32::midpoint(i32::from(a.0), i32::from(b.0));
    let (red, green, blue) = (channel(a.0, b.0), channel(a.1, b.1), channel(a.2, b.2));
    let sum = (((512 + mean) * red * red) >> 8) + 4 * green * green + (((767 - mean) * blue * blue) >> 8);
    sum.unsigned_abs()
}

/// The contrast of two colours as WCAG 2 defines it, from 1 (none) to 21.
pub fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance((red, green, blue): Rgb) -> f64 {
    let linear = |channel: u8| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// The nearest colour that a terminal of this depth has.
pub(crate) fn reduce(color: Color, depth: ColorDepth) -> Color {
    match depth {
        ColorDepth::None => Color::Reset,
        ColorDepth::TrueColor => color,
        ColorDepth::Ansi256 => match color {
            Color::Rgb(red, green, blue) => nearest_indexed((red, green, blue)),
            other => other,
        },
        ColorDepth::Ansi16 => match (color, rgb(color)) {
            (Color::Rgb(..) | Color::Indexed(_), Some(wanted)) => nearest_of_sixteen(wanted, None),
            _ => color,
        },
    }
}

/// The nearest of the sixteen that can still be read: of few colours, text and ground often meet in the same one, so
/// those too close to the ground are passed over.
pub(super) fn reduce_on(color: Color, ground: Option<Color>, depth: ColorDepth) -> Color {
    let reduced = reduce(color, depth);
    if depth != ColorDepth::Ansi16 {
        return reduced;
    }
    match (rgb(color), rgb(reduced), ground.and_then(rgb)) {
        (Some(wanted), Some(got), Some(ground)) if contrast(got, ground) < READABLE => {
            nearest_of_sixteen(wanted, Some(ground))
        }
        _ => reduced,
    }
}

/// A colour for text. Many terminals of sixteen colours draw dark grey so dark that it cannot be read on black, so it is
/// grey there.
pub(super) fn legible(color: Color, ground: Option<Color>, depth: ColorDepth) -> Color {
    let is_light = ground.and_then(rgb).is_some_and(|ground| luminance(ground) > 0.4);
    if depth == ColorDepth::Ansi16 && color == Color::DarkGray && !is_light { Color::Gray } else { color }
}

/// The contrast below which text is hard to read.
const READABLE: f64 = 4.5;

/// Hues that are further apart, in degrees, say something else: a green that cannot be read must not become red.
const SAME_HUE: f64 = 40.0;

/// The nearest of the sixteen. A colour with a hue keeps it, or has none: the pastels of themes lie nearer to the greys than
/// to the loud sixteen, and taking those would make everything grey.
fn nearest_of_sixteen(wanted: Rgb, ground: Option<Rgb>) -> Color {
    let readable = || ANSI.iter().filter(|(.., rgb)| ground.is_none_or(|ground| contrast(*rgb, ground) >= READABLE));
    let same_hue = |rgb: Rgb| is_tinted(rgb) && apart(hue(wanted), hue(rgb)) <= SAME_HUE;
    let hued = || {
        let candidates = readable().filter(|(.., rgb)| is_tinted(wanted) && same_hue(*rgb));
        candidates.min_by_key(|(.., rgb)| hue_distance(wanted, *rgb))
    };
    let grey = || {
        let candidates = readable().filter(|(.., rgb)| !is_tinted(*rgb));
        candidates.min_by_key(|(.., rgb)| distance(wanted, *rgb))
    };
    let any = || readable().min_by_key(|(.., rgb)| distance(wanted, *rgb));
    hued().or_else(grey).or_else(any).map_or(Color::Reset, |(_, color, _)| *color)
}

fn is_tinted((red, green, blue): Rgb) -> bool {
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let chroma = u16::from(most - least);
    chroma >= 20 && chroma * 100 >= u16::from(most) * 28
}

/// How far apart the hues of two colours are, and then how far apart they are in brightness.
fn hue_distance(a: Rgb, b: Rgb) -> u32 {
    let apart = apart(hue(a), hue(b)).round() as u32;
    let bright = |color: Rgb| (luminance(color) * 255.0).round() as u32;
    apart * 1000 + bright(a).abs_diff(bright(b))
}

/// The angle between two hues.
fn apart(a: f64, b: f64) -> f64 {
    let straight = (a - b).abs();
    straight.min(360.0 - straight)
}

fn hue((red, green, blue): Rgb) -> f64 {
    let [red, green, blue] = [red, green, blue].map(f64::from);
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let chroma = (most - least).max(1.0);
    let sixth = if most <= red {
        ((green - blue) / chroma).rem_euclid(6.0)
    } else if most <= green {
        (blue - red) / chroma + 2.0
    } else {
        (red - green) / chroma + 4.0
    };
    sixth * 60.0
}

/// Looks among the cube and the greys only: what the first sixteen look like is up to the user.
fn nearest_indexed(wanted: Rgb) -> Color {
    let step = |channel: u8| {
        let near = STEPS.iter().enumerate().min_by_key(|(_, step)| step.abs_diff(channel));
        near.map_or(0, |(at, _)| at as u8)
    };
    let cube = 16 + 36 * step(wanted.0) + 6 * step(wanted.1) + step(wanted.2);
    let mean = (u16::from(wanted.0) + u16::from(wanted.1) + u16::from(wanted.2)) / 3;
    let grey = 232 + (mean.saturating_sub(3) / 10).min(23) as u8;
    let best = if distance(wanted, indexed(grey)) < distance(wanted, indexed(cube)) { grey } else { cube };
    Color::Indexed(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(no_color: Option<&str>, term: &str, colorterm: &str) -> ColorDepth {
        ColorDepth::detect(TerminalHints { no_color, term: Some(term), colorterm: Some(colorterm) })
    }

    #[test]
    fn the_depth_follows_what_the_terminal_says() {
        assert_eq!(depth(Some("1"), "xterm-256color", "truecolor"), ColorDepth::None);
        assert_eq!(depth(Some(""), "xterm-256color", "truecolor"), ColorDepth::TrueColor);
        assert_eq!(depth(None, "dumb", "truecolor"), ColorDepth::None);
        assert_eq!(depth(None, "xterm-256color", ""), ColorDepth::Ansi256);
        assert_eq!(depth(None, "xterm-kitty", ""), ColorDepth::TrueColor);
        assert_eq!(depth(None, "linux", ""), ColorDepth::Ansi16);
        for colourless in ["vt100", "vt220", "xterm-mono", ""] {
            assert_eq!(depth(None, colourless, ""), ColorDepth::None, "{colourless}");
        }
    }

    #[test]
    fn colours_are_read_in_every_way_they_may_be_written() {
        assert_eq!(parse("#1a2b3c"), Some(Color::Rgb(0x1a, 0x2b, 0x3c)));
        assert_eq!(parse("#fa0"), Some(Color::Rgb(0xff, 0xaa, 0)));
        assert_eq!(parse("208"), Some(Color::Indexed(208)));
        assert_eq!(parse("light-red"), Some(Color::LightRed));
        assert_eq!(parse("terminal"), Some(Color::Reset));
        assert!(["#12345", "#+12345", "#ggg", "256", "rde"].into_iter().all(|wrong| parse(wrong).is_none()));
    }

    #[test]
    fn every_indexed_colour_of_the_cube_and_the_greys_maps_to_one_that_looks_the_same() {
        for index in 16..=255u8 {
            let (red, green, blue) = indexed(index);
            let Color::Indexed(got) = reduce(Color::Rgb(red, green, blue), ColorDepth::Ansi256) else { panic!() };
            assert_eq!(indexed(got), indexed(index));
        }
    }

    #[test]
    fn a_hue_that_cannot_be_read_is_given_up_and_not_changed_for_another() {
        let on_white = |color| reduce_on(color, Some(Color::White), ColorDepth::Ansi16);
        let (green, yellow, red) = (Color::Rgb(47, 109, 43), Color::Rgb(125, 90, 0), Color::Rgb(179, 35, 47));
        assert_eq!([green, yellow, red].map(on_white), [Color::Black, Color::Black, Color::Red]);
        let on_black = |color| reduce_on(color, Some(Color::Black), ColorDepth::Ansi16);
        assert_eq!(on_black(Color::Rgb(152, 195, 121)), Color::Green);
    }

    #[test]
    fn strong_colours_map_to_their_namesakes() {
        assert_eq!(reduce(Color::Rgb(250, 10, 10), ColorDepth::Ansi16), Color::LightRed);
        assert_eq!(reduce(Color::Rgb(10, 10, 12), ColorDepth::Ansi16), Color::Black);
        assert_eq!(reduce(Color::Rgb(0x8f, 0xcf, 0x87), ColorDepth::Ansi16), Color::Green);
        assert_eq!(reduce(Color::Rgb(0x7c, 0xb0, 0xf5), ColorDepth::Ansi16), Color::LightBlue);
        assert_eq!(reduce(Color::Indexed(231), ColorDepth::Ansi16), Color::White);
        assert_eq!(reduce(Color::Rgb(1, 2, 3), ColorDepth::None), Color::Reset);
    }

    #[test]
    fn text_never_takes_the_colour_of_its_ground() {
        let reduced = reduce_on(Color::Rgb(60, 60, 60), Some(Color::Black), ColorDepth::Ansi16);
        assert_eq!(reduced, Color::DarkGray);
    }

    #[test]
    fn contrast_is_that_of_the_standard() {
        assert!((contrast((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 1e-9);
        assert!((contrast((0x76, 0x76, 0x76), (255, 255, 255)) - 4.54).abs() < 0.01);
    }
}
