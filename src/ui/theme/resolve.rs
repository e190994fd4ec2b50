//! From theme files to a theme: inheritance, fallback along dots, palette, and the colours the terminal has.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use ratatui::style::{Color, Modifier, Style};

use super::file::{self, Look, ThemeFile, ThemeProblem, Written};
use super::{ColorDepth, Scope, Theme, color};

/// The theme of a name, and what is wrong with it as a whole: unknown colours and parents, inheritance in a circle.
pub(super) fn resolve(
    files: &BTreeMap<String, ThemeFile>,
    name: &str,
    depth: ColorDepth,
) -> (Theme, Vec<ThemeProblem>) {
    let mut problems = Vec::new();
    let merged = inherit(files, name, &mut problems);
    let looks: Vec<Style> = Scope::ALL.iter().map(|scope| look(&merged, *scope, &mut problems)).collect();
    let base = looks.first().copied().unwrap_or_default();
    let styles: Vec<Style> =
        Scope::ALL.iter().zip(&looks).map(|(scope, look)| fit(*scope, *look, base, depth)).collect();
    // A colour that is used by many scopes is wrong once.
    problems.sort_by(|a, b| (a.line, &a.message).cmp(&(b.line, &b.message)));
    problems.dedup();
    let mut hasher = DefaultHasher::new();
    styles.hash(&mut hasher);
    let theme = Theme {
        name: name.to_owned(),
        title: merged.title.unwrap_or_else(|| name.to_owned()),
        light: merged.light.unwrap_or(false),
        depth,
        styles,
        fingerprint: hasher.finish(),
    };
    (theme, problems)
}

/// Lays a theme over what it inherits from.
fn inherit(files: &BTreeMap<String, ThemeFile>, name: &str, problems: &mut Vec<ThemeProblem>) -> ThemeFile {
    let mut chain: Vec<&ThemeFile> = files.get(name).into_iter().collect();
    while let Some((parent, heir)) = chain.last().and_then(|file| Some((file.inherits.as_ref()?, file.name.clone()))) {
        let problem = |message: String, help| ThemeProblem { theme: heir, line: Some(parent.line), message, help };
        if chain.iter().any(|file| file.name == parent.text) {
            problems.push(problem(format!("it inherits from itself by way of `{}`", parent.text), None));
            break;
        }
        let Some(file) = files.get(&parent.text) else {
            let near = file::nearest(&parent.text, files.keys().map(String::as_str));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            problems.push(problem(format!("there is no theme `{}` to inherit from", parent.text), help));
            break;
        };
        chain.push(file);
    }
    let mut merged = ThemeFile { name: name.to_owned(), ..ThemeFile::default() };
    for file in chain.into_iter().rev() {
        merged.title.clone_from(&file.title);
        merged.light = file.light.or(merged.light);
        merged.palette.extend(file.palette.clone());
        merged.scopes.extend(file.scopes.clone());
    }
    merged
}

/// The look of a scope: each part from the nearest name along the dots that sets it.
fn look(theme: &ThemeFile, scope: Scope, problems: &mut Vec<ThemeProblem>) -> Style {
    let nearest: Vec<&Look> = scope.fallbacks().filter_map(|name| theme.scopes.get(name)).collect();
    let mut color = |part: fn(&Look) -> Option<&Written>| {
        let written = nearest.iter().find_map(|look| part(look))?;
        let meant = theme.palette.get(&written.text).map_or(written.text.as_str(), |entry| entry.text.as_str());
        let color = color::parse(meant);
        if color.is_none() {
            let known = theme.palette.keys().map(String::as_str).chain(color::ANSI.iter().map(|(name, ..)| *name));
            let help = match file::nearest(&written.text, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "write #rrggbb, a number up to 255, or a name of the palette".to_owned(),
            };
            problems.push(ThemeProblem {
                theme: theme.name.clone(),
                line: Some(written.line),
                message: format!("there is no colour `{}`", written.text),
                help: Some(help),
            });
        }
        color
    };
    let (fg, bg) = (color(|look| look.fg.as_ref()), color(|look| look.bg.as_ref()));
    let modifiers = nearest.iter().find_map(|look| look.modifiers).unwrap_or(Modifier::empty());
    Style { fg, bg, ..Style::default() }.add_modifier(modifiers)
}

/// Scopes that are told by their ground alone.
const BY_GROUND: [Scope; 9] = [
    Scope::Selection,
    Scope::Highlight,
    Scope::SearchMatch,
    Scope::SearchCurrent,
    Scope::ListSelected,
    Scope::ToastInfo,
    Scope::ToastSuccess,
    Scope::ToastWarning,
    Scope::ToastError,
];

/// Fits a look to the colours the terminal has.
fn fit(scope: Scope, look: Style, base: Style, depth: ColorDepth) -> Style {
    if depth == ColorDepth::None {
        return Style { fg: None, bg: None, ..look };
    }
    let base_bg = base.bg.map(|bg| color::reduce(bg, depth));
    let bg = look.bg.map(|bg| if Some(bg) == base.bg { base_bg.unwrap_or(bg) } else { color::reduce(bg, depth) });
    let ground: Option<Color> = bg.or(base_bg);
    let fg = look.fg.map(|fg| color::reduce_on(fg, ground, depth));
    let fitted = Style { fg, bg, ..look };
    // Where few colours make the ground the same as everywhere, reversal sets it apart.
    if BY_GROUND.contains(&scope) && look.bg != base.bg && bg == base_bg {
        return fitted.add_modifier(Modifier::REVERSED);
    }
    fitted
}
