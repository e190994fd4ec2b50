//! `elenchus --version`, and with `--verbose` what a report of a fault should say.

use super::{Exit, Failure, Output, SettingsArguments, log};
use crate::store::sqlite_version;

/// What the program was built with, by name.
const FEATURES: [(&str, bool); 1] = [("keyring", cfg!(feature = "keyring"))];

pub(super) fn tell(verbose: bool, settings: &SettingsArguments, output: &mut Output) -> Result<Exit, Failure> {
    output.line(concat!("elenchus ", env!("CARGO_PKG_VERSION")));
    if !verbose {
        return Ok(Exit::Ok);
    }
    let paths = settings.paths()?;
    let data = &paths.data_dir.value;
    let features: Vec<&str> = FEATURES.iter().filter(|(_, built)| *built).map(|(name, _)| *name).collect();
    let features = if features.is_empty() { "none".to_owned() } else { features.join(", ") };
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    for (name, value) in [
        ("commit", env!("ELENCHUS_BUILT_COMMIT").to_owned()),
        ("target", env!("ELENCHUS_BUILT_TARGET").to_owned()),
        ("profile", profile.to_owned()),
        ("features", features),
        ("rustc", env!("ELENCHUS_BUILT_RUSTC").to_owned()),
        ("SQLite", sqlite_version().to_owned()),
        ("settings", paths.config_file.value.display().to_string()),
        ("data", data.display().to_string()),
        ("database", paths.database().display().to_string()),
        ("log", log::folder(data).display().to_string()),
    ] {
        output.line(format!("{name:<9} {value}"));
    }
    Ok(Exit::Ok)
}
