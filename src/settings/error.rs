//! Why there are no settings.

use std::path::PathBuf;

use crate::decode::Diagnostic;

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
        problems: Vec<Diagnostic>,
    },
}
