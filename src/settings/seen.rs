//! Which hints were understood: a small file beside the database.

use std::io;
use std::path::Path;

use super::Paths;
use crate::files::{plain, private};

/// The hints that are not given any more. A file that cannot be read has none.
pub(crate) fn seen_hints(paths: &Paths) -> Vec<String> {
    let text = plain::text(&paths.hints(), plain::SETTINGS).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Remembers them.
pub(crate) fn keep_hints(file: &Path, seen: &[String]) -> io::Result<()> {
    private::folder(file.parent().unwrap_or(Path::new(".")))?;
    private::replace(file, &serde_json::to_string(seen)?)
}
