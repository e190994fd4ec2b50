//! How the app looks: the theme, and whether it gives hints.

use super::origin::{Flags, Origin, Resolved, Surroundings};

/// The theme in use: asked for now, of the environment, or else of the file.
pub(super) fn resolve(
    file: Option<Resolved<String>>,
    flags: &Flags,
    surroundings: &Surroundings<'_>,
) -> Option<Resolved<String>> {
    let name = "ELENCHUS_THEME";
    let flag = flags.theme.clone().map(|theme| Resolved::new(theme, Origin::Flag("--theme")));
    let variable = || Some(Resolved::new(surroundings.variable(name)?, Origin::Variable(name.to_owned())));
    flag.or_else(variable).or(file)
}
