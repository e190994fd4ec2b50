//! Why there are no settings.

use std::path::PathBuf;

use crate::decode::Diagnostic;

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("The settings {path} could not be read: {source}.")]
    Unreadable { path: PathBuf, source: std::io::Error },
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
