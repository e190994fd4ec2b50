//! Where a value came from.

use std::path::PathBuf;

use serde::Serialize;

use crate::decode::Place;

/// What the command line may say about settings, and what was chosen since. Keys are absent on purpose: other users of a
/// machine see arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--config`: the settings file.
    pub config: Option<PathBuf>,
    /// `--data-dir`: the data folder.
    pub data_dir: Option<PathBuf>,
    /// `--profile`: the endpoint's profile.
    pub profile: Option<String>,
    /// `--endpoint`: the base URL.
    pub endpoint: Option<String>,
    /// `--model`: the model.
    pub model: Option<String>,
    /// `--provider`: the protocol.
    pub provider: Option<String>,
    /// `--key-env`: the variable that holds the key.
    pub key_env: Option<String>,
    /// `--sensitive`: what happens to sensitive data.
    pub sensitive: Option<String>,
    /// `--theme`: the colours.
    pub theme: Option<String>,
    /// `--lang`: the language.
    pub language: Option<String>,
    /// `--plain`: lines instead of panes.
    pub plain: Option<bool>,
    /// The model that was chosen while the program runs.
    pub chosen: Option<ChosenModel>,
}

/// A model that was chosen while the program runs. Naming a server is no reason to hand it a key: it gets one only if it
/// is the configured server, or a profile names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChosenModel {
    /// The base URL of its server; the configured one, when not given.
    pub endpoint: Option<String>,
    pub model: String,
}

/// The parts of the outside world that settings depend on.
pub struct Surroundings<'a> {
    /// Reads a variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Reads an entry of the system keyring, or says why it cannot.
    pub keyring: &'a dyn Fn(&str) -> Result<String, String>,
    /// Our own program, which stays beside commands that print keys and ends what they leave. Without it their process group
    /// is all that is ended.
    pub program: Option<PathBuf>,
}

impl Surroundings<'static> {
    /// The real ones.
    pub fn system() -> Self {
        Self {
            variable: &|name| std::env::var(name).ok(),
            keyring: &super::key::from_keyring,
            program: std::env::current_exe().ok(),
        }
    }
}

impl Surroundings<'_> {
    /// Reads a variable; an empty one counts as unset, the way shells clear them.
    pub fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.trim().is_empty())
    }
}

/// Which source won.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Flag(&'static str),
    Variable(String),
    File(Place),
    /// Chosen while the program runs.
    Chosen,
    /// None of the others gave a value.
    #[default]
    Default,
}

impl Origin {
    /// Where that is, for problems.
    pub(super) fn place(&self) -> Place {
        match self {
            Self::File(place) => place.clone(),
            Self::Flag(_) | Self::Variable(_) | Self::Chosen | Self::Default => Place::whole(self.to_string()),
        }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(name) => formatter.write_str(name),
            Self::Variable(name) => formatter.write_str(name),
            Self::File(place) => place.fmt(formatter),
            Self::Chosen => formatter.write_str("/model"),
            Self::Default => formatter.write_str("default"),
        }
    }
}

/// A value and its origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resolved<T> {
    pub value: T,
    pub origin: Origin,
}

impl<T> Resolved<T> {
    /// Puts a value and its origin together.
    pub fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }

    /// Explains the value in words.
    pub fn explain(&self, key: impl Into<String>, words: impl FnOnce(&T) -> String) -> Explained {
        Explained { key: key.into(), value: words(&self.value), origin: self.origin.clone() }
    }
}

/// A resolved value in words, for `elenchus doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    pub key: String,
    /// The value; for a key, where it is kept.
    pub value: String,
    pub origin: Origin,
}
