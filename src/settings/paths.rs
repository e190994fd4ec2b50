//! Where things are kept: the platform's own folders, unless a flag or a variable names others.

use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use super::error::SettingsError;
use super::origin::{Explained, Flags, Origin, Resolved, Surroundings};

/// Files and folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The settings file. Engines and themes of the user are in the same folder.
    pub config_file: Resolved<PathBuf>,
    /// The folder of the database.
    pub data_dir: Resolved<PathBuf>,
}

impl Paths {
    /// Resolves both. The platform is only asked where neither a flag nor a variable names a path.
    pub fn resolve(flags: &Flags, surroundings: &Surroundings<'_>) -> Result<Self, SettingsError> {
        let folders = || ProjectDirs::from("", "", "elenchus").ok_or(SettingsError::Homeless);
        let config_file = match named(flags.config.as_deref(), "--config", "ELENCHUS_CONFIG", surroundings) {
            Some(named) => Resolved::new(settings_file(named.value), named.origin),
            None => Resolved::new(folders()?.config_dir().join("config.toml"), Origin::Default),
        };
        let data_dir = match named(flags.data_dir.as_deref(), "--data-dir", "ELENCHUS_DATA_DIR", surroundings) {
            Some(named) => named,
            None => Resolved::new(folders()?.data_dir().to_owned(), Origin::Default),
        };
        Ok(Self { config_file, data_dir })
    }

    /// The folder of the user's own engines.
    pub fn engines(&self) -> PathBuf {
        self.beside_config("engines")
    }

    /// The folder of the user's own themes.
    pub fn themes(&self) -> PathBuf {
        self.beside_config("themes")
    }

    /// The user's own keys.
    pub fn keys(&self) -> PathBuf {
        self.beside_config("keys.toml")
    }

    pub fn database(&self) -> PathBuf {
        self.data_dir.value.join("elenchus.db")
    }

    /// What was found out about endpoints.
    pub fn endpoints(&self) -> PathBuf {
        self.data_dir.value.join("endpoints.json")
    }

    /// Which hints were understood.
    pub(crate) fn hints(&self) -> PathBuf {
        self.data_dir.value.join("hints.json")
    }

    /// Whether nothing was set and nothing kept here so far.
    pub(crate) fn are_unused(&self) -> bool {
        !self.config_file.value.exists() && !self.database().exists()
    }

    fn beside_config(&self, name: &str) -> PathBuf {
        self.config_file.value.parent().unwrap_or(Path::new(".")).join(name)
    }

    pub(super) fn explain(&self) -> Vec<Explained> {
        let words = |path: &PathBuf| path.display().to_string();
        vec![self.config_file.explain("config", words), self.data_dir.explain("data_dir", words)]
    }
}

/// The settings file itself, or the `config.toml` in a folder that was named.
fn settings_file(path: PathBuf) -> PathBuf {
    let is_file = path.extension().is_some_and(|extension| extension == "toml") && !path.is_dir();
    if is_file { path } else { path.join("config.toml") }
}

fn named(
    flag: Option<&Path>,
    flag_name: &'static str,
    variable: &str,
    surroundings: &Surroundings<'_>,
) -> Option<Resolved<PathBuf>> {
    if let Some(path) = flag {
        return Some(Resolved::new(path.to_owned(), Origin::Flag(flag_name)));
    }
    let path = surroundings.variable(variable)?;
    Some(Resolved::new(PathBuf::from(path), Origin::Variable(variable.to_owned())))
}
