//! Themes: what each thing on the screen looks like, read from commented TOML and fitted to the terminal.

mod color;
mod file;
mod resolve;
mod scope;

pub(crate) use color::TerminalHints;
pub use color::{ColorDepth, Rgb, contrast, rgb};
pub use scope::{Kind, Scope};

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use include_dir::{Dir, include_dir};
use ratatui::style::{Color, Style};

use crate::decode::{Diagnostic, Place, Problems, SourceText, parse_what_there_is};
use file::ThemeFile;

static EMBEDDED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/themes");

/// The theme that is used when none is chosen.
pub(crate) const DEFAULT_THEME: &str = "dark";
/// The one in its place on a light ground.
pub(crate) const LIGHT_THEME: &str = "light";
/// The name under which the theme follows the ground of the terminal.
pub(crate) const AUTO_THEME: &str = "auto";
/// The theme that takes over when there are no colours.
pub(crate) const MONOCHROME_THEME: &str = "monochrome";

/// A theme, ready to draw with.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    name: String,
    title: String,
    light: bool,
    depth: ColorDepth,
    styles: Vec<Style>,
    fingerprint: u64,
}

impl Theme {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether it is dark on light.
    pub fn is_light(&self) -> bool {
        self.light
    }

    pub fn depth(&self) -> ColorDepth {
        self.depth
    }

    /// The look of a scope. What the scope leaves open is open in the style too and shows what lies under it.
    pub fn style(&self, scope: Scope) -> Style {
        self.styles.get(scope as usize).copied().unwrap_or_default()
    }

    /// The look that a whole frame starts from.
    pub fn base(&self) -> Style {
        self.style(Scope::Default)
    }

    /// The foreground and background of plain text as red, green and blue, for pictures of frames. Where the terminal's
    /// own colours are used, those of a common terminal are assumed.
    pub fn ground(&self) -> (Rgb, Rgb) {
        let (fg, bg) = if self.light { ((34, 34, 34), (255, 255, 255)) } else { ((221, 221, 221), (24, 24, 27)) };
        let base = self.base();
        (base.fg.and_then(rgb).unwrap_or(fg), base.bg.and_then(rgb).unwrap_or(bg))
    }

    /// A number that differs where the look differs, for the keys of caches.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

/// All themes there are to choose from.
#[derive(Clone, Debug, Default)]
pub struct Themes {
    files: BTreeMap<String, ThemeFile>,
}

impl Themes {
    /// The themes in the binary.
    pub fn built_in() -> Self {
        let mut themes = Self::default();
        for file in EMBEDDED.files() {
            let path = file.path();
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            if path.extension().is_some_and(|extension| extension == "toml")
                && let (Some(name), Some(text)) = (stem, file.contents_utf8())
            {
                themes.add(name, text);
            }
        }
        themes
    }

    /// Adds a theme, or puts it in place of the one of that name, and says what is wrong with it. What cannot be
    /// understood is left out; the rest of the theme works.
    pub fn add(&mut self, name: &str, text: &str) -> Vec<Diagnostic> {
        self.add_all([(name, text)])
    }

    /// Adds the user's themes, given as names and texts. All are added before any is judged, so that they may inherit
    /// from each other in any order.
    pub fn add_all<'t>(&mut self, themes: impl IntoIterator<Item = (&'t str, &'t str)>) -> Vec<Diagnostic> {
        let mut problems = Problems::speaking_of_keys(Arc::default());
        let mut names = Vec::new();
        for (name, text) in themes {
            problems.enter(Arc::new(SourceText::new(format!("themes/{name}.toml"), text)));
            self.files.insert(name.to_owned(), parse_what_there_is(text, &mut problems));
            names.push(name);
        }
        // From here on every place is told with its file.
        problems.enter(Arc::default());
        for name in names {
            resolve::resolve(&self.files, name, ColorDepth::TrueColor, &mut problems);
        }
        problems.into_sorted()
    }

    /// The names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// A theme fitted to the terminal; without colours it is always the monochrome one.
    pub fn get(&self, name: &str, depth: ColorDepth) -> Result<Theme, Diagnostic> {
        let mut problems = Problems::new(Arc::default());
        if !self.files.contains_key(name) {
            let place = Place::whole(format!("theme {name}"));
            problems.error_at(&place, "bad-reference", "there is no theme of this name").suggest(name, self.names());
        }
        if let Some(unknown) = problems.into_sorted().pop() {
            return Err(unknown);
        }
        let name = if depth == ColorDepth::None { MONOCHROME_THEME } else { name };
        Ok(self.resolve(name, depth))
    }

    /// The theme to fall back on when the one that was asked for cannot be had.
    pub fn fallback(&self, depth: ColorDepth) -> Theme {
        let name = if depth == ColorDepth::None { MONOCHROME_THEME } else { DEFAULT_THEME };
        self.resolve(name, depth)
    }

    /// A theme whose problems were told when it was added.
    fn resolve(&self, name: &str, depth: ColorDepth) -> Theme {
        resolve::resolve(&self.files, name, depth, &mut Problems::new(Arc::default()))
    }
}

/// A default theme for tests and for the moment before settings are read.
impl Default for Theme {
    fn default() -> Self {
        static DEFAULT: LazyLock<Theme> = LazyLock::new(|| Themes::built_in().fallback(ColorDepth::TrueColor));
        DEFAULT.clone()
    }
}

/// The colour of a style's text on a ground, for judging contrast.
pub fn readable_contrast(theme: &Theme, scope: Scope) -> Option<f64> {
    let style = theme.style(scope);
    let pick = |own: Option<Color>, base: Option<Color>| own.or(base).and_then(rgb);
    let base = theme.base();
    Some(contrast(pick(style.fg, base.fg)?, pick(style.bg, base.bg)?))
}
