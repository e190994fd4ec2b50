//! The user's editor on a text.

use std::env;
use std::fs;
use std::io::Write as _;
use std::process::Command;

/// Opens the editor on a text and gives back what was saved; `None` where the editor was left with a failure, which is
/// how people say that they have thought better of it.
pub fn edit(text: &str) -> Result<Option<String>, String> {
    let mut file = tempfile::Builder::new()
        .prefix("elenchus-")
        .suffix(".md")
        .tempfile()
        .map_err(|error| format!("no file for the editor could be made: {error}"))?;
    file.write_all(text.as_bytes())
        .map_err(|error| format!("the draft could not be written for the editor: {error}"))?;
    let path = file.into_temp_path();
    let words =
        ["VISUAL", "EDITOR"].iter().find_map(|name| env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let words = words.unwrap_or_else(|| "vi".to_owned());
    let mut parts = words.split_whitespace();
    let program = parts.next().unwrap_or("vi");
    // The key of this program is none of the editor's business, nor of its extensions'.
    let mut editor = Command::new(program);
    editor.args(parts).arg(&path).env_remove("ELENCHUS_API_KEY");
    let status = editor.status().map_err(|error| {
        format!("the editor `{program}` could not be started: {error}; set EDITOR to one that is there")
    })?;
    if !status.success() {
        return Ok(None);
    }
    let text = fs::read(&path).map_err(|error| format!("the edited text could not be read: {error}"))?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}
