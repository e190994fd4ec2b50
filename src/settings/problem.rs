//! What is wrong with settings: every problem at once, each with its place and what to do.

use std::path::PathBuf;

use serde::Serialize;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where: `config.toml:12`, a flag, or a variable.
    pub place: String,
    /// What.
    pub message: String,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

impl Problem {
    /// Builds a problem without a suggestion.
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into(), suggestion: None }
    }

    /// Adds the candidate most like `given`, if one is like it.
    #[must_use]
    pub fn suggesting<'a>(mut self, given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        let likeness = |candidate: &str| strsim::damerau_levenshtein(given, candidate);
        let nearest = candidates.into_iter().min_by_key(|candidate| likeness(candidate));
        // Beyond a third of the word, it is another word.
        let near = |candidate: &&str| likeness(candidate) <= candidate.len().max(given.len()).div_ceil(3);
        self.suggestion = nearest.filter(near).map(str::to_owned);
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.place, self.message)?;
        match &self.suggestion {
            Some(suggestion) => write!(formatter, "; did you mean `{suggestion}`?"),
            None => formatter.write_str("."),
        }
    }
}

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file could not be read.
    #[error("The settings {path} could not be read: {source}.")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// There is no home folder to keep anything in.
    #[error("This account has no home folder: name one with --config and --data-dir.")]
    Homeless,
    /// Something in them is wrong.
    #[error("{}", problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Invalid {
        /// All of it.
        problems: Vec<Problem>,
    },
}
