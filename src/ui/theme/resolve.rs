//! From theme files to a theme: inheritance, fallback along dots, palette, and the colours the terminal has.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use ratatui::style::{Color, Modifier, Style};

use super::file::{Look, ThemeFile, Written};
use super::scope::Kind;
use super::{ColorDepth, Scope, Theme, color};
use crate::decode::Problems;

/// The theme of a name. What is wrong with it as a whole goes to `problems`: unknown colours and parents, inheritance in
/// a circle.
pub(super) fn resolve(
    files: &BTreeMap<String, ThemeFile>,
    name: &str,
    depth: ColorDepth,
    problems: &mut Problems,
) -> Theme {
    let merged = inherit(files, name, problems);
    let looks: Vec<Style> = Scope::ALL.iter().map(|scope| look(&merged, *scope, problems)).collect();
    let base = looks.first().copied().unwrap_or_default();
    let styles: Vec<Style> =
        Scope::ALL.iter().zip(&looks).map(|(scope, look)| fit(*scope, *look, base, depth)).collect();
    let mut hasher = DefaultHasher::new();
    styles.hash(&mut hasher);
    Theme {
        name: name.to_owned(),
        title: merged.title.unwrap_or_else(|| name.to_owned()),
        light: merged.light.unwrap_or(false),
        depth,
        styles,
        fingerprint: hasher.finish(),
    }
}

/// Lays a theme over what it inherits from.
fn inherit(files: &BTreeMap<String, ThemeFile>, name: &str, problems: &mut Problems) -> ThemeFile {
    let mut chain: Vec<(&str, &ThemeFile)> =
        files.get_key_value(name).map(|(name, file)| (&**name, file)).into_iter().collect();
    while let Some(parent) = chain.last().and_then(|(_, file)| file.inherits.as_ref()) {
        if chain.iter().any(|(name, _)| *name == parent.text) {
            let message = format!("it inherits from itself by way of `{}`", parent.text);
            problems.error_at(&parent.place, "cycle", message);
            break;
        }
        let Some((name, file)) = files.get_key_value(&parent.text) else {
            problems
                .error_at(
                    &parent.place,
                    "bad-reference",
                    format!("there is no theme `{}` to inherit from", parent.text),
                )
                .suggest_or(&parent.text, files.keys().map(String::as_str), None);
            break;
        };
        chain.push((name, file));
    }
    let mut merged = ThemeFile::default();
    for (_, file) in chain.into_iter().rev() {
        merged.title.clone_from(&file.title);
        merged.light = file.light.or(merged.light);
        merged.palette.0.extend(file.palette.0.clone());
        merged.scopes.0.0.extend(file.scopes.0.0.clone());
    }
    merged
}

/// The look of a scope: each part from the nearest name along the dots that sets it.
fn look(theme: &ThemeFile, scope: Scope, problems: &mut Problems) -> Style {
    let nearest: Vec<&Look> =
        scope.fallbacks().filter_map(|name| theme.scopes.0.get(name)).map(|look| &look.value).collect();
    let mut color = |part: fn(&Look) -> Option<&Written>| {
        let written = nearest.iter().find_map(|look| part(look))?;
        let meant = theme.palette.get(&written.text).map_or(written.text.as_str(), |entry| entry.0.as_str());
        let color = color::parse(meant);
        // A colour of the palette that is none has been told there.
        if color.is_none() && !theme.palette.contains_key(&written.text) {
            let known = theme.palette.keys().map(String::as_str).chain(color::ANSI.iter().map(|(name, ..)| *name));
            problems
                .error_at(&written.place, "bad-colour", format!("there is no colour `{}`", written.text))
                .suggest_or(
                    &written.text,
                    known,
                    "write #rrggbb, a number up to 255, or a name of the palette".to_owned(),
                );
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
    let fg = fg.map(|fg| if scope.kind() == Kind::Text { color::legible(fg, ground, depth) } else { fg });
    let fitted = Style { fg, bg, ..look };
    // Where few colours make the ground the same as everywhere, reversal sets it apart.
    if BY_GROUND.contains(&scope) && look.bg != base.bg && bg == base_bg {
        return fitted.add_modifier(Modifier::REVERSED);
    }
    fitted
}
