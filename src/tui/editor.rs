//! The user's editor on a text.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::files::held::HeldFolder;
use crate::files::{plain, private};

/// Opens the editor on a text and gives back what was saved; `None` where the editor was left with a failure, which is
/// how people say that they have thought better of it.
///
/// The file lies in a folder of its own below `work`, with whatever the editor puts beside it. A killed process leaves it
/// there until the next one looks.
pub fn edit(text: &str, work: &Path, key_variables: &[String]) -> Result<Option<String>, String> {
    let folder = HeldFolder::create(&work.join(format!("editor-{}", uuid::Uuid::now_v7())))
        .map_err(|error| format!("no file for the editor could be made: {error}"))?;
    let path = folder.path().join("elenchus.md");
    private::write_new(&path, text)
        .map_err(|error| format!("the draft could not be written for the editor: {error}"))?;
    let words =
        ["VISUAL", "EDITOR"].iter().find_map(|name| env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let words = words.unwrap_or_else(|| "vi".to_owned());
    let mut parts = words.split_whitespace();
    let program = parts.next().unwrap_or("vi");
    let mut editor = Command::new(program);
    editor.args(parts).arg(&path);
    // The keys of this program are none of the editor's business, nor of its extensions'.
    for variable in key_variables {
        editor.env_remove(variable);
    }
    let status = editor.status().map_err(|error| {
        format!("the editor `{program}` could not be started: {error}; set EDITOR to one that is there")
    })?;
    if !status.success() {
        return Ok(None);
    }
    let text =
        plain::read(&path, plain::DOCUMENT).map_err(|error| format!("the edited text could not be read: {error}"))?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}
