//! Themes: every scope has a look, text can be read, and mistakes are told with their line.

use elenchus::decode::Diagnostic;
use elenchus::ui::theme::{ColorDepth, Kind, Scope, Themes, contrast, readable_contrast, rgb};
use pretty_assertions::assert_eq;
use ratatui::style::{Color, Modifier, Style};

const DEPTHS: [ColorDepth; 4] = [ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Ansi256, ColorDepth::TrueColor];

#[test]
fn the_built_in_themes_are_there_and_have_nothing_wrong_with_them() {
    let themes = Themes::built_in();
    let names: Vec<&str> = themes.names().collect();
    let wanted =
        ["catppuccin-mocha", "dark", "gruvbox-dark", "high-contrast", "light", "monochrome", "nord", "solarized-light"];
    assert_eq!(names, wanted);
    for name in wanted {
        let text = std::fs::read_to_string(format!("{}/themes/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert_eq!(Themes::built_in().add(name, &text), []);
    }
}

/// A style in a few words: its colours, and what is done to the letters.
pub fn in_words(style: Style) -> String {
    let colour = |colour: Option<Color>| match colour {
        None | Some(Color::Reset) => "-".to_owned(),
        Some(Color::Rgb(r, g, b)) => format!("#{r:02x}{g:02x}{b:02x}"),
        Some(other) => other.to_string(),
    };
    let (front, ground) = (colour(style.fg), colour(style.bg));
    let colours = if ground == "-" { front } else { format!("{front}/{ground}") };
    let letters = style.add_modifier.iter_names().map(|(name, _)| format!(" {}", name.to_lowercase()));
    colours + &letters.collect::<String>()
}

/// Rows with a name each, in columns.
pub fn table(rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    let rows: Vec<Vec<String>> = rows.map(|(name, cells)| std::iter::once(name).chain(cells).collect()).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

#[test]
fn every_scope_in_every_theme() {
    let built_in = Themes::built_in();
    let themes: Vec<_> = built_in.names().map(|name| built_in.get(name, ColorDepth::TrueColor).unwrap()).collect();
    let head = (String::new(), themes.iter().map(|theme| theme.name().to_owned()).collect());
    let scopes = Scope::ALL
        .iter()
        .map(|scope| (scope.name().to_owned(), themes.iter().map(|theme| in_words(theme.style(*scope))).collect()));
    insta::assert_snapshot!(table(std::iter::once(head).chain(scopes)));
}

#[test]
fn text_of_every_built_in_theme_can_be_read() {
    let themes = Themes::built_in();
    let mut faint = Vec::new();
    for name in themes.names() {
        let theme = themes.get(name, ColorDepth::TrueColor).unwrap();
        for scope in Scope::ALL.iter().filter(|scope| scope.kind() == Kind::Text) {
            match readable_contrast(&theme, *scope) {
                Some(contrast) if contrast < 4.5 => faint.push(format!("{name} {} {contrast:.2}", scope.name())),
                None if name != "monochrome" => faint.push(format!("{name} {} is unknown", scope.name())),
                _ => {}
            }
        }
    }
    assert_eq!(faint, Vec::<String>::new());
}

#[test]
fn text_can_still_be_read_on_poorer_terminals() {
    let themes = Themes::built_in();
    let mut faint = Vec::new();
    for (depth, least) in [(ColorDepth::Ansi16, 4.5), (ColorDepth::Ansi256, 3.5)] {
        for name in themes.names() {
            let theme = themes.get(name, depth).unwrap();
            for scope in Scope::ALL.iter().filter(|scope| scope.kind() == Kind::Text) {
                if readable_contrast(&theme, *scope).is_some_and(|contrast| contrast < least) {
                    faint.push(format!("{name} {depth:?} {} {:?}", scope.name(), theme.style(*scope)));
                }
            }
        }
    }
    assert_eq!(faint, Vec::<String>::new());
}

#[test]
fn words_over_a_selected_line_can_be_read_too() {
    let themes = Themes::built_in();
    for name in themes.names().filter(|name| *name != "monochrome") {
        let theme = themes.get(name, ColorDepth::TrueColor).unwrap();
        let ground = theme.style(Scope::ListSelected).bg.and_then(rgb).unwrap();
        let ink = theme.style(Scope::ListSelected).fg.and_then(rgb).unwrap();
        assert!(contrast(ink, ground) >= 4.5, "{name}");
    }
}

#[test]
fn a_theme_uses_only_the_colours_that_the_terminal_has() {
    let themes = Themes::built_in();
    for depth in DEPTHS {
        for name in themes.names() {
            let theme = themes.get(name, depth).unwrap();
            for scope in Scope::ALL {
                let Style { fg, bg, .. } = theme.style(*scope);
                for color in [fg, bg].into_iter().flatten() {
                    let fits = match depth {
                        ColorDepth::None => false,
                        ColorDepth::Ansi16 => !matches!(color, Color::Rgb(..) | Color::Indexed(_)),
                        ColorDepth::Ansi256 => !matches!(color, Color::Rgb(..)),
                        ColorDepth::TrueColor => true,
                    };
                    assert!(fits, "{name} {depth:?} {}: {color:?}", scope.name());
                }
            }
        }
    }
}

#[test]
fn scopes_fall_back_along_dots_part_by_part() {
    let names: Vec<_> = Scope::ObligationSatisfied.fallbacks().collect();
    assert_eq!(names, ["sidebar.obligation.satisfied", "sidebar.obligation", "sidebar"]);
    let mut themes = Themes::default();
    let text = "[scopes]\nsidebar = { fg = \"#111111\", bg = \"#222222\" }\n\
                'sidebar.obligation' = { fg = \"#333333\", style = \"bold\" }\n'sidebar.obligation.satisfied' = '#444444'";
    assert_eq!(themes.add("mine", text), []);
    let theme = themes.get("mine", ColorDepth::TrueColor).unwrap();
    let expected =
        Style::new().fg(Color::Rgb(0x44, 0x44, 0x44)).bg(Color::Rgb(0x22, 0x22, 0x22)).add_modifier(Modifier::BOLD);
    assert_eq!(theme.style(Scope::ObligationSatisfied), expected);
    assert_eq!(theme.style(Scope::Muted), Style::new());
}

#[test]
fn a_theme_that_inherits_may_change_nothing_but_the_palette() {
    let mut themes = Themes::built_in();
    assert_eq!(themes.add("mine", "inherits = 'dark'\n[palette]\ngreen = '#00ff00'"), []);
    let theme = themes.get("mine", ColorDepth::TrueColor).unwrap();
    assert_eq!(theme.style(Scope::ObligationSatisfied).fg, Some(Color::Rgb(0, 255, 0)));
    assert_ne!(theme.fingerprint(), themes.get("dark", ColorDepth::TrueColor).unwrap().fingerprint());
}

fn problems(text: &str) -> Vec<String> {
    Themes::built_in().add("mine", text).iter().map(Diagnostic::to_string).collect()
}

#[test]
fn mistakes_are_told_with_line_and_suggestion() {
    let text = "titel = 'x'\n[palette]\ngreen = '#00ff0'\n[scopes]\n'sidebar.obligatoin' = 'red'\nmuted = 'gren'\n\
                accent = { fg = 'blue', style = 'bolt' }\nborder = { colour = 'red' }";
    assert_eq!(
        problems(text),
        [
            "themes/mine.toml:1: unknown key `titel`; did you mean `title`?",
            "themes/mine.toml:3: `#00ff0` is not a colour; write #rrggbb, a number up to 255, `terminal`, or a name \
             such as `light-red`.",
            "themes/mine.toml:5: there is no scope `sidebar.obligatoin`; did you mean `sidebar.obligation`?",
            "themes/mine.toml:6: there is no colour `gren`; did you mean `green`?",
            "themes/mine.toml:7: there is no style `bolt`; did you mean `bold`?",
            "themes/mine.toml:8: unknown key `colour` in [scopes.border]; known here: fg, bg, style.",
        ]
    );
}

#[test]
fn syntax_errors_have_a_line_and_the_rest_of_the_theme_works() {
    let told = problems("title = 'x'\n[scopes]\nmuted = = 'red'\n");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("themes/mine.toml:3: "), "{told:?}");
}

#[test]
fn inheriting_in_a_circle_or_from_nobody_is_told_and_ends() {
    let mut themes = Themes::built_in();
    let told = themes.add_all([("a", "inherits = 'b'"), ("b", "inherits = 'a'"), ("c", "inherits = 'drak'")]);
    let told: Vec<_> = told.iter().map(Diagnostic::to_string).collect();
    assert_eq!(
        told,
        [
            "themes/a.toml:1: it inherits from itself by way of `b`.",
            "themes/b.toml:1: it inherits from itself by way of `a`.",
            "themes/c.toml:1: there is no theme `drak` to inherit from; did you mean `dark`?",
        ]
    );
}

#[test]
fn an_unknown_theme_is_refused_with_a_suggestion() {
    let error = Themes::built_in().get("grubox-dark", ColorDepth::TrueColor).unwrap_err();
    assert_eq!(error.to_string(), "theme grubox-dark: there is no theme of this name; did you mean `gruvbox-dark`?");
}

#[test]
fn without_colours_every_theme_is_the_monochrome_one() {
    let theme = Themes::built_in().get("nord", ColorDepth::None).unwrap();
    assert_eq!(theme.name(), "monochrome");
    assert!(theme.style(Scope::ListSelected).add_modifier.contains(Modifier::REVERSED));
}

#[test]
fn the_guide_to_themes_lists_every_scope_and_no_other() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/themes/README.md")).unwrap();
    let listed: Vec<_> = guide.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let scopes: Vec<_> = Scope::ALL.iter().map(|scope| scope.name()).collect();
    assert_eq!(listed, scopes);
}
